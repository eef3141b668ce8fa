/** A command as it was typed: `/speed -4` is `speed` and `-4`. Null: it is chat. */
export function wordsOf(text: string): { readonly name: string; readonly rest: string } | null {
  const [, name, rest = ""] = /^\/(\S+)\s*(.*)$/s.exec(text.trim()) ?? [];
  return name === undefined ? null : { name: name.toLowerCase(), rest: rest.trim() };
}

/** What a viewer may type, and what it does. */
export const HELP: readonly (readonly [command: string, does: string])[] = [
  ["/list", "shows the recordings"],
  ["/play NAME", "opens a recording, or joins those who watch it"],
  ["/review TICKET", "opens what a ticket is for"],
  ["/pause", "pauses, or goes on"],
  ["/t 1m30s", "goes to a time; also 50%, t1200, +10s and -10s"],
  ["/speed -4", "sets the speed, from -64 to 64; negative goes backwards"],
  ["/step 1", "goes a tick on, or back"],
  ["/loop 10s 20s", "repeats a part; /loop off ends that"],
  ["/mark", "goes to the next mark; /mark back to the one before; /mark TEXT keeps one here"],
  ["/view NAME", "looks through the eyes of a player; /view without a name through your own"],
  ["/goto NAME", "goes to a player"],
  ["/free", "watches alone from here"],
  ["/join NAME", "watches with another viewer"],
  ["/lead NAME", "lets another viewer lead"],
  ["/hotbar", "holds the controls in your hands; /hotbar again lets you fly through walls"],
  ["/lobby", "leaves the recording"],
];

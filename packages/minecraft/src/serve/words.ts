/** Splits a typed command: `/speed -4` is `speed` and `-4`. Null: it is chat. */
export function wordsOf(text: string): { readonly name: string; readonly rest: string } | null {
  const [, name, rest = ""] = /^\/(\S+)\s*(.*)$/s.exec(text.trim()) ?? [];
  return name === undefined ? null : { name: name.toLowerCase(), rest: rest.trim() };
}

/** The commands of viewers, and what they do. */
export const HELP: readonly (readonly [command: string, does: string])[] = [
  ["/list", "shows the recordings"],
  ["/play NAME", "plays a recording, or joins the viewers who watch it"],
  [
    "/review TICKET",
    "opens the recording of a ticket; a report opens a little before its moment, through the eyes of the reported player",
  ],
  ["/pause", "pauses, or continues"],
  ["/t 1m30s", "goes to a time; also 50%, t1200, +10s and -10s"],
  ["/speed -4", "sets the speed, from -64 to 64; negative goes backwards"],
  ["/step 1", "goes forwards or backwards by a tick"],
  ["/loop 10s 20s", "repeats a part; /loop off ends that"],
  ["/next", "goes to the next mark, report or note; /prev to the one before; /marks lists them"],
  ["/mark TEXT", "saves a note at this moment"],
  ["/report NAME TEXT", "saves a report of a player at this moment"],
  ["/view NAME", "looks through the eyes of a player; /view without a name, or sneaking, through your own"],
  ["/goto NAME", "goes to a player"],
  ["/free", "watches alone from now on"],
  ["/join NAME", "watches with another viewer"],
  ["/lead NAME", "lets another viewer lead"],
  ["/hotbar", "puts the controls into your hotbar; /hotbar again lets you fly through walls"],
  ["/lobby", "leaves the recording"],
];

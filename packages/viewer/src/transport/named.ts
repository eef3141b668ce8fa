import type { State } from "simtape";
import { ALL, among, kindName, showEvent, textOf } from "../events/event-list.ts";
import type { EventRow, Opened } from "../protocol.ts";
import { MESSAGES } from "../inspect/listed.ts";
import { nameOf } from "../scene/presenters/cells.ts";
import { clock } from "../time.ts";
import type { Command } from "./commands.ts";

/** Something that is found by its name: what is done then, and what it is. */
export interface Named extends Pick<Command, "title" | "run"> {
  readonly what: string;
  /** No other has it. */
  readonly id: string;
}

/** Of each kind so many are listed, and so many things are looked at. */
const LISTED = 30;
const LOOKED_AT = 20_000;

/** Things that are there now, channels, and events in whose names all words occur. */
export function named(
  text: string,
  state: State | null,
  opened: Opened | undefined,
  events: readonly EventRow[],
): readonly Named[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const fits = (name: string): boolean => words.every((word) => name.toLowerCase().includes(word));
  const channels = (opened?.channels ?? []).filter(({ name }) => fits(name)).slice(0, LISTED);
  return [
    ...things(state, fits),
    ...channels.map(
      ({ id, name }): Named => ({
        id: `channel ${id}`,
        title: name,
        what: "channel",
        run: (session) => {
          session.share(MESSAGES, { channel: name });
          session.showPanel("messages");
        },
      }),
    ),
    ...among(events, { ...ALL, text })
      .slice(0, LISTED)
      .map(
        (event, i): Named => ({
          id: `event ${i}`,
          title: `${kindName(event.kind)}: ${textOf(event)}`,
          what: clock(event.time),
          run: (session) => showEvent(session, event),
        }),
      ),
  ];
}

function things(state: State | null, fits: (name: string) => boolean): readonly Named[] {
  const found: Named[] = [];
  let left = LOOKED_AT;
  for (const [name, set] of state?.sets ?? []) {
    if (name.startsWith(".")) continue;
    for (let row = 0; row < set.ids.length && left > 0 && found.length < LISTED; row++, left--) {
      const title = nameOf(set, name, row);
      const id = set.ids[row]!;
      if (!fits(`${title} ${name}/${id}`)) continue;
      const what = `${name}/${id}`;
      found.push({ id: what, title, what, run: (session) => session.select({ kind: "thing", set: name, id }) });
    }
  }
  return found;
}

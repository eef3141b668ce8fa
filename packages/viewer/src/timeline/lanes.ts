import type { Mark } from "../protocol.ts";
import { mainTime } from "../placement.ts";
import type { Deck } from "../session.ts";
import type { Activity } from "./activity.ts";
import type { Window } from "./window.ts";

/** A line of the picture: a channel, the marks, or where a ghost lies. */
export type Lane =
  | { readonly kind: "channel"; readonly name: string; readonly channel: number }
  | { readonly kind: "marks"; readonly name: string; readonly marks: readonly Mark[] }
  /** All channels together, where no more is known. */
  | { readonly kind: "spread"; readonly name: string }
  | { readonly kind: "ghost"; readonly name: string; readonly window: Window };

/** From the top down. While another recording opens, the activity may still be that of the one before. */
export function lanesOf(
  { channels, marks, spread }: Pick<Activity, "channels" | "marks" | "spread">,
  [main, ...ghosts]: readonly Deck[],
): Lane[] {
  const kinds = new Map<string, Mark[]>();
  for (const mark of marks) {
    const found = kinds.get(mark.kind);
    if (found === undefined) kinds.set(mark.kind, [mark]);
    else found.push(mark);
  }
  return [
    ...[...kinds].map(([name, found]) => ({ kind: "marks", name, marks: found }) as const),
    ...ghosts.map(
      (ghost) => ({ kind: "ghost", name: `ghost ${ghost.place.name}`, window: ghostWindow(ghost, main!) }) as const,
    ),
    ...(channels.length === 0 && spread !== null ? [{ kind: "spread", name: "all channels" } as const] : []),
    // What marks of the same name show is not shown again.
    ...channels.flatMap(({ id, name }) => (kinds.has(name) ? [] : [{ kind: "channel", name, channel: id } as const])),
  ];
}

/** Where a ghost lies on the time of what is played. */
function ghostWindow(ghost: Deck, main: Deck): Window {
  const { start, end } = ghost.opened.timeline;
  return { start: mainTime(start, ghost, main), end: mainTime(end, ghost, main) };
}

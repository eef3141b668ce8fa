import type { Mark } from "../protocol.ts";
import type { Deck } from "../session.ts";
import type { Activity } from "./activity.ts";
import type { Window } from "./window.ts";

/** A line of the picture: a channel, the marks, or where a ghost lies. */
export type Lane =
  | { readonly kind: "channel"; readonly name: string; readonly channel: number }
  | { readonly kind: "marks"; readonly name: string }
  | { readonly kind: "ghost"; readonly name: string; readonly window: Window };

/** From the top down. While another recording opens, the activity may still be that of the one before. */
export function lanesOf(
  { channels }: Pick<Activity, "channels">,
  [main, ...ghosts]: readonly Deck[],
  marks: readonly Mark[],
): Lane[] {
  return [
    ...(marks.length === 0 ? [] : [{ kind: "marks", name: "events" } as const]),
    ...ghosts.map(
      (ghost) => ({ kind: "ghost", name: `ghost ${ghost.place.name}`, window: windowOf(ghost, main!) }) as const,
    ),
    ...channels.map(({ id, name }) => ({ kind: "channel", name, channel: id }) as const),
  ];
}

/** Where a ghost lies on the time of what is played. */
function windowOf({ opened, placement }: Deck, main: Deck): Window {
  const { align, offset = 0, rate = 1 } = placement;
  const at = (align?.main ?? main.opened.timeline.start) + offset;
  const own = align?.ghost ?? opened.timeline.start;
  const { start, end } = opened.timeline;
  return { start: at + (start - own) / rate, end: at + (end - own) / rate };
}

import type { Time } from "simtape";
import type { Deck } from "./session.ts";

type Laid = Pick<Deck, "opened" | "placement">;

/** The time of what is played at which a ghost is at `time` of its own. As the player lays it, but for its bounds. */
export function mainTime(time: Time, ghost: Laid, main: Laid): Time {
  const { at, own, rate } = originOf(ghost, main);
  return at + (time - own) / rate;
}

/** The ghost's own time at `time` of what is played. */
export function ghostTime(time: Time, ghost: Laid, main: Laid): Time {
  const { at, own, rate } = originOf(ghost, main);
  return own + (time - at) * rate;
}

function originOf({ opened, placement }: Laid, main: Laid): { at: Time; own: Time; rate: number } {
  const { align, offset = 0, rate = 1 } = placement;
  return {
    at: (align?.main ?? main.opened.timeline.start) + offset,
    own: align?.ghost ?? opened.timeline.start,
    rate,
  };
}

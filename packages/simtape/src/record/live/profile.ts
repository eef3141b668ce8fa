import { EVENT } from "../../formats/hcrp/layout/events.ts";

/**
 * What is worth recording (HCRP events §4): `ghost` the movement only, `standard` everything that a replay shows,
 * `review` exact places and velocities too, `cinema` sounds and particles too.
 */
export const RECORDING_PROFILES = ["ghost", "standard", "review", "cinema"] as const;
/**
 * How much of a world is recorded: `ghost` movement only, `standard`, `review` exact places and velocities too, `cinema`
 * sounds and particles too.
 */
export type RecordingProfile = (typeof RECORDING_PROFILES)[number];

const GHOST: readonly number[] = [
  EVENT.move,
  EVENT.place,
  EVENT.state,
  EVENT.swing,
  EVENT.spawn,
  EVENT.remove,
  EVENT.paletteAdd,
  EVENT.join,
  EVENT.leave,
  EVENT.mark,
];
/** What physics and aim are judged by, and what only eyes and ears want. */
const EXACT: readonly number[] = [EVENT.velocity, EVENT.exactPlace];
const AMBIENCE: readonly number[] = [EVENT.sound, EVENT.particles];

/** By core event id: whether a profile records it. */
export function eventsOf(profile: RecordingProfile): readonly boolean[] {
  return Object.values(EVENT).map((event) => {
    if (profile === "ghost") return GHOST.includes(event);
    if (EXACT.includes(event)) return profile === "review";
    return AMBIENCE.includes(event) ? profile === "cinema" : true;
  });
}

import { CARLA } from "./bombs/carla.ts";
import { FLIGHTGEAR } from "./bombs/flightgear.ts";
import { HCRP } from "./bombs/hcrp.ts";
import { MCAP } from "./bombs/mcap.ts";
import { MIRA } from "./bombs/mira.ts";
import { NANOVER } from "./bombs/nanover.ts";
import type { Bomb } from "./bombs/parts.ts";

/** One for each way of asking for too much that is known, of every format. */
export const BOMBS: readonly Bomb[] = [...MIRA, ...HCRP, ...CARLA, ...FLIGHTGEAR, ...NANOVER, ...MCAP];

import { carla } from "./formats/carla/format.ts";
import { flightgear } from "./formats/flightgear/format.ts";
import { hcrp } from "./formats/hcrp/format.ts";
import { mcap } from "./formats/mcap/format.ts";
import { mira } from "./formats/mira/format.ts";
import { nanover } from "./formats/nanover/format.ts";
import type { Format } from "./model/format.ts";

/** Every format simtape knows. Pass a shorter list to `open` to load fewer. */
export const FORMATS: readonly Format[] = [carla, flightgear, hcrp, mcap, mira, nanover];

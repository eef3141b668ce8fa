import type { WritingFormat } from "../../model/writer.ts";
import { encoder } from "./write/encode.ts";
import { repair } from "./repair/repair.ts";
import { restate } from "./write/restate.ts";
import { timesOf } from "./meaning/times.ts";
import { containerOf, create } from "./write/writer.ts";

/** Writes `.nanover.zip`, and `.traj` and `.state` of both versions. */
export const writing: WritingFormat = {
  times: (name, options) => timesOf(containerOf(name, options)),
  create,
  restate,
  repair,
  encoder,
};

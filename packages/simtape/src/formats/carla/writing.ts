import type { WritingFormat } from "../../model/writer.ts";
import { apart } from "./write/apart.ts";
import { encoder } from "./write/encode.ts";
import { repair } from "./repair/repair.ts";
import { restate } from "./write/restate.ts";
import { TIMES } from "./layout/times.ts";
import { CarlaWriter } from "./write/writer.ts";

/** The writing side of CARLA's recorder files. */
export const writing: WritingFormat = {
  times: () => TIMES,
  create: (to, options) => CarlaWriter.create(to, options),
  restate,
  apart,
  repair,
  encoder,
};

import type { WritingFormat } from "../../model/writer.ts";
import { apart } from "./apart.ts";
import { encoder } from "./encode.ts";
import { repair } from "./repair.ts";
import { restate } from "./restate.ts";
import { CarlaWriter } from "./writer.ts";

/** The writing side of CARLA's recorder files. */
export const writing: WritingFormat = {
  create: (to, options) => CarlaWriter.create(to, options),
  restate,
  apart,
  repair,
  encoder,
};

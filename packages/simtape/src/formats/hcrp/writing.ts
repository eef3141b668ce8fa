import type { WritingFormat } from "../../model/writer.ts";
import { encoder } from "./write/encode.ts";
import { putMarks } from "./write/marks.ts";
import { carryOriginal } from "./write/originals.ts";
import { ORIGINAL_EVENT } from "./layout/own.ts";
import { repair } from "./write/repair.ts";
import { restate } from "./write/restate.ts";
import { createWriter } from "./write/create.ts";
import { sift } from "./write/sift.ts";

/** Everything that writes HCRP. */
export const writing: WritingFormat = {
  create: createWriter,
  restate,
  sift,
  copies: [ORIGINAL_EVENT],
  repair,
  encoder,
  carry: carryOriginal,
  annotate: putMarks,
};

export { carryOriginal, originalsOf } from "./write/originals.ts";
export type { Original } from "../../model/original.ts";

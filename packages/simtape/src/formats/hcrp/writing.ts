import type { WritingFormat } from "../../model/writer.ts";
import { encoder } from "./write/encode.ts";
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
};

export { carryOriginal, type Original, originalsOf } from "./write/originals.ts";

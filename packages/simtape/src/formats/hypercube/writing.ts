import type { WritingFormat } from "../../model/writer.ts";
import { encoder } from "./encode.ts";
import { ORIGINAL_EVENT } from "./layout-own.ts";
import { repair } from "./repair.ts";
import { restate } from "./restate.ts";
import { createWriter } from "./create.ts";
import { sift } from "./sift.ts";

/** Everything that writes HCRP. */
export const writing: WritingFormat = {
  create: createWriter,
  restate,
  sift,
  copies: [ORIGINAL_EVENT],
  repair,
  encoder,
};

export { carryOriginal, type Original, originalsOf } from "./originals.ts";

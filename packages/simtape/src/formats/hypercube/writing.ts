import type { WritingFormat } from "../../model/writer.ts";
import { encoder } from "./encode.ts";
import { repair } from "./repair.ts";
import { restate } from "./restate.ts";
import { createWriter } from "./create.ts";

/** Everything that writes HCRP. */
export const writing: WritingFormat = { create: createWriter, restate, repair, encoder };

export { carryOriginal, type Original, originalsOf } from "./originals.ts";

import type { WritingFormat } from "../../model/writer.ts";
import { apart } from "./apart.ts";
import { encoder } from "./encode.ts";
import { repair } from "./repair.ts";
import { restate } from "./restate.ts";
import { createWriter } from "./writer.ts";

/** Writes tapes of every dialect: the README lists them. */
export const writing: WritingFormat = { create: createWriter, restate, repair, encoder, apart };

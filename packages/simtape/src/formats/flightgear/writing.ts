import type { WritingFormat } from "../../model/writer.ts";
import { apart } from "./write/apart.ts";
import { encoder } from "./write/encode.ts";
import { repair } from "./repair/repair.ts";
import { restate } from "./write/restate.ts";
import { TIMES } from "./layout/times.ts";
import { createWriter } from "./write/writer.ts";

/** Writes tapes of every dialect: the README lists them. */
export const writing: WritingFormat = { times: () => TIMES, create: createWriter, restate, repair, encoder, apart };

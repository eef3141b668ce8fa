import type { WritingFormat } from "../../model/writer.ts";
import { encoder } from "./write/encode.ts";
import { putMarks } from "./write/marks.ts";
import { carryOriginal } from "./write/originals.ts";
import { ORIGINAL_EVENT } from "./layout/own.ts";
import { repair } from "./repair/repair.ts";
import { restate } from "./write/restate.ts";
import { createWriter } from "./write/create.ts";
import { sift } from "./write/sift.ts";
import { TIMES } from "./write/times.ts";

/** What snapshots do not say: what happened, was said or marked, and what stands for names. */
const UNSAID: ReadonlySet<string> = new Set([
  "swing",
  "sound",
  "particles",
  "hurt",
  "chat",
  "mark",
  "palette-add",
  "snapshot",
  ORIGINAL_EVENT,
]);

/** Everything that writes HCRP. */
export const writing: WritingFormat = {
  times: () => TIMES,
  create: createWriter,
  restate,
  sift,
  copies: [ORIGINAL_EVENT],
  entries: ["palette-add"],
  restates: { by: "snapshot", what: (channel) => !UNSAID.has(channel) },
  repair,
  encoder,
  carry: carryOriginal,
  annotate: putMarks,
};

export { carryOriginal, originalsOf } from "./write/originals.ts";
export type { Original } from "../../model/original.ts";

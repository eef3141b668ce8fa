import type { SinkBundle } from "../../io/sink/sink.ts";
import type { CreateOptions, WritingFormat } from "../../model/writer.ts";
import { create } from "./write/create.ts";
import { encoder } from "./write/encode.ts";
import { repair } from "./repair/repair.ts";
import { restate } from "./write/restate.ts";
import { TIMES } from "./layout/times.ts";
import type { MiraWriter } from "./write/writer.ts";

/** The writing side of tapes; its writer takes frame ids and sequence ids, too. */
export interface MiraWriting extends WritingFormat {
  create(to: SinkBundle, options: CreateOptions): Promise<MiraWriter>;
}

export const writing: MiraWriting = { times: () => TIMES, create, restate, repair, encoder };

import type { SinkBundle } from "../../io/sink.ts";
import type { CreateOptions, WritingFormat } from "../../model/writer.ts";
import { create } from "./create.ts";
import { encoder } from "./encode.ts";
import { repair } from "./repair.ts";
import { restate } from "./restate.ts";
import type { MiraWriter } from "./writer.ts";

/** The writing side of tapes; its writer takes frame ids and sequence ids, too. */
export interface MiraWriting extends WritingFormat {
  create(to: SinkBundle, options: CreateOptions): Promise<MiraWriter>;
}

export const writing: MiraWriting = { create, restate, repair, encoder };

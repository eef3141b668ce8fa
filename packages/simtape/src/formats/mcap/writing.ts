import type { SinkBundle } from "../../io/sink/sink.ts";
import type { CreateOptions, WritingFormat } from "../../model/writer.ts";
import { repair } from "./repair/repair.ts";
import { create } from "./write/create.ts";
import { encoder } from "./write/encode.ts";
import { restate } from "./write/restate.ts";
import { times } from "./write/settings.ts";
import type { McapWriter } from "./write/writer.ts";

/** The writing side of MCAP files. */
export interface McapWriting extends WritingFormat {
  create(to: SinkBundle, options: CreateOptions): Promise<McapWriter>;
}

export const writing: McapWriting = { times, create, restate, repair, encoder };

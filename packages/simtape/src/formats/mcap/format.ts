import type { SourceBundle } from "../../io/source.ts";
import type { Reporter } from "../../model/error.ts";
import type { Format, OpenOptions } from "../../model/format.ts";
import type { Reader } from "../../model/reader.ts";
import type { Value } from "../../model/value.ts";
import type { McapWriting } from "./writing.ts";
import { MAGIC } from "./layout/opcode.ts";

/** What messages decode to: the names of channels are those of the topics, and any of them may hold any value. */
export interface McapChannels {
  readonly [topic: string]: Value;
}

export type { McapWriter } from "./write/writer.ts";
export type { McapWriting } from "./writing.ts";

/** Files can be written. */
export interface McapFormat extends Format<McapChannels, "mcap"> {
  writing(): Promise<McapWriting>;
}

/** MCAP files: recorded messages of robots and simulations. */
export const mcap: McapFormat = {
  id: "mcap",
  name: "MCAP file",
  extensions: ["mcap"],
  sniff: (head) => (head.length >= MAGIC.length && MAGIC.every((byte, i) => head[i] === byte) ? "certain" : null),
  open: async (from: SourceBundle, report: Reporter, options: OpenOptions): Promise<Reader> =>
    (await import("./read/reader.ts")).McapReader.open(from, report, options),
  traits: async () => (await import("./traits.ts")).traits,
  writing: async () => (await import("./writing.ts")).writing,
};

import type { SourceBundle } from "../../io/source/source.ts";
import type { Reporter } from "../../model/error.ts";
import type { Format, OpenOptions } from "../../model/format.ts";
import type { Reader } from "../../model/reader.ts";
import type { McapWriting } from "./writing.ts";
import { MAGIC } from "../../codec/mcap/opcode.ts";

/**
 * What messages decode to, by topic. Topics have the names that the robot gave them, so that only `Named` can say what
 * they hold: `createMcap<{ "/battery": { volts: number } }>()`.
 */
export type McapChannels<Named extends object = object> = { readonly [Topic in keyof Named]: Named[Topic] };

export type { McapWriter } from "./write/writer.ts";
export type { McapWriting } from "./writing.ts";

/** Files can be written. */
export interface McapFormat<Named extends object = object> extends Format<McapChannels<Named>, "mcap"> {
  writing(): Promise<McapWriting>;
}

/** What bags of ROS 1 begin with: `#ROSBAG`. */
const BAG = Uint8Array.of(0x23, 0x52, 0x4f, 0x53, 0x42, 0x41, 0x47);

/** The format. `Named` says what topics hold; it is believed. */
export function createMcap<Named extends object = object>(): McapFormat<Named> {
  return {
    id: "mcap",
    name: "MCAP",
    extensions: ["mcap"],
    sniff: (head) => (head.length >= MAGIC.length && MAGIC.every((byte, i) => head[i] === byte) ? "certain" : null),
    advice: (head) =>
      BAG.every((byte, i) => head[i] === byte)
        ? "a ROS 1 bag, which is converted first: simtape mcap IN.bag -o OUT.mcap"
        : null,
    open: async (from: SourceBundle, report: Reporter, options: OpenOptions): Promise<Reader> =>
      (await import("./read/reader.ts")).McapReader.open(from, report, options),
    traits: async () => (await import("./traits.ts")).traits,
    writing: async () => (await import("./writing.ts")).writing,
  };
}

/** MCAP files: recorded messages of robots and simulations. */
export const mcap: McapFormat = createMcap();

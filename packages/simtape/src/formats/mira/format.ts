import type { Reader } from "../../model/reader.ts";
import type { Format, OpenOptions, SniffHint } from "../../model/format.ts";
import type { Reporter } from "../../model/error.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import type { MiraChannels } from "./meaning/channels.ts";
import { probe } from "./read/probe.ts";
import type { MiraWriting } from "./writing.ts";
import type { PayloadSchema } from "./meaning/types.ts";

export { type MessageHeader, readMessageHeader } from "./layout/message-header.ts";
export type * from "./meaning/channels.ts";
export type { PayloadSchema } from "./meaning/types.ts";
export type { MiraWriter } from "./write/writer.ts";
export type { MiraWriting } from "./writing.ts";

/** Bytes that formats are recognised by: fewer are the whole file. */
const HEAD_BYTES = 4096;

/** How tapes are read. Everything is optional. */
export interface MiraOptions {
  /** Types that the built-in catalogue does not know, or knows otherwise; they win over it. */
  readonly schemas?: readonly PayloadSchema[] | undefined;
}

/** Tapes can be written, with frame ids and sequence ids. */
export interface MiraFormat<Named extends object = object> extends Format<MiraChannels<Named>, "mira"> {
  writing(): Promise<MiraWriting>;
}

/** The format, with payload schemas of your own. `Named` says what channels hold; see `MiraChannels`. */
export function createMira<Named extends object = object>(options: MiraOptions = {}): MiraFormat<Named> {
  const schemas = options.schemas ?? [];
  return {
    id: "mira",
    name: "MIRA",
    extensions: ["tape"],
    ...(schemas.length === 0 ? {} : { variant: JSON.stringify(schemas) }),
    sniff: (head: Uint8Array, hint: SniffHint) =>
      probe(head, hint.size ?? (head.length < HEAD_BYTES ? head.length : Number.POSITIVE_INFINITY))?.confidence ?? null,
    open: async (from: SourceBundle, report: Reporter, openOptions: OpenOptions): Promise<Reader> =>
      (await import("./read/reader.ts")).TapeReader.open(from, schemas, report, openOptions),
    traits: async () => (await import("./traits.ts")).traits,
    writing: async () => (await import("./writing.ts")).writing,
  };
}

/** Tapes of the MIRA robotics middleware. */
export const mira: MiraFormat = createMira();

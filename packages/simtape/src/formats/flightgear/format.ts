import { LayoutError } from "../../bytes/error.ts";
import { GzipHeader, isGzip } from "../../bytes/gzip.ts";
import { inflateStream } from "../../bytes/inflate-stream.ts";
import { SourceError } from "../../io/source/source.ts";
import { RecordingError } from "../../model/error.ts";
import type { Format } from "../../model/format.ts";
import type { FlightGearChannels } from "./meaning/channels.ts";
import { isMagic } from "./layout/magic.ts";

export type * from "./meaning/channels.ts";
export { unitOf } from "./meaning/units.ts";

/** Most that 4,096 bytes of deflate can hold. */
const HEAD_LIMIT = 8 << 20;

/** FlightGear's flight recorder tapes: Normal of all generations, Continuous and Recovery. */
export const flightgear: Format<FlightGearChannels, "flightgear"> & Required<Pick<Format, "writing">> = {
  id: "flightgear",
  name: "FlightGear",
  extensions: ["fgtape"],
  sniff(head) {
    return isGzip(head) ? sniffPlain(inflatedHead(head)) : sniffPlain(head);
  },
  async open(from, report, options) {
    const source = await from.open();
    if (source === null) throw new SourceError("failed", "nothing there");
    const head = await source.read(0, 4096, options.signal);
    const plain = isGzip(head) ? inflatedHead(head) : head;
    if (isBigEndian(plain)) {
      const message = "a tape from a big-endian machine, whose numbers have the other byte order";
      throw new RecordingError("unsupported", message, { format: "flightgear", offset: 0 });
    }
    return (await import("./read/reader.ts")).FlightGearReader.open(source, report, options);
  },
  traits: async () => (await import("./traits.ts")).traits,
  writing: async () => (await import("./writing.ts")).writing,
};

function sniffPlain(head: Uint8Array): "certain" | null {
  if (isMagic(head, 0)) return "certain";
  const isNormal = head[0] === 0x44 && head[1] === 0x33 && head[2] === 0x22 && head[3] === 0x11;
  // spec §3.2: endian word, u32 0, u64 32, magic
  return (isNormal || isBigEndian(head)) && isMagic(head, 16) ? "certain" : null;
}

function isBigEndian(head: Uint8Array): boolean {
  return head[0] === 0x11 && head[1] === 0x22 && head[2] === 0x33 && head[3] === 0x44;
}

function inflatedHead(head: Uint8Array): Uint8Array {
  const header = new GzipHeader();
  const start = header.push(head, 0);
  if (header.state !== "whole") return new Uint8Array(0);
  try {
    // What came out before the head ends.
    return inflateStream(head, start, HEAD_LIMIT).bytes;
  } catch (error) {
    if (error instanceof LayoutError) return new Uint8Array(0);
    throw error;
  }
}

import type { Fields } from "./fields.ts";

const EXTENDED = 1;
const HEADER_BYTES = 256;
const ZSTD = 0xfd2fb528;

/** Facts: packages/simtape/src/formats/hypercube/README.md. Everything but zstd is big-endian. */
export function dissectHypercube(fields: Fields, kind: string): void {
  if (kind === "header") {
    fields.text("magic", 4);
    if (fields.u8("version") !== 1) return;
    const flags = fields.u16("flags");
    fields.raw("world id", 16);
    fields.raw("world version", 16);
    fields.u64("start, ms since 1970");
    fields.u16("dictionary id");
    fields.u32("metadata length");
    fields.u32("index length");
    fields.u32("ticks");
    fields.u32("chunks");
    const isExtended = (flags & EXTENDED) !== 0;
    fields.raw(isExtended ? "extended fields" : "padding", HEADER_BYTES - fields.at - (isExtended ? 4 : 0));
    if (isExtended) fields.u32("crc-32");
  } else if (kind === "metadata") fields.raw("NBT", fields.left);
  else if (kind === "index") {
    for (let i = 0; fields.left > 0; i++) {
      varint(fields, `[${i}].start tick`);
      varint(fields, `[${i}].ticks`);
      fields.u8(`[${i}].flags`);
      fields.u64(`[${i}].offset`);
      varint(fields, `[${i}].compressed length`);
      varint(fields, `[${i}].inflated length`);
    }
  } else if (kind === "chunk") {
    const view = new DataView(fields.bytes.buffer, fields.bytes.byteOffset, fields.bytes.byteLength);
    if (view.getUint32(0, true) !== ZSTD) return;
    fields.raw("zstd magic", 4);
    fields.payload("zstd frame of messages", fields.left);
  }
}

function varint(fields: Fields, name: string): void {
  let value = 0;
  for (let i = 0; i < 10; i++) {
    const byte = fields.bytes[fields.at + i];
    if (byte === undefined) break;
    value += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) {
      fields.add(name, i + 1, String(value));
      return;
    }
  }
  throw new RangeError(`${name} does not end`);
}

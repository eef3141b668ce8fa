import { ByteBuilder } from "../../bytes/builder.ts";
import type { SceneDocument } from "./document.ts";

/** "glTF", and the types of the two chunks, "JSON" and "BIN" (glTF 2.0 specification, section 4.4). */
const [MAGIC, JSON_CHUNK, BINARY_CHUNK] = [0x46546c67, 0x4e4f534a, 0x004e4942];
const VERSION = 2;
const [HEAD, CHUNK_HEAD] = [12, 8];
const SPACE = 0x20;
/** Lengths are 32 bits. */
const MOST = 2 ** 32 - 1;

/** What comes before the buffer in a binary file. Throws `RangeError` for a document of more than 4 GiB. */
export function headOfBinary({ json, byteLength }: SceneDocument): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const padded = (text.length + 3) & ~3;
  const isAlone = byteLength === 0;
  const length = HEAD + CHUNK_HEAD + padded + (isAlone ? 0 : CHUNK_HEAD + byteLength);
  if (length > MOST) throw new RangeError(`a .glb has at most 4 GiB, and this would have ${length} bytes: use --every`);
  const builder = new ByteBuilder(HEAD + 2 * CHUNK_HEAD + padded);
  builder.u32le(MAGIC);
  builder.u32le(VERSION);
  builder.u32le(length);
  builder.u32le(padded);
  builder.u32le(JSON_CHUNK);
  builder.raw(text);
  for (let k = text.length; k < padded; k++) builder.u8(SPACE);
  if (!isAlone) {
    builder.u32le(byteLength);
    builder.u32le(BINARY_CHUNK);
  }
  return builder.take();
}

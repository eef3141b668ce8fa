import type { Specimen } from "../../conformance/describe-format.ts";
import { LAYOUTS } from "../../fixtures/mcap/layouts.ts";
import { type Content, makeMcap } from "../../fixtures/mcap/make.ts";
import { placed } from "../../fixtures/mcap/placed.ts";
import { patrol } from "../../fixtures/mcap/patrol.ts";
import { flatbufferContent, otherContent } from "../../fixtures/mcap/payloads.ts";

const files = (bytes: Uint8Array): Specimen["files"] => ({ "patrol.mcap": bytes });

/** Recordings whose payloads are neither JSON nor those of the patrol. */
export const PAYLOADS: ReadonlyMap<string, () => Content> = new Map([
  ["poses in frames, entities that end", placed],
  ["FlatBuffers", flatbufferContent],
  ["IDL, CBOR and MessagePack", otherContent],
]);

/** Recordings of every layout, and some of them damaged. */
export async function specimens(): Promise<Specimen[]> {
  const made: Specimen[] = [];
  for (const [name, layout] of Object.entries(LAYOUTS)) {
    made.push({ name, files: files(await makeMcap(patrol(), layout)) });
  }
  made.push({ name: "no message", files: files(await makeMcap({ channels: [], messages: [] }, { chunk: 5 })) });
  for (const [name, content] of PAYLOADS) made.push({ name, files: files(await makeMcap(content(), { chunk: 5 })) });
  const plain = await makeMcap(patrol(), {});
  const chunked = await makeMcap(patrol(), { chunk: 20 });
  const packed = await makeMcap(patrol(), { chunk: 20, compression: "zstd" });
  const broken = (bytes: Uint8Array, at: number, length: number): Specimen["files"] => {
    const copy = bytes.slice();
    copy.fill(0xee, at, at + length);
    return files(copy);
  };
  const half = (bytes: Uint8Array): number => Math.floor(bytes.length / 2);
  made.push(
    { name: "no chunks, cut", files: files(plain.slice(0, half(plain))), isDamaged: true },
    { name: "chunks, cut", files: files(chunked.slice(0, half(chunked))), isDamaged: true },
    { name: "chunks in zstd, cut", files: files(packed.slice(0, half(packed))), isDamaged: true },
    { name: "no chunks, overwritten", files: broken(plain, half(plain), 50), isDamaged: true },
    { name: "chunks, overwritten", files: broken(chunked, half(chunked), 50), isDamaged: true },
    { name: "chunks in zstd, overwritten", files: broken(packed, half(packed), 5), isDamaged: true },
    { name: "the footer is lost", files: files(packed.slice(0, -37)), isDamaged: true },
  );
  return made;
}

/**
 * Reads a file of MCAP from memory: `node --import tsx mcap-reading.ts NAME FILE MESSAGES`. simtape reads batches. The
 * peer uses its stream reader and the decompressors of @mcap/support, which are made for it.
 */
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { McapStreamReader } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";
import { loadZstd } from "../../packages/simtape/dist/codec/zstd.js";
import { open, type SourceBundle } from "../../packages/simtape/dist/index.js";
import { chunksOf } from "./chunks.ts";
import { limit, middles, report } from "./measure.ts";

const PEER = "@mcap/core";
const zstd = await loadZstd();
const decompressHandlers = await loadDecompressHandlers();

const [name, path, messages] = process.argv.slice(2);
const file = new Uint8Array(readFileSync(path!));
const count = Number(messages);
const chunks = chunksOf(file);
const size = chunks.reduce((sum, { uncompressedSize }) => sum + Number(uncompressedSize), 0);
function unpack(): void {
  for (const { compression, records, uncompressedSize } of chunks) {
    crc32(compression === "" ? records : zstd.decompress(records, { size: Number(uncompressedSize) }));
  }
}
/** A round takes a twentieth of a second, of which the compiler takes most at first. */
const [WARM, ROUNDS] = [4, 11];
// a file that was cut in front of its summary: both go over all of it, ours when it is opened and again when it is read
const cut = file.subarray(0, dataEndOf(file));
const works = [
  () => readOurs(file, count),
  () => readTheirs(file, count),
  unpack,
  () => readOurs(cut, count),
  () => readTheirs(cut, count),
];
const [ours, theirs, unpacking, oursOfCut, theirsOfCut] = (await middles(works, WARM, ROUNDS)) as [
  number,
  number,
  number,
  number,
  number,
];
const isPacked = chunks.some(({ compression }) => compression !== "");
report(`read ${name}`, [PEER, theirs], ours, count, isPacked ? unpacking : 0);
report(`read ${name}, without summary`, [PEER, theirsOfCut], oursOfCut, count);
limit("unpack and compare CRCs", unpacking, size);

async function readOurs(file: Uint8Array, expected: number): Promise<void> {
  const source = {
    name: "a.mcap",
    size: async () => file.length,
    read: async (offset: number, length: number) => file.subarray(offset, offset + length),
    close: async () => undefined,
  };
  const bundle: SourceBundle = { name: "a.mcap", open: async () => source };
  const recording = await open(bundle);
  let count = 0;
  for await (const { length, bytes, start, end } of recording.batches()) {
    for (let i = 0; i < length; i++) if (end[i]! > start[i]! && bytes[start[i]!] !== 0) count++;
  }
  await recording.close();
  if (count !== expected) throw new Error(`${count} messages of ${expected}`);
}

function readTheirs(file: Uint8Array, expected: number): void {
  const reader = new McapStreamReader({ decompressHandlers });
  reader.append(file);
  let count = 0;
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === "Message" && record.data[0] !== 0) count++;
  }
  if (count !== expected) throw new Error(`${count} messages of ${expected}`);
}

/** Where the summary begins, as the footer says. */
function dataEndOf(file: Uint8Array): number {
  return Number(Buffer.from(file.buffer, file.byteOffset, file.byteLength).readBigUInt64LE(file.length - 28));
}

/** Messages of 100 bytes, the same for every format and for the peer: poses that wander, 25 numbers each. */
import { type ByteSink, FORMATS, type SinkBundle } from "../../packages/simtape/dist/index.js";
import { toFile } from "../../packages/simtape/dist/io/node/index.js";
import { createMcap } from "./mcap.ts";

export const COUNT = 2_000_000;
export const PAYLOADS: readonly Uint8Array[] = makePayloads();

function makePayloads(): Uint8Array[] {
  const walk = new Float32Array(25);
  return Array.from({ length: 4096 }, (_, n) => {
    for (let k = 0; k < walk.length; k++) walk[k] = walk[k]! + Math.sin(n * 12.9898 + k * 78.233) * 0.01;
    return new Uint8Array(walk.slice().buffer);
  });
}

/** A sink that keeps nothing: it shows what writing costs without a disk. */
function toNowhere(): SinkBundle {
  let position = 0;
  const done = Promise.resolve();
  const sink: ByteSink = {
    name: "nowhere",
    get position() {
      return position;
    },
    write: ({ length }) => {
      position += length;
      return done;
    },
    writeAt: () => done,
    flush: () => done,
    close: () => done,
    abort: () => done,
  };
  return { name: "nowhere", open: () => Promise.resolve(sink) };
}

/** Writes the payloads with @mcap/core, in chunks of its default size, not compressed. `null`: into no file. */
export async function writeMcap(path: string | null): Promise<void> {
  const file = await createMcap(path, { chunkSize: 1 << 20, isCompressed: false });
  const channel = await file.channel("a");
  for (let i = 0; i < COUNT; i++) await file.add(channel, i * 1_000_000, PAYLOADS[i & 4095]!);
  await file.close();
}

/**
 * Writes the payloads with simtape's writer, also not compressed unless asked for. HCRP has ticks: a thousand messages
 * each.
 */
export async function writeOwn(path: string | null, id: "mira" | "hcrp", compression: "store" | "fast"): Promise<void> {
  const writing = await FORMATS.find((of) => of.id === id)!.writing!();
  const isTicked = id === "hcrp";
  const writer = await writing.create(path === null ? toNowhere() : toFile(path), { compression });
  const to = writer.channel({ name: isTicked ? "bench:data" : "/bench", schema: "raw" });
  for (let i = 0; i < COUNT; i++) {
    writer.write(to, isTicked ? Math.floor(i / 1000) * 50_000_000 : i * 1_000_000, PAYLOADS[i & 4095]!);
    if (writer.ready !== null) await writer.ready;
  }
  await writer.close();
}

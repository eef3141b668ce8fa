/** Makes a large HCRP recording of a crowd quickly: records and compacts some minutes, and repeats their chunks. */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ByteBuilder } from "../../packages/simtape/dist/bytes/builder.js";
import { crc32 } from "../../packages/simtape/dist/bytes/crc32.js";
import { ByteCursor } from "../../packages/simtape/dist/bytes/cursor.js";
import {
  HEADER_BYTES,
  type IndexEntry,
  readHeader,
  readIndexEntry,
  sealHeader,
  writeHeader,
  writeIndexEntry,
} from "../../packages/simtape/dist/formats/hcrp/layout/framing.js";
import { directoryStore, fromFile, toFile } from "../../packages/simtape/dist/io/node/index.js";
import { compact, record } from "../../packages/simtape/dist/record/index.js";
import { stanceAt } from "./walkers.ts";

/** Number of things in the crowd. Each walks for two of twenty seconds, at times of its own, as creatures do. */
export const CROWD = 1000;

/** Whether a thing walks at a tick. */
export function walks(thing: number, tick: number): boolean {
  return (tick + thing * 37) % 400 < 40;
}

/** Records `ticks` of the crowd and compacts it into `path`; `folder` takes the segments. */
export async function makeCrowd(folder: string, path: string, ticks: number): Promise<void> {
  let time = 1_767_225_600_000;
  const recorder = await record(directoryStore(folder), { id: "crowd", now: () => time, limits: { ticks: ticks + 1 } });
  const { world } = recorder;
  const things = Array.from({ length: CROWD }, (_, thing) => world.spawn("minecraft:sheep", stanceAt(thing, 0)));
  for (let tick = 0; tick < ticks; tick++) {
    for (const [thing, entity] of things.entries()) if (walks(thing, tick)) world.move(entity, stanceAt(thing, tick));
    recorder.endTick();
    if (tick % 20 === 19) {
      time += 1000;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await recorder.close();
  await compact(fromFile(join(folder, "crowd", "meta.hcrp")), toFile(path), { level: 3 });
}

/**
 * Writes the chunks of a compacted recording unchanged, again and again, until there are `size` bytes. The first chunk
 * has a snapshot, so that it does not depend on those before it. Gives the ticks of one round and of all.
 */
export function repeat(from: string, to: string, size: number): { round: number; ticks: number } {
  const file = readFileSync(from);
  const header = readHeader(new ByteCursor(file));
  const { metadataLength, indexLength, tickCount, chunkCount } = header;
  const metadata = file.subarray(HEADER_BYTES, HEADER_BYTES + metadataLength);
  const start = HEADER_BYTES + metadataLength + indexLength;
  const chunks = file.subarray(start);
  const cursor = new ByteCursor(file, HEADER_BYTES + metadataLength, start);
  const entries = Array.from({ length: chunkCount }, () => readIndexEntry(cursor, false));
  const rounds = Math.max(1, Math.round(size / chunks.length));
  const all = (shift: number): Uint8Array => {
    const index = new ByteBuilder(rounds * indexLength);
    for (let round = 0; round < rounds; round++) {
      for (const entry of entries) {
        writeIndexEntry(index, moved(entry, round * tickCount, shift - start + round * chunks.length));
      }
    }
    return index.take();
  };
  const length = all(start).length;
  const total = HEADER_BYTES + metadataLength + length;
  const index = all(total);
  const sealed = sealHeader(
    {
      ...header,
      indexLength: length,
      tickCount: tickCount * rounds,
      chunkCount: chunkCount * rounds,
      extension: {
        ...header.extension!,
        totalLength: BigInt(total + rounds * chunks.length),
        indexCrc: crc32(index),
      },
    },
    new ByteBuilder(HEADER_BYTES),
  );
  const head = new ByteBuilder(HEADER_BYTES);
  writeHeader(head, sealed);
  const fd = openSync(to, "w");
  for (const part of [head.take(), metadata, index]) writeSync(fd, part);
  for (let round = 0; round < rounds; round++) writeSync(fd, chunks);
  closeSync(fd);
  return { round: tickCount, ticks: tickCount * rounds };
}

function moved(entry: IndexEntry, ticks: number, bytes: number): IndexEntry {
  const offset = entry.offsetHigh * 2 ** 32 + entry.offsetLow + bytes;
  return {
    ...entry,
    startTick: entry.startTick + ticks,
    offsetHigh: Math.floor(offset / 2 ** 32),
    offsetLow: offset % 2 ** 32,
  };
}

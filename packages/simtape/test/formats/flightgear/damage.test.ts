import { constants, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { FrameShape } from "../../../src/formats/flightgear/layout/frames.ts";
import type { FlightGearReader } from "../../../src/formats/flightgear/read/reader.ts";
import type { TapeShape } from "../../../src/formats/flightgear/read/shape.ts";
import { FrameWalker } from "../../../src/formats/flightgear/read/walk.ts";
import { corrupt, type Corruption, memory, planCorruption as plan } from "../../../src/index.ts";
import { type Columns, FlatFile } from "../../../src/kit.ts";
import { Findings } from "../../../src/model/error.ts";
import { makeContinuous, makeFirstLayout, makeNormal, makeRecovery } from "../../fixtures/flightgear/make.ts";
import { repaired } from "./repaired.ts";
import { tries } from "../../soak.ts";
import { contentOf, MADE, type NamedTape, REAL, readerOf } from "./specimens.ts";

/** Seeds for each tape. */
const SEEDS = tries(6, 200);

const TAPES: readonly NamedTape[] = [
  ["continuous", makeContinuous({ frames: 300 })],
  ["continuous, compressed", makeContinuous({ frames: 300, compression: "1" })],
  ["continuous, first layout", makeFirstLayout(300)],
  ["recovery", makeRecovery()],
  ["normal 2, multiplayer, plain", makeNormal({ generation: 2, packets: "counted", frames: 300 })],
  ["normal 3, multiplayer, plain", makeNormal({ generation: 3, packets: "listed", frames: 300 })],
  ["normal 3, plain", makeNormal({ generation: 3, frames: 300 })],
  ["normal 3, multiplayer, plain, few frames", makeNormal({ generation: 3, packets: "listed", frames: 19 })],
  ...REAL.map(([name, bytes]) => [bytes[0] === 0x1f ? `${name}, inflated` : name, contentOf(bytes)] as const),
];

/** The parts of the original that are touched: a swap touches two. */
function touched({ kind, offset, length }: Corruption, total: number): readonly [from: number, to: number] {
  if (kind === "lengthen") return [offset, offset];
  if (kind === "cut") return [offset, total];
  return [offset, kind === "swap" ? Math.min(total, offset + 2 * length) : offset + length];
}

/** A frame as it lies in a tape. */
interface Lying {
  readonly from: number;
  readonly to: number;
  readonly bytes: string;
}

async function framesOf(reader: FlightGearReader): Promise<Lying[]> {
  const frames: Lying[] = [];
  for await (const records of reader.records()) {
    for (const { kind, offset, bytes } of records) {
      // FlightGear writes no frame without content, so that none is looked for.
      const isEmpty = reader.layout.frames === "plain" && bytes.length === reader.shape.shape.shortest;
      if (kind !== "frame" || isEmpty) continue;
      frames.push({ from: offset, to: offset + bytes.length, bytes: Buffer.from(bytes).toString("latin1") });
    }
  }
  return frames;
}

/** Repairs a damaged tape; places of those of `expected` that are not in the result byte for byte. */
async function missingOf(damaged: Uint8Array, expected: readonly Lying[], reported: string): Promise<number[]> {
  const { reader } = await repaired(damaged, reported);
  const kept = new Set((await framesOf(reader)).map(({ bytes }) => bytes));
  return expected.filter(({ bytes }) => !kept.has(bytes)).map(({ from }) => from);
}

/** The same frames, of which each is judged. */
function judged(shape: FrameShape): FrameShape {
  return {
    name: shape.name,
    isFixed: shape.isFixed,
    shortest: shape.shortest,
    measure: (...of) => shape.measure(...of),
    mayBegin: (...of) => shape.mayBegin(...of),
    hasEvidence: (...of) => shape.hasEvidence(...of),
    isUsual: (...of) => shape.isUsual(...of),
    fault: (...of) => shape.fault(...of),
    emit: (...of) => shape.emit(...of),
  };
}

/** What walking the frames of a tape finds: what is learned, the messages, and what is said. */
async function walked(content: Uint8Array, { recordSize }: TapeShape, shape: FrameShape, begin: number) {
  const walker = new FrameWalker(shape, recordSize, null);
  const findings = new Findings();
  const columns: unknown[] = [];
  const onBatch = ({ time, channel, start, end }: Columns) => void columns.push([time, channel, start, end]);
  await FlatFile.scan(memory(content), walker, { begin, end: content.length }, findings, { onBatch });
  return { learned: walker.learned(), findings: findings.list(), columns };
}

test("a frame that is taken at first sight is one that would be found sound", { timeout: 600_000 }, async () => {
  for (const [name, whole] of [...TAPES, ...MADE]) {
    const content = contentOf(whole);
    const reader = await readerOf(content);
    if (reader.shape.shape.take === undefined) continue;
    const begin = reader.header.bytes.length;
    for (let seed = 0; seed <= 4 * SEEDS; seed++) {
      const damage = plan(content.length - begin, seed, seed % 4).map((of) => ({ ...of, offset: of.offset + begin }));
      const damaged = corrupt(content, damage, seed);
      const found = await walked(damaged, reader.shape, reader.shape.shape, begin);
      expect(found, `${name}, seed ${seed}`).toEqual(
        await walked(damaged, reader.shape, judged(reader.shape.shape), begin),
      );
    }
  }
});

describe.each(TAPES)("%s", (name, whole) => {
  test("damaged anywhere behind its header keeps every frame that was not touched", { timeout: 600_000 }, async () => {
    const reader = await readerOf(whole);
    const begin = reader.header.bytes.length;
    const frames = await framesOf(reader);
    for (let seed = 1; seed <= SEEDS; seed++) {
      const corruptions = plan(whole.length - begin, seed, 1 + (seed % 3)).map((of) => ({
        ...of,
        offset: of.offset + begin,
      }));
      const reported = `${name}, seed ${seed}: ${JSON.stringify(corruptions)}`;
      const ranges = corruptions.map((of) => touched(of, whole.length));
      const expected = frames.filter(({ from, to }) => ranges.every((range) => to <= range[0] || from >= range[1]));
      const missing = await missingOf(corrupt(whole, corruptions, seed), expected, reported);
      // Where a handful of frames is cut short and damaged twice, one between the damage may find no other to fit to.
      if (name.endsWith("few frames") && corruptions.length > 2) expect(missing.length, reported).toBeLessThan(2);
      else expect(missing, reported).toEqual([]);
    }
  });
});

describe.each([...MADE, ...REAL].filter(([, bytes]) => bytes[0] === 0x1f))("%s", (name, whole) => {
  test("damaged in its gzip stream keeps every frame that was inflated before", { timeout: 600_000 }, async () => {
    const frames = await framesOf(await readerOf(whole));
    for (let seed = 1; seed <= SEEDS; seed++) {
      const corruptions = plan(whole.length, seed, 1 + (seed % 3));
      const reported = `${name}, seed ${seed}: ${JSON.stringify(corruptions)}`;
      const sound = inflatedBefore(whole, Math.min(...corruptions.map(({ offset }) => offset)));
      const expected = frames.filter(({ to }) => to <= sound);
      if (expected.length === 0) continue;
      expect(await missingOf(corrupt(whole, corruptions, seed), expected, reported), reported).toEqual([]);
    }
  });
});

/** Bytes that come out of the first `length` of a gzip file. */
function inflatedBefore(bytes: Uint8Array, length: number): number {
  try {
    return gunzipSync(bytes.subarray(0, length), { finishFlush: constants.Z_SYNC_FLUSH }).length;
  } catch {
    return 0;
  }
}

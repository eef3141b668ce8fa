import { expect, test } from "vitest";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { writeSwing } from "../../../src/formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../../src/formats/hcrp/layout/events.ts";
import { CHUNK_RECORD_BYTES, TICK } from "../../../src/formats/hcrp/layout/framing.ts";
import type { HcrpReader } from "../../../src/formats/hcrp/read/reader.ts";
import { writing } from "../../../src/formats/hcrp/writing.ts";
import {
  check,
  type Finding,
  MemoryFiles,
  open as openRecording,
  type Recording,
  repair,
  type RepairReport,
} from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { tries } from "../../soak.ts";
import { fixtures, walk } from "../../fixtures/hcrp/make.ts";
import { type ChunkContent, type Content, event, segmented } from "../../fixtures/hcrp/recording.ts";

/** Segments into which bytes came, or of which bytes went missing, under a sound metadata file. */

const zstd = await loadZstd();
type Files = Record<string, Uint8Array>;

/** Twelve chunks in two segments; no two are alike. */
const chunkContents: ChunkContent[] = Array.from({ length: 3 }, () => walk().chunks)
  .flat()
  .map((chunk, i) => {
    const mark = event(EVENT.swing, (out) => writeSwing(out, { entity: i, hand: 1 }));
    const records = chunk.records.filter((_, k) => i % 3 !== 1 || k % 7 === 0);
    return { ...chunk, records: [...records, { tick: 59, events: [mark] }] };
  });
const content: Content = { ...walk(), chunks: chunkContents };
const sound = segmented(zstd, content, 6);
const SEGMENTS = ["seg-00000000.hcs", "seg-00000001.hcs"] as const;

const seeds = tries(12, 200);

function open(files: Files): Promise<Recording> {
  return openRecording(bundleOfFiles(files), { formats: [hcrp] });
}

/** Messages by the start of their chunk, which is a multiple of 60 ticks. */
async function rowsByChunk(recording: Recording): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { name } = recording.channels[batch.channel[i]!]!;
      const tick = batch.time[i]! / TICK;
      const rows = found.get(Math.floor(tick / 60)) ?? [];
      rows.push(`${tick} ${name} ${Buffer.from(batch.payload(i)).toString("hex")}`);
      found.set(Math.floor(tick / 60), rows);
    }
  }
  return found;
}

interface Part {
  readonly file: string;
  readonly frame: Uint8Array;
  readonly record: Uint8Array;
}

async function partsOf(files: Files): Promise<{ parts: Part[]; rows: Map<number, string[]> }> {
  await using recording = await open(files);
  const parts = (recording.reader as HcrpReader).chunks.map(({ segment, offset, length }) => {
    const file = SEGMENTS[segment!]!;
    const record = files[file]!.subarray(offset - CHUNK_RECORD_BYTES, offset);
    return { file, frame: files[file]!.subarray(offset, offset + length), record };
  });
  return { parts, rows: await rowsByChunk(recording) };
}

const { parts, rows } = await partsOf(sound);
const isIn = (files: Files, file: string, bytes: Uint8Array): boolean =>
  Buffer.from(files[file]!).includes(Buffer.from(bytes));

async function repaired(files: Files): Promise<{ report: RepairReport; kept: Map<number, string[]> }> {
  await using recording = await open(files);
  const to = new MemoryFiles("a.hcrp");
  const again = (): Promise<Recording> => open({ "a.hcrp": to.bytes });
  const report = await repair(recording, bundleOfFiles(files), writing, to, (written) => openRecording(written));
  await using result = await again();
  expect((await check(result)).findings).toEqual([]);
  expect((await result.timeline()).end).toBe(720 * TICK);
  return { report, kept: await rowsByChunk(result) };
}

const isLostChunk = ({ code }: Finding): boolean => code === "damaged-chunk" || code === "truncated";

/** Every chunk whose frame is whole is kept, and no other; what is reported as lost is what was lost. */
async function expectExact(files: Files, where: string): Promise<void> {
  const whole = parts.map(({ file, frame }) => isIn(files, file, frame));
  const { report, kept } = await repaired(files);
  for (const [i, isWhole] of whole.entries()) {
    // the first chunk has a snapshot, be it empty
    const expected = isWhole ? rows.get(i) : i === 0 ? ["0 snapshot "] : undefined;
    expect(kept.get(i), `${where}, chunk ${i}`).toEqual(expected);
  }
  const reported = report.findings.filter(isLostChunk);
  const lostChunks = [...whole.keys()].filter((i) => !whole[i]);
  expect(
    reported.map(({ time }) => time! / TICK / 60).sort((a, b) => a - b),
    where,
  ).toEqual(lostChunks);
  let lost = 0;
  for (const file of SEGMENTS) {
    lost += files[file]!.length;
    for (const [i, part] of parts.entries()) {
      if (part.file !== file) continue;
      if (whole[i]) lost -= part.frame.length;
      if (isIn(files, file, part.record)) lost -= CHUNK_RECORD_BYTES;
    }
  }
  expect(report.bytesLost, where).toBe(lost);
  if (lostChunks.length > 0) expect(report.lost.length, where).toBeGreaterThan(0);
}

/** Of one seed only, so that a failure can be had again. */
function random(seed: number): (below: number) => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function inserted(bytes: Uint8Array, at: number, count: number, below: (limit: number) => number): Uint8Array {
  const added = Uint8Array.from({ length: count }, () => below(256));
  return Uint8Array.from([...bytes.subarray(0, at), ...added, ...bytes.subarray(at)]);
}

function removed(bytes: Uint8Array, at: number, count: number): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(at + count)]);
}

const timeout = 600_000;

test.each([1, 2, 3])(
  "where bytes came in or went missing %i times every whole chunk is kept, byte for byte",
  { timeout },
  async (count) => {
    for (let seed = 1; seed <= seeds; seed++) {
      const below = random(seed * 8 + count);
      const files = { ...sound };
      const done: string[] = [];
      for (let k = 0; k < count; k++) {
        const file = SEGMENTS[below(2)]!;
        const at = below(files[file]!.length);
        const length = 1 + below(500);
        const isAdded = below(2) === 0;
        files[file] = isAdded ? inserted(files[file]!, at, length, below) : removed(files[file]!, at, length);
        done.push(`${file}: ${isAdded ? "inserted" : "removed"} ${length} at ${at}`);
      }
      await expectExact(files, `seed ${seed}, ${done.join("; ")}`);
    }
  },
);

/** Damages the records of chunks, and leaves their frames. */
function withoutRecords(bytes: Uint8Array, chunks: readonly number[]): Uint8Array {
  const copy = bytes.slice();
  for (const i of chunks)
    copy.fill(0xaa, Buffer.from(copy).indexOf(Buffer.from(parts[i]!.record)), startOf(copy, i) - 10);
  return copy;
}

const startOf = (bytes: Uint8Array, chunk: number): number => Buffer.from(bytes).indexOf(parts[chunk]!.frame);

test("frames without a sound record are found by how far their neighbours moved, and by their lengths", async () => {
  const below = random(5);
  const name = SEGMENTS[0];
  for (const damaged of [[1], [0, 1, 2, 3, 4, 5], [2, 3], [5], [0, 4]]) {
    const bare = withoutRecords(sound[name]!, damaged);
    const at = startOf(bare, 2) + 40;
    for (const bytes of [inserted(bare, at, 300, below), removed(bare, at, 7)]) {
      const { kept } = await repaired({ ...sound, [name]: bytes });
      for (let i = 0; i < 12; i++)
        expect(kept.get(i), `records ${damaged.join()}, chunk ${i}`).toEqual(i === 2 ? undefined : rows.get(i));
    }
    // as much in one place as is missing in another: between them only lengths tell
    const twice = inserted(removed(bare, startOf(bare, 4) + 40, 33), startOf(bare, 1) + 40, 33, below);
    const { kept } = await repaired({ ...sound, [name]: twice });
    for (let i = 0; i < 12; i++)
      expect(kept.get(i), `records ${damaged.join()}, chunk ${i}`).toEqual(
        i === 1 || i === 4 ? undefined : rows.get(i),
      );
  }
});

test("chunks of the same lengths, or the same bytes, are distinguished", async () => {
  const alike = (mark: (i: number) => number): Content => {
    const one = (i: number): ChunkContent => {
      const swing = event(EVENT.swing, (out) => writeSwing(out, { entity: mark(i), hand: 0 }));
      return { ticks: 60, snapshot: [], records: [{ tick: 7, events: [swing] }] };
    };
    return { ...walk(), chunks: Array.from({ length: 5 }, (_, i) => one(i)) };
  };
  for (const made of [alike((i) => i), alike(() => 1)]) {
    const files = segmented(zstd, made, 5);
    const bytes = files[SEGMENTS[0]]!;
    const length = bytes.length / 5;
    await using source = await open(files);
    const all = await rowsByChunk(source);
    for (let lost = 0; lost < 5; lost++) {
      // another chunk lies exactly where the one that is gone was
      const rest = removed(bytes, lost * length, length);
      await using recording = await open({ "meta.hcrp": files["meta.hcrp"]!, [SEGMENTS[0]]: rest });
      const { findings } = await check(recording);
      expect(findings.filter(isLostChunk).map(({ time }) => time! / TICK)).toEqual([lost * 60]);
      const kept = await rowsByChunk(recording);
      for (let i = 0; i < 5; i++) expect(kept.get(i)).toEqual(i === lost ? undefined : all.get(i));
      const to = new MemoryFiles("a.hcrp");
      const reported: string[] = [];
      await writing.repair(recording.reader, to, {
        lost: ({ message }) => reported.push(message),
        rebuilt: () => undefined,
      });
      expect(reported).toEqual([expect.stringContaining(`chunk ${lost} (ticks ${lost * 60}`)]);
    }
  }
});

test("reading finds them, too, and says once where", async () => {
  const below = random(9);
  const bytes = inserted(sound[SEGMENTS[0]]!, startOf(sound[SEGMENTS[0]]!, 2) + 9, 17, below);
  const files = { ...sound, [SEGMENTS[0]]: bytes };
  await using recording = await open(files);
  expect(recording.findings).toEqual([]);
  const whole = await open(sound);
  expect([...(await recording.state(300 * TICK)).sets]).toEqual([...(await whole.state(300 * TICK)).sets]);
  await whole.close();
  expect(recording.findings.map(({ code }) => code)).toEqual(["moved-chunks"]);
  expect(recording.findings[0]!.message).toContain("seg-00000000.hcs, chunk 3 (ticks 180 to 239): expected at");
  expect(recording.findings[0]!.message).toContain("and 2 more at other offsets; 1 cannot be found");
  await check(recording);
  expect(recording.findings.filter(({ code }) => code === "moved-chunks")).toHaveLength(1);
});

test("records are the bytes of the files, also where chunks moved, whether or not it was read before", async () => {
  for (let seed = 1; seed <= 8; seed++) {
    const below = random(seed);
    const at = below(sound[SEGMENTS[1]]!.length);
    const long = inserted(sound[SEGMENTS[1]]!, at, 99, below);
    const files = { ...sound, [SEGMENTS[1]]: seed % 2 === 0 ? long : removed(long, below(long.length), 99) };
    await using recording = await open(files);
    const found: Uint8Array[] = [];
    for await (const records of recording.records()) for (const { bytes } of records) found.push(bytes);
    expect(Buffer.compare(Buffer.concat(found), Buffer.concat(Object.values(files))), `seed ${seed}`).toBe(0);
  }
});

test("without a metadata file, too, up to the first chunk of which neither record nor frame is left", {
  timeout,
}, async () => {
  const { "meta.hcrp": _, ...segments } = sound;
  for (let seed = 1; seed <= seeds; seed++) {
    const below = random(seed);
    const file = SEGMENTS[below(2)]!;
    // the first record tells that it is a segment
    const at = CHUNK_RECORD_BYTES + below(sound[file]!.length - CHUNK_RECORD_BYTES);
    const length = 1 + below(500);
    const change = seed % 2 === 0 ? inserted(sound[file]!, at, length, below) : removed(sound[file]!, at, length);
    const files: Files = { ...segments, [file]: change };
    const isKnown = ({ file: name, record, frame }: Part): boolean => {
      const place = Buffer.from(files[name]!).indexOf(Buffer.from(record));
      // a record whose frame is cut by the end of the file does not count (spec §8.5)
      const isReached = place >= 0 && place + record.length + frame.length <= files[name]!.length;
      return isReached || isIn(files, name, frame);
    };
    const gap = parts.findIndex((part) => !isKnown(part));
    await using recording = await open(files);
    const kept = await rowsByChunk(recording);
    for (let i = 0; i < (gap < 0 ? parts.length : gap); i++) {
      const isWhole = isIn(files, parts[i]!.file, parts[i]!.frame);
      expect(kept.get(i), `seed ${seed}, ${length} at ${at} of ${file}, chunk ${i}`).toEqual(
        isWhole ? rows.get(i) : undefined,
      );
    }
  }
});

test("segments of the production dialect, which have no records, too", async () => {
  const file = (await fixtures()).get("production-5.hcrp")!;
  await using source = await open({ "a.hcrp": file });
  const all = await rowsByChunk(source);
  const { preamble, chunks } = source.reader as HcrpReader;
  const { preambleLength } = preamble.head;
  const head = Buffer.from(file.slice(0, preambleLength));
  for (const { offset } of chunks) {
    const place = Buffer.alloc(8);
    place.writeUInt32BE(offset, 4);
    head.writeUInt32BE(offset - preambleLength, head.indexOf(place) + 4);
  }
  const frames = file.subarray(preambleLength);
  for (const hit of [0, 1]) {
    const at = chunks[hit]!.offset - preambleLength + 40;
    for (const bytes of [inserted(frames, at, 77, random(hit)), removed(frames, at, 9)]) {
      await using recording = await open({ "preamble.dat": new Uint8Array(head), "segment-000.dat": bytes });
      const { first, last } = chunks[hit]!;
      const kept = [...(await rowsByChunk(recording)).values()].flat();
      const isLeft = (row: string): boolean => {
        const time = Number(row.slice(0, row.indexOf(" "))) * TICK;
        return time < first || time > last;
      };
      expect(kept).toEqual([...all.values()].flat().filter(isLeft));
      const codes = recording.findings.map(({ code }) => code);
      expect(recording.findings.filter(isLostChunk).map(({ time }) => time)).toEqual([first]);
      // behind the last there is nothing that could move
      expect(codes.includes("moved-chunks")).toBe(hit < chunks.length - 1);
    }
  }
});

import { expect, test } from "vitest";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import {
  CHUNK_RECORD_BYTES,
  type ChunkRecord,
  chunkRecordCrc,
  FLAG_FINISHED,
  type Header,
  readChunkRecord,
  TICK,
  writeChunkRecord,
} from "../../../src/formats/hcrp/layout/framing.ts";
import type { HcrpReader } from "../../../src/formats/hcrp/read/reader.ts";
import { writing } from "../../../src/formats/hcrp/writing.ts";
import {
  check,
  corrupt,
  filesBundle,
  type Finding,
  MemoryFiles,
  open as openRecording,
  planCorruption as plan,
  type Recording,
  repair,
} from "../../../src/index.ts";
import { ByteBuilder, ByteCursor, loadZstd } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { tries } from "../../soak.ts";
import { walk } from "../../fixtures/hcrp/make.ts";
import { type Content, segmented } from "../../fixtures/hcrp/recording.ts";

const zstd = await loadZstd();
type Files = Record<string, Uint8Array>;

/** Two chunks of 60 ticks in each of three segments; every second chunk has a snapshot. */
const content: Content = { ...walk(), chunks: [...walk().chunks, ...walk().chunks.slice(0, 2)] };
const sound = segmented(zstd, content, 2);
const META = "meta.hcrp";
const segment = (number: number): string => `seg-0000000${number}.hcs`;

/** The metadata file as it was after so many segments, not finished. */
function generation(segments: number): Uint8Array {
  const header = (each: Header): Header => ({ ...each, flags: each.flags & ~FLAG_FINISHED });
  return segmented(zstd, { ...content, chunks: content.chunks.slice(0, segments * 2) }, 2, { header })[META]!;
}

function open(files: Files): Promise<Recording> {
  return openRecording(bundleOfFiles(files), { formats: [hcrp] });
}

async function rows(recording: Recording): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const { name } = recording.channels[batch.channel[i]!]!;
      found.push(`${batch.time[i]! / TICK} ${name} ${Buffer.from(batch.payload(i)).toString("hex")}`);
    }
  }
  return found;
}

const all = await open(sound).then(rows);
const tickOf = (row: string): number => Number(row.slice(0, row.indexOf(" ")));
const codes = (findings: readonly Finding[]): string[] => findings.map(({ code }) => code);
const reported = (findings: readonly Finding[]): string => findings.map(({ message }) => message).join("\n");

async function checked(files: Files): Promise<readonly Finding[]> {
  await using recording = await open(files);
  return (await check(recording)).findings;
}

/** What `repair` makes of it, opened. */
async function repaired(files: Files): Promise<Recording> {
  await using recording = await open(files);
  const to = new MemoryFiles("a.hcrp");
  const again = (): Promise<Recording> => open({ "a.hcrp": to.bytes });
  const report = await repair(recording, bundleOfFiles(files), writing, to, (written) => openRecording(written));
  expect(report.status).toBe("repaired");
  const result = await again();
  const { status, messages } = await check(result);
  expect(status).toBe("sound");
  // the figures of the report are those of the files
  expect(report.messagesKept).toBe(messages);
  expect(report.channels.reduce((sum, channel) => sum + channel.messages, 0)).toBe(messages);
  let total = 0;
  for await (const records of recording.records()) for (const { bytes } of records) total += bytes.length;
  expect(report.bytesKept + report.bytesLost).toBe(total);
  expect(report.bytesKept).toBeGreaterThanOrEqual(0);
  return result;
}

const outcome = ({ info }: Recording): unknown =>
  (info.metadata["metadata"] as { readonly hcrp: { readonly outcome?: unknown } }).hcrp.outcome;

test("a flipped bit is noticed in any byte of a segment, and costs at most its chunk", async () => {
  expect(await checked(sound)).toEqual([]);
  for (const name of [segment(0), segment(2)]) {
    for (let at = 0; at < sound[name]!.length; at += 13) {
      const bytes = sound[name]!.slice();
      bytes[at]! ^= 1 << (at & 7);
      const findings = await checked({ ...sound, [name]: bytes });
      expect(findings.length, `${name}, byte ${at}`).toBeGreaterThan(0);
      expect(new Set(findings.map(({ time }) => time)).size, `${name}, byte ${at}`).toBe(1);
    }
  }
});

test("opening and playing do not look at the records of chunks; checking does", async () => {
  const bytes = sound[segment(1)]!.slice();
  bytes[20]! ^= 1;
  await using recording = await open({ ...sound, [segment(1)]: bytes });
  expect(await rows(recording)).toEqual(all);
  expect(recording.findings).toEqual([]);
  expect(codes((await check(recording)).findings)).toEqual(["bad-chunk-record"]);
  expect(codes((await check(recording)).findings)).toEqual(["bad-chunk-record"]);
});

test.each([
  ["version", { version: 2 }, "version: expected 1, found 2"],
  ["flags", { flags: 0 }, "flags: expected 1, found 0"],
  ["recording id", { recordingId: "00000000-0000-0000-0000-000000000001" }, "recording id: expected b7c9a1d0"],
  ["start tick", { startTick: 7 }, "start tick: expected 120, found 7"],
  ["tick count", { tickCount: 61 }, "tick count: expected 60, found 61"],
  ["compressed length", { compressedLength: 1 }, "compressed length: expected"],
  ["uncompressed length", { uncompressedLength: 1 }, "uncompressed length: expected"],
  ["crc of the frame", { frameCrc: 1 }, "crc32 of the frame: expected 0x1, found"],
])("a chunk record with another %s is reported by field, expected and found", async (_, change, message) => {
  const bytes = sound[segment(1)]!.slice();
  bytes.set(recordBytes({ ...readChunkRecord(new ByteCursor(bytes)), ...change }));
  const findings = await checked({ ...sound, [segment(1)]: bytes });
  expect(codes(findings)).toEqual(["bad-chunk-record"]);
  expect(findings[0]).toMatchObject({ severity: "damage", offset: 0, length: 72, time: 120 * TICK });
  expect(findings[0]!.message).toContain(message);
  expect(findings[0]!.message).toContain("seg-00000001.hcs, record of chunk 2 (ticks 120 to 179)");
});

function recordBytes(record: ChunkRecord): Uint8Array {
  const bytes = (crc: number): Uint8Array => {
    const builder = new ByteBuilder(CHUNK_RECORD_BYTES);
    writeChunkRecord(builder, { ...record, crc });
    return builder.take();
  };
  return bytes(chunkRecordCrc(bytes(0)));
}

test("dropped files of a folder open as the recording, in whatever order they come", async () => {
  const names = [segment(2), segment(0), META, segment(1)];
  const dropped = filesBundle(new Map(names.map((name) => [name, sound[name]!])));
  await using recording = await openRecording(dropped, { formats: [hcrp] });
  expect(await rows(recording)).toEqual(all);
  expect(recording.findings).toEqual([]);
});

test("a damaged metadata file is made up for by the generation before and the records behind it", async () => {
  for (const damage of [
    (bytes: Uint8Array) => bytes.fill(0xee, 4, 120),
    (bytes: Uint8Array) => bytes.fill(0xee, 260, 300).fill(0, -40),
    (bytes: Uint8Array) => bytes.subarray(0, 300),
  ]) {
    const files = { [META]: damage(sound[META]!.slice()), ...segmentsOf(sound), "meta.hcrp.bak": generation(1) };
    await using recording = await open(files);
    expect(await rows(recording)).toEqual(all);
    expect(codes(recording.findings)).toContain("index-recovered");
    expect(reported(recording.findings)).toContain("generation 1 (meta.hcrp.bak) and the records of segments");
    expect(reported(recording.findings)).toContain("ticks 0 to 359 are kept");
    await using epochs = await open(sound);
    expect(recording.info.metadata["worldId"]).toBe(epochs.info.metadata["worldId"]);
    await using whole = await repaired(files);
    expect(await rows(whole)).toEqual(all);
  }
  // only metadata is lost: index and header stay those of the file
  const nameless = sound[META]!.slice().fill(7, 256, 290);
  await using recording = await open({ [META]: nameless, ...segmentsOf(sound), "meta.hcrp.bak": generation(2) });
  expect(codes(recording.findings)).toEqual(["bad-metadata-checksum", "bad-metadata", "metadata-recovered"]);
  expect(recording.info.metadata["metadata"]).toMatchObject({ hcrp: { epochs: [{ chunk: 0 }] } });
});

test("a generation before that is of another recording, or damaged, is not used", async () => {
  const broken = generation(1);
  broken[300]! ^= 1;
  const other = segmented(zstd, content, 2, {
    header: (each) => ({
      ...each,
      extension: { ...each.extension!, recordingId: "00000000-0000-0000-0000-0000000000aa" },
    }),
  })[META]!;
  const indexless = sound[META]!.slice().fill(0, -40);
  for (const backup of [broken, other]) {
    await using recording = await open({ [META]: indexless, ...segmentsOf(sound), "meta.hcrp.bak": backup });
    expect(await rows(recording)).toEqual(all);
    expect(reported(recording.findings)).not.toContain(".bak");
  }
});

test("without a metadata file everything is made again from the records, and the outcome is crashed", async () => {
  await using recording = await open(segmentsOf(sound));
  expect(await rows(recording)).toEqual(all);
  expect(outcome(recording)).toBe("crashed");
  await using whole = await repaired(segmentsOf(sound));
  expect(await rows(whole)).toEqual(all);
  expect(outcome(whole)).toBe("crashed");
});

test("a chunk whose record is damaged, too, is found by its frame, and its ticks by its neighbours", async () => {
  const files = segmentsOf(sound);
  for (const name of Object.keys(files)) {
    const second = files[name]!.length - secondLength(files[name]!);
    for (const at of [0, second]) {
      // the first record of all tells that the file is a segment
      if (name === segment(0) && at === 0) continue;
      const bytes = files[name]!.slice();
      bytes.fill(0xaa, at + 8, at + 72);
      await using recording = await open({ ...files, [name]: bytes });
      expect(await rows(recording), `${name} ${at}`).toEqual(all);
      expect(reported(recording.findings)).toContain("1 of them without a sound record");
    }
  }
});

/** Bytes of the second chunk of a segment with its record. */
function secondLength(bytes: Uint8Array): number {
  const { compressedLength } = readChunkRecord(new ByteCursor(bytes));
  return bytes.length - CHUNK_RECORD_BYTES - compressedLength;
}

test("making the index again ends at the first gap, and says which ticks are lost", async () => {
  const { [segment(1)]: _middle, ...rest } = segmentsOf(sound);
  await using recording = await open(rest);
  expect(await rows(recording)).toEqual(all.filter((row) => tickOf(row) < 120));
  expect(reported(recording.findings)).toContain("ticks 0 to 119 are kept");
  expect(recording.findings).toContainEqual(expect.objectContaining({ code: "lost-ticks", severity: "loss" }));
  expect(reported(recording.findings)).toContain("ticks 120 to 359 are lost");
  // with the header the ticks that should be there are known, too
  const indexless = sound[META]!.slice().fill(0, -60);
  const { [segment(2)]: _last, ...first } = segmentsOf(sound);
  await using known = await open({ [META]: indexless, ...first });
  expect(reported(known.findings)).toContain("ticks 240 to 359 are lost");
  expect(outcome(known)).toBe("crashed");
});

test("chunks behind the last commit are read, up to a frame that is cut", async () => {
  const last = sound[segment(2)]!;
  const files = { [META]: generation(1), [segment(0)]: sound[segment(0)]!, [segment(1)]: sound[segment(1)]! };
  for (const [tail, until] of [
    [last, 360],
    [last.subarray(0, last.length - 1), 300],
    [last.subarray(0, 100), 240],
  ] as const) {
    const found = { ...files, [segment(2)]: tail };
    await using recording = await open(found);
    expect(await rows(recording)).toEqual(all.filter((row) => tickOf(row) < until));
    expect(codes(recording.findings)).toEqual(["uncommitted-chunks"]);
    expect(recording.findings[0]!.message).toContain(`ticks 120 to ${until - 1}`);
    await using whole = await repaired(found);
    expect(await rows(whole)).toEqual(all.filter((row) => tickOf(row) < until));
    expect(outcome(whole)).toBe("crashed");
  }
});

test("opening a recording that goes on looks for one segment more, no further", async () => {
  const asked: string[] = [];
  const files: Files = { [META]: generation(2), ...segmentsOf(sound) };
  delete files[segment(2)];
  const bundle = bundleOfFiles(files);
  const counting = {
    name: bundle.name,
    open: (name = META) => {
      asked.push(name);
      return bundle.open(name);
    },
  };
  await using recording = await openRecording(counting, { formats: [hcrp] });
  expect(asked).toEqual([META, segment(2)]);
  expect(recording.findings).toEqual([]);
});

test("damage in one place of any file costs the chunks that it hits and no other", { timeout: 600_000 }, async () => {
  await using source = await open(sound);
  const { chunks } = source.reader as HcrpReader;
  const seeds = tries(8, 200);
  for (const [file, bytes] of Object.entries(sound)) {
    for (let seed = 1; seed <= seeds; seed++) {
      const corruptions = plan(bytes.length, seed, 1);
      const { kind, offset, length } = corruptions[0]!;
      const files = { ...sound, [file]: corrupt(bytes, corruptions, seed) };
      const where = `${file}, seed ${seed}: ${kind} of ${length} at ${offset}`;
      await using damaged = await open(files);
      if ((await check(damaged)).status === "sound") continue;
      await using result = await repaired(files);
      const kept = new Set(await rows(result));
      const from = kind === "lengthen" ? offset - 1 : offset;
      const to = offset + (kind === "swap" ? 2 * length : kind === "lengthen" ? 1 : length);
      const isHit = (row: string): boolean => {
        const chunk = chunks.findLast(({ first }) => first <= tickOf(row) * TICK)!;
        if (file !== segment(chunk.segment!)) return false;
        const end = chunk.offset + chunk.length;
        return kind === "cut" ? end > offset : end > from && chunk.offset < to;
      };
      expect(
        all.filter((row) => !isHit(row) && !kept.has(row)),
        where,
      ).toEqual([]);
    }
  }
});

function segmentsOf(files: Files): Files {
  return Object.fromEntries(Object.entries(files).filter(([name]) => name !== META));
}

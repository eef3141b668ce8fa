import { describe, expect, test } from "vitest";
import { createHcrp, hcrp } from "../../../src/formats/hcrp/format.ts";
import { PALETTE } from "../../../src/formats/hcrp/layout/chunk.ts";
import { writeSwing } from "../../../src/formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../../src/formats/hcrp/layout/events.ts";
import {
  FLAG_COLUMNS,
  FLAG_SEGMENTED,
  type Header,
  type IndexEntry,
  TICK,
} from "../../../src/formats/hcrp/layout/framing.ts";
import { writeReserved } from "../../../src/formats/hcrp/layout/metadata.ts";
import {
  bundleOf,
  type ByteSource,
  counted,
  type CountedSource,
  type Finding,
  type Format,
  memory,
  MutableState,
  open as openRecording,
  Recording,
  type SourceBundle,
  SourceError,
} from "../../../src/index.ts";
import { loadZstd, NBT, nbtCompound, nbtText, writeNbt } from "../../../src/kit.ts";
import { Findings } from "../../../src/model/error.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { DICTIONARY_ID, dictionaryBytes, epochs, fixtures, twoEpochs, walk } from "../../fixtures/hcrp/make.ts";
import { race } from "../../fixtures/hcrp/race.ts";
import {
  type ChunkContent,
  compacted,
  type Content,
  event,
  type Packing,
  segmented,
} from "../../fixtures/hcrp/recording.ts";

const zstd = await loadZstd();
const made = await fixtures();

function open(bytes: Uint8Array, format: Format = hcrp): Promise<Recording> {
  return openRecording(bundleOf(memory(bytes)), { formats: [format] });
}

/** Every finding of a file after reading all of it. */
async function findingsOf(bytes: Uint8Array): Promise<readonly Finding[]> {
  await using recording = await open(bytes);
  for await (const _ of recording.batches());
  return recording.findings;
}

const codes = (findings: readonly Finding[]): string[] => findings.map(({ code }) => code);

async function names(recording: Recording): Promise<string[]> {
  const found: string[] = [];
  for await (const { channel, time } of recording.messages()) found.push(`${time / TICK} ${channel.name}`);
  return found;
}

/** A recording of `count` chunks of 20 ticks, a swing in the middle of each; every `snapshotEvery`th has a snapshot. */
function long(count: number, snapshotEvery: number, filler = 0): Content {
  // filler that does not compress
  let seed = 1;
  const noise = (): number => {
    seed = Math.imul(seed, 1_103_515_245) + 12_345;
    return (seed >>> 16) & 0xff;
  };
  const chunks = Array.from(
    { length: count },
    (_, i): ChunkContent => ({
      ticks: 20,
      snapshot: i % snapshotEvery === 0 ? [] : null,
      records: [
        {
          tick: 10,
          events: [
            event(EVENT.swing, (out) => writeSwing(out, { entity: i, hand: 0 })),
            { id: 99, body: Uint8Array.from({ length: filler }, noise) },
          ],
        },
      ],
    }),
  );
  return { chunks, metadata: epochs([1]) };
}

describe("requests", () => {
  async function countedReader(bytes: Uint8Array): Promise<{ source: CountedSource; recording: Recording }> {
    const source = counted(memory(bytes));
    const findings = new Findings();
    const reader = await hcrp.open(bundleOf(source), findings, {});
    return { source, recording: new Recording(reader, findings) };
  }

  test("a small recording is read with one request, whatever is asked of it", async () => {
    const { source, recording } = await countedReader(made.get("tower-race.hcrp")!);
    expect(source.reads).toBe(1);
    await recording.timeline();
    await recording.state(20e9);
    for await (const _ of recording.batches({ reverse: true }));
    expect(source.reads).toBe(1);
    await recording.close();
  });

  test("opening reads 256 KiB once; a cold seek is one request, a warm one none", async () => {
    const { source, recording } = await countedReader(compacted(zstd, long(300, 5, 4000), { level: 1 }));
    expect([source.reads, source.bytes]).toEqual([1, 262_144]);
    await recording.timeline();
    expect(source.reads).toBe(1);
    source.reset();
    // chunk 200 is an anchor, 203 the third after it
    await recording.state((203 * 20 + 15) * TICK);
    expect(source.reads).toBe(1);
    expect(source.bytes).toBeLessThan(4 * 4200);
    await recording.state((203 * 20 + 3) * TICK);
    await recording.state(201 * 20 * TICK);
    expect(source.reads).toBe(1);
    await recording.close();
  });

  test("a seek over many chunks is one request too", async () => {
    const { source, recording } = await countedReader(compacted(zstd, long(300, 150, 4000), { level: 1 }));
    source.reset();
    await recording.state((260 * 20 + 15) * TICK);
    expect(source.reads).toBe(1);
    await recording.close();
  });

  test("a preamble above 256 KiB costs exactly one more request", async () => {
    const pad = nbtCompound({ pad: { type: NBT.byteArray, value: new Uint8Array(300_000) } });
    const { source, recording } = await countedReader(compacted(zstd, { ...walk(), metadata: pad }));
    expect(source.reads).toBe(2);
    expect(recording.findings).toEqual([]);
    await recording.state(5e9);
    expect(source.reads).toBe(3);
    await recording.close();
  });

  test("playing through reads every byte once, in few requests, forwards and backwards", async () => {
    const bytes = compacted(zstd, long(1000, 5, 3000), { level: 1 });
    for (const reverse of [false, true]) {
      const { source, recording } = await countedReader(bytes);
      source.reset();
      let messages = 0;
      for await (const batch of recording.batches({ reverse })) messages += batch.length;
      expect(messages).toBe(2200);
      expect(source.reads).toBeLessThanOrEqual(4);
      expect(source.bytes).toBeLessThanOrEqual(bytes.length);
      await recording.close();
    }
  });

  test("statistics are made by reading all chunks, once", async () => {
    const { source, recording } = await countedReader(compacted(zstd, long(300, 5, 4000), { level: 1 }));
    source.reset();
    const statistics = await recording.statistics();
    expect(statistics[EVENT.swing]!.messages).toBe(300);
    const { reads } = source;
    expect(reads).toBeGreaterThan(0);
    await recording.statistics();
    expect(source.reads).toBe(reads);
    await recording.close();
  });

  test("segments are opened when they are needed, and chunks side by side come with one read", async () => {
    const files = segmented(zstd, long(64, 8, 500), 16);
    const opened: string[] = [];
    const sources = new Map<string, CountedSource>();
    const bundle: SourceBundle = {
      name: "meta.hcrp",
      open: async (name = "meta.hcrp") => {
        opened.push(name);
        const source = counted(memory(files[name]!, name));
        sources.set(name, source);
        return source;
      },
    };
    const findings = new Findings();
    const recording = new Recording(await hcrp.open(bundle, findings, {}), findings);
    expect(opened).toEqual(["meta.hcrp"]);
    await recording.state((28 * 20 + 11) * TICK);
    expect(opened).toEqual(["meta.hcrp", "seg-00000001.hcs"]);
    expect(sources.get("seg-00000001.hcs")!.reads).toBe(1);
    expect(sources.get("meta.hcrp")!.reads).toBe(1);
    await recording.close();
    await expect(sources.get("seg-00000001.hcs")!.read(0, 1)).rejects.toThrow("closed");
  });

  test("hundreds of segments do not stay open all at once", async () => {
    const files = segmented(zstd, long(300, 1), 1);
    let isOpen = 0;
    let most = 0;
    const bundle: SourceBundle = {
      name: "meta.hcrp",
      open: async (name = "meta.hcrp") => {
        const source = memory(files[name]!, name);
        most = Math.max(most, ++isOpen);
        return {
          name,
          size: () => source.size(),
          read: (offset, length, signal) => source.read(offset, length, signal),
          close: async () => {
            isOpen--;
            await source.close();
          },
        };
      },
    };
    const findings = new Findings();
    const recording = new Recording(await hcrp.open(bundle, findings, {}), findings);
    let messages = 0;
    for await (const batch of recording.batches()) messages += batch.length;
    expect(messages).toBe(900);
    expect(most).toBeLessThan(100);
    await recording.close();
    expect(isOpen).toBe(0);
  });

  test("a segment whose read failed or was given up is closed with the others", async () => {
    const files = segmented(zstd, long(60, 5, 4000), 1);
    const open = new Set<object>();
    let fails = false;
    const bundle: SourceBundle = {
      name: "meta.hcrp",
      open: async (name = "meta.hcrp") => {
        const source = memory(files[name]!, name);
        const own: ByteSource = {
          name,
          size: () => source.size(),
          read: async (offset, length, signal) => {
            await new Promise((resolve) => setTimeout(resolve, 1));
            signal?.throwIfAborted();
            if (fails) throw new SourceError("failed", "gone");
            return source.read(offset, length, signal);
          },
          close: async () => {
            open.delete(own);
            await source.close();
          },
        };
        open.add(own);
        return own;
      },
    };
    const findings = new Findings();
    const recording = new Recording(await hcrp.open(bundle, findings, {}), findings);
    const stop = new AbortController();
    const reading = recording.state(30e9, { signal: stop.signal });
    stop.abort();
    await expect(reading).rejects.toThrow();
    fails = true;
    await expect(recording.state(40e9)).rejects.toThrow("gone");
    fails = false;
    for await (const _ of recording.batches({ start: 10e9 })) break;
    await recording.close();
    expect([...open]).toEqual([]);
  });

  test("an abort rejects with its reason", async () => {
    const { recording } = await countedReader(compacted(zstd, long(300, 5, 4000), { level: 1 }));
    const reason = new Error("enough");
    await expect(recording.state(100e9, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(recording.keyframe(150e9, AbortSignal.abort(reason))).rejects.toBe(reason);
    const batches = recording.batches({ start: 250e9, signal: AbortSignal.abort(reason) });
    await expect(batches.next()).rejects.toBe(reason);
    await recording.close();
  });
});

describe("what is refused", () => {
  const withHeader = (change: (header: Header) => Header, packing: Packing = {}): Uint8Array =>
    compacted(zstd, walk(), { ...packing, header: change });

  test.each([
    ["another version", (bytes: Uint8Array) => bytes.fill(2, 4, 5), "unsupported", "version: expected 1, found 2"],
    [
      "another production version",
      (bytes: Uint8Array) => bytes.fill(0, 4, 5).fill(6, 5, 6),
      "unsupported",
      "expected 4 or 5, found 6",
    ],
    ["a cut header", (bytes: Uint8Array) => bytes.slice(0, 255), "truncated", "expected 256 bytes, found 255"],
  ])("%s", async (_, damage, code, message) => {
    const bytes = damage(made.get("plain.hcrp")!.slice()) as Uint8Array;
    const error = await open(bytes).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code, format: "hcrp" });
    expect(String(error)).toContain(message);
  });

  test.each([
    ["metadata longer than allowed", { metadataLength: 0x7f7f_7f7f }, "metadata length: expected at most 16777216"],
    ["metadata beyond the end", { metadataLength: 0x7f7f }, "metadata length: expected at most"],
    ["an index longer than allowed", { indexLength: 0x7f00_0000 }, "index length"],
    ["too many ticks", { tickCount: 0xff00_0000 }, "tick count"],
    ["too many chunks", { chunkCount: 0x7f00_0000 }, "chunk count"],
  ])("%s, when the header's crc is right; else the chunks are found without it", async (_, change, message) => {
    const sure = withHeader((header) => ({ ...header, ...change }));
    await expect(open(sure)).rejects.toThrow(message);
    const doubtful = withHeader((header) => ({ ...header, ...change }), { profile: "plain" });
    expect(codes(await findingsOf(doubtful))).toEqual(expect.arrayContaining(["bad-header", "index-recovered"]));
    await using recording = await open(doubtful);
    await using sound = await open(compacted(zstd, walk()));
    expect(await names(recording)).toEqual(await names(sound));
  });

  test("an unknown low flag, with its number; unknown high flags are ignored", async () => {
    for (let bit = 4; bit < 8; bit++) {
      const bytes = withHeader((header) => ({ ...header, flags: header.flags | (1 << bit) }));
      await expect(open(bytes)).rejects.toThrow(`flags: bit ${bit}`);
    }
    const both = FLAG_COLUMNS | FLAG_SEGMENTED;
    await expect(open(withHeader((header) => ({ ...header, flags: header.flags | both })))).rejects.toThrow("COLUMNS");
    expect(await findingsOf(withHeader((header) => ({ ...header, flags: header.flags | 0xfe00 })))).toEqual([]);
  });

  test("an index of which no chunk can be read", async () => {
    const bytes = compacted(zstd, walk(), { entry: (entry) => ({ ...entry, flags: 0x80 }) });
    await expect(open(bytes)).rejects.toMatchObject({ code: "malformed" });
  });
});

describe("the index against its rules (spec §5)", () => {
  const second = (change: Partial<IndexEntry>): Uint8Array =>
    compacted(zstd, walk(), { entry: (entry, i) => (i === 1 ? { ...entry, ...change } : entry) });
  const first = (change: Partial<IndexEntry>): Uint8Array =>
    compacted(zstd, walk(), { entry: (entry, i) => (i === 0 ? { ...entry, ...change } : entry) });
  const last = (change: Partial<IndexEntry>): Uint8Array =>
    compacted(zstd, walk(), { entry: (entry, i) => (i === 3 ? { ...entry, ...change } : entry) });

  test.each([
    ["an unknown flag", second({ flags: 4 }), "index-flags", "index entry 1, flags: bit 2 is not known"],
    ["no tick", second({ tickCount: 0 }), "index-tick-count", "tick count: expected at least 1, found 0"],
    ["a start tick too early", second({ startTick: 59 }), "index-start-tick", "start tick: expected 60, found 59"],
    ["a start tick too late", second({ startTick: 90 }), "index-start-tick", "start tick: expected 60, found 90"],
    ["too many ticks", second({ tickCount: 61 }), "index-start-tick", "tick count: expected 60, found 61"],
    ["too few ticks", second({ tickCount: 59 }), "index-gap", "index entry 2, start tick: expected 119, found 120"],
    ["a late last chunk", last({ startTick: 5000 }), "index-start-tick", "index entry 3, start tick: expected 180"],
    ["no first snapshot", first({ flags: 0 }), "index-first-snapshot", "index entry 0, flags: expected bit 0"],
    ["no bytes", second({ compressedLength: 0 }), "index-compressed-length", "expected 1 to 16777216, found 0"],
    [
      "too many inflated bytes",
      second({ uncompressedLength: 16_777_217 }),
      "index-uncompressed-length",
      "found 16777217",
    ],
    ["a bomb", second({ uncompressedLength: 16_777_216 }), "index-ratio", "(1000 : 1)"],
    ["an offset in the preamble", second({ offsetLow: 100 }), "index-offset", "expected at least"],
    ["an offset beyond 2^53", second({ offsetHigh: 0xffff_ffff }), "index-offset", "53 bits"],
    ["an offset beyond the end", second({ offsetLow: 1_000_000 }), "truncated", "expected to end by"],
    ["the bytes of another chunk", second({ offsetLow: 600 }), "index-overlap", "overlap"],
    [
      "more ticks than the header says",
      last({ tickCount: 70 }),
      "tick-count",
      "tick count: expected 250 as in the index, found 240",
    ],
  ])("%s: the chunk is refused or the lack is reported, the others are read", async (_, bytes, code, message) => {
    const findings = await findingsOf(bytes);
    expect(codes(findings)).toContain(code);
    expect(findings.find((finding) => finding.code === code)!.message).toContain(message);
    await using recording = await open(bytes);
    const ticks = (await names(recording)).map((name) => Number(name.split(" ")[0]));
    expect(new Set(ticks.map((tick) => Math.floor(tick / 60))).size).toBeGreaterThanOrEqual(3);
  });

  test("counts that disagree with the index are reported by name", async () => {
    const header = (change: (header: Header) => Header): Uint8Array => compacted(zstd, walk(), { header: change });
    const more = await findingsOf(header((each) => ({ ...each, chunkCount: 7 })));
    expect(more.map(({ message }) => message)).toContain("header, chunk count: expected 4 as in the index, found 7");
    const fewer = await findingsOf(header((each) => ({ ...each, chunkCount: 3 })));
    expect(codes(fewer)).toEqual(["chunk-count"]);
    const ticks = await findingsOf(header((each) => ({ ...each, tickCount: 99 })));
    expect(ticks.map(({ message }) => message)).toContain("header, tick count: expected 240 as in the index, found 99");
  });

  test("a cut index is made again from the records of the segments", async () => {
    const files = segmented(zstd, walk(), 2);
    const meta = files["meta.hcrp"]!;
    await using recording = await openRecording(bundleOfFiles({ ...files, "meta.hcrp": meta.slice(0, -20) }), {
      formats: [hcrp],
    });
    expect(codes(recording.findings)).toEqual(["bad-index-checksum", "index-recovered"]);
    await using sound = await open(compacted(zstd, walk()));
    expect(await names(recording)).toEqual(await names(sound));
  });

  test("numbers of segments may skip, and going back is reported", async () => {
    const files = segmented(zstd, walk(), 1, {
      entry: (entry, i) => ({ ...entry, offsetHigh: [0, 9, 5, 0xffff_ffff][i]! }),
    });
    const [meta, a, b, c, d] = Object.values(files);
    const renamed = {
      "meta.hcrp": meta!,
      "seg-00000000.hcs": a!,
      "seg-00000009.hcs": b!,
      "seg-00000005.hcs": c!,
      "seg-4294967295.hcs": d!,
    };
    await using recording = await openRecording(bundleOfFiles(renamed), { formats: [hcrp] });
    await using straight = await open(compacted(zstd, walk()));
    expect(await names(recording)).toEqual(await names(straight));
    expect(codes(recording.findings)).toEqual(["index-segment-order"]);
    expect(recording.info.bytes).toBe(Object.values(files).reduce((sum, bytes) => sum + bytes.length, 0));
  });
});

describe("checksums and lengths of the extended profile", () => {
  const flip = (at: number): Uint8Array => {
    const bytes = compacted(zstd, walk());
    bytes[at]! ^= 1;
    return bytes;
  };

  test("each names its field, what it expects and what it finds, and all is read nevertheless", async () => {
    const cases = [
      ["world id", 10, "bad-header-checksum", "header, crc32: expected 0x"],
      ["metadata", 290, "bad-metadata-checksum", "metadata, crc32: expected 0x"],
      ["full dictionary id", 76, "bad-header-checksum", "simtape corrected it"],
      ["the header's crc", 254, "bad-header-checksum", "the crc is wrong, not the header"],
      ["metadata crc", 88, "bad-header-checksum", "header, crc32"],
    ] as const;
    await using sound = await open(compacted(zstd, walk()));
    for (const [name, at, code, message] of cases) {
      const findings = await findingsOf(flip(at));
      expect(codes(findings), name).toContain(code);
      expect(findings.find((finding) => finding.code === code)!.message, name).toContain(message);
      await using recording = await open(flip(at));
      expect(await names(recording), name).toEqual(await names(sound));
    }
  });

  test("fields that contradict each other or the file are reported, too, when the crc is right", async () => {
    const extended = (change: Partial<NonNullable<Header["extension"]>>): Uint8Array =>
      compacted(zstd, walk(), { header: (each) => ({ ...each, extension: { ...each.extension!, ...change } }) });
    const dictionary = await findingsOf(extended({ dictionaryId: 1 }));
    expect(dictionary.map(({ message }) => message)).toEqual(["header, full dictionary id: expected 0, found 1"]);
    const checksums = await findingsOf(extended({ metadataCrc: 1, indexCrc: 2 }));
    expect(codes(checksums)).toEqual(expect.arrayContaining(["bad-metadata-checksum", "bad-index-checksum"]));
    const total = await findingsOf(extended({ totalLength: 1n }));
    expect(total.map(({ message }) => message)).toEqual([expect.stringContaining("total length: expected")]);
  });

  test("a byte of the metadata, or a bit in each of four, is put right by their crc", async () => {
    const sound = compacted(zstd, walk());
    await using expected = await open(sound);
    for (const at of [256, 270, 300]) {
      const byte = sound.slice();
      byte[at]! ^= 0xa7;
      const bits = sound.slice();
      for (let i = 0; i < 4; i++) bits[at + i]! ^= 1 << ((at + 3 * i) % 8);
      for (const bytes of [byte, bits]) {
        await using recording = await open(bytes);
        expect(codes(recording.findings)).toEqual(["bad-metadata-checksum"]);
        expect(recording.info.metadata["metadata"]).toEqual(expected.info.metadata["metadata"]);
      }
    }
  });

  test("metadata that is no NBT costs names, not content", async () => {
    const bytes = compacted(zstd, walk());
    bytes.fill(7, 256, 270);
    await using recording = await open(bytes);
    expect(codes(recording.findings)).toEqual(["bad-metadata-checksum", "bad-metadata"]);
    expect((await recording.state(5e9)).sets.get("players")!.ids).toEqual([0, 1]);
  });

  test("an old-style root with an empty name is taken, gzipped metadata is reported", async () => {
    const root = nbtCompound({ map: nbtText("x") });
    const bytes = compacted(zstd, { ...walk(), metadata: root });
    const named = writeNbt({ root: nbtCompound({ m: nbtText("y") }), name: nbtText("") });
    const nameless = writeNbt({ root, name: null });
    expect(named.length).toBe(nameless.length);
    bytes.set(named, 256);
    await using recording = await open(bytes);
    expect(recording.info.metadata["metadata"]).toEqual({ m: "y" });
    bytes.set([0x1f, 0x8b], 256);
    const findings = await findingsOf(bytes);
    expect(findings.map(({ message }) => message).join()).toContain("gzipped NBT");
  });
});

describe("damage", () => {
  test("a damaged frame costs its chunk alone, is reported once, and says until when state is in doubt", async () => {
    const bytes = compacted(zstd, walk());
    bytes[bytes.length - 20]! ^= 0x10;
    await using recording = await open(bytes);
    const all = await names(recording);
    await recording.state(11e9);
    for await (const _ of recording.batches({ reverse: true }));
    expect(all.every((name) => Number(name.split(" ")[0]) < 180)).toBe(true);
    expect(codes(recording.findings)).toEqual(["damaged-chunk"]);
    expect(recording.findings[0]).toMatchObject({ severity: "damage", time: 180 * TICK });
    expect(recording.findings[0]!.message).toMatch(/chunk 3 \(ticks 180 to 239\).*state is in doubt until the end/);
  });

  test("state is built from the snapshot before when the nearest is damaged", async () => {
    const content = walk();
    const bytes = compacted(zstd, content);
    await using sound = await open(bytes);
    const frames: number[] = [];
    for await (const records of sound.records()) {
      for (const { kind, offset } of records) if (kind === "chunk") frames.push(offset);
    }
    const damaged = bytes.slice();
    damaged[frames[2]! + 30]! ^= 0xff;
    await using recording = await open(damaged);
    expect(await recording.keyframe(130 * TICK)).toEqual({ time: 0, sequence: 0, channels: null });
    expect((await recording.state(130 * TICK)).sets.get("players")!.ids).toEqual([0, 1]);
    const kinds: string[] = [];
    for await (const records of recording.records()) kinds.push(...records.map(({ kind }) => kind));
    expect(kinds).toEqual(["header", "metadata", "index", "chunk", "chunk", "damaged", "chunk"]);
  });

  test("an event stream that breaks keeps what came before", async () => {
    const [chunk] = walk().chunks;
    const good = event(EVENT.swing, (out) => writeSwing(out, { entity: 1, hand: 0 }));
    const raw = Uint8Array.of(0, 3, 0, 1, good.id, ...good.body, 9, 0, 2, good.id, ...good.body, EVENT.move, 0, 0x80);
    await using recording = await open(compacted(zstd, { chunks: [{ ...chunk!, raw }] }));
    expect(await names(recording)).toEqual(["0 snapshot", "3 swing", "9 swing"]);
    expect(recording.findings[0]!.message).toContain("3 messages before it are kept");
  });

  test.each([
    ["ticks that go back", [0, 5, 0, 0, 4, 0, 0], "tick of a record: expected 5 to 59, found 4"],
    ["a tick behind the chunk", [0, 60, 0, 0], "tick of a record: expected 0 to 59, found 60"],
    ["a snapshot longer than the chunk", [99], "skip needs 99 bytes"],
    ["more events than bytes", [0, 0, 0xff, 0xff, 26], "event count: expected at most 1"],
    ["a section longer than the snapshot", [2, 1, 9], "needs 9 bytes"],
  ])("%s are reported", async (_, raw, message) => {
    const [chunk] = walk().chunks;
    const findings = await findingsOf(compacted(zstd, { chunks: [{ ...chunk!, raw: Uint8Array.from(raw) }] }));
    expect(codes(findings)).toEqual(["damaged-chunk"]);
    expect(findings[0]!.message).toContain(message);
  });

  test("200,000 events of one tick survive in continued records", async () => {
    const events = Array.from({ length: 200_000 }, (_, i) =>
      event(EVENT.swing, (out) => writeSwing(out, { entity: (i * i) % 65_537, hand: 0 })),
    );
    const records = [{ tick: 3, events }];
    await using recording = await open(
      compacted(zstd, { chunks: [{ ticks: 20, snapshot: [], records }] }, { level: 1 }),
    );
    const statistics = await recording.statistics();
    expect(statistics[EVENT.swing]).toMatchObject({ messages: 200_000, first: 3 * TICK, last: 3 * TICK });
    expect(recording.findings).toEqual([]);
  });
});

describe("dictionaries", () => {
  const bytes = made.get("dictionary.hcrp")!;
  const given = createHcrp({ dictionaries: async (id) => (id === DICTIONARY_ID ? dictionaryBytes() : null) });

  test("a recording opens with its dictionary", async () => {
    await using recording = await open(bytes, given);
    await using plain = await open(compacted(zstd, walk()));
    expect(await names(recording)).toEqual(await names(plain));
    expect(recording.findings).toEqual([]);
    expect(recording.info.metadata["dictionaryId"]).toBe(DICTIONARY_ID);
  });

  test("without it, it fails clearly", async () => {
    await expect(open(bytes)).rejects.toMatchObject({ code: "unsupported", format: "hcrp" });
    await expect(open(bytes)).rejects.toThrow(
      /zstd dictionary 32769.*it was not given, and there is no 32769.dict beside it/,
    );
    const none = createHcrp({ dictionaries: async () => null });
    await expect(open(bytes, none)).rejects.toThrow("it was not given, and there is no 32769.dict beside it");
  });

  test("with another one it fails, not reads garbage", async () => {
    const other = dictionaryBytes();
    other[4] = 7;
    const wrongId = createHcrp({ dictionaries: async () => other });
    await expect(open(bytes, wrongId)).rejects.toThrow("expected id 32769, found 32775");
    const digest = Buffer.from(await crypto.subtle.digest("SHA-256", dictionaryBytes().slice())).toString("hex");
    const dictionary = { id: DICTIONARY_ID, bytes: dictionaryBytes() };
    const metadata = nbtCompound({ hcrp: writeReserved({ dictionarySha256: digest }) });
    const bound = compacted(zstd, { ...walk(), metadata }, { dictionary });
    const asked: unknown[] = [];
    const altered = createHcrp({
      dictionaries: async (id, sha256) => {
        asked.push([id, sha256]);
        const copy = dictionaryBytes();
        copy[copy.length - 1]! ^= 1;
        return copy;
      },
    });
    await expect(open(bound, altered)).rejects.toThrow("expected sha256");
    expect(asked).toEqual([[DICTIONARY_ID, digest]]);
    await using recording = await open(bound, given);
    expect((await names(recording)).length).toBeGreaterThan(50);
  });

  test("a dictionary beside the recording is found by its id, and compared by its sha256", async () => {
    const beside = { "run.hcrp": bytes, "32769.dict": dictionaryBytes() };
    await using recording = await openRecording(bundleOfFiles(beside), { formats: [hcrp] });
    await using plain = await open(compacted(zstd, walk()));
    expect(await names(recording)).toEqual(await names(plain));
    const none = createHcrp({ dictionaries: async () => null });
    await using fallback = await openRecording(bundleOfFiles(beside), { formats: [none] });
    expect(await names(fallback)).toEqual(await names(plain));
    const metadata = nbtCompound({ hcrp: writeReserved({ dictionarySha256: "00".repeat(32) }) });
    const bound = compacted(
      zstd,
      { ...walk(), metadata },
      { dictionary: { id: DICTIONARY_ID, bytes: dictionaryBytes() } },
    );
    await expect(openRecording(bundleOfFiles({ ...beside, "run.hcrp": bound }), { formats: [hcrp] })).rejects.toThrow(
      /expected sha256 0{64}, found [0-9a-f]{64} in 32769.dict/,
    );
    const truncated = { ...beside, "32769.dict": dictionaryBytes().subarray(0, 6) };
    await expect(openRecording(bundleOfFiles(truncated), { formats: [hcrp] })).rejects.toThrow(
      "expected id 32769, found 0",
    );
  });

  test("an id outside the range is reported and not asked for", async () => {
    const findings = await findingsOf(
      compacted(zstd, walk(), { profile: "plain", header: (header) => ({ ...header, dictionaryId: 77 }) }),
    );
    expect(findings.map(({ message }) => message)).toEqual([
      "header, dictionary id: expected 0 or 32768 to 65535, found 77",
    ]);
  });
});

describe("epochs, host events, unknown events", () => {
  test("names are looked up by chunk, and numbers may change", async () => {
    await using recording = await open(made.get("two-epochs.hcrp")!);
    const list = recording.channels.map(({ name }) => name).slice(28);
    expect(list).toEqual(["snapshot", "extension", "my:event", "other:thing", "host-65"]);
    expect((await names(recording)).filter((name) => list.slice(1).includes(name.split(" ")[1]!))).toEqual([
      "4 my:event",
      "4 extension",
      "19 host-65",
      "24 my:event",
      "24 extension",
      "39 other:thing",
      "39 extension",
    ]);
    const values: unknown[] = [];
    for await (const message of recording.messages(recording.channel("extension"))) values.push(message.value);
    expect(values).toEqual([
      { type: 99, body: Uint8Array.of(9) },
      { type: 99, body: Uint8Array.of(9) },
      { type: 40, body: new Uint8Array(0) },
    ]);
  });

  test("a renamed block has the right name in both halves", async () => {
    await using recording = await open(made.get("two-epochs.hcrp")!);
    const kinds = async (tick: number) =>
      (await recording.state(tick * TICK)).sets.get("blocks")!.columns.get("kind")!.data;
    expect(await kinds(10)).toEqual(["minecraft:grass"]);
    expect(await kinds(30)).toEqual(["minecraft:short_grass"]);
    const versions: unknown[] = [];
    for await (const { context } of recording.batches())
      versions.push((context as { dataVersion: number }).dataVersion);
    expect(versions).toEqual([3698, 3700]);
    expect((await recording.state(0)).values.get("host/my")).toEqual(Uint8Array.of(7, 7));
  });

  test("a chunk with an event of a later schema is refused by name, the others are read", async () => {
    const content = twoEpochs();
    const chunks = [...content.chunks, content.chunks[0]!].map((chunk, i) =>
      i === 1 ? { ...chunk, records: [{ tick: 0, events: [event(30)] }, ...chunk.records] } : chunk,
    );
    await using recording = await open(compacted(zstd, { ...content, chunks, metadata: epochs([1, 2, 1]) }));
    const ticks = (await names(recording)).map((name) => Number(name.split(" ")[0]));
    expect(ticks.some((tick) => tick >= 20 && tick < 40)).toBe(false);
    expect(ticks.some((tick) => tick >= 40)).toBe(true);
    expect(recording.findings).toMatchObject([{ code: "unsupported-schema", severity: "damage" }]);
    expect(recording.findings[0]!.message).toContain("schema world: expected at most version 1, found 2");
  });

  test("names and values of palettes show beside the indices", async () => {
    await using recording = await open(made.get("tower-race.hcrp")!);
    for await (const message of recording.messages(recording.channel("mark"))) {
      expect(message.value).toMatchObject({ kind: 0, text: 1, label: "warm-up" });
      break;
    }
    for await (const message of recording.messages(recording.channel("set-block"))) {
      expect(message.value).toMatchObject({ block: 1, blockName: "minecraft:quartz_block" });
      break;
    }
    for await (const message of recording.messages(recording.channel("spawn"))) {
      expect(message.value).toMatchObject({ entity: 1, typeName: "minecraft:player", profileName: "Amaya" });
      break;
    }
    expect(PALETTE.text).toBe(5);
  });
});

describe("state", () => {
  test("undoing message by message goes back through every state", async () => {
    const reader = await hcrp.open(bundleOf(memory(compacted(zstd, race()))), new Findings(), {});
    const state = new MutableState();
    reader.state.begin?.(state);
    const before: { mark: number; frozen: unknown }[] = [];
    let seen = 0;
    for await (const batch of reader.batches({ end: 12e9 })) {
      for (let i = 0; i < batch.length; i++, seen++) {
        if (seen % 50 === 0) before.push({ mark: state.savepoint(), frozen: state.freeze() });
        reader.state.apply(state, batch, i);
      }
    }
    expect(before.length).toBeGreaterThan(5);
    for (const { mark, frozen } of before.reverse()) {
      state.undo(mark);
      expect(state.freeze()).toEqual(frozen);
    }
    await reader.close();
  });

  test("between two moves positions are interpolated when asked for", async () => {
    await using recording = await open(made.get("tower-race.hcrp")!);
    const at = async (time: number): Promise<number> => {
      const state = await recording.state(time, { interpolate: true });
      return Number(state.sets.get("players")!.columns.get("position")!.data[0]);
    };
    const [a, half, b] = [await at(200 * TICK), await at(200.5 * TICK), await at(201 * TICK)];
    expect(half).toBeCloseTo((a + b) / 2, 9);
    expect(a).not.toBe(b);
  });
});

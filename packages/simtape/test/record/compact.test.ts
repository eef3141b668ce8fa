import { describe, expect, test } from "vitest";
import { stateToJson } from "../../src/cli/serving.ts";
import { nbtToValue } from "../../src/codec/nbt.ts";
import { readZstdFrameHeader } from "../../src/codec/zstd.ts";
import { decodeChunk } from "../../src/formats/hcrp/chunk/decode.ts";
import { PALETTE, SECTION, writePalettes } from "../../src/formats/hcrp/layout/chunk.ts";
import { writePlaceEvent, writeSwing } from "../../src/formats/hcrp/layout/entity-events.ts";
import { EVENT } from "../../src/formats/hcrp/layout/events.ts";
import { FLAG_COLUMNS, FLAG_FINISHED, FLAG_SEGMENTED } from "../../src/formats/hcrp/layout/framing.ts";
import { writeReserved } from "../../src/formats/hcrp/layout/metadata.ts";
import { Move, writeMove } from "../../src/formats/hcrp/layout/motion.ts";
import { writeMark, writePaletteAdd, writeSetBlock, writeWorld } from "../../src/formats/hcrp/layout/world-events.ts";
import { HcrpReader } from "../../src/formats/hcrp/read/reader.ts";
import { MemoryFiles, open as openRecording, type SourceBundle, SourceError, type State } from "../../src/index.ts";
import { loadZstd, NBT, nbtCompound } from "../../src/kit.ts";
import { Findings } from "../../src/model/error.ts";
import { changeMetadata } from "../../src/record/compact/change-metadata.ts";
import { compact, type CompactOptions, type CompactReport, isCompactionOf } from "../../src/record/compact/compact.ts";
import { ghost, readGhost } from "../../src/record/compact/ghost.ts";
import { stateHash } from "../../src/record/compact/state-hash.ts";
import { verify } from "../../src/record/compact/verify.ts";
import { type CompactionVisitor, splits, statistics } from "../../src/record/compact/visitors.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { twoEpochs, walk } from "../fixtures/hcrp/make.ts";
import { built, type ChunkContent, type EventBytes, event, segmented } from "../fixtures/hcrp/recording.ts";
import { traceRecording, traceRows } from "./trace.ts";
import { bundleOfMemory, random, segmentedBundle, wildContent } from "./wild.ts";

/** Random recordings; `COMPACT_SEEDS=2000` for the long run. */
const SEEDS = Number(process.env["COMPACT_SEEDS"] ?? 8);

interface Compacted {
  readonly report: CompactReport;
  readonly bytes: Uint8Array;
  readonly bundle: SourceBundle;
}

async function compacted(from: SourceBundle, options: CompactOptions = {}): Promise<Compacted> {
  const files = new MemoryFiles("run.hcrp");
  const report = await compact(from, files, { level: 3, ...options });
  return { report, bytes: files.bytes, bundle: bundleOfMemory(files) };
}

/** The frames of a compacted file as they are stored. */
async function framesOf(bundle: SourceBundle): Promise<Uint8Array[]> {
  const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
  const source = (await bundle.open())!;
  return Promise.all(reader.chunks.map(({ offset, length }) => source.read(offset, length)));
}

/** The metadata as plain values. */
async function metadataOf(bundle: SourceBundle): Promise<Record<string, Record<string, unknown>>> {
  const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
  return nbtToValue(reader.preamble.metadata.root) as Record<string, Record<string, unknown>>;
}

/** What snapshots of HCRP hold of a state; what they do not is unknown behind them, or known from before. */
function sceneOf(state: State): string {
  const values = [...state.values].filter(([path]) =>
    /^(?:world\/|interface|host\/)|\/(?:items|metadata)\//.test(path),
  );
  const sets = [...state.sets].map(([name, set]) => {
    const columns = [...set.columns].filter(
      ([column]) => !/^(?:velocity|parent|health|food|xp|game-mode|camera|head-yaw|position|rotation)$/.test(column),
    );
    return [name, { ...set, columns: new Map(columns) }] as const;
  });
  return stateToJson({ time: 0, values: new Map(values.sort(([a], [b]) => (a < b ? -1 : 1))), sets: new Map(sets) });
}

/** Chunks without events worth telling, for tests that need only their frames. */
function chunk(ticks: number, records: ChunkContent["records"], snapshot: ChunkContent["snapshot"] = []): ChunkContent {
  return { ticks, snapshot, records };
}

describe("compaction", () => {
  test("row 25: keeps state and events of random recordings, tick by tick", { timeout: 600_000 }, async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const source = await segmentedBundle(wildContent(seed));
      // every other one in frames so small that chunks must be split
      const frameBytes = seed % 2 === 0 ? undefined : 1024 + seed * 40;
      const { report, bundle } = await compacted(source, { frameBytes, columns: seed % 3 === 1 });
      const before = await verify(source);
      const after = await verify(bundle);
      expect({ seed, findings: after.findings.filter(({ code }) => code !== "snapshot-differs") }).toEqual({
        seed,
        findings: [],
      });
      expect({ seed, hash: after.eventHash }).toEqual({ seed, hash: before.eventHash });
      if (frameBytes === undefined) expect(report.frames).toBeLessThanOrEqual(report.chunks);
      const [old, made] = [await openRecording(source), await openRecording(bundle)];
      const step = Math.max(1, Math.floor(report.ticks / 12));
      for (let tick = 0; tick <= report.ticks; tick += step) {
        const [expected, found] = [await old.state(tick * 5e7), await made.state(tick * 5e7)];
        expect({ seed, tick, scene: sceneOf(found) }).toEqual({ seed, tick, scene: sceneOf(expected) });
      }
      await old.close();
      await made.close();
    }
  });

  test("tells moves, blocks and names of merged chunks in the frame's numbers", async () => {
    const move = (x: number, headYaw = 0): EventBytes =>
      event(EVENT.move, (out) =>
        writeMove(
          out,
          Object.assign(new Move(), { entity: 5, mask: (x === 0 ? 0 : 1) | (headYaw === 0 ? 0 : 64), x, headYaw }),
        ),
      );
    const block = (x: number, index: number): EventBytes =>
      event(EVENT.setBlock, (out) => writeSetBlock(out, { delta: Float64Array.of(x, 0, 0), block: index }));
    const add = (text: string): EventBytes =>
      event(EVENT.paletteAdd, (out) =>
        writePaletteAdd(out, { kind: PALETTE.block, entry: new TextEncoder().encode(text) }),
      );
    const place = event(EVENT.place, (out) =>
      writePlaceEvent(out, { entity: 5, q: Float64Array.of(4096, 0, 0), yaw: 0, pitch: 0, flags: 0 }),
    );
    const source = await segmentedBundle({
      chunks: [
        chunk(10, [
          { tick: 1, events: [place, move(7), add("stone"), block(3, 1)] },
          { tick: 4, events: [move(1)] },
        ]),
        // without a snapshot: displacements, blocks and palettes begin again all the same
        chunk(
          10,
          [
            { tick: 2, events: [add("dirt"), add("stone"), move(8), block(10, 2), block(1, 1)] },
            { tick: 3, events: [move(0), { id: 70, body: Uint8Array.of(1, 2) }] },
          ],
          null,
        ),
      ],
    });
    const { report, bundle } = await compacted(source);
    expect(report).toMatchObject({ chunks: 2, frames: 1, events: 9, snapshotsDropped: 0 });
    const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
    const reported: unknown[] = [];
    for await (const batch of reader.batches({}))
      for (let i = 0; i < batch.length; i++) {
        const name = reader.channels[batch.channel[i]!]!.name;
        if (batch.time[i]! >= 10 * 5e7) reported.push([batch.time[i]! / 5e7, name, [...batch.payload(i)]]);
      }
    const text = (value: string): number[] => [0, value.length, ...new TextEncoder().encode(value)];
    expect(reported).toEqual([
      // 8 from standing still is the displacement that it had: nothing is left to tell
      [12, "move", [5, 0]],
      [12, "set-block", [14, 0, 0, 1]],
      [12, "palette-add", text("dirt")],
      [12, "set-block", [2, 0, 0, 2]],
      [13, "move", [5, 0]],
      [13, "extension", [70, 2, 1, 2]],
    ]);
  });

  test("drops snapshots that say what is known, and tells the time of day that they said", async () => {
    const section = (time: number): ChunkContent["snapshot"] => [
      { type: SECTION.world, body: built((out) => writeWorld(out, { time, weather: 0 })) },
    ];
    const swing = { tick: 3, events: [event(EVENT.swing, (out) => writeSwing(out, { entity: 1, hand: 0 }))] };
    const source = await segmentedBundle({
      chunks: [6000, 6100, 6200].map((time) => chunk(100, [swing], section(time))),
    });
    const { report, bundle } = await compacted(source);
    expect(report).toMatchObject({ chunks: 3, frames: 1, snapshotsDropped: 2, hashesCompared: 3 });
    const recording = await openRecording(bundle);
    for (const [tick, time] of [
      [99, 6000],
      [100, 6100],
      [250, 6200],
    ])
      expect((await recording.state(tick! * 5e7)).values.get("world/time")).toBe(time);
    await recording.close();
  });

  test("keeps a snapshot that says something new, at the head of a frame of its own", async () => {
    const names = built((out) => writePalettes(out, [[new TextEncoder().encode("stone")]]));
    const edited: ChunkContent["snapshot"] = [
      { type: SECTION.palettes, body: names },
      { type: SECTION.blocks, body: Uint8Array.of(1, 2, 2, 2, 1) },
    ];
    const { report } = await compacted(
      await segmentedBundle({ chunks: [chunk(10, []), chunk(10, [], edited), chunk(10, [], edited)] }),
    );
    expect(report).toMatchObject({ frames: 2, snapshotsDropped: 1 });
  });

  test("never merges epochs, nor chunks between which host events change their names", async () => {
    const source = await segmentedBundle(twoEpochs());
    const { report, bundle } = await compacted(source);
    expect(report.frames).toBe(2);
    expect(await metadataOf(bundle)).toMatchObject({ hcrp: { epochs: [{ chunk: 0 }, { chunk: 1 }] } });
  });

  test("tells where epochs and names of events begin in the new index", async () => {
    const epoch = { dataVersion: 1, protocol: 2, schema: "world", schemaVersion: 1, server: "", started: 0n };
    const hcrp = writeReserved({
      epochs: [0, 3, 7].map((chunk) => ({ ...epoch, chunk })),
      events: [0, 5, 99].map((sinceChunk) => ({ id: 64, name: `my:${sinceChunk}`, version: 1, sinceChunk })),
    });
    const host = (tick: number): EventBytes => ({ id: 64, body: Uint8Array.of(tick) });
    const chunks = Array.from({ length: 9 }, (_, i) => chunk(10, [{ tick: 1, events: [host(i)] }]));
    const { report, bundle } = await compacted(await segmentedBundle({ chunks, metadata: nbtCompound({ hcrp }) }));
    expect(report).toMatchObject({ chunks: 9, frames: 4 });
    const reported = (await metadataOf(bundle))["hcrp"]!;
    expect(reported["epochs"]).toMatchObject([{ chunk: 0 }, { chunk: 1 }, { chunk: 3 }]);
    expect(reported["events"]).toMatchObject([{ since_chunk: 0 }, { since_chunk: 2 }, { since_chunk: 4 }]);
    const recording = await openRecording(bundle);
    const counts = (await recording.statistics()).map(({ messages }) => messages);
    expect(["my:0", "my:5"].map((name) => counts[recording.channel(name).id])).toEqual([5, 4]);
    await recording.close();
  });

  test("row 21: takes 200,000 events of one tick along, and splits what is too large at tick boundaries", async () => {
    const roll = random(4);
    const swings = Array.from({ length: 100 }, (_, hand) =>
      event(EVENT.swing, (out) => writeSwing(out, { entity: 1, hand })),
    );
    const several = (length: number): EventBytes[] => Array.from({ length }, () => swings[roll(100)]!);
    const many = { tick: 5, events: several(200_000) };
    const busy = Array.from({ length: 100 }, (_, tick) => ({ tick, events: several(1000) }));
    const source = await segmentedBundle({ chunks: [chunk(10, []), chunk(10, [many]), chunk(100, busy)] });
    const { report, bundle } = await compacted(source);
    expect(report.events).toBe(300_000);
    const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
    const { entries } = reader.preamble;
    // one tick of 600,000 bytes cannot be split
    expect(entries.filter(({ uncompressedLength }) => uncompressedLength > 262_144)).toHaveLength(1);
    expect(entries.map(({ flags }) => flags).slice(-3)).toContain(0);
    expect((await verify(bundle)).status).toBe("sound");
  });

  test("merges idling into frames of ten minutes", async () => {
    const { report } = await compacted(
      await segmentedBundle({ chunks: Array.from({ length: 240 }, () => chunk(200, [])) }, 40),
    );
    expect(report).toMatchObject({ ticks: 48_000, chunks: 240, frames: 4, snapshotsDropped: 236 });
  });

  test("keeps frames within 1,200 ticks of events", async () => {
    const swing = event(EVENT.swing, (out) => writeSwing(out, { entity: 1, hand: 0 }));
    const chunks = Array.from({ length: 18 }, () => chunk(200, [{ tick: 100, events: [swing] }]));
    const { bundle } = await compacted(await segmentedBundle({ chunks }));
    const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
    expect(reader.preamble.entries.map(({ tickCount }) => tickCount)).toEqual([1400, 1400, 800]);
  });

  test("row 25: gives the same bytes every time, whatever was there is found again", async () => {
    const source = await segmentedBundle(wildContent(7));
    const first = await compacted(source);
    const second = await compacted(source);
    expect(second.bytes).toEqual(first.bytes);
    expect(await isCompactionOf(first.bundle, source)).toBe(true);
    const files = new MemoryFiles("again.hcrp");
    const report = await compact(source, files, { existing: first.bundle });
    expect(report).toMatchObject({ status: "present", bytesAfter: first.bytes.length });
    expect(files.files.size).toBe(0);
    const other = await segmentedBundle(wildContent(7), 3, {
      header: (header) => ({ ...header, extension: { ...header.extension!, generation: 9 } }),
    });
    expect(await isCompactionOf(first.bundle, other)).toBe(false);
    expect((await compacted(other, { existing: first.bundle })).report.status).toBe("compacted");
  });

  test("row 25: with columns gives the same bytes every time, and without them what there was before", async () => {
    const source = await segmentedBundle(wildContent(7));
    const plain = await compacted(source);
    const first = await compacted(source, { columns: true });
    expect((await compacted(source, { columns: true })).bytes).toEqual(first.bytes);
    expect(first.report.idempotencyKey).toBe(`${plain.report.idempotencyKey}:columns`);
    expect(await isCompactionOf(first.bundle, source)).toBe(true);
    expect(await isCompactionOf(first.bundle, source, undefined, false)).toBe(false);
    // who asks for a file that every reader opens is not given one that few do, nor the other way round
    for (const columns of [true, false])
      for (const { bundle } of [plain, first]) {
        const isSame = columns === (bundle === first.bundle);
        const { status } = await compact(source, new MemoryFiles("again.hcrp"), {
          level: 3,
          columns,
          existing: bundle,
        });
        expect(status).toBe(isSame ? "present" : "compacted");
      }
    expect(await framesOf((await compacted(first.bundle)).bundle)).toEqual(await framesOf(plain.bundle));
  });

  test("tells columns in header, index and metadata, and keeps them when metadata are changed", async () => {
    const { bundle } = await compacted(await segmentedBundle(walk()), { columns: true });
    const files = new MemoryFiles("changed.hcrp");
    await changeMetadata(bundle, files, { values: { arena: "tower" } });
    for (const made of [bundle, bundleOfMemory(files)]) {
      const reader = await HcrpReader.open(made, new Findings(), {}, null);
      const { head, entries } = reader.preamble;
      expect(head.flags & FLAG_COLUMNS).toBe(FLAG_COLUMNS);
      expect(await metadataOf(made)).toMatchObject({ hcrp: { compaction: { columns: 1 } } });
      const frames = await framesOf(made);
      expect(frames.map(({ length }) => length)).toEqual(entries.map(({ compressedLength }) => compressedLength));
      expect(frames.map((frame) => Number(readZstdFrameHeader(frame).contentSize))).toEqual(
        entries.map(({ uncompressedLength }) => uncompressedLength),
      );
      expect((await verify(made)).status).toBe("sound");
    }
  });

  test("writes where it came from, and nothing of the day it was made on", async () => {
    const source = await segmentedBundle(walk());
    const { report, bundle } = await compacted(source);
    const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
    const { flags, extension } = reader.preamble.head;
    expect(flags & FLAG_SEGMENTED).toBe(0);
    expect(flags & FLAG_FINISHED).toBe(FLAG_FINISHED);
    expect(report.idempotencyKey).toBe(`compact:${extension!.recordingId}:${report.generation}`);
    expect(extension!.generation).toBe(report.generation + 1);
    expect(await metadataOf(bundle)).toMatchObject({
      hcrp: {
        compaction: {
          level: 3,
          at: Number(extension!.finishedAt),
          source_generation: report.generation,
          source_bytes: report.bytesBefore,
          frame_bytes: 262_144,
        },
      },
    });
  });

  test("refuses a recording that goes on, and one that is damaged", async () => {
    const open = await segmentedBundle(walk(), 3, {
      header: (header) => ({ ...header, flags: header.flags & ~FLAG_FINISHED }),
    });
    await expect(compacted(open)).rejects.toMatchObject({ code: "unsupported" });
    const { report, bundle } = await compacted(open, { repair: true });
    expect(report).toMatchObject({ chunksLost: 0, ticksLost: 0 });
    expect(await metadataOf(bundle)).toMatchObject({ hcrp: { outcome: "crashed" } });
    await expect(compacted(await segmentedBundle(walk(), 3, { profile: "plain" }))).rejects.toMatchObject({
      code: "unsupported",
    });
  });

  test("repairs: keeps what is sound, leaves out what hangs on what is lost, and tells it", async () => {
    const files = segmented(await loadZstd(), walk(), 1);
    // chunk 0 has a snapshot, 1 has none, 2 has one, 3 has none
    const bad = files["seg-00000000.hcs"]!.slice();
    bad[bad.length - 3]! ^= 0x55;
    const source = bundleOfFiles({ ...files, "seg-00000000.hcs": bad });
    await expect(compacted(source)).rejects.toMatchObject({ code: "malformed" });
    const { report, bundle } = await compacted(source, { repair: true });
    expect(report).toMatchObject({ chunks: 2, chunksLost: 2, ticksLost: 120 });
    expect(report.losses).toHaveLength(2);
    const checked = await verify(bundle);
    expect(checked).toMatchObject({ status: "sound", ticks: 240 });
    const [old, made] = [await openRecording(bundleOfFiles(files)), await openRecording(bundle)];
    for (const tick of [120, 150, 239])
      expect(sceneOf(await made.state(tick * 5e7))).toBe(sceneOf(await old.state(tick * 5e7)));
    await old.close();
    await made.close();
  });

  test("publishes nothing when what was written cannot be read back as it was", async () => {
    const source = await segmentedBundle(walk());
    const files = new MemoryFiles("run.hcrp");
    const bent = {
      name: files.name,
      open: async () => {
        const sink = await files.open();
        const read = (sink as unknown as { read(offset: number, length: number): Promise<Uint8Array> }).read.bind(sink);
        return Object.assign(sink, {
          read: async (offset: number, length: number) => {
            const bytes = await read(offset, length);
            if (offset + length > 900 && bytes.length > 0) bytes[bytes.length - 1]! ^= 1;
            return bytes;
          },
        });
      },
    };
    await expect(compact(source, bent)).rejects.toMatchObject({ code: "malformed" });
    expect(files.files.size).toBe(0);
  });

  test("row 25: leaves the old or the new, never neither, when any single step fails", async () => {
    const source = await segmentedBundle(wildContent(11));
    const { bytes } = await compacted(source);
    for (let failing = 0; ; failing++) {
      const files = new MemoryFiles("run.hcrp");
      const old = Uint8Array.of(1, 2, 3);
      files.files.set("run.hcrp", old);
      let calls = 0;
      const brittle = {
        name: files.name,
        open: async () => {
          const sink = await files.open();
          return new Proxy(sink, {
            get: (target, key) => {
              const value = Reflect.get(target, key) as unknown;
              if (typeof value !== "function") return value;
              return async (...words: unknown[]) => {
                if (key !== "abort" && calls++ === failing) throw new SourceError("failed", "no more room");
                return (value as (...all: unknown[]) => unknown).apply(target, words);
              };
            },
          });
        },
      };
      let isDone = false;
      try {
        await compact(source, brittle, { level: 3 });
        isDone = true;
      } catch (error) {
        expect(error).toMatchObject({ code: "source-failed" });
      }
      expect(files.bytes).toEqual(isDone ? bytes : old);
      if (isDone) break;
    }
  });

  test("adds what visitors find: marks, statistics, splits and the ghost", async () => {
    const content = walk();
    const mark = (kind: number, label: number): EventBytes =>
      event(EVENT.mark, (out) => writeMark(out, { kind, entity: 0, text: label, severity: 0 }));
    const chunks = content.chunks.map((part, i) => {
      if (i !== 1) return part;
      const add = event(EVENT.paletteAdd, (out) =>
        writePaletteAdd(out, { kind: PALETTE.text, entry: new TextEncoder().encode("gate") }),
      );
      const records = part.records.map((record) =>
        record.tick === 10
          ? { ...record, events: [add, mark(4, 1), ...record.events] }
          : record.tick === 30
            ? { ...record, events: [...record.events, mark(1, 1)] }
            : record,
      );
      return { ...part, records };
    });
    const subject = nbtCompound({ entity: { type: NBT.int, value: 0 } });
    const metadata = nbtCompound({
      hcrp: nbtCompound({ subjects: { type: NBT.list, itemType: NBT.compound, items: [subject] } }),
    });
    let batches = 0;
    const flags: CompactionVisitor = {
      name: "flags",
      chunk: () => {
        batches++;
      },
      finish: () => ({
        marks: Array.from({ length: 1000 }, (_, tick) => ({
          tick,
          kind: "anticheat",
          entity: 0,
          label: "x",
          severity: 5,
        })),
      }),
    };
    const source = await segmentedBundle({ ...content, chunks, metadata });
    const { bundle } = await compacted(source, { visitors: [flags, statistics(), splits(), ghost()] });
    expect(batches).toBe(4);
    const { hcrp } = await metadataOf(bundle);
    expect(hcrp!["marks"]).toHaveLength(1000);
    const analysis = hcrp!["analysis"] as Record<string, unknown>;
    expect(analysis["splits"]).toEqual([{ entity: 0, label: "gate", tick: 90, split: 20 }]);
    const { players } = analysis["statistics"] as { players: Record<string, number>[] };
    expect(players.map(({ entity }) => entity)).toEqual([0, 1]);
    // 239 steps on a circle with a radius of 6, a 25th of a radian each
    expect(players[0]!["distance"]).toBeCloseTo((239 * 6) / 25, 0);
    expect(players[0]!["ticks_moved"]).toBe(239);
    const track = readGhost(hcrp!["ghost"] as Uint8Array);
    expect(analysis["ghost"]).toEqual({ entity: 0, from_tick: 70, step: 1, rows: track.x.length });
    const recording = await openRecording(source);
    for (const row of [0, 1, 50, 169]) {
      const { ids, columns } = (await recording.state((70 + row) * 5e7)).sets.get("players")!;
      const at = ids.indexOf(0) * 3;
      const { data } = columns.get("position")!;
      expect([track.x[row]! / 4096, track.y[row]! / 4096, track.z[row]! / 4096]).toEqual([...data.slice(at, at + 3)]);
    }
    await recording.close();
  });

  test("row 16: opens with the dictionary it was made with, and with no other", async () => {
    const { dictionaryBytes } = await import("../fixtures/hcrp/make.ts");
    const dictionary = dictionaryBytes();
    const { bundle } = await compacted(await segmentedBundle(walk()), { dictionary });
    const report = await verify(bundle, { dictionaries: async () => dictionary });
    expect(report.status).toBe("sound");
    await expect(verify(bundle)).rejects.toMatchObject({ code: "unsupported" });
    await expect(compacted(await segmentedBundle(walk()), { dictionary: Uint8Array.of(1, 2) })).rejects.toThrow(/id/);
  });

  test("row 19: decodes every frame on its own", async () => {
    const { bundle } = await compacted(await segmentedBundle(wildContent(3)));
    const reader = await HcrpReader.open(bundle, new Findings(), {}, null);
    const zstd = await loadZstd();
    const source = (await bundle.open())!;
    for (const part of reader.chunks) {
      const size = part.entry.uncompressedLength;
      const raw = zstd.decompress(await source.read(part.offset, part.length), { size });
      const map = { snapshot: 28, extension: 29, sized: () => null };
      expect(decodeChunk(raw, part, 1, 0, map).problem).toBeNull();
    }
  });
});

const rows = traceRows();

describe.runIf(rows !== null)("compaction of 24 players on a real server", () => {
  /** Bytes before and after, without columns and with them; both are one file which says the same. */
  async function sizes(options: Parameters<typeof traceRecording>[1]): Promise<Sizes> {
    const source = bundleOfMemory(await traceRecording(rows!, options));
    const old = await verify(source);
    const end = await endOf(source);
    const after: number[] = [];
    for (const columns of [false, true]) {
      const { report, bundle } = await compacted(source, { level: 19, columns });
      const made = await verify(bundle);
      expect(made).toMatchObject({ status: "sound", representation: "compacted", eventHash: old.eventHash });
      expect(await endOf(bundle)).toBe(end);
      expect(report.hashesCompared).toBe(report.chunks);
      after.push(report.bytesAfter);
    }
    return { before: old.bytes!, plain: after[0]!, columns: after[1]! };
  }

  /** The hash of the state at the end, but for the last line of chat, which the source forgets with every snapshot. */
  async function endOf(bundle: SourceBundle): Promise<string> {
    await using recording = await openRecording(bundle);
    const state = await recording.state((await recording.timeline()).end);
    return stateHash({ ...state, values: new Map([...state.values].filter(([path]) => path !== "chat")) });
  }

  test("row 25: 24 players in one recording are an eighth smaller, with columns two fifths", async () => {
    const { before, plain, columns } = await sizes({ from: 202, to: 2602 });
    expect(1 - plain / before).toBeGreaterThan(0.12);
    expect(1 - columns / before).toBeGreaterThan(0.4);
  });

  test("row 25: recordings of one player are a quarter smaller, one with another; with columns each is", async () => {
    // one of four jumps, one builds, one idles, one runs
    const all: Sizes[] = [];
    for (let player = 0; player < 24; player++) all.push(await sizes({ from: 202, to: 6254, players: [player] }));
    const total = (of: keyof Sizes): number => all.reduce((sum, each) => sum + each[of], 0);
    // plain, each counts the same: those that never stand still save a seventh, see docs/compaction.md
    expect(all.reduce((sum, { before, plain }) => sum + 1 - plain / before, 0) / all.length).toBeGreaterThan(0.25);
    expect(1 - total("columns") / total("before")).toBeGreaterThan(0.25);
    for (const { before, columns } of all) expect(1 - columns / before).toBeGreaterThan(0.25);
  });
});

interface Sizes {
  readonly before: number;
  readonly plain: number;
  readonly columns: number;
}

describe("the state hash", () => {
  test("is the same for the same state, whatever order it came in, and another for another", () => {
    const roll = random(1);
    const state = (order: readonly number[], x: number): State => {
      const ids = order.map((id) => id);
      const data = Float64Array.from(ids.flatMap((id) => [id * x, Number.NaN, -0]));
      const columns = new Map([["position", { data, width: 3, unit: null, interpolation: "hold" as const }]]);
      const values = new Map(order.map((id) => [`v/${id}`, { a: id, b: [id, "ü"] }]));
      return { time: roll(99), values, sets: new Map([["players", { ids, columns, axes: null }]]) };
    };
    expect(stateHash(state([3, 1, 2], 0.5))).toBe(stateHash(state([1, 2, 3], 0.5)));
    expect(stateHash(state([1, 2, 3], 0.5))).not.toBe(stateHash(state([1, 2, 3], 0.25)));
    expect(stateHash(state([1, 2], 0.5))).not.toBe(stateHash(state([1, 2, 3], 0.5)));
    expect(stateHash({ time: 5, values: new Map(), sets: new Map() })).toBe("0".repeat(16));
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { storedFrame } from "../../../src/formats/hcrp/chunk/frames.ts";
import { createHcrp } from "../../../src/formats/hcrp/format.ts";
import { PALETTE, SECTION, writePalettes, writeSections } from "../../../src/formats/hcrp/layout/chunk.ts";
import { writePlaceEvent, writeSwing } from "../../../src/formats/hcrp/layout/entity-events.ts";
import { FIRST_READ, TICK } from "../../../src/formats/hcrp/layout/framing.ts";
import type { HcrpReader } from "../../../src/formats/hcrp/read/reader.ts";
import { createWriter } from "../../../src/formats/hcrp/write/create.ts";
import type { HcrpWriter } from "../../../src/formats/hcrp/write/writer.ts";
import { writing } from "../../../src/formats/hcrp/writing.ts";
import {
  type ByteSink,
  check,
  type CreateOptions,
  MemoryFiles,
  open as openRecording,
  type Recording,
  rewrite,
  type SinkBundle,
  type Writer,
} from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { dictionaryBytes, fixtures, twoEpochs, walk } from "../../fixtures/hcrp/make.ts";
import { built, chunkBytes, compacted, type Content, segmented } from "../../fixtures/hcrp/recording.ts";
import { sampleBytes, samplesDirectory } from "../../samples.ts";

const zstd = await loadZstd();
const made = await fixtures();
const format = createHcrp({ dictionaries: () => Promise.resolve(dictionaryBytes()) });

type Files = Readonly<Record<string, Uint8Array>>;

function open(files: Files | Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles(files instanceof Uint8Array ? { "a.hcrp": files } : files), { formats: [format] });
}

/** Everything that a recording says, as text. */
async function rows(recording: Recording): Promise<string[]> {
  const found: string[] = [];
  for await (const { time, channel, keyframe, payload } of recording.messages())
    found.push(`${time / TICK} ${channel.name} ${keyframe} ${Buffer.from(payload).toString("hex")}`);
  return found;
}

/** Start, ticks, flags and inflated length of every chunk. */
function index(recording: Recording): number[][] {
  return (recording.reader as HcrpReader).source.entries.map((entry) => [
    entry.startTick,
    entry.tickCount,
    entry.flags,
    entry.uncompressedLength,
  ]);
}

async function again(files: Files | Uint8Array, options: CreateOptions = {}): Promise<MemoryFiles> {
  await using recording = await open(files);
  const to = new MemoryFiles(options.dialect === "v1-segmented" ? "meta.hcrp" : "a.hcrp");
  await rewrite(recording, writing, to, options);
  return to;
}

/** The files written, the main one first. */
function filesOf(to: MemoryFiles): Files {
  return Object.fromEntries([[to.name, to.bytes], ...to.files]);
}

async function soundly(files: Files | Uint8Array): Promise<Recording> {
  const recording = await open(files);
  expect((await check(recording)).findings).toEqual([]);
  return recording;
}

const segments = Object.fromEntries(
  [...made].filter(([name]) => name.startsWith("segmented/")).map(([name, bytes]) => [name.slice(10), bytes]),
);
const single = [...made].filter(([name]) => !name.includes("/"));
const golden: [string, Uint8Array][] =
  samplesDirectory === null ? [] : [["golden-v1.hcrp", sampleBytes("hypercube/golden-v1.hcrp")]];

const emptyStretches: Content = {
  chunks: [
    { ticks: 50, snapshot: [], records: [] },
    { ticks: 12_000, snapshot: null, records: [] },
    { ticks: 7, snapshot: null, records: [] },
    { ...walk().chunks[0]! },
    { ticks: 300, snapshot: null, records: [] },
  ],
};
const variants: [string, Files][] = [
  ["segmented", segments],
  ["plain and segmented", segmented(zstd, walk(), 3, { profile: "plain" })],
  ["with gaps between chunks", { "a.hcrp": compacted(zstd, walk(), { gap: 9 }) }],
  ["no chunk", { "a.hcrp": compacted(zstd, { chunks: [] }) }],
  ["empty stretches", { "a.hcrp": compacted(zstd, emptyStretches) }],
  ["two epochs", { "a.hcrp": compacted(zstd, twoEpochs()) }],
];

describe("a recording written after another", () => {
  test.each([...single, ...golden])(
    "%s is the same file, byte for byte, at the level it was made with",
    async (name, bytes) => {
      const to = await again(bytes, name === "plain.hcrp" ? {} : { compression: "small" });
      expect(Buffer.compare(to.bytes, bytes)).toBe(0);
    },
  );

  test.each([...single.map(([name, bytes]): [string, Files] => [name, { [name]: bytes }]), ...variants])(
    "%s keeps messages, chunks and metadata at any level",
    async (_, files) => {
      await using source = await open(files);
      for (const compression of ["store", "fast", undefined] as const) {
        await using copy = await soundly(filesOf(await again(files, { compression })));
        expect(await rows(copy)).toEqual(await rows(source));
        expect(index(copy)).toEqual(index(source));
        expect(copy.info.metadata["metadata"]).toEqual(source.info.metadata["metadata"]);
        expect(await copy.timeline()).toEqual(await source.timeline());
      }
    },
  );

  test.each(["v1", "v1-plain", "v1-segmented"])(
    "goes from every dialect of version 1 to %s and back",
    async (dialect) => {
      for (const files of [
        segments,
        { "a.hcrp": made.get("tower-race.hcrp")! },
        { "a.hcrp": made.get("plain.hcrp")! },
      ]) {
        await using source = await open(files);
        const there = filesOf(await again(files, { dialect }));
        await using changed = await soundly(there);
        expect(changed.info.version).toBe(dialect === "v1-plain" ? "1 (plain)" : "1");
        expect(changed.info.metadata["representation"]).toBe(dialect === "v1-segmented" ? "segmented" : "compacted");
        await using back = await soundly(filesOf(await again(there, { dialect: "v1" })));
        for (const copy of [changed, back]) {
          expect(await rows(copy)).toEqual(await rows(source));
          expect(index(copy)).toEqual(index(source));
        }
      }
    },
  );

  test("keeps the segments of a segmented one, records and all", async () => {
    const content = { ...walk(), dataVersion: 3698 };
    const files = segmented(zstd, content, 2, { level: 3 });
    const to = await again(files, { dialect: "v1-segmented" });
    expect([...to.files.keys()].sort()).toEqual(Object.keys(files).sort());
    for (const [name, bytes] of to.files) expect(Buffer.compare(bytes, files[name]!), name).toBe(0);
  });

  test("tells which files lie beside it", async () => {
    await using recording = await open(segments);
    expect(recording.reader.siblings).toEqual(["seg-00000000.hcs", "seg-00000001.hcs"]);
    await using alone = await open(made.get("plain.hcrp")!);
    expect(alone.reader.siblings).toEqual([]);
  });
});

async function written(
  work: (writer: Writer) => void | Promise<void>,
  options: CreateOptions = {},
  name = "a.hcrp",
): Promise<MemoryFiles> {
  const to = new MemoryFiles(name);
  const writer = await createWriter(to, options);
  await work(writer);
  await writer.close();
  return to;
}

const swing = (entity = 0): Uint8Array => built((out) => writeSwing(out, { entity, hand: 0 }));

describe("messages written one by one", () => {
  test("come back at their ticks, of whatever channel they are", async () => {
    const event = fc.record({
      gap: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 }), fc.constant(30_000)),
      channel: fc.constantFrom("swing", "my:score", "other:thing", "clear-blocks"),
      payload: fc.uint8Array({ maxLength: 300 }),
      off: fc.integer({ min: -24_000_000, max: 24_000_000 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 60 }),
        fc.constantFrom("v1", "v1-plain"),
        async (events, dialect) => {
          let tick = 1;
          const expected: string[] = [];
          const to = await written(
            (writer) => {
              for (const { gap, channel, payload, off } of events) {
                tick += gap;
                const bytes =
                  channel === "swing"
                    ? swing(payload.length)
                    : channel === "clear-blocks"
                      ? new Uint8Array(0)
                      : payload;
                writer.write(writer.channel({ name: channel }), tick * TICK + off, bytes);
                expected.push(`${tick} ${channel} false ${Buffer.from(bytes).toString("hex")}`);
              }
            },
            { dialect },
          );
          await using recording = await soundly(to.bytes);
          // the first chunk has a snapshot, as it must
          expect(await rows(recording)).toEqual(events.length === 0 ? [] : ["0 snapshot true ", ...expected]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("fill chunks of 200 ticks or 1 MiB; silence makes them longer, up to 12,000", async () => {
    const to = await written((writer) => {
      const channel = writer.channel({ name: "my:event" });
      for (const tick of [0, 199, 200, 350, 40_000]) writer.write(channel, tick * TICK, Uint8Array.of(tick & 255));
      for (let i = 0; i < 30; i++) writer.write(channel, (40_010 + i) * TICK, new Uint8Array(100_000));
    });
    await using recording = await soundly(to.bytes);
    const [first, second, ...rest] = index(recording);
    expect(first!.slice(0, 3)).toEqual([0, 200, 1]);
    expect(second!.slice(0, 3)).toEqual([200, 200, 0]);
    expect(rest.slice(0, 3).map(([start, ticks, , length]) => [start, ticks, length])).toEqual([
      [400, 12_000, 0],
      [12_400, 12_000, 0],
      [24_400, 12_000, 0],
    ]);
    for (const [, , , length] of rest) expect(length).toBeLessThan(1.2e6);
    expect((await recording.timeline()).tick!.count).toBe(40_040);
  });

  test("may be more than 65,535 in a tick", async () => {
    const to = await written((writer) => {
      const channel = writer.channel({ name: "swing" });
      for (let i = 0; i < 200_000; i++) writer.write(channel, 5 * TICK, swing(i & 127));
    });
    await using recording = await soundly(to.bytes);
    expect((await recording.statistics())[channelId(recording, "swing")]!.messages).toBe(200_000);
    expect((await recording.statistics())[channelId(recording, "swing")]!.first).toBe(5 * TICK);
  });

  test("that compress by more than a thousand are still within the reader's limits", async () => {
    for (const compression of ["store", "fast", "small", undefined] as const) {
      const to = await written(
        (writer) => {
          writer.write(writer.channel({ name: "my:zeros" }), 0, new Uint8Array(9_000_000));
        },
        { compression },
      );
      await using recording = await soundly(to.bytes);
      expect((await recording.statistics())[channelId(recording, "my:zeros")]!.bytes).toBe(9_000_000);
    }
  });

  test("are refused when the format cannot hold them, and the recording goes on without", async () => {
    const to = await written((writer) => {
      const swings = writer.channel({ name: "swing" });
      const snapshots = writer.channel({ name: "snapshot" });
      const own = writer.channel({ name: "my:event" });
      writer.write(swings, 10 * TICK, swing());
      expect(() => writer.write(swings, 9 * TICK, swing())).toThrow(RangeError);
      expect(() => writer.write(swings, -TICK, swing())).toThrow(RangeError);
      expect(() => writer.write(swings, Number.NaN, swing())).toThrow(RangeError);
      expect(() => writer.write(swings, 2 ** 31 * TICK, swing())).toThrow(RangeError);
      expect(() => writer.write(swings, 10 * TICK, Uint8Array.of(0x80))).toThrow("swing");
      expect(() => writer.write(swings, 10 * TICK, Uint8Array.of(1, 0, 0))).toThrow("too many");
      expect(() => writer.write(writer.channel({ name: "extension" }), 10 * TICK, Uint8Array.of(3, 0))).toThrow(
        RangeError,
      );
      expect(() => writer.write(snapshots, 10 * TICK, new Uint8Array(0))).toThrow("behind events");
      expect(() => writer.write(snapshots, 11 * TICK, Uint8Array.of(1))).toThrow("snapshot");
      expect(() => writer.write(own, 10 * TICK, new Uint8Array(17_000_000))).toThrow("16777216 bytes");
      expect(() => writer.channel({ name: "" })).toThrow(RangeError);
      writer.write(own, 11 * TICK, Uint8Array.of(7));
    });
    await using recording = await soundly(to.bytes);
    expect((await rows(recording)).map((row) => row.split(" ").slice(0, 2).join(" "))).toEqual([
      "0 snapshot",
      "10 swing",
      "11 my:event",
    ]);
  });

  test("snapshots begin a chunk where they stand", async () => {
    const snapshot = built((out) =>
      writeSections(out, [
        { type: SECTION.palettes, body: built((body) => writePalettes(body, [[Uint8Array.of(97)]])) },
      ]),
    );
    const to = await written((writer) => {
      const snapshots = writer.channel({ name: "snapshot" });
      writer.write(snapshots, 0, snapshot);
      writer.write(writer.channel({ name: "swing" }), 0, swing());
      writer.write(snapshots, 30 * TICK, snapshot);
      writer.write(snapshots, 500 * TICK, new Uint8Array(0));
    });
    await using recording = await soundly(to.bytes);
    expect(index(recording).map(([start, ticks, flags]) => [start, ticks, flags])).toEqual([
      [0, 30, 1],
      [30, 470, 1],
      [500, 1, 1],
    ]);
    const { context } = (await first(recording.batches()))!;
    expect(
      (context as { palettes: { name(kind: number, index: number): string | null } }).palettes.name(PALETTE.block, 1),
    ).toBe("a");
  });

  test("keep types of host events apart by name, and core names their own", async () => {
    const to = await written((writer) => {
      for (const name of ["a:a", "b:b", "a:a", "host-70", "place"]) {
        const payload =
          name === "place"
            ? built((out) => writePlaceEvent(out, { entity: 1, q: new Float64Array(3), yaw: 0, pitch: 0, flags: 0 }))
            : Uint8Array.of(1);
        writer.write(writer.channel({ name }), 0, payload);
      }
    });
    await using recording = await soundly(to.bytes);
    expect((await rows(recording)).map((row) => row.split(" ")[1])).toEqual([
      "snapshot",
      "a:a",
      "b:b",
      "a:a",
      "host-70",
      "place",
    ]);
    expect((recording.reader as HcrpReader).source.events).toEqual([
      { id: 64, name: "a:a", version: 1, sinceChunk: 0 },
      { id: 65, name: "b:b", version: 1, sinceChunk: 0 },
      { id: 70, name: "", version: 1, sinceChunk: 0 },
    ]);
  });

  test("make a production recording, too, every tick of it", async () => {
    const to = await written(
      (writer) => {
        expect(() => writer.channel({ name: "my:event" })).toThrow(RangeError);
        const snapshots = writer.channel({ name: "snapshot" });
        const destroy = writer.channel({ name: "destroy" });
        writer.write(snapshots, 0, new Uint8Array(0));
        writer.write(destroy, 3 * TICK, Uint8Array.of(4));
        writer.write(snapshots, 40 * TICK, new Uint8Array(0));
        writer.write(destroy, 300 * TICK, Uint8Array.of(5));
        expect(() => {
          for (let i = 0; i < 40_000; i++) writer.write(destroy, 300 * TICK, Uint8Array.of(5));
        }).toThrow("32767");
      },
      { dialect: "production-5" },
    );
    await using recording = await soundly(to.bytes);
    expect(recording.info.version).toBe("5 (production)");
    expect((await rows(recording)).slice(0, 4)).toEqual([
      "0 snapshot true ",
      "3 destroy false 04",
      "40 snapshot true ",
      "300 destroy false 05",
    ]);
  });
});

function channelId(recording: Recording, name: string): number {
  return recording.channel(name).id;
}

async function first<T>(items: AsyncIterable<T>): Promise<T | null> {
  for await (const item of items) return item;
  return null;
}

describe("header and metadata", () => {
  test("are what is asked for; what has no place of its own goes into a compound of ours", async () => {
    const metadata = {
      worldId: "0f5ba7a2-6a0e-4d3b-9c55-0123456789ab",
      worldVersion: "spiral@3",
      recordingId: "11111111-2222-4333-8444-555555555555",
      dataVersion: 4903,
      metadata: {
        map: "Tower",
        hcrp: { subjects: [{ entity: 3, uuid: "11111111-2222-4333-8444-555555555555", name: "Ada" }], duration_ms: 12 },
      },
      provenance: { tool: "simtape", steps: [1, 2.5, "three"], long: "x".repeat(70_000) },
    };
    const to = await written((writer) => writer.write(writer.channel({ name: "swing" }), 0, swing(3)), {
      epoch: 1_775_844_000_123_456_789n,
      metadata,
    });
    await using recording = await soundly(to.bytes);
    expect(recording.info.metadata).toMatchObject({
      worldId: metadata.worldId,
      worldVersion: Buffer.from("spiral@3\0\0\0\0\0\0\0\0").toString("hex"),
      recordingId: metadata.recordingId,
      dataVersion: 4903,
      finished: true,
      startedAt: 1_775_844_000_123,
      finishedAt: 1_775_844_000_173,
    });
    expect(recording.info.metadata["metadata"]).toMatchObject({
      map: "Tower",
      hcrp: {
        duration_ms: 12,
        subjects: [{ entity: 3, uuid: [0x11111111, 0x22224333, -0x7bbbaaab, 0x55555555], name: "Ada" }],
      },
      simtape: { provenance: { tool: "simtape", steps: ["1", "2.5", "three"] } },
    });
    expect((await recording.timeline()).epoch).toBe(1_775_844_000_123_000_000n);
  });

  test("chunks without an event are as much of a copy as others, between events and behind them", async () => {
    const to = await written((writer) => {
      const live = writer as HcrpWriter;
      live.write(live.channel({ name: "swing" }), 0, swing(3));
      live.write(live.channel({ name: "swing" }), 30_000 * TICK, swing(3));
      live.extend(60_000);
      live.finishedAt(1_800_000_000_000);
    });
    await using recording = await open(to.bytes);
    expect(index(recording).filter(([, ticks]) => ticks === 12_000)).toHaveLength(4);
    const copy = await again(to.bytes);
    expect(Buffer.compare(copy.bytes, to.bytes)).toBe(0);
  });

  test("an unknown dialect is refused with those there are", async () => {
    await expect(createWriter(new MemoryFiles(), { dialect: "v9" })).rejects.toThrow("v1-segmented");
  });

  test("metadata survive being given back as plain values, types and all", async () => {
    for (const bytes of [made.get("tower-race.hcrp")!, made.get("two-epochs.hcrp")!]) {
      await using source = await open(bytes);
      const to = await written(() => undefined, { metadata: source.info.metadata });
      await using copy = await open(to.bytes);
      const without = ({ preamble }: HcrpReader) => preamble.metadata.root;
      expect(copy.info.metadata["metadata"]).toEqual(source.info.metadata["metadata"]);
      const [a, b] = [source, copy].map(({ reader }) => JSON.stringify(without(reader as HcrpReader), plain));
      expect(sorted(b!)).toEqual(sorted(a!));
    }
  });
});

const plain = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);
/** The parts of a text in any order. */
const sorted = (text: string): string[] => text.split(/[{}]/).sort();

describe("long recordings", () => {
  const noise = new Uint8Array(300_000).map((_, i) => Math.imul(i, 2_654_435_761) >>> 13);

  test("keep room for their preamble, without a gap, and open with one read", async () => {
    const to = await written(
      async (writer) => {
        const channel = writer.channel({ name: "my:noise" });
        for (let i = 0; i < 90; i++) {
          writer.write(channel, i * 50 * TICK, noise.subarray(i));
          if (writer.ready !== null) await writer.ready;
        }
      },
      { compression: "store" },
    );
    expect(to.bytes.length).toBeGreaterThan(20e6);
    await using recording = await soundly(to.bytes);
    const { head } = (recording.reader as HcrpReader).preamble;
    expect(head.preambleLength).toBe(FIRST_READ);
    const kinds = new Set<string>();
    for await (const records of recording.records()) for (const { kind } of records) kinds.add(kind);
    expect([...kinds]).toEqual(["header", "metadata", "index", "chunk"]);
    expect(recording.info.metadata["metadata"]).not.toHaveProperty("simtape");
    // written again it is short, and the room is not carried along
    const short = await again(to.bytes, { compression: "fast" });
    expect(short.bytes.length).toBeLessThan(to.bytes.length);
    await using copy = await soundly(short.bytes);
    expect(index(copy)).toEqual(index(recording));
  });
});

describe("a segmented recording", () => {
  const event = (writer: Writer, tick: number): void =>
    writer.write(writer.channel({ name: "my:event" }), tick * TICK, Uint8Array.of(tick));

  test("can be read after each flush, whatever comes then", async () => {
    const to = new MemoryFiles("meta.hcrp");
    const writer = await createWriter(to, { dialect: "v1-segmented" });
    for (const tick of [0, 3, 90]) event(writer, tick);
    expect(to.files.size).toBe(0);
    await writer.flush();
    const committed = filesOf(to);
    await using half = await soundly(committed);
    expect(half.info.metadata["finished"]).toBe(false);
    expect((await rows(half)).length).toBe(4);
    // the tick that was committed goes on in the next
    event(writer, 90);
    event(writer, 120);
    await writer.flush();
    await writer.abort();
    await using left = await soundly(filesOf(to));
    expect((await rows(left)).slice(-2).map((row) => row.split(" ")[0])).toEqual(["91", "120"]);
    expect(left.info.metadata["generation"]).toBe(2);
    for (const [name, bytes] of Object.entries(committed))
      if (name !== "meta.hcrp") expect(to.files.get(name)).toEqual(bytes);
  });

  test("gives back chunks that were written and not committed", async () => {
    const to = new MemoryFiles("meta.hcrp");
    const writer = await createWriter(to, { dialect: "v1-segmented" });
    event(writer, 0);
    await writer.flush();
    const meta = to.bytes;
    event(writer, 70);
    await writer.flush();
    await using recording = await open({ ...filesOf(to), "meta.hcrp": meta });
    expect(recording.findings.map(({ code }) => code)).toEqual(["uncommitted-chunks"]);
    expect((await rows(recording)).length).toBe(3);
    expect((await recording.timeline()).tick!.count).toBe(71);
  });

  test("can be flushed again and again within a tick", async () => {
    const to = new MemoryFiles("meta.hcrp");
    const writer = await createWriter(to, { dialect: "v1-segmented" });
    for (const tick of [0, 0, 0, 1, 1, 7, 7, 7]) {
      event(writer, tick);
      await writer.flush();
    }
    await writer.close();
    await using recording = await soundly(filesOf(to));
    expect((await rows(recording)).map((row) => row.at(-1)).slice(1)).toEqual("00011777".split(""));
  });

  test("leaves nothing when it is given up before the first flush", async () => {
    const to = new MemoryFiles("meta.hcrp");
    const writer = await createWriter(to, { dialect: "v1-segmented" });
    event(writer, 0);
    event(writer, 900);
    await writer.abort();
    expect([...to.files]).toEqual([]);
  });
});

describe("a writer", () => {
  test("leaves nothing behind when it is aborted, and refuses to go on", async () => {
    const to = new MemoryFiles();
    const writer = await createWriter(to, {});
    const channel = writer.channel({ name: "swing" });
    writer.write(channel, 0, swing());
    await writer.abort();
    await writer.abort();
    await writer.close();
    expect(to.files.size).toBe(0);
    expect(() => writer.write(channel, 0, swing())).toThrow(RangeError);
  });

  test("closes once, and abort does nothing after that", async () => {
    const to = new MemoryFiles();
    const writer = await createWriter(to, {});
    await Promise.all([writer.close(), writer.close()]);
    await writer.abort();
    expect(to.files.size).toBe(1);
    await expect(writer.flush()).rejects.toThrow(RangeError);
  });

  test("tells when its sink fails, and nothing is left", async () => {
    const failing = (): SinkBundle & { aborted: number } => ({
      name: "a.hcrp",
      aborted: 0,
      async open(): Promise<ByteSink> {
        const refuse = (): Promise<void> => Promise.reject(new Error("disk full"));
        return {
          name: "a.hcrp",
          position: 0,
          write: refuse,
          writeAt: refuse,
          flush: refuse,
          close: refuse,
          abort: async () => {
            this.aborted++;
          },
        };
      },
    });
    for (const dialect of ["v1", "v1-segmented"]) {
      const to = failing();
      const writer = await createWriter(to, { dialect });
      const channel = writer.channel({ name: "my:event" });
      for (let i = 0; i < 3; i++) writer.write(channel, i * TICK, new Uint8Array(100));
      await expect(writer.close()).rejects.toThrow("disk full");
      await expect(writer.close()).rejects.toThrow("disk full");
      expect(to.aborted).toBe(1);
    }
    const writer = await createWriter(failing(), { dialect: "v1", compression: "store" });
    const channel = writer.channel({ name: "my:event" });
    for (let i = 0; i < 30; i++) writer.write(channel, i * 300 * TICK, new Uint8Array(1_000_000));
    await expect(writer.flush()).rejects.toThrow("disk full");
    await expect(writer.ready).rejects.toThrow("disk full");
    await writer.abort();
  });
});

test("frames without compression are frames that any reader takes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(0, 1, 131_072, 262_144, 300_000), (bytes, more) => {
      const raw = new Uint8Array(bytes.length + more);
      raw.set(bytes, more);
      expect(Buffer.compare(zstd.decompress(storedFrame(raw, zstd), { size: raw.length }), raw)).toBe(0);
    }),
    { numRuns: 30 },
  );
});

test("the walk's chunks are as they were before", async () => {
  const to = await again(compacted(zstd, walk()));
  await using recording = await open(to.bytes);
  const { chunks } = recording.reader as HcrpReader;
  for (const [i, chunk] of chunks.entries()) {
    const frame = to.bytes.subarray(chunk.offset, chunk.offset + chunk.length);
    const raw = zstd.decompress(frame, { size: chunk.entry.uncompressedLength });
    expect(Buffer.compare(raw, chunkBytes(walk().chunks[i]!))).toBe(0);
  }
});

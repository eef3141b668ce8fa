import { describe, expect, test } from "vitest";
import { repair } from "../../../src/formats/flightgear/repair.ts";
import { MemoryFiles } from "../../../src/io/sink.ts";
import { type Finding, Findings } from "../../../src/model/error.ts";
import type { Reader } from "../../../src/model/reader.ts";
import { Recording } from "../../../src/model/recording.ts";
import { check } from "../../../src/ops/check.ts";
import { type Corruption, corrupt, plan } from "../../../src/ops/corrupt.ts";
import {
  type ContinuousOptions,
  extraOf,
  frameTime,
  gzipped,
  makeContinuous,
  makeFirstLayout,
  makeNormal,
  makeRecovery,
  packetsOf,
  signalBytes,
} from "../../fixtures/flightgear/make.ts";
import { sampleBytes, samplesDirectory } from "../../samples.ts";
import { contentOf, type NamedTape, REAL, readerOf, rowsOf } from "./specimens.ts";

interface Mended {
  readonly bytes: Uint8Array;
  readonly reader: Awaited<ReturnType<typeof readerOf>>;
  readonly lost: Finding[];
  readonly rebuilt: Finding[];
}

/** Repairs and checks that what came out is sound. */
async function mended(damaged: Uint8Array, told = ""): Promise<Mended> {
  const files = new MemoryFiles();
  const lost: Finding[] = [];
  const rebuilt: Finding[] = [];
  await repair(await readerOf(damaged), files, {
    lost: (finding) => lost.push(finding),
    rebuilt: (finding) => rebuilt.push(finding),
  });
  const findings = new Findings();
  const reader = await readerOf(files.bytes, findings);
  const { status, findings: found } = await check(new Recording(reader, findings));
  expect(status, `${told} ${JSON.stringify(found)}`).toBe("sound");
  return { bytes: files.bytes, reader, lost, rebuilt };
}

function overwritten(bytes: Uint8Array, at: number, count: number): Uint8Array {
  return bytes.slice().fill(0xee, at, at + count);
}

function placeOf(k: number, options: ContinuousOptions = {}): number {
  return makeContinuous({ ...options, frames: k }).length;
}

async function payloadsOf(reader: Reader, name: string): Promise<string[]> {
  return (await rowsOf(reader)).filter(({ channel }) => channel === name).map(({ payload }) => payload);
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("a repaired Continuous tape", () => {
  test.each([
    ["plain", {}],
    ["compressed", { compression: "1" }],
  ] as const)("loses the damaged frame and keeps all others as they were: %s", async (_, options) => {
    const whole = makeContinuous(options);
    const [from, to] = [placeOf(20, options), placeOf(21, options)];
    const { bytes, lost, rebuilt } = await mended(overwritten(whole, from + 9, 20));
    expect(lost).toMatchObject([{ offset: from, length: to - from }]);
    expect(rebuilt).toEqual([]);
    expect(Buffer.compare(bytes, Buffer.concat([whole.subarray(0, from), whole.subarray(to)]))).toBe(0);
  });

  test("ends behind its last whole frame", async () => {
    const whole = makeContinuous();
    const { bytes, lost } = await mended(whole.slice(0, whole.length - 1));
    expect(lost).toMatchObject([{ offset: placeOf(39), length: whole.length - 1 - placeOf(39) }]);
    expect(Buffer.compare(bytes, whole.subarray(0, placeOf(39)))).toBe(0);
  });

  test("keeps the items of a frame that are whole", async () => {
    const broken = makeContinuous();
    // Frame 10: time, length + signals, length of the list, then the length of its first packet.
    const place = placeOf(10) + 8 + 4 + signalBytes(10).length + 4;
    new DataView(broken.buffer).setUint16(place, 60_000, true);
    const { reader, lost } = await mended(broken);
    const packets = packetsOf(10).reduce((sum, { length }) => sum + 2 + length, 0);
    expect(lost).toMatchObject([{ code: "bad-multiplayer", offset: placeOf(10), length: packets }]);
    expect(await payloadsOf(reader, "signals")).toContain(hexOf(signalBytes(10)));
    expect(reader.info.metadata["frames"]).toBe(40);
  });

  test("keeps the extra properties before a broken one", async () => {
    const options = { data: ["extra-properties", "signals"] };
    const broken = makeContinuous(options);
    // The last of the five texts that the first frame sets.
    const item = placeOf(0, options) + 8;
    const length = new DataView(broken.buffer).getUint32(item, true);
    new DataView(broken.buffer).setInt16(item + 4 + length - 3, 3000, true);
    const { reader, lost } = await mended(broken);
    expect(lost).toMatchObject([{ code: "bad-extra-properties" }]);
    const [first] = await rowsOf(reader);
    const { schema } = reader.channels.find(({ name }) => name === "extra-properties")!;
    const { changes } = schema.decode(Buffer.from(first!.payload, "hex"), null) as { changes: [string, string][] };
    expect(changes.map(([path]) => path)).toEqual(
      extraOf(0)
        .slice(0, 4)
        .map(({ path }) => path),
    );
  });

  test("keeps the times of the others when its first frame is lost", async () => {
    const whole = makeContinuous();
    const { reader, rebuilt } = await mended(overwritten(whole, placeOf(0) + 8, 20));
    const expected = (await rowsOf(await readerOf(whole))).filter(({ time }) => time > 0);
    expect(await rowsOf(reader)).toEqual(expected);
    expect(rebuilt).toMatchObject([{ code: "first-frame" }]);
  });

  test("keeps a frame between two that are damaged", async () => {
    const whole = makeContinuous();
    const broken = overwritten(overwritten(whole, placeOf(10) + 4, 8), placeOf(12) + 4, 8);
    const { reader } = await mended(broken);
    const kept = await payloadsOf(reader, "signals");
    expect(kept).toContain(hexOf(signalBytes(11)));
    expect(reader.info.metadata["frames"]).toBe(38);
  });

  test("leaves out a frame whose time is far from those around it", async () => {
    const broken = makeContinuous();
    new DataView(broken.buffer).setFloat64(placeOf(15), 9e9, true);
    const { reader, lost } = await mended(broken);
    expect(lost).toMatchObject([{ offset: placeOf(15) }]);
    expect(reader.bounds).toEqual([10, frameTime(39)]);
  });

  test("gets its header back from what is said in it twice", async () => {
    const text = new TextDecoder("latin1").decode(makeContinuous());
    const broken = makeContinuous();
    broken[text.indexOf(">int8<") + 1] = 0x49;
    const at = text.indexOf("/orientation[0]/roll-deg[0]</property>") + 27;
    broken.set(new TextEncoder().encode("</prop#rty>"), at);
    const { reader, rebuilt } = await mended(broken);
    expect(rebuilt).toMatchObject([{ code: "header" }]);
    expect(reader.layout.signals.counts).toEqual({ double: 3, float: 5, int: 1, int16: 1, int8: 1, bool: 2 });
    expect(await rowsOf(reader)).toEqual(await rowsOf(await readerOf(makeContinuous())));
  });

  test.each([1, 0x40, 0x100, 0x7f000000])("finds the end of a header whose length is wrong by %s", async (by) => {
    const whole = makeContinuous();
    const broken = whole.slice();
    const view = new DataView(broken.buffer);
    view.setUint32(32, view.getUint32(32, true) ^ by, true);
    const { reader, lost } = await mended(broken);
    expect(lost).toEqual([]);
    expect(await rowsOf(reader)).toEqual(await rowsOf(await readerOf(whole)));
  });

  test("finds out which items its frames have when the header lost them", async () => {
    for (const options of [{}, { compression: "1" }]) {
      const data = ["signals", "multiplayer", "extra-properties"];
      const whole = makeContinuous({ ...options, data });
      const broken = whole.slice();
      const text = new TextDecoder("latin1").decode(whole);
      broken.set(new TextEncoder().encode("<x<>#"), text.indexOf("<data n="));
      const { reader, rebuilt } = await mended(broken);
      expect(rebuilt.length).toBeGreaterThan(0);
      expect(await rowsOf(reader)).toEqual(await rowsOf(await readerOf(whole)));
    }
  });

  test("says in its header how its frames are compressed", async () => {
    const whole = makeContinuous({ compression: "1", isDeflated: false });
    const { reader, rebuilt } = await mended(whole.slice(0, whole.length - 1));
    expect(rebuilt).toMatchObject([{ code: "header" }]);
    expect(reader.header.isCompressed).toBe(false);
  });
});

describe("a repaired Normal tape", () => {
  test("that was cut has its counts, its duration and its gzip stream made anew", async () => {
    const whole = gzipped(makeNormal({ generation: 2, packets: "counted" }));
    const { reader, bytes, rebuilt } = await mended(whole.slice(0, whole.length - 400));
    expect(bytes[0]).toBe(0x1f);
    expect(rebuilt.map(({ code }) => code)).toEqual(["counts", "gzip"]);
    const all = await rowsOf(await readerOf(whole));
    const kept = await rowsOf(reader);
    expect(kept.length).toBeGreaterThan(20);
    const known = new Set(all.map(({ payload }) => payload));
    expect(kept.every(({ payload }) => known.has(payload))).toBe(true);
  });

  test.each([
    ["too many frames", 1000],
    ["too few frames", -3],
  ])("counts a buffer again that was said to hold %s", async (_, by) => {
    for (const packets of [null, "counted", "listed"] as const) {
      const whole = makeNormal({ generation: packets === "counted" ? 2 : 3, packets });
      for (const nth of [0, 1, 2]) {
        const reader = await readerOf(whole);
        const containers: number[] = [];
        for await (const records of reader.records()) {
          for (const { kind, offset } of records) if (kind === "container") containers.push(offset);
        }
        const broken = whole.slice();
        const view = new DataView(broken.buffer);
        const at = containers[nth]! + 4;
        view.setUint32(at, view.getUint32(at, true) + by * reader.shape.recordSize!, true);
        const { bytes } = await mended(broken, `${packets} buffer ${nth}`);
        expect(Buffer.compare(contentOf(bytes), whole), `${packets} buffer ${nth}`).toBe(0);
      }
    }
  });

  test("keeps its buffers when the header of one is lost", async () => {
    const whole = makeNormal({ generation: 3, packets: "listed" });
    const reader = await readerOf(whole);
    let place = 0;
    let containers = 0;
    for await (const records of reader.records()) {
      for (const { kind, offset } of records) if (kind === "container" && containers++ === 1) place = offset;
    }
    const { bytes } = await mended(overwritten(whole, place, 12));
    expect(Buffer.compare(bytes, whole)).toBe(0);
  });

  test.each([8, 31])("of frames of one length finds them again behind %s bytes too many", async (count) => {
    const whole = makeNormal({ generation: 3 });
    const at = (await readerOf(whole)).header.bytes.length + 12 + 10 * ((await readerOf(whole)).shape.recordSize! + 8);
    const longer = Uint8Array.of(
      ...whole.subarray(0, at + 20),
      ...new Uint8Array(count).fill(0x55),
      ...whole.subarray(at + 20),
    );
    const { reader } = await mended(longer);
    const all = await payloadsOf(await readerOf(whole), "signals");
    const kept = new Set(await payloadsOf(reader, "signals"));
    expect(all.filter((payload) => !kept.has(payload)).length).toBeLessThanOrEqual(2);
  });
});

describe.runIf(samplesDirectory !== null)("the tape of a crash", () => {
  test("loses its last half frame and nothing else", async () => {
    const bytes = sampleBytes("flightgear/c172p-continuous-full-crashed.fgtape");
    const { reader, bytes: result, lost } = await mended(bytes);
    expect(reader.info.metadata["frames"]).toBe(261);
    expect(lost.length).toBe(1);
    expect(result.length + lost[0]!.length!).toBe(bytes.length);
    expect(Buffer.compare(result, bytes.subarray(0, result.length))).toBe(0);
  });
});

/** Seeds for each tape; `REPAIR_SEEDS=200` for the long run. */
const SEEDS = Number(process.env["REPAIR_SEEDS"] ?? 15);

const TAPES: readonly NamedTape[] = [
  ["continuous", makeContinuous({ frames: 300 })],
  ["continuous, compressed", makeContinuous({ frames: 300, compression: "1" })],
  ["continuous, first layout", makeFirstLayout(300)],
  ["recovery", makeRecovery()],
  ["normal 2, multiplayer, plain", makeNormal({ generation: 2, packets: "counted", frames: 300 })],
  ["normal 3, multiplayer, plain", makeNormal({ generation: 3, packets: "listed", frames: 300 })],
  ["normal 3, plain", makeNormal({ generation: 3, frames: 300 })],
  ...REAL.filter(([name]) => !name.includes("normal")),
];

/** The parts of the original that are touched: a swap touches two. */
function touched({ kind, offset, length }: Corruption, total: number): readonly [from: number, to: number] {
  if (kind === "lengthen") return [offset, offset];
  if (kind === "cut") return [offset, total];
  return [offset, kind === "swap" ? Math.min(total, offset + 2 * length) : offset + length];
}

describe.each(TAPES)("%s", (name, whole) => {
  test("damaged anywhere behind its header keeps every frame that was not touched", { timeout: 600_000 }, async () => {
    const reader = await readerOf(whole);
    const begin = reader.header.bytes.length;
    const frames: { from: number; to: number; bytes: string }[] = [];
    for await (const records of reader.records()) {
      for (const { kind, offset, bytes } of records) {
        // FlightGear writes no frame without content, so that none is looked for.
        const isEmpty = reader.layout.frames === "plain" && bytes.length === reader.shape.shape.shortest;
        if (kind === "frame" && !isEmpty) frames.push({ from: offset, to: offset + bytes.length, bytes: hexOf(bytes) });
      }
    }
    for (let seed = 1; seed <= SEEDS; seed++) {
      const corruptions = plan(whole.length - begin, seed, 1 + (seed % 3)).map((of) => ({
        ...of,
        offset: of.offset + begin,
      }));
      const told = `${name}, seed ${seed}: ${JSON.stringify(corruptions)}`;
      const { reader: result } = await mended(corrupt(whole, corruptions, seed), told);
      const kept = new Set<string>();
      for await (const records of result.records()) {
        for (const { kind, bytes } of records) if (kind === "frame") kept.add(hexOf(bytes));
      }
      const ranges = corruptions.map((of) => touched(of, whole.length));
      const expected = frames.filter(({ from, to }) => ranges.every((range) => to <= range[0] || from >= range[1]));
      const missing = expected.filter(({ bytes }) => !kept.has(bytes)).map(({ from }) => from);
      expect(missing, told).toEqual([]);
    }
  });
});

import { describe, expect, test } from "vitest";
import type { Reader } from "../../../src/index.ts";
import {
  type ContinuousOptions,
  extraOf,
  frameTime,
  gzipped,
  makeContinuous,
  makeFirstLayout,
  makeNormal,
  packetsOf,
  signalBytes,
} from "../../fixtures/flightgear/make.ts";
import { sampleBytes, samplesDirectory } from "../../samples.ts";
import { repaired } from "./repaired.ts";
import { contentOf, readerOf, rowsOf } from "./specimens.ts";

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
    const { bytes, lost, rebuilt } = await repaired(overwritten(whole, from + 9, 20));
    expect(lost).toMatchObject([{ offset: from, length: to - from }]);
    expect(rebuilt).toEqual([]);
    expect(Buffer.compare(bytes, Buffer.concat([whole.subarray(0, from), whole.subarray(to)]))).toBe(0);
  });

  test("ends behind its last whole frame", async () => {
    const whole = makeContinuous();
    const { bytes, lost } = await repaired(whole.slice(0, whole.length - 1));
    expect(lost).toMatchObject([{ offset: placeOf(39), length: whole.length - 1 - placeOf(39) }]);
    expect(Buffer.compare(bytes, whole.subarray(0, placeOf(39)))).toBe(0);
  });

  test("keeps the items of a frame that are whole", async () => {
    const broken = makeContinuous();
    // Frame 10: time, length + signals, length of the list, then the length of its first packet.
    const place = placeOf(10) + 8 + 4 + signalBytes(10).length + 4;
    new DataView(broken.buffer).setUint16(place, 60_000, true);
    const { reader, lost } = await repaired(broken);
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
    const { reader, lost } = await repaired(broken);
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
    const { reader, rebuilt } = await repaired(overwritten(whole, placeOf(0) + 8, 20));
    const expected = (await rowsOf(await readerOf(whole))).filter(({ time }) => time > 0);
    expect(await rowsOf(reader)).toEqual(expected);
    expect(rebuilt).toMatchObject([{ code: "first-frame" }]);
  });

  test("keeps a frame between two that are damaged", async () => {
    const whole = makeContinuous();
    const broken = overwritten(overwritten(whole, placeOf(10) + 4, 8), placeOf(12) + 4, 8);
    const { reader } = await repaired(broken);
    const kept = await payloadsOf(reader, "signals");
    expect(kept).toContain(hexOf(signalBytes(11)));
    expect(reader.info.metadata["frames"]).toBe(38);
  });

  test("leaves out a frame whose time is far from those around it", async () => {
    const broken = makeContinuous();
    new DataView(broken.buffer).setFloat64(placeOf(15), 9e9, true);
    const { reader, lost } = await repaired(broken);
    expect(lost).toMatchObject([{ offset: placeOf(15) }]);
    expect(reader.bounds).toEqual([10, frameTime(39)]);
  });

  test("gets its header back from what is said in it twice", async () => {
    const text = new TextDecoder("latin1").decode(makeContinuous());
    const broken = makeContinuous();
    broken[text.indexOf(">int8<") + 1] = 0x49;
    const at = text.indexOf("/orientation[0]/roll-deg[0]</property>") + 27;
    broken.set(new TextEncoder().encode("</prop#rty>"), at);
    const { reader, rebuilt } = await repaired(broken);
    expect(rebuilt).toMatchObject([{ code: "header" }]);
    expect(reader.layout.signals.counts).toEqual({ double: 3, float: 5, int: 1, int16: 1, int8: 1, bool: 2 });
    expect(await rowsOf(reader)).toEqual(await rowsOf(await readerOf(makeContinuous())));
  });

  test.each([1, 0x40, 0x100, 0x7f000000])("finds the end of a header whose length is wrong by %s", async (by) => {
    const whole = makeContinuous();
    const broken = whole.slice();
    const view = new DataView(broken.buffer);
    view.setUint32(32, view.getUint32(32, true) ^ by, true);
    const { reader, lost } = await repaired(broken);
    expect(lost).toEqual([]);
    expect(await rowsOf(reader)).toEqual(await rowsOf(await readerOf(whole)));
  });

  test.each([
    ["the name of an item is another one", '<data n="3"', '<daTa n="3"'],
    ["an item has no tag left", '<data n="3" type="string">weather</data>', "#".repeat(40)],
    ["an attribute has no end", 'n="3" type="string"', 'n="3" type="strin\'*'],
    ["the list of signals has no first tag", "<signals>\n    <name", "#signals#\n    #name"],
  ])("reads its frames when %s", async (_, from, to) => {
    for (const options of [{}, { compression: "1" }]) {
      const whole = makeContinuous(options);
      const broken = whole.slice();
      broken.set(new TextEncoder().encode(to), new TextDecoder("latin1").decode(whole).indexOf(from));
      const { reader, lost } = await repaired(broken);
      expect(lost).toEqual([]);
      const payloads = async (of: Reader): Promise<string[]> => (await rowsOf(of)).map(({ payload }) => payload);
      expect(await payloads(reader)).toEqual(await payloads(await readerOf(whole)));
    }
  });

  test("of the first layout is known by its second tree when its first length is damaged", async () => {
    const whole = makeFirstLayout();
    const broken = overwritten(whole, 36, 4);
    const { bytes, lost } = await repaired(broken);
    expect(lost).toEqual([]);
    expect(await rowsOf(await readerOf(bytes))).toEqual(await rowsOf(await readerOf(whole)));
  });

  test("is known to be compressed when neither its header nor its first frame tells", async () => {
    const options = { compression: null, isDeflated: true };
    const whole = makeContinuous(options);
    const { reader, lost } = await repaired(overwritten(whole, placeOf(0, options) + 13, 20));
    expect(lost).toMatchObject([{ code: "bad-frame", offset: placeOf(0, options) }]);
    expect(reader.info.metadata).toMatchObject({ compression: "deflate", frames: 40 });
  });

  test("finds out which items its frames have when the header lost them", async () => {
    for (const options of [{}, { compression: "1" }]) {
      const data = ["signals", "multiplayer", "extra-properties"];
      const whole = makeContinuous({ ...options, data });
      const broken = whole.slice();
      const text = new TextDecoder("latin1").decode(whole);
      broken.set(new TextEncoder().encode("<x<>#"), text.indexOf("<data n="));
      const { reader, rebuilt } = await repaired(broken);
      expect(rebuilt.length).toBeGreaterThan(0);
      expect(await rowsOf(reader)).toEqual(await rowsOf(await readerOf(whole)));
    }
  });

  test("says in its header how its frames are compressed", async () => {
    const whole = makeContinuous({ compression: "1", isDeflated: false });
    const { reader, rebuilt } = await repaired(whole.slice(0, whole.length - 1));
    expect(rebuilt).toMatchObject([{ code: "header" }]);
    expect(reader.header.isCompressed).toBe(false);
  });
});

describe("a repaired Normal tape", () => {
  test("that was cut has its counts, its duration and its gzip stream made again", async () => {
    const whole = gzipped(makeNormal({ generation: 2, packets: "counted" }));
    const { reader, bytes, rebuilt } = await repaired(whole.slice(0, whole.length - 400));
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
        const { bytes } = await repaired(broken, `${packets} buffer ${nth}`);
        expect(Buffer.compare(contentOf(bytes), whole), `${packets} buffer ${nth}`).toBe(0);
      }
    }
  });

  test("tells the bytes of packets that are lost inside a frame", async () => {
    const whole = makeNormal({ generation: 3, packets: "listed" });
    const reader = await readerOf(whole);
    const broken = whole.slice();
    // Frame 10 of the short-term buffer is number 50, with packets of two pilots.
    let place = 0;
    let frames = 0;
    for await (const records of reader.records()) {
      for (const { kind, offset } of records) if (kind === "frame" && frames++ === 10) place = offset;
    }
    const list = place + 8 + reader.shape.recordSize!;
    new DataView(broken.buffer).setUint16(list + 4, 60_000, true);
    const { lost } = await repaired(broken);
    const packets = packetsOf(50).reduce((sum, { length }) => sum + 2 + length, 0);
    expect(lost).toMatchObject([{ code: "bad-multiplayer", offset: place, length: packets }]);
  });

  test("keeps its frames when what stands before one of its texts is damaged", async () => {
    const whole = makeNormal({ generation: 3, packets: "listed" });
    const config = new TextDecoder("latin1").decode(whole).lastIndexOf("<?xml");
    const broken = overwritten(whole, config - 12, 12);
    const longer = Uint8Array.of(
      ...whole.subarray(0, config - 12),
      ...new Uint8Array(9),
      ...whole.subarray(config - 12),
    );
    for (const damaged of [broken, longer]) {
      const { reader, lost } = await repaired(damaged);
      expect(lost).toEqual([]);
      expect(await rowsOf(reader)).toEqual(await rowsOf(await readerOf(whole)));
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
    const { bytes } = await repaired(overwritten(whole, place, 12));
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
    const { reader } = await repaired(longer);
    const all = await payloadsOf(await readerOf(whole), "signals");
    const kept = new Set(await payloadsOf(reader, "signals"));
    expect(all.filter((payload) => !kept.has(payload)).length).toBeLessThanOrEqual(2);
  });
});

describe.runIf(samplesDirectory !== null)("the tape of a crash", () => {
  test("loses its last half frame and nothing else", async () => {
    const bytes = sampleBytes("flightgear/c172p-continuous-full-crashed.fgtape");
    const { reader, bytes: result, lost } = await repaired(bytes);
    expect(reader.info.metadata["frames"]).toBe(261);
    expect(lost.length).toBe(1);
    expect(result.length + lost[0]!.length!).toBe(bytes.length);
    expect(Buffer.compare(result, bytes.subarray(0, result.length))).toBe(0);
  });
});

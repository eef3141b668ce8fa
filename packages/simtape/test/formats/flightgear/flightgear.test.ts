import { readFileSync } from "node:fs";
import { gunzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { flightgear } from "../../../src/formats/flightgear/format.ts";
import type { ExtraProperty } from "../../../src/formats/flightgear/layout/extra.ts";
import { Message, open as openRecording, type Recording, type State } from "../../../src/index.ts";
import { bundleOfFiles, describeFormat, type Specimen } from "../../conformance/describe-format.ts";
import {
  ALL_ITEMS,
  buffersOf,
  type ContinuousOptions,
  extraOf,
  frameTime,
  frameValues,
  gzipped,
  makeContinuous,
  makeFirstLayout,
  makeNormal,
  makeRecovery,
  packetsOf,
  SIGNALS,
  signalBytes,
} from "../../fixtures/flightgear/make.ts";
import { sampleBytes, sampleNames, samplesDirectory } from "../../samples.ts";

const FIXTURE = new Uint8Array(
  readFileSync(new URL("../../fixtures/flightgear/c172p-normal-mp.fgtape", import.meta.url)),
);

function specimen(name: string, bytes: Uint8Array, isDamaged = false): Specimen {
  const isPacked = bytes[0] === 0x1f;
  const stream = isPacked && !isDamaged ? gunzipSync(bytes) : undefined;
  return { name, files: { "a.fgtape": bytes }, stream, isDamaged };
}

function overwritten(bytes: Uint8Array, at: number, count: number): Uint8Array {
  return bytes.slice().fill(0xee, at, at + count);
}

/** Where frame `k` of a tape begins: behind a tape of as many frames. */
function placeOf(k: number, options: ContinuousOptions = {}): number {
  return makeContinuous({ ...options, frames: k }).length;
}

const plain = makeContinuous();
const packed = makeContinuous({ compression: "1" });
const counted = makeNormal({ generation: 2, packets: "counted" });

const made: Specimen[] = [
  specimen("continuous", plain),
  specimen("continuous, compressed", packed),
  specimen("continuous, first layout", makeFirstLayout()),
  specimen("continuous, multiplayer only", makeContinuous({ data: ["multiplayer"] })),
  specimen("continuous, no frames", makeContinuous({ frames: 0 })),
  specimen("recovery", makeRecovery()),
  specimen("normal 1", gzipped(makeNormal({ generation: 1 }))),
  specimen("normal 2", gzipped(makeNormal({ generation: 2 }))),
  specimen("normal 2, multiplayer", gzipped(counted)),
  specimen("normal 3, not gzipped", makeNormal({ generation: 3 })),
  specimen("normal 3, multiplayer", gzipped(makeNormal({ generation: 3, packets: "listed" }))),
  specimen("normal, empty", gzipped(makeNormal({ generation: 3, frames: 0 }))),
  specimen("fixture: normal 2020.3.16 with two pilots", FIXTURE),
];
const damaged: Specimen[] = [
  specimen("continuous, cut", plain.slice(0, plain.length - 30), true),
  specimen("continuous, overwritten", overwritten(plain, placeOf(20) - 40, 60), true),
  specimen("continuous, some signals short", makeContinuous({ data: ["signals"], short: [15, 27, 28] }), true),
  specimen("compressed, cut", packed.slice(0, packed.length - 30), true),
  specimen("compressed, overwritten", overwritten(packed, placeOf(20, { compression: "1" }) + 30, 30), true),
  specimen("normal plain, cut", counted.slice(0, counted.length - 200), true),
  specimen("normal plain, overwritten", overwritten(counted, counted.length - 3000, 200), true),
];
const real: Specimen[] = sampleNames("flightgear")
  .filter((name) => name.endsWith(".fgtape"))
  .map((name) => specimen(name, sampleBytes(`flightgear/${name}`), name.includes("crashed")));

describeFormat(flightgear, [...made, ...damaged, ...real]);

function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles({ "a.fgtape": bytes }), { formats: [flightgear] });
}

async function messages(recording: Recording, channel: string): Promise<{ time: number; payload: Uint8Array }[]> {
  const found: { time: number; payload: Uint8Array }[] = [];
  for await (const { time, payload } of recording.messages(recording.channel(channel))) found.push({ time, payload });
  return found;
}

/** Time of frame `k` in recordings that begin with frame `from`. */
function time(k: number, from = 0): number {
  return Math.round((frameTime(k) - frameTime(from)) * 1e9);
}

function cells(state: State, id: string, column: string): number[] {
  const set = state.sets.get("aircraft")!;
  const { data, width } = set.columns.get(column)!;
  const row = set.ids.indexOf(id);
  return [...(data as Float64Array).subarray(row * width, (row + 1) * width)];
}

function codes(recording: Recording): string[] {
  return recording.findings.map(({ code }) => code);
}

describe("a Continuous tape", () => {
  test.each([
    ["plain", plain],
    ["compressed", packed],
    ["compressed, header silent", makeContinuous({ compression: null, isDeflated: true })],
  ])("gives every item of every frame as stored: %s", async (_, bytes) => {
    await using recording = await open(bytes);
    expect(recording.channels.map(({ name }) => name)).toEqual(ALL_ITEMS);
    const signals = await messages(recording, "signals");
    expect(signals.map((of) => of.time)).toEqual(
      Array.from({ length: 40 }, (_, k) => k)
        .filter((k) => k !== 3)
        .map((k) => time(k)),
    );
    expect(signals[10]!.payload).toEqual(signalBytes(11));
    const packets = await messages(recording, "multiplayer");
    const expected = Array.from({ length: 40 }, (_, k) => packetsOf(k).map((of) => [time(k), of] as const)).flat();
    expect(packets.map((of) => [of.time, of.payload])).toEqual(expected);
    const weather = await messages(recording, "weather");
    expect(weather.map(({ payload }) => payload)).toEqual(
      Array.from({ length: 10 }, (_, n) => Uint8Array.of(4 * n, 1, 2, 3)),
    );
    expect(await recording.timeline()).toEqual({
      start: 0,
      end: time(39),
      epoch: null,
      tick: { name: "frame", count: 40, duration: null },
    });
  });

  test("says what it is", async () => {
    await using recording = await open(packed);
    expect(recording.info.version).toBe("continuous (2024.1.5)");
    expect(recording.info.metadata).toMatchObject({
      kind: "continuous",
      compression: "deflate",
      aircraft: "ufo",
      airport: "LSZH",
      frames: 40,
      startTime: 10,
      endTime: frameTime(39),
      signals: SIGNALS.length,
      signalTypes: { double: 3, float: 5, int: 1, int16: 1, int8: 1, bool: 2 },
      recordSize: 24 + 20 + 4 + 2 + 1 + 1 + 8,
      meta: { "aircraft-description": "Flying saucer & more", version: { flightgear: "2024.1.5" } },
    });
  });

  test("may leave out the filler behind the signals", async () => {
    await using recording = await open(makeContinuous({ filler: 0 }));
    expect(codes(recording)).toEqual([]);
    expect((await messages(recording, "signals"))[0]!.payload).toEqual(signalBytes(0, 0));
  });

  test("takes `true` as compression for off, as FlightGear does", async () => {
    await using recording = await open(makeContinuous({ compression: "true", isDeflated: false }));
    expect(codes(recording)).toEqual([]);
    expect(recording.info.metadata["compression"]).toBe("none");
  });

  test("whose header lies about compression is read as it is, with a warning", async () => {
    await using recording = await open(makeContinuous({ compression: "1", isDeflated: false }));
    expect(codes(recording)).toEqual(["compression-mismatch"]);
    expect(recording.info.metadata).toMatchObject({ compression: "none", frames: 40 });
  });

  test("in Unix time has an epoch", async () => {
    await using recording = await open(makeContinuous({ shift: 1_795_214_002 }));
    const { epoch, end } = await recording.timeline();
    expect(epoch).toBe(1_795_214_012_000_000_000n);
    expect(Math.abs(end - time(39))).toBeLessThan(1000);
  });

  test("of the first layout has its own lengths", async () => {
    await using recording = await open(makeFirstLayout());
    expect(recording.info.version).toBe("continuous (first layout) (2020.2.0)");
    expect((await messages(recording, "signals")).map(({ payload }) => payload)[4]).toEqual(signalBytes(4));
    expect((await messages(recording, "multiplayer")).length).toBe(29);
  });

  test("without data items holds nothing that could be read", async () => {
    await using recording = await open(makeContinuous({ data: [] }));
    expect(codes(recording)).toEqual(expect.arrayContaining(["bad-frame", "no-data-items", "no-frames"]));
  });

  test("with a header that is no sound XML is read by what can be made of it", async () => {
    const text = new TextDecoder("latin1").decode(plain);
    const broken = plain.slice();
    broken[text.indexOf("</aircraft-description>") + 5] = 0x3c;
    await using recording = await open(broken);
    expect(recording.findings).toMatchObject([{ code: "bad-header", severity: "damage" }]);
    expect(recording.info.metadata).toMatchObject({ frames: 40, aircraft: "ufo", signals: SIGNALS.length });
    const state = await recording.state(time(8));
    expect(state.values.get("/instrumentation/transponder/id-code")).toBe(-1208);
    expect(state.values.get("/position/latitude-deg")).toBe(frameValues(8)[1]);
  });

  test("whose signals do not make its record size is read with a warning about every value", async () => {
    const text = new TextDecoder("latin1").decode(plain);
    const broken = plain.slice();
    broken[text.indexOf(">int8<") + 1] = 0x49;
    await using recording = await open(broken);
    expect(recording.findings).toMatchObject([
      { code: "signal-dropped", severity: "note" },
      { code: "record-size", severity: "damage" },
    ]);
    expect(recording.info.metadata["frames"]).toBe(40);
  });

  test("cut in its header is refused", async () => {
    await expect(open(plain.slice(0, 500))).rejects.toMatchObject({ code: "truncated", format: "flightgear" });
  });

  test("never follows include and alias", async () => {
    const xml = new TextDecoder("latin1").decode(plain);
    const leaf = '<closest-airport-id type="string">LSZH</closest-airport-id>';
    const text = xml.replace(leaf, '<closest-airport-id alias="/etc/x"></closest-airport-id>'.padEnd(leaf.length));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    expect(bytes.length).toBe(plain.length);
    await using recording = await open(bytes);
    expect(recording.findings).toMatchObject([{ code: "alias-ignored", severity: "warning" }]);
    expect(recording.findings[0]!.message).toContain("/etc/x");
    expect(recording.info.metadata["airport"]).toBe("");
  });
});

describe("a Recovery tape", () => {
  test.each([
    ["plain", false, []],
    ["compressed by a snapshot of 2021", true, ["compression-mismatch"]],
  ])("is one frame: %s", async (_, isDeflated, findings) => {
    await using recording = await open(makeRecovery(isDeflated));
    expect(recording.info.metadata).toMatchObject({ kind: "recovery", frames: 1, startTime: frameTime(5) });
    expect(codes(recording)).toEqual(findings);
    expect((await messages(recording, "signals"))[0]!.payload).toEqual(signalBytes(5));
  });
});

describe("a Normal tape", () => {
  const order = buffersOf(80);
  const chronological = [...order[2], ...order[1], ...order[0]].sort((a, b) => a - b);
  const shapes = [
    ["generation 1", makeNormal({ generation: 1 }), 1],
    ["generation 1 of a version that is not reported", makeNormal({ generation: 1, release: "" }), 1],
    ["generation 2", makeNormal({ generation: 2 }), 2],
    ["generation 2 with multiplayer", counted, 2],
    ["generation 3", makeNormal({ generation: 3 }), 3],
    ["generation 3 with multiplayer", makeNormal({ generation: 3, packets: "listed" }), 3],
  ] as const;

  test.each(shapes)("gives the frames of its three buffers in order of time: %s", async (_, bytes, generation) => {
    await using recording = await open(gzipped(bytes));
    expect(codes(recording)).toEqual([]);
    expect(recording.info.metadata).toMatchObject({ kind: "normal", generation, compression: "gzip" });
    const signals = await messages(recording, "signals");
    expect(signals.map((of) => of.time)).toEqual(chronological.map((k) => time(k)));
    const filler = generation === 1 ? 0 : 8;
    expect(signals.map(({ payload }) => payload)).toEqual(chronological.map((k) => signalBytes(k, filler)));
  });

  test("keeps packets with their frames, and file order as sequence", async () => {
    await using recording = await open(gzipped(counted));
    const packets = await messages(recording, "multiplayer");
    expect(packets.map(({ payload }) => payload)).toEqual(chronological.flatMap((k) => packetsOf(k)));
    const sequences: number[] = [];
    for await (const { sequence } of recording.messages(recording.channel("signals"))) sequences.push(sequence);
    const late = sequences.slice(-order[0].length);
    expect(Math.max(...late)).toBeLessThan(sequences[0]!);
    expect(new Set(sequences).size).toBe(chronological.length);
  });

  test("without gzip, and with bytes behind its end, is read as well", async () => {
    const longer = Uint8Array.of(...counted, 1, 2, 3);
    await using recording = await open(longer);
    expect(recording.findings).toMatchObject([{ code: "trailing-bytes", severity: "warning", offset: counted.length }]);
    expect(recording.info.metadata["frames"]).toBe(chronological.length);
    const kinds: string[] = [];
    for await (const records of recording.records()) kinds.push(...records.map(({ kind }) => kind));
    expect(kinds.filter((kind) => kind !== "frame")).toEqual([
      "header",
      "container",
      "container",
      "container",
      "trailing",
    ]);
  });

  test("whose gzip stream is cut gives what could be inflated", async () => {
    const bytes = gzipped(counted);
    await using recording = await open(bytes.slice(0, bytes.length - 400));
    expect(codes(recording)).toEqual(expect.arrayContaining(["bad-gzip", "missing-frames"]));
    expect(recording.info.metadata["frames"]).toBeGreaterThan(20);
  });

  test("whose gzip trailer is missing is sound", async () => {
    const bytes = gzipped(counted);
    await using recording = await open(bytes.slice(0, bytes.length - 8));
    expect(codes(recording)).toEqual([]);
  });

  test("of a big-endian machine is refused by name", async () => {
    const other = counted.slice();
    other.set([0x11, 0x22, 0x33, 0x44], 0);
    await expect(open(other)).rejects.toMatchObject({ code: "unsupported" });
    await expect(open(gzipped(other))).rejects.toMatchObject({ code: "unsupported" });
  });
});

describe("damage", () => {
  test("a cut last frame is reported with its place, and everything before it is read", async () => {
    await using recording = await open(plain.slice(0, plain.length - 1));
    expect(recording.findings).toMatchObject([
      { code: "truncated", severity: "loss", offset: placeOf(39), length: plain.length - 1 - placeOf(39) },
    ]);
    expect(recording.info.metadata["frames"]).toBe(39);
  });

  test.each([
    ["plain", {}],
    ["compressed", { compression: "1" }],
  ] as const)("in the middle costs the frames it is in: %s", async (_, options) => {
    const bytes = makeContinuous(options);
    await using recording = await open(overwritten(bytes, placeOf(20, options), 20));
    expect(recording.findings).toMatchObject([{ severity: "damage", offset: placeOf(20, options) }]);
    expect(recording.info.metadata["frames"]).toBe(39);
    const found = await messages(recording, "signals");
    expect(found.map((of) => of.time)).not.toContain(time(20));
    expect(found.map((of) => of.time)).toContain(time(21));
  });

  test("in a packet list loses the packets behind it and nothing else", async () => {
    const broken = plain.slice();
    // Frame 10: time, length + signals, length of the list, then the length of its first packet.
    new DataView(broken.buffer).setUint16(placeOf(10) + 8 + 4 + signalBytes(10).length + 4, 60_000, true);
    await using recording = await open(broken);
    expect(recording.findings).toMatchObject([{ code: "bad-multiplayer", severity: "damage", offset: placeOf(10) }]);
    expect(recording.info.metadata["frames"]).toBe(40);
    const all = Array.from({ length: 40 }, (_, k) => packetsOf(k)).flat();
    expect((await messages(recording, "multiplayer")).length).toBe(all.length - packetsOf(10).length);
  });

  test("in a time stamp loses that frame", async () => {
    const broken = plain.slice();
    new DataView(broken.buffer).setFloat64(placeOf(7), Number.NaN, true);
    await using recording = await open(broken);
    expect(recording.findings).toMatchObject([{ code: "bad-time", severity: "damage", offset: placeOf(7) }]);
    expect(recording.info.metadata["frames"]).toBe(39);
  });

  test("by zeros at the end, as a crash leaves them, gives no frames at time 0", async () => {
    await using recording = await open(Uint8Array.of(...plain, ...new Uint8Array(4000)));
    expect(recording.findings).toMatchObject([{ code: "bad-frame", offset: plain.length, length: 4000 }]);
    expect((await recording.timeline()).end).toBe(time(39));
  });

  test("frames out of order are sorted, with a warning", async () => {
    const [a, b, c] = [placeOf(8), placeOf(9), placeOf(10)];
    const mixed = Uint8Array.of(
      ...plain.subarray(0, a),
      ...plain.subarray(b, c),
      ...plain.subarray(a, b),
      ...plain.subarray(c),
    );
    await using recording = await open(mixed);
    expect(recording.findings).toMatchObject([{ code: "time-order", severity: "warning" }]);
    const times = (await messages(recording, "signals")).map((of) => of.time);
    expect(times).toEqual(times.toSorted((x, y) => x - y));
  });

  test("a lost container header of a Normal tape does not lose the frames behind it", async () => {
    const bytes = makeNormal({ generation: 3, packets: "listed" });
    const [short] = buffersOf(80);
    await using whole = await open(bytes);
    let place = 0;
    let containers = 0;
    for await (const records of whole.records()) {
      for (const record of records) if (record.kind === "container" && containers++ === 1) place = record.offset;
    }
    await using recording = await open(overwritten(bytes, place, 12));
    expect(codes(recording)).toEqual(expect.arrayContaining(["bad-frame", "missing-frames"]));
    expect(recording.info.metadata["frames"]).toBeGreaterThan(short.length + 5);
  });
});

describe("state", () => {
  test("holds signals by path, extra properties as text, and no chat", async () => {
    await using recording = await open(plain);
    const { values } = await recording.state(time(11));
    for (const [index, { property, type }] of SIGNALS.entries()) {
      const value = frameValues(11)[index]!;
      const expected = type === "bool" ? value !== 0 : type === "float" ? Math.fround(value) : value;
      expect(values.get(property)).toBe(expected);
    }
    expect(values.get("/test/extra/item[3]/name")).toBe("é < three");
    expect(values.get("/sim/current-view/view-number")).toBe("1");
    expect([...values.keys()].some((path) => path.includes("chat"))).toBe(false);
  });

  test("forgets a removed property with all below it, and nothing beside it", async () => {
    await using recording = await open(packed);
    const before = (await recording.state(time(11))).values;
    const after = (await recording.state(time(12))).values;
    expect([...before.keys()].filter((path) => !after.has(path))).toEqual([
      "/test/extra/item[3]/name",
      "/test/extra/item[3]/number",
    ]);
    expect(after.get("/test/extra/item")).toBe("one");
  });

  test("keeps the last signals over a frame without any", async () => {
    await using recording = await open(plain);
    const at = async (k: number) => (await recording.state(time(k))).values.get("/engines/engine[1]/hours");
    expect([await at(2), await at(3), await at(4)]).toEqual([122, 122, 124]);
  });

  test("knows the recorded aircraft and every pilot, each by both kinds of position", async () => {
    await using recording = await open(plain);
    const state = await recording.state(time(12));
    const set = state.sets.get("aircraft")!;
    expect(set.ids).toEqual(["ALICE", "BOB", "self"]);
    expect(set.axes).toMatchObject({ handed: "right", up: "z", kind: "geodetic" });
    expect(set.columns.get("label")!.data).toEqual(["ALICE", "BOB", "ufo"]);
    expect(set.columns.get("kind")!.data).toEqual([
      "Aircraft/ufo/Models/ufo.xml",
      "Aircraft/ufo/Models/ufo.xml",
      "ufo",
    ]);
    const [longitude, latitude, altitude] = frameValues(12);
    expect(cells(state, "self", "geodetic")).toEqual([latitude, longitude, altitude]);
    expect(Math.hypot(...cells(state, "self", "position"))).toBeGreaterThan(6_360_000);
    expect(cells(state, "self", "rotation")).toEqual([3, 4, 5].map((index) => Math.fround(frameValues(12)[index]!)));
    const alice = cells(state, "ALICE", "geodetic");
    expect(alice[0]).toBeCloseTo(47.512, 9);
    expect(alice[1]).toBeCloseTo(8.5, 9);
    expect(alice[2]).toBeCloseTo(4012, 5);
    expect(cells(state, "BOB", "geodetic")[0]).toBeCloseTo(47.51, 9);
    const [roll, pitch, heading] = cells(state, "ALICE", "rotation");
    expect(roll).toBeCloseTo(5, 4);
    expect(pitch).toBeCloseTo(-3, 4);
    expect(heading).toBeCloseTo(120, 4);
    expect(cells(state, "ALICE", "velocity")).toEqual([62, 0.5, -1.5]);
    expect(cells(state, "BOB", "sent")).toEqual([frameTime(10)]);
  });

  test("moves between frames as each signal says", async () => {
    await using recording = await open(plain);
    const state = await recording.state((time(10) + time(11)) / 2, { interpolate: true });
    const value = (path: string) => state.values.get(path);
    expect(value("/position/longitude-deg")).toBeCloseTo(180.0005, 9);
    expect(value("/position/altitude-ft")).toBeCloseTo((frameValues(10)[2]! + frameValues(11)[2]!) / 2, 9);
    expect(value("/controls/flight/flaps")).toBe(Math.fround(0.33));
    expect(value("/engines/engine[1]/hours")).toBe(130);
    const [latitude, longitude] = cells(state, "self", "geodetic");
    expect(latitude).toBeCloseTo(47.00525, 9);
    expect(longitude).toBeCloseTo(180.0005, 9);
    const before = await recording.state((time(9) + time(10)) / 2, { interpolate: true });
    expect(before.values.get("/orientation/heading-deg")).toBeCloseTo(359.5, 9);
  });

  test("of a tape without signals holds pilots and extra properties alone", async () => {
    await using recording = await open(makeContinuous({ data: ["multiplayer", "extra-properties"] }));
    const state = await recording.state(time(39));
    expect(state.sets.get("aircraft")!.ids).toEqual(["ALICE", "BOB"]);
    expect(state.values.get("/controls/flight/flaps")).toBe("9");
    expect(recording.motion).toBeNull();
  });
});

test("extra properties decode to changes and removals", async () => {
  await using recording = await open(packed);
  const decoded: unknown[] = [];
  for await (const message of recording.messages(recording.channel("extra-properties"))) {
    expect(message).toBeInstanceOf(Message);
    decoded.push(message.value);
  }
  const split = (entries: ExtraProperty[]) => ({
    changes: entries.filter(({ value }) => value !== null).map(({ path, value }) => [path, value]),
    removals: entries.filter(({ value }) => value === null).map(({ path }) => path),
  });
  expect(decoded).toEqual([0, 7, 12, 14, 21, 28, 35].map((k) => split(extraOf(k))));
});

describe.runIf(samplesDirectory !== null)("real recordings", () => {
  // samples/README.md: frames, first and last native time, packets, extra-property entries
  const table = [
    ["c172p-continuous-full-compressed", 748, 161.8500000000035, 199.80000000001183, 378, 155, 245, 706],
    ["c172p-continuous-full-crashed", 261, 196.25000000001071, 209.25000000001367, 131, 95, 245, 706],
    ["c172p-continuous-full", 758, 121.04999999999629, 159.00000000000284, 380, 155, 245, 706],
    ["c172p-continuous-signals", 501, 70.04166666666582, 95.22499999999775, 0, 0, 245, 706],
    ["c172p-normal-2020.3.16-mp", 424, 166.68333333333698, 222.73333333334972, 239, 0, 236, 674],
    ["c172p-normal", 1529, 0.2, 244.75000000002206, 0, 0, 245, 706],
    ["c172p-recovery", 1, 237.55000000002042, 237.55000000002042, 0, 0, 245, 706],
    ["ufo-continuous", 799, 138.2333333333305, 178.20833333333957, 0, 0, 189, 579],
  ] as const;

  test.each(table)("hold what was counted when they were made: %s", async (name, frames, first, last, ...rest) => {
    const [packets, extras, signals, recordSize] = rest;
    await using recording = await open(sampleBytes(`flightgear/${name}.fgtape`));
    expect(recording.info.metadata).toMatchObject({ frames, startTime: first, endTime: last, signals, recordSize });
    const statistics = await recording.statistics();
    const count = (channel: string) =>
      statistics[recording.channels.find((of) => of.name === channel)?.id ?? -1]?.messages ?? 0;
    expect(count("signals")).toBe(frames);
    expect(count("multiplayer")).toBe(packets);
    let entries = 0;
    if (extras > 0) {
      for await (const { value } of recording.messages(recording.channel("extra-properties"))) {
        const { changes, removals } = value as { changes: unknown[]; removals: unknown[] };
        entries += changes.length + removals.length;
      }
    }
    expect(entries).toBe(extras);
    const lost = recording.findings.filter(({ severity }) => severity !== "note");
    expect(lost.map(({ code }) => code)).toEqual(name.includes("crashed") ? ["truncated"] : []);
  });

  test("decode every packet to its last byte", async () => {
    for (const name of ["c172p-continuous-full", "c172p-normal-2020.3.16-mp"]) {
      await using recording = await open(sampleBytes(`flightgear/${name}.fgtape`));
      for await (const { value } of recording.messages(recording.channel("multiplayer"))) {
        expect(value).not.toHaveProperty("unread");
        expect(value).toMatchObject({ messageId: 7, protocol: 2 });
      }
    }
  });

  test.each(sampleNames("flightgear").filter((name) => name.endsWith(".csv")))(
    "hold exactly what was logged inside the simulator: %s",
    async (csv) => {
      const text = new TextDecoder().decode(sampleBytes(`flightgear/${csv}`));
      const [head, ...lines] = text.trim().split("\n");
      const paths = head!
        .split(",")
        .slice(1)
        .map((path) => path.replaceAll("[0]", ""));
      await using recording = await open(sampleBytes(`flightgear/${csv.replace(".truth.csv", ".fgtape")}`));
      const first = recording.info.metadata["startTime"] as number;
      const byTime = new Map<number, Record<string, number | boolean>>();
      for await (const message of recording.messages(recording.channel("signals"))) {
        byTime.set(message.time, message.value as Record<string, number | boolean>);
      }
      let compared = 0;
      let frames = 0;
      for (const line of lines) {
        const [t, ...logged] = line.split(",");
        const signals = byTime.get(Math.round((Number(t) - first) * 1e9));
        if (signals === undefined) continue;
        frames++;
        for (const [i, path] of paths.entries()) {
          const value = signals[path];
          if (value === undefined || logged[i] === "") continue;
          const truth = Number(logged[i]);
          if (typeof value === "boolean") expect(value).toBe(truth !== 0);
          else if (path.startsWith("/position/")) expect(value).toBe(truth);
          else if (Number.isInteger(value) && Number.isInteger(truth)) expect(value).toBe(truth);
          else expect(value).toBe(Math.fround(truth));
          compared++;
        }
        if (frames % 20 === 0) {
          const state = await recording.state(Math.round((Number(t) - first) * 1e9));
          for (const [path, value] of Object.entries(signals)) expect(state.values.get(path)).toBe(value);
        }
      }
      expect(frames).toBeGreaterThan(400);
      expect(compared).toBeGreaterThan(5000);
    },
  );
});

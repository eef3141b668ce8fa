import fc from "fast-check";
import { gunzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { DIALECTS } from "../../../src/formats/flightgear/read/dialects.ts";
import { encoder } from "../../../src/formats/flightgear/write/encode.ts";
import { createWriter } from "../../../src/formats/flightgear/write/writer.ts";
import { writing } from "../../../src/formats/flightgear/writing.ts";
import { writing as hcrp } from "../../../src/formats/hcrp/writing.ts";
import {
  applyEdits,
  type Axes,
  check,
  convert,
  type CreateOptions,
  FORMATS,
  MemoryFiles,
  MutableState,
  open,
  type Operation,
  originAt,
  type Reader,
  Recording,
  rewrite,
  type State,
  writeEdited,
} from "../../../src/index.ts";
import { Findings } from "../../../src/model/error.ts";
import { Ledger } from "../../../src/ops/convert.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { gzipped, makeContinuous, makeNormal } from "../../fixtures/flightgear/make.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";
import { tries } from "../../soak.ts";
import { MADE, REAL, readerOf } from "./specimens.ts";

const UTF8 = new TextDecoder();

interface PlainFrame {
  readonly native: number;
  readonly signals: Uint8Array;
  /** What the frame sets; removals are left out. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Frames of an uncompressed Continuous tape with all three items, read by the specification alone (spec §4.1, §6). */
function plainFrames(bytes: Uint8Array): PlainFrame[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: PlainFrame[] = [];
  for (let at = 36 + view.getUint32(32, true); at < bytes.length; ) {
    const native = view.getFloat64(at, true);
    at += 8;
    const items: Uint8Array[] = [];
    for (let k = 0; k < 3; k++) {
      const length = view.getUint32(at, true);
      items.push(bytes.subarray(at + 4, at + 4 + length));
      at += 4 + length;
    }
    frames.push({ native, signals: items[0]!, texts: textsIn(items[2]!) });
  }
  return frames;
}

function textsIn(item: Uint8Array): Map<string, string> {
  const view = new DataView(item.buffer, item.byteOffset, item.byteLength);
  const texts = new Map<string, string>();
  for (let at = 0; at < item.length; ) {
    const strings = [0, 1].map(() => {
      const length = view.getInt16(at, true);
      const text = UTF8.decode(item.subarray(at + 2, at + 2 + length));
      at += 2 + length;
      return text;
    });
    if (strings[0] !== "") texts.set(strings[0]!, strings[1]!);
  }
  return texts;
}

/** Whether C++'s `stod` reads a text: tried in FlightGear 2024.1.5 with `1 lap`, `nan`, `0x10`, `1e400` and an empty one. */
function isRead(text: string): boolean {
  if (/^[+-]?(nan|inf|0x[0-9a-f])/i.test(text)) return true;
  const number = Number.parseFloat(text);
  return Number.isFinite(number) && (number === 0 || Math.abs(number) >= 2.2250738585072014e-308);
}

/** Paths that two frames one behind the other set, not both to numbers: FlightGear ends there. */
function fatalIn(frames: readonly PlainFrame[]): string[] {
  const order = frames.toSorted((a, b) => a.native - b.native);
  return order.flatMap(({ texts }, i) => {
    const before = order[i - 1]?.texts ?? new Map<string, string>();
    return [...texts]
      .filter(([path, text]) => before.has(path) && !(isRead(text) && isRead(before.get(path)!)))
      .map(([path]) => path);
  });
}

async function encoded(states: Iterable<State>, options: CreateOptions = {}): Promise<[Uint8Array, Ledger]> {
  const files = new MemoryFiles();
  const writer = await createWriter(files, options);
  const ledger = new Ledger();
  const steps = encoder(writer, ledger);
  for (const state of states) steps.step(state);
  steps.end();
  await writer.close();
  return [files.bytes, ledger];
}

const LOCAL: Axes = { handed: "right", up: "z", kind: "local" };
const POSITION = { kind: "f64", width: 3, unit: "m" } as const;

describe("what is encoded", () => {
  const word = fc.oneof(
    fc.constantFrom("lap 1", "lap 2", "", "nan", "1e400", "0x10", "1 lap", "-3.5", "true"),
    fc.boolean(),
    fc.integer({ min: -5, max: 5 }),
    fc.constantFrom(0.5, 1e-300, Number.NaN, 5e-324),
  );
  const steps = fc.array(fc.record({ a: fc.option(word), b: fc.option(word), moves: fc.boolean() }), {
    minLength: 2,
    maxLength: 12,
  });

  test("never sets a text in two frames one behind the other, and has signals in all or none", async () => {
    let fillers = 0;
    const property = fc.asyncProperty(steps, fc.integer({ min: 1, max: 1e9 }), async (list, step) => {
      const state = new MutableState();
      let x = 0;
      const states = list.map(({ a, b, moves }, k) => {
        state.time = k * step;
        for (const [path, value] of Object.entries({ a, b })) {
          if (value === null) state.deleteValue(path);
          else state.setValue(path, value);
        }
        if (moves) x += 10;
        const vehicles = state.set("vehicles", LOCAL);
        vehicles.column("position", POSITION).put3(vehicles.row(1), x, 0, 0);
        return state.freeze();
      });
      const [bytes] = await encoded(states, { dialect: "continuous" });
      const frames = plainFrames(bytes);
      expect(fatalIn(frames)).toEqual([]);
      expect(new Set(frames.map(({ signals }) => signals.length)).size).toBe(1);
      const recording = new Recording(await readerOf(bytes), new Findings());
      expect((await check(recording)).findings).toEqual([]);
      for (const { time, values } of states) {
        const found = await recording.state(time);
        const value = values.get("a") as string | number | boolean | undefined;
        const text = value === undefined ? undefined : String(value).toLowerCase();
        expect((found.values.get("/simtape/a") as string | undefined)?.toLowerCase()).toBe(text);
      }
      fillers += frames.length - list.length;
    });
    await fc.assert(property, { seed: 1, numRuns: tries(150, 100_000) });
    // The property is about something: such texts come again and again.
    expect(fillers).toBeGreaterThan(20);
  });

  test("keeps what does not move out of the sky, and all that it says", async () => {
    const state = new MutableState();
    const states = [0, 1, 2, 3].map((k) => {
      state.time = k * 1e9;
      const blocks = state.set("blocks", LOCAL);
      for (let id = 0; id < 180; id++) blocks.column("position", POSITION).put3(blocks.row(id), id, 2, 3);
      const crates = state.set("crates", LOCAL);
      crates.column("position", POSITION).put3(crates.row("rolling"), k < 2 ? 0 : k, 0, 0);
      const players = state.set("players", LOCAL);
      players.column("position", POSITION).put3(players.row("ada"), k, 0, 0);
      players.column("position", POSITION).put3(players.row("bob"), 5, 5, 5);
      return state.freeze();
    });
    const [bytes] = await encoded(states);
    const recording = new Recording(await readerOf(bytes), new Findings());
    const ids = async (time: number): Promise<unknown> => (await recording.state(time)).sets.get("aircraft")!.ids;
    expect(await ids(0)).toEqual(["bob", "self"]);
    expect(await ids(3e9)).toEqual(["bob", "rolling", "self"]);
    const { values } = await recording.state(3e9);
    expect(values.get("/simtape/blocks/_170/position")).toBe("170");
    const [, ledger] = await encoded(states, { dialect: "normal" });
    expect(ledger.report(false, 0).lost.map(({ path }) => path)).toContain("blocks");
  });
});

describe("a tape that comes back from HCRP", () => {
  const tapes = [...MADE, ...REAL].filter(([name]) => /fixture|^c172p-continuous-full\.|^ufo|^continuous$/.test(name));
  test.each(tapes)("has every signal again: %s", async (_, bytes) => {
    await using source = await open(bundleOfFiles({ "a.fgtape": bytes }));
    const middle = new MemoryFiles("a.hcrp");
    await convert(source, hcrp, middle);
    await using carried = await open(bundleOfFiles({ "a.hcrp": middle.bytes }));
    const back = new MemoryFiles("b.fgtape");
    await convert(carried, writing, back);
    await using again = await open(bundleOfFiles({ "b.fgtape": back.bytes }));
    expect(again.info.metadata["aircraft"]).toBe(source.info.metadata["aircraft"]);
    const { end } = await source.timeline();
    for (const part of [0, 0.21, 0.5, 0.83, 1]) {
      // HCRP has ticks of 50 ms: what holds at one.
      const time = Math.floor((end * part) / 5e7) * 5e7;
      const [expected, found] = [(await source.state(time)).values, (await again.state(time)).values];
      expect(expected.size).toBeGreaterThan(0);
      for (const [path, value] of expected) expect([path, found.get(path)]).toEqual([path, value]);
    }
  });
});

describe("any tape as any dialect", () => {
  // Real ones take seconds: made ones usually, all in the long run.
  const tapes = [...MADE, ...REAL].filter(([name]) => !/fixture|\.fgtape/.test(name) || tries(0, 1) > 0);
  test.each(tapes)("is written, and what is not is listed: %s", async (_, bytes) => {
    for (const dialect of DIALECTS) {
      const recording = new Recording(await readerOf(bytes), new Findings());
      const all = (await recording.statistics()).reduce((sum, { messages }) => sum + messages, 0);
      const files = new MemoryFiles();
      const { messages, lost } = await rewrite(recording, writing, files, { dialect });
      const [channels, frames] = [new Set(recording.channels.map(({ name }) => name)), lost];
      const refused = frames.filter(({ reason }) => reason.startsWith("a ") && reason.includes("has no"));
      expect(messages + refused.reduce((sum, { count }) => sum + count, 0)).toBe(all);
      for (const { path } of lost) expect(channels.has(path)).toBe(true);
      const result = new Recording(await readerOf(files.bytes), new Findings());
      const report = await check(result);
      expect([dialect, report.status]).toEqual([dialect, "sound"]);
      expect(report.findings.filter(({ code }) => code === "fatal-text" || code === "buffer-order")).toEqual([]);
    }
  });
});

interface Container {
  readonly times: readonly number[];
}

/** Buffers of a Normal tape of generation 2 or 3 without packets, read by the specification alone (spec §3.2, §3.3). */
function buffersIn(bytes: Uint8Array): Container[] {
  const content = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes;
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  let at = 4;
  let recordSize = 0;
  const buffers: Container[] = [];
  while (at < content.length) {
    const [type, size] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    at += 12;
    if (type === 2)
      recordSize = Number(/<record-size type="int">(\d+)</.exec(UTF8.decode(content.subarray(at, at + size)))![1]);
    if (type !== 3) {
      at += size;
      continue;
    }
    const times: number[] = [];
    for (let n = 0; n < size / recordSize; n++) {
      times.push(view.getFloat64(at, true));
      at += 8 + recordSize;
    }
    buffers.push({ times });
  }
  return buffers;
}

async function edited(bytes: Uint8Array, operations: readonly Operation[]): Promise<Uint8Array> {
  const reader = await readerOf(bytes);
  const context = {
    writing,
    open: (): Promise<Reader> => readerOf(bytes),
    matching: (globs: readonly string[]) => (name: string) => globs.includes(name),
  };
  const { reader: over } = await applyEdits(reader, { version: 1, operations }, context);
  const files = new MemoryFiles();
  await writeEdited(over, writing, files);
  return files.bytes;
}

describe("an edited tape", () => {
  const normal = gzipped(makeNormal({ generation: 3 }));
  const range = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }));

  test("has short-term frames, and none is newer than one of a newer buffer, wherever it is cut or joined", async () => {
    const { end } = await (await readerOf(normal)).timeline();
    let emptied = 0;
    const property = fc.asyncProperty(range, fc.boolean(), async ([a, b], isJoined) => {
      const [from, until] = [Math.round(Math.min(a, b) * end), Math.round(Math.max(a, b) * end) + 1];
      const trim: Operation = { op: "trim", from, until };
      const tape = await edited(normal, isJoined ? [trim, { op: "join", files: ["x"] }] : [trim]);
      const buffers = buffersIn(tape);
      expect(buffers.length).toBe(3);
      expect(buffers[0]!.times.length).toBeGreaterThan(0);
      const times = buffers.toReversed().flatMap((buffer) => buffer.times);
      expect(times).toEqual(times.toSorted((x, y) => x - y));
      if (until < end * 0.4) emptied++;
      expect((await check(new Recording(await readerOf(tape), new Findings()))).findings).toEqual([]);
    });
    await fc.assert(property, { seed: 2, numRuns: tries(60, 20_000) });
    expect(emptied).toBeGreaterThan(3);
  });

  test("sets no text in two frames one behind the other, wherever it is cut, filtered or joined", async () => {
    const state = new MutableState();
    const states = Array.from({ length: 30 }, (_, k) => {
      state.time = k * 1e8;
      state.setValue("a", k % 3 === 0 ? `lap ${k}` : `lap ${k - (k % 3)}`);
      state.setValue("b", k % 7 < 3);
      state.setValue("/position/altitude-ft", k);
      return state.freeze();
    });
    const [tape] = await encoded(states, { dialect: "continuous" });
    const property = fc.asyncProperty(range, fc.constantFrom("trim", "redact", "join"), async ([a, b], op) => {
      const [from, until] = [Math.round(Math.min(a, b) * 2.9e9), Math.round(Math.max(a, b) * 2.9e9) + 1];
      const operations: Operation[] =
        op === "redact"
          ? [{ op, channels: ["signals"], from, until }]
          : op === "trim"
            ? [{ op, from, until }]
            : [
                { op: "trim", from, until },
                { op, files: ["x"] },
              ];
      const frames = plainFrames(await edited(tape, operations));
      expect(fatalIn(frames)).toEqual([]);
      // FlightGear keeps frames by their time: two of one would be one.
      expect(new Set(frames.map(({ native }) => native)).size).toBe(frames.length);
    });
    await fc.assert(property, { seed: 3, numRuns: tries(100, 20_000) });
  });
});

describe("check", () => {
  async function warnings(bytes: Uint8Array): Promise<string[]> {
    const report = await check(new Recording(await readerOf(bytes), new Findings()));
    expect(report.status).toBe("sound");
    return report.findings.filter(({ severity }) => severity === "warning").map(({ code }) => code);
  }

  test("says nothing of what FlightGear itself recorded", async () => {
    for (const [name, bytes] of REAL) expect([name, await warnings(bytes)]).toEqual([name, []]);
  });

  test("warns of what no FlightGear plays, or only an old one", async () => {
    expect(await warnings(makeContinuous({ frames: 0 }))).toContain("plays-nothing");
    expect(await warnings(gzipped(makeNormal({ generation: 3, frames: 0 })))).toContain("plays-nothing");
    expect(await warnings(gzipped(makeNormal({ generation: 1 })))).toContain("plays-nowhere");
    expect(await warnings(MADE.find(([name]) => name.includes("first layout"))![1])).toContain("plays-nowhere");
  });

  test("warns of a tape whose short-term buffer is empty", async () => {
    const content = gunzipSync(gzipped(makeNormal({ generation: 3 })));
    const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
    // The container of short-term frames goes, and an empty one takes its place.
    let at = 4;
    while (view.getUint32(at, true) !== 3) at += 12 + view.getUint32(at + 4, true);
    const frames = buffersIn(content);
    const rest = content.length - at - 36;
    const frame = rest / frames.flatMap(({ times }) => times).length;
    const cut = new Uint8Array([
      ...content.subarray(0, at + 4),
      ...new Uint8Array(8),
      ...content.subarray(at + 12 + frames[0]!.times.length * frame),
    ]);
    expect(buffersIn(cut)[0]!.times).toEqual([]);
    expect(await warnings(cut)).toContain("plays-nothing");
  });

  test("warns of texts that end FlightGear, of times below 0, and of frames that hide each other", async () => {
    const files = new MemoryFiles();
    const writer = await createWriter(files, { dialect: "continuous", metadata: { data: ["x", "y", "z"] } });
    writer.write(writer.channel({ name: "x" }), 0, new Uint8Array(1));
    await writer.close();
    const item = (text: string): number[] => [2, 0, 47, 97, text.length, 0, ...new TextEncoder().encode(text)];
    const frame = (native: number, text: string): number[] => {
      const entry = text === "" ? [] : item(text);
      const time = [...new Uint8Array(Float64Array.of(native).buffer)];
      return [...time, 0, 0, 0, 0, 0, 0, 0, 0, entry.length, 0, 0, 0, ...entry];
    };
    const head = makeContinuous({ frames: 0, data: ["signals", "multiplayer", "extra-properties"] });
    const tape = (...frames: number[][]): Uint8Array => Uint8Array.from([...head, ...frames.flat()]);
    expect(await warnings(tape(frame(1, "b"), frame(2, "c")))).toEqual(["fatal-text"]);
    expect(await warnings(tape(frame(1, "1"), frame(2, "")))).toEqual([]);
    expect(await warnings(tape(frame(1, "1"), frame(2, "x")))).toEqual(["fatal-text"]);
    expect(await warnings(tape(frame(1, "1"), frame(2, "2.5"), frame(3, "1e400")))).toEqual(["fatal-text"]);
    expect(await warnings(tape(frame(1, "b"), frame(2, ""), frame(3, "c")))).toEqual([]);
    expect(await warnings(tape(frame(-2, "b"), frame(-1, "")))).toEqual(["negative-times"]);
    expect(await warnings(tape(frame(1, "b"), frame(1, ""), frame(2, "")))).toEqual(["hidden-frames"]);
  });
});

describe("the origin", () => {
  /** A car 100 m along y from where the plane touches the earth, looking along y and driving 10 m/s. */
  function car(): State[] {
    const state = new MutableState();
    return [0, 1, 2].map((k) => {
      state.time = k * 1e9;
      const cars = state.set("vehicles", LOCAL);
      cars.column("position", POSITION).put3(cars.row(1), 0, 100 + 10 * k, 0);
      cars.column("rotation", { kind: "f64", width: 3, unit: "deg" }).put3(cars.row(1), 0, 0, 90);
      return state.freeze();
    });
  }

  test.each([0, 90, 200])("puts a plane where it is said, its y axis along %d degrees", async (heading) => {
    const files = new MemoryFiles();
    const writer = await createWriter(files, {});
    const origin = originAt(50, 10, 300, heading);
    const steps = encoder(writer, new Ledger(), origin);
    for (const state of car()) steps.step(state);
    steps.end();
    await writer.close();
    const { values } = await new Recording(await readerOf(files.bytes), new Findings()).state(2e9);
    // A degree of latitude at 50° N is 111,229 m, one of longitude 71,696 m.
    const angle = (heading * Math.PI) / 180;
    const at = (path: string): number => Number(values.get(path));
    expect((at("/position/latitude-deg") - 50) * 111_229).toBeCloseTo(120 * Math.cos(angle), 1);
    expect((at("/position/longitude-deg") - 10) * 71_696).toBeCloseTo(120 * Math.sin(angle), 1);
    expect(at("/position/altitude-ft") * 0.3048).toBeCloseTo(300, 1);
    expect(at("/orientation/heading-deg")).toBeCloseTo(heading, 3);
    expect(at("/velocities/speed-north-fps") * 0.3048).toBeCloseTo(10 * Math.cos(angle), 3);
    expect(at("/velocities/uBody-fps") * 0.3048).toBeCloseTo(10, 3);
  });

  test("of a plane laid for a tape is the same the other way round", async () => {
    const bytes = MADE.find(([name]) => name.startsWith("fixture"))![1];
    await using source = await open(bundleOfFiles({ "a.fgtape": bytes }));
    const carla = await FORMATS.find(({ id }) => id === "carla")!.writing!();
    const origin = originAt(37.6, -122.4, 0, 120);
    const middle = new MemoryFiles("a.log");
    const report = await convert(source, carla, middle, { origin });
    expect(report.origin).toEqual({ latitude: 37.6, longitude: -122.4, altitude: 0, heading: 120 });
    await using town = await open(bundleOfFiles({ "a.log": middle.bytes }));
    const back = new MemoryFiles("b.fgtape");
    await convert(town, writing, back, { origin });
    await using again = await open(bundleOfFiles({ "b.fgtape": back.bytes }));
    const time = (await source.timeline()).end;
    const geodetic = async (recording: Recording, id: string): Promise<number[]> => {
      const { ids, columns } = (await recording.state(time)).sets.get("aircraft")!;
      const row = ids.indexOf(id);
      return [...(columns.get("geodetic")!.data as Float64Array).subarray(3 * row, 3 * row + 3)];
    };
    const [expected, found] = [await geodetic(source, "self"), await geodetic(again, "self")];
    expect(found[0]).toBeCloseTo(expected[0]!, 6);
    expect(found[1]).toBeCloseTo(expected[1]!, 6);
    expect(found[2]).toBeCloseTo(expected[2]!, 0);
  });

  test("is in the report when it was not given", async () => {
    await using race = await open(
      bundleOfFiles({ "t.log": makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 5) }),
    );
    const report = await convert(race, writing, new MemoryFiles("a.fgtape"));
    expect(report.origin).toEqual({ latitude: 0, longitude: 0, altitude: 0, heading: 0 });
    expect(report.notes).toEqual(["plays in FlightGear 2024.1 or later; --dialect normal: FlightGear 2020.2 or later"]);
  });

  test("refuses what is no place", () => {
    expect(() => originAt(91, 0)).toThrow(RangeError);
    expect(() => originAt(0, Number.NaN)).toThrow(RangeError);
  });
});

test("time 0 is at `timeOrigin`, whatever order frames are in", async () => {
  const content = makeContinuous({ frames: 20 });
  const reader = await readerOf(content);
  const first = Number(reader.info.metadata["timeOrigin"]);
  expect(first).toBe(reader.info.metadata["startTime"]);
  // The frames again, 5 s earlier: an unordered tape.
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const frames = content.slice(36 + view.getUint32(32, true));
  const earlier = makeContinuous({ frames: 20, shift: -5 });
  const both = new Uint8Array([...content, ...earlier.subarray(earlier.length - frames.length)]);
  const unordered = await readerOf(both);
  expect(unordered.info.metadata["timeOrigin"]).toBe(first);
  expect(unordered.info.metadata["startTime"]).toBeCloseTo(first - 5, 9);
  const files = new MemoryFiles();
  await rewrite(new Recording(unordered, new Findings()), writing, files, {});
  expect((await readerOf(files.bytes)).info.metadata["timeOrigin"]).toBe(first);
});

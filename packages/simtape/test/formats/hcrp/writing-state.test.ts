import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHcrp } from "../../../src/formats/hcrp/format.ts";
import { TICK } from "../../../src/formats/hcrp/layout/framing.ts";
import type { HcrpReader } from "../../../src/formats/hcrp/read/reader.ts";
import { createWriter } from "../../../src/formats/hcrp/write/create.ts";
import { carryOriginal, originalsOf, writing } from "../../../src/formats/hcrp/writing.ts";
import {
  applyEdits,
  type Axes,
  check,
  convert,
  KEYFRAME,
  type MadeMessage,
  MemoryFiles,
  MutableState,
  open as openRecording,
  type Operation,
  type Reader,
  type Recording,
  rewrite,
  type State,
  type Value,
  writeEdited,
} from "../../../src/index.ts";
import { Columns, type ColumnSpec, Fold } from "../../../src/kit.ts";
import { Findings } from "../../../src/model/error.ts";
import { Ledger } from "../../../src/ops/convert.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { dictionaryBytes, fixtures } from "../../fixtures/hcrp/make.ts";
import { sampleBytes, samplesDirectory } from "../../samples.ts";
import { expectSame } from "../../support/same.ts";
import { readFileSync } from "node:fs";

const made = await fixtures();
const format = createHcrp({ dictionaries: () => Promise.resolve(dictionaryBytes()) });

function readerOf(bytes: Uint8Array): Promise<Reader> {
  return format.open(bundleOfFiles({ "a.hcrp": bytes }), new Findings(), {});
}

function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles({ "a.hcrp": bytes }), { formats: [format] });
}

async function sound(bytes: Uint8Array): Promise<Recording> {
  const recording = await open(bytes);
  expect((await check(recording)).findings).toEqual([]);
  return recording;
}

/** Sets and columns by name, empty sets left out. */
function comparable({ values, sets }: State): unknown {
  const filled = [...sets].filter(([, { ids }]) => ids.length > 0);
  return {
    values: Object.fromEntries(values),
    sets: Object.fromEntries(
      filled.map(([name, { ids, axes, columns }]) => [name, { ids, axes, columns: Object.fromEntries(columns) }]),
    ),
  };
}

/** What holds: what was said or marked last has happened, and a cut does not say it again. */
function held({ values, ...rest }: State): unknown {
  const isMoment = (path: string): boolean => path === "chat" || path === "mark";
  return comparable({ ...rest, values: new Map([...values].filter(([path]) => !isMoment(path))) });
}

async function stateAt(fold: Fold, time: number): Promise<unknown> {
  return held((await fold.at(time)).freeze());
}

function foldMade(reader: Reader, messages: readonly MadeMessage[]): MutableState {
  const state = new MutableState();
  reader.state.begin?.(state);
  for (const { channel, payload, keyframe, context } of messages) {
    const batch = new Columns(
      Float64Array.of(0),
      Uint16Array.of(channel.id),
      Float64Array.of(0),
      Uint8Array.of(keyframe ? KEYFRAME : 0),
      payload,
      Uint32Array.of(0),
      Uint32Array.of(payload.length),
      context ?? null,
    );
    reader.state.apply(state, batch, 0);
  }
  return state;
}

/** The mirror race: tower-race as another format's state. */
async function hub(bytes: Uint8Array): Promise<Uint8Array> {
  await using recording = await open(bytes);
  const to = new MemoryFiles("a.hcrp");
  await convert(recording, writing, to);
  return to.bytes;
}

const recordings: [string, Uint8Array][] = [
  ...[...made].filter(([name]) => !name.includes("/")),
  ["tower-race.hcrp as it comes from another format", await hub(made.get("tower-race.hcrp")!)],
  ...(samplesDirectory === null
    ? []
    : [["golden-v1.hcrp", sampleBytes("hypercube/golden-v1.hcrp")] as [string, Uint8Array]]),
];

describe.each(recordings)("what holds at a moment of %s", (_, bytes) => {
  test("said again, and followed by what came later, is what the recording holds at every later moment", async () => {
    const reader = await readerOf(bytes);
    const { end } = await reader.timeline();
    const truth = new Fold(reader);
    const time = fc.oneof(
      fc.integer({ min: 0, max: end }),
      // at a tick, just before it, before everything
      fc.integer({ min: 0, max: end / TICK }).map((tick) => tick * TICK),
      fc.integer({ min: 0, max: end / TICK }).map((tick) => tick * TICK - 1),
    );
    await fc.assert(
      fc.asyncProperty(time, async (cut) => {
        const messages = await writing.restate(reader, cut);
        const state = foldMade(reader, messages);
        expectSame(held(state.freeze()), await stateAt(truth, cut));
        let shown = 0;
        for await (const batch of reader.batches({ start: cut + 1 })) {
          for (let i = 0; i < batch.length; i++) {
            reader.state.apply(state, batch, i);
            const isLast = i + 1 === batch.length || batch.time[i + 1]! > batch.time[i]!;
            if (!isLast || shown++ % 97 !== 0) continue;
            expectSame(held(state.freeze()), await stateAt(truth, batch.time[i]!));
          }
        }
      }),
      { numRuns: 12 },
    );
  });

  test("begins a trimmed recording, which holds what the whole does, before it is written and after", async () => {
    const reader = await readerOf(bytes);
    const { end } = await reader.timeline();
    const truth = new Fold(reader);
    const ticks = Math.max(2, end / TICK);
    const { entries } = (reader as HcrpReader).source;
    const cut = fc.oneof(
      fc.integer({ min: 1, max: ticks - 1 }),
      // where chunks begin
      fc.constantFrom(...entries.map(({ startTick }) => Math.max(1, startTick))),
    );
    await fc.assert(
      fc.asyncProperty(cut, async (tick) => {
        const from = tick * TICK;
        const operations: Operation[] = [{ op: "trim", from }];
        const edited = await applyEdits(await readerOf(bytes), { version: 1, operations }, CONTEXT);
        const to = new MemoryFiles("a.hcrp");
        await writeEdited(edited.reader, writing, to);
        await using written = await sound(to.bytes);
        expect(written.info.metadata["clip"]).toBe(
          reader.info.version.includes("production") ? undefined : !reader.info.version.includes("plain") || true,
        );
        const folds = [new Fold(edited.reader), new Fold(written.reader)];
        for (let at = from; at <= end; at += Math.max(1, Math.floor((ticks - tick) / 7)) * TICK) {
          const expected = await stateAt(truth, at);
          for (const fold of folds) expectSame(await stateAt(fold, at - from), expected);
        }
      }),
      { numRuns: 10 },
    );
  });
});

const CONTEXT = {
  writing,
  open: (): Promise<Reader> => Promise.reject(new Error("no other recording")),
  matching: (globs: readonly string[]) => (name: string) => globs.includes(name),
};

describe("an edited recording", () => {
  async function edited(bytes: Uint8Array, ...operations: Operation[]): Promise<Recording> {
    const { reader } = await applyEdits(
      await readerOf(bytes),
      { version: 1, operations },
      {
        ...CONTEXT,
        open: () => readerOf(made.get("plain.hcrp")!),
      },
    );
    const to = new MemoryFiles("a.hcrp");
    await writeEdited(reader, writing, to, { metadata: { provenance: { operations: operations.length } } });
    return sound(to.bytes);
  }
  const race = made.get("tower-race.hcrp")!;

  test("keeps marks at their ticks, and says where it was cut from", async () => {
    await using recording = await edited(race, { op: "trim", from: 20e9, until: 30e9 });
    const { hcrp, simtape } = recording.info.metadata["metadata"] as Record<string, Record<string, Value>>;
    const marks = hcrp!["marks"] as { tick: number; label: string }[];
    expect(marks.length).toBeGreaterThan(2);
    await using whole = await open(race);
    const all = (whole.info.metadata["metadata"] as { hcrp: { marks: { tick: number; label: string }[] } }).hcrp.marks;
    const inside = all.filter(({ tick }) => tick >= 400 && tick < 600);
    expect(marks.filter(({ tick }) => tick < 200)).toEqual(inside.map((mark) => ({ ...mark, tick: mark.tick - 400 })));
    expect(hcrp!["origin"]).toMatchObject({ from_tick: 400 });
    expect(simtape).toEqual({ provenance: { operations: 1 } });
    expect((await recording.timeline()).epoch).toBe((await whole.timeline()).epoch! + 20_000_000_000n);
    expect((await recording.timeline()).tick!.count).toBeLessThanOrEqual(200);
  });

  test("may begin later, be joined with another and be trimmed again", async () => {
    await using shifted = await edited(race, { op: "shift", by: 100 * TICK });
    await using whole = await open(race);
    expect(comparable(await shifted.state(200 * TICK))).toEqual(comparable(await whole.state(100 * TICK)));
    expect(comparable(await shifted.state(50 * TICK))).toEqual({ values: {}, sets: {} });
    await using joined = await edited(
      race,
      { op: "join", files: ["plain.hcrp"], gap: 5 * TICK },
      { op: "trim", from: 700 * TICK },
    );
    await using other = await open(made.get("plain.hcrp")!);
    for (const tick of [0, 100, 199]) {
      expect(held(await joined.state(tick * TICK))).toEqual(held(await whole.state((tick + 700) * TICK)));
    }
    for (const tick of [0, 100, 239]) {
      expect(held(await joined.state((tick + 906 - 700) * TICK))).toEqual(held(await other.state(tick * TICK)));
    }
    expect((await joined.timeline()).tick!.count).toBe(906 - 700 + 240);
  });

  test("without the events that filled the palettes still has their names", async () => {
    await using recording = await edited(race, { op: "filter", exclude: ["palette-add", "snapshot"] });
    const names = new Set<unknown>();
    for await (const { value } of recording.messages(recording.channel("set-block")))
      names.add((value as { blockName: unknown }).blockName);
    expect(names).toContain("minecraft:redstone_lamp[lit=true]");
    expect(names).not.toContain(null);
  });

  test("takes names of host events that an edit gives", async () => {
    await using recording = await edited(made.get("two-epochs.hcrp")!, {
      op: "rename",
      channels: { "my:event": "our:event" },
    });
    const statistics = await recording.statistics();
    expect(statistics[recording.channel("our:event").id]!.messages).toBe(2);
    expect(statistics[recording.channel("other:thing").id]!.messages).toBe(1);
  });
});

// ── other formats ───────────────────────────────────────────────────────

async function encoded(
  states: readonly State[],
  files: readonly [string, Uint8Array][] = [],
): Promise<{ bytes: Uint8Array; ledger: Ledger }> {
  const to = new MemoryFiles("a.hcrp");
  const writer = await createWriter(to, { epoch: 0n });
  const ledger = new Ledger();
  const encoder = writing.encoder(writer, ledger);
  for (const state of states) encoder.step(state);
  encoder.end();
  for (const [name, bytes] of files)
    await carryOriginal(writer, name, [bytes.subarray(0, 70_000), bytes.subarray(70_000)]);
  await writer.close();
  return { bytes: to.bytes, ledger };
}

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "\0", "\ud800", "/a/b", "__proto__"),
);
const numbers = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(-0, Number.NaN, Number.MAX_SAFE_INTEGER, 2 ** 53, -(2 ** 52), Number.POSITIVE_INFINITY),
);
const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    numbers,
    fc.bigInt(),
    texts,
    fc.uint8Array(),
    fc.uint16Array(),
    fc.int32Array(),
    fc.uint32Array(),
    fc.float32Array(),
    fc.float64Array(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      texts.filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
}));

const specs: Readonly<Record<string, ColumnSpec>> = {
  position: { kind: "f64", width: 3, unit: "cm", interpolation: "linear" },
  kind: { kind: "string", width: 1, unit: null },
  mass: { kind: "f32", width: 1, unit: "kg" },
  count: { kind: "i32", width: 2, unit: "" },
  bits: { kind: "u32", width: 1, unit: null },
  lights: { kind: "u8", width: 1, unit: null },
};

const change = fc.record({
  gap: fc.oneof(fc.integer({ min: 0, max: 3 * TICK }), fc.constant(40 * 200 * TICK)),
  values: fc.array(fc.tuple(fc.constantFrom("a", "b/c", "ü/\ud83d\ude80"), fc.option(anyValue, { nil: undefined })), {
    maxLength: 3,
  }),
  rows: fc.array(
    fc.record({
      set: fc.constantFrom("vehicles", "particles", "walkers"),
      id: fc.oneof(fc.integer({ min: -3, max: 6 }), fc.constantFrom("x", "hand.left", 0.5)),
      column: fc.constantFrom(...Object.keys(specs)),
      number: fc.integer({ min: -1e6, max: 1e6 }),
      remove: fc.boolean(),
    }),
    { maxLength: 6 },
  ),
  dense: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined, freq: 4 }),
  dropColumn: fc.boolean(),
});

const AXES_OF: Readonly<Record<string, Axes>> = {
  vehicles: { handed: "left", up: "z", kind: "local" },
  walkers: { handed: "right", up: "-y", kind: "local", own: { forward: "z", up: "-y" }, tickRate: 60 },
};

describe("state of any format", () => {
  test("comes back exactly at every tick: values, sets, columns, units, axes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const state = new MutableState();
        const states: State[] = [];
        for (const { gap, values, rows, dense, dropColumn } of changes) {
          state.time += gap;
          for (const [path, value] of values) {
            if (value === undefined) state.deleteValue(path);
            else state.setValue(path, value);
          }
          for (const { set: name, id, column, number, remove } of rows) {
            const set = state.set(name, AXES_OF[name] ?? null);
            if (remove) set.remove(id);
            else {
              const row = set.row(id);
              const cells = set.column(column, specs[column]!);
              if (column === "kind") cells.putText(row, `k${number}`);
              else for (let k = 0; k < specs[column]!.width; k++) cells.put(row, number + k, k);
            }
          }
          if (dropColumn) state.set("vehicles").deleteColumn("mass");
          if (dense !== undefined) {
            const set = state.set("atoms", { handed: "right", up: "y", kind: "geodetic" });
            set.dense(dense);
            if (dense > 0) set.column("mass", specs["mass"]!).replace(new Float32Array(dense).fill(gap));
          }
          states.push(state.freeze());
        }
        const { bytes } = await encoded(states);
        await using recording = await sound(bytes);
        for (const at of states) {
          const tick = Math.ceil(at.time / TICK);
          const last = states.findLast(({ time }) => time <= tick * TICK)!;
          expect(comparable(await recording.state(tick * TICK))).toEqual(comparable(last));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("has things at their places in the scene, on the grid, turned to Minecraft's axes", async () => {
    const state = new MutableState();
    const cars = state.set("vehicles", { handed: "left", up: "z", kind: "local" });
    for (const [id, x, yaw] of [
      [7, 1000, 90],
      [9, -250, 0],
    ] as const) {
      const row = cars.row(id);
      cars.column("position", { kind: "f64", width: 3, unit: "cm" }).put3(row, x, 300, 50);
      cars.column("rotation", { kind: "f64", width: 3, unit: "deg" }).put3(row, 0, 10, yaw);
      cars.column("kind", { kind: "string", width: 1, unit: null }).putText(row, "vehicle.a");
      cars.column("label", { kind: "string", width: 1, unit: null }).putText(row, id === 7 ? "hero" : "");
    }
    const first = state.freeze();
    state.time = TICK;
    cars.columns.get("position")!.put3(0, 1100, 300, 50);
    const second = state.freeze();
    state.time = 2 * TICK;
    cars.remove(9);
    const { bytes, ledger } = await encoded([first, second, state.freeze()]);
    expect(ledger.report(false, 3).lost).toEqual([]);
    expect(ledger.report(false, 3).carried).toEqual([{ path: "vehicles", count: 3 }]);
    await using recording = await sound(bytes);
    const events: [string, number, Record<string, Value>][] = [];
    for await (const { channel, time, value } of recording.messages())
      if (["spawn", "move", "remove"].includes(channel.name)) events.push([channel.name, time / TICK, value as never]);
    expect(events.map(([name, tick]) => `${tick} ${name}`)).toEqual([
      "0 spawn",
      "0 spawn",
      "1 move",
      "2 move",
      "2 remove",
    ]);
    const [spawn, , move] = events.map(([, , value]) => value);
    // x forward, y right, z up in cm become x, y up, z in blocks; the yaw counts from +z, clockwise
    expect(spawn).toMatchObject({
      q: Float64Array.of(10 * 4096, 0.5 * 4096, 3 * 4096),
      typeName: "simtape:vehicles/vehicle.a",
      profileName: "hero",
      yaw: 0,
      pitch: 65_536 - Math.round((10 * 65_536) / 360),
    });
    expect(move).toMatchObject({ entity: 1, residual: Float64Array.of(4096, 0, 0) });
    expect((await recording.state(0)).sets.get("entities")!.ids).toEqual([]);
  });

  test("is reported at the next tick, and that is accounted for", async () => {
    const at = (time: number): State => ({ time, values: new Map([["t", time]]), sets: new Map() });
    const { bytes, ledger } = await encoded([at(0), at(1), at(TICK), at(3.5 * TICK)]);
    await using recording = await sound(bytes);
    const seen: unknown[] = [];
    for (let tick = 0; tick < 5; tick++) seen.push((await recording.state(tick * TICK)).values.get("t"));
    expect(seen).toEqual([0, TICK, TICK, TICK, 3.5 * TICK]);
    expect(ledger.report(false, 4).lost).toEqual([expect.objectContaining({ path: "time", count: 2 })]);
  });

  test("is said whole at the beginning of chunks, so that seeking need not fold from the start", async () => {
    const states = Array.from(
      { length: 1500 },
      (_, i): State => ({
        time: i * TICK,
        values: new Map<string, Value>([
          ["n", i],
          ["fixed", "x".repeat(2000)],
        ]),
        sets: new Map(),
      }),
    );
    const { bytes } = await encoded(states);
    await using recording = await sound(bytes);
    const keyframe = (await recording.keyframe(1499 * TICK))!;
    expect(keyframe.time).toBeGreaterThan(200 * TICK);
    expect((await recording.state(1499 * TICK)).values.get("n")).toBe(1499);
    expect(bytes.length).toBeLessThan(40_000);
  });

  test("so large that a tick is a good part of a chunk keeps its names, wherever a chunk ends", async () => {
    for (const size of [9000, 30_000, 90_000, 400_000]) {
      const states = Array.from(
        { length: Math.ceil(3_000_000 / size) },
        (_, i): State => ({
          time: i * TICK,
          values: new Map<string, Value>([
            [`only/${i}`, { now: i }],
            ["bulk", "x".repeat(size - i)],
          ]),
          sets: new Map(),
        }),
      );
      // what is large comes first in its tick, with names that are known already
      const turned = states.map((state) => ({ ...state, values: new Map([...state.values].toReversed()) }));
      const { bytes } = await encoded(turned);
      await using recording = await sound(bytes);
      for (const state of [states[0]!, states[Math.floor(states.length / 2)]!, states.at(-1)!]) {
        expect((await recording.state(state.time)).values).toEqual(state.values);
      }
    }
  });

  test("needs a writer of its own", async () => {
    const production = await createWriter(new MemoryFiles(), { dialect: "production-5" });
    expect(() => writing.encoder(production, new Ledger())).toThrow(RangeError);
    await production.abort();
  });
});

const other = (path: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/${path}`, import.meta.url)));

describe("recordings of other formats", () => {
  test.each(["mira/patrol.tape", "flightgear/c172p-normal-mp.fgtape", "nanover/buckyball.nanover.zip"])(
    "%s holds the same when it has become HCRP",
    async (path) => {
      const name = path.slice(path.indexOf("/") + 1);
      await using source = await openRecording(bundleOfFiles({ [name]: other(path) }));
      const to = new MemoryFiles("a.hcrp");
      const report = await convert(source, writing, to);
      expect(report.lost.map((lost) => lost.path).filter((lost) => lost !== "time")).toEqual([]);
      await using recording = await sound(to.bytes);
      // where the converter took a step: at messages of the channel that carries motion
      const times: number[] = [];
      const { start } = await source.timeline();
      for await (const { time } of source.messages(source.motion ?? undefined)) times.push(time - start);
      for (let i = 0; i < times.length; i += Math.ceil(times.length / 9)) {
        const tick = Math.ceil(times[i]! / TICK);
        const last = times.findLast((time) => time <= tick * TICK)!;
        expect(comparable(await recording.state(tick * TICK))).toEqual(comparable(await source.state(start + last)));
      }
    },
  );
});

describe("files carried along", () => {
  const log = new Uint8Array(200_123).map((_, i) => (i * i) >> 5);
  const states: State[] = [0, 30].map((tick) => ({
    time: tick * TICK,
    values: new Map([["n", tick]]),
    sets: new Map(),
  }));

  async function back(reader: Reader, i = 0): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of originalsOf(reader)[i]!.bytes()) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  test("are given back byte for byte, each under its name", async () => {
    const { bytes } = await encoded(states, [
      ["run.traj", log],
      ["run.state", new Uint8Array(0)],
    ]);
    await using recording = await sound(bytes);
    expect(originalsOf(recording.reader).map(({ name, byteLength }) => [name, byteLength])).toEqual([
      ["run.traj", log.length],
      ["run.state", 0],
    ]);
    expect(Buffer.compare(await back(recording.reader), log)).toBe(0);
    expect((await back(recording.reader, 1)).length).toBe(0);
    const { end } = await recording.timeline();
    expect(end).toBeLessThanOrEqual(34 * TICK);
    expect(comparable(await recording.state(end))).toEqual(comparable(states[1]!));
    // what is played is read without them
    expect((await recording.keyframe(30 * TICK))!.time).toBe(0);
    const to = new MemoryFiles("b.hcrp");
    await rewrite(recording, writing, to, { compression: "small" });
    expect(Buffer.compare(await back(await readerOf(to.bytes)), log)).toBe(0);
  });

  test("are not given back for something else: a cut recording, another format's, damaged pieces", async () => {
    const { bytes } = await encoded(states, [["run.log", log]]);
    const operations: Operation[] = [{ op: "trim", from: 5 * TICK }];
    const edited = await applyEdits(await readerOf(bytes), { version: 1, operations }, CONTEXT);
    expect(originalsOf(edited.reader)).toEqual([]);
    const to = new MemoryFiles("a.hcrp");
    await writeEdited(edited.reader, writing, to);
    expect(originalsOf(await readerOf(to.bytes))).toEqual([]);
    await using tape = await openRecording(bundleOfFiles({ "a.tape": other("mira/patrol.tape") }));
    expect(originalsOf(tape.reader)).toEqual([]);
    const broken = bytes.slice();
    broken[broken.length - 400]! ^= 0x40;
    await expect(back(await readerOf(broken))).rejects.toMatchObject({ code: "malformed", format: "hcrp" });
  });
});

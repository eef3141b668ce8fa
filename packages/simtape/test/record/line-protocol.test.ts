import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryStore, type Recording, type State, type Store, type Value } from "../../src/index.ts";
import { LINES } from "../../src/record/lines/commands.ts";
import { LineError, LineProtocol, type LineProtocolOptions } from "../../src/record/lines/line-protocol.ts";
import type { RecorderOptions } from "../../src/record/live/recorder-options.ts";
import { record } from "../../src/record/live/recorder.ts";
import { tries } from "../soak.ts";
import { openRecording } from "./walk.ts";

const UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5";

interface Options extends Partial<LineProtocolOptions> {
  readonly store?: Store;
  readonly recorder?: Partial<RecorderOptions>;
}

function protocol({ store = memoryStore(), recorder, ...options }: Options = {}): LineProtocol {
  return new LineProtocol({
    open: (header) => record(store, { id: "run", now: () => 0, ...header, ...recorder }),
    ...options,
  });
}

function bytesOf(lines: readonly (object | string)[]): Uint8Array {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
  return new TextEncoder().encode(text);
}

/** Records lines, and opens what came of them. */
async function recorded(lines: readonly (object | string)[], options: Options = {}): Promise<Recording> {
  const store = options.store ?? memoryStore();
  const into = protocol({ ...options, store });
  await into.feed(bytesOf(lines));
  await into.finish();
  into.settle();
  await into.recorder!.close({ outcome: into.ended ?? "abandoned" });
  return openRecording(store, "run");
}

function tickTime(tick: number): number {
  return tick * 50e6;
}

/** Rows of a set as objects. */
function rowsOf(state: State, name: string): Map<number | string, Record<string, number | string | number[]>> {
  const set = state.sets.get(name);
  const rows = new Map<number | string, Record<string, number | string | number[]>>();
  for (const [i, id] of (set?.ids ?? []).entries()) {
    const row: Record<string, number | string | number[]> = {};
    for (const [column, { data, width }] of set!.columns)
      row[column] = width === 1 ? data[i]! : Array.from(data.slice(i * width, (i + 1) * width) as Float64Array);
    rows.set(id, row);
  }
  return rows;
}

describe("a world that is reported", () => {
  test("is there, with everything that was said of it", async () => {
    const recording = await recorded([
      { simtape: 1, worldId: UUID, server: "demo 1", dataVersion: 4556, startedAt: "2026-02-01T12:00:00Z" },
      { tick: 900 },
      { join: { id: "steve", uuid: UUID, name: "Steve", at: [1, 64, 2], look: [90, 10] } },
      { spawn: { id: 7, type: "minecraft:horse", at: [3, 64, 2] } },
      { spawn: { id: "7", type: "minecraft:pig", at: [4, 64, 2], onGround: true } },
      { tick: 901 },
      { move: { id: "steve", at: [1.5, 64, 2] } },
      { state: { id: "steve", flags: 8 } },
      { state: { id: "steve", pose: 3 } },
      { equipment: { id: "steve", items: { 0: "minecraft:stick", 5: null } } },
      { heldSlot: { id: "steve", slot: 4 } },
      { vitals: { id: "steve", health: 19.5, food: 18, xp: 30 } },
      { mount: { id: 7, passengers: ["steve"] } },
      { block: { at: [1, 63, 2], state: "minecraft:stone" } },
      { world: { time: 6000, weather: 1 } },
      { chat: { text: "hello", from: "steve" } },
      { mark: { kind: "checkpoint", label: "first", id: "steve" } },
      { event: "demo:score", value: { points: 3 } },
      { event: "demo:blob", base64: "AQID" },
      { tick: 902 },
      { teleport: { id: "7", at: [100, 64, 2] } },
      { remove: { id: 7 } },
      { end: "completed" },
      "this is not looked at",
    ]);
    const { metadata } = recording.info;
    expect(metadata).toMatchObject({ worldId: UUID, finished: true, dataVersion: 4556 });
    expect(metadata["metadata"]).toMatchObject({
      hcrp: { outcome: "completed", marks: [{ label: "first", tick: 1 }] },
    });
    expect((await recording.timeline()).epoch).toBe(1_769_947_200_000_000_000n);
    const at = await recording.state(tickTime(1));
    expect(rowsOf(at, "players").get(1)).toMatchObject({
      position: [1.5, 64, 2],
      rotation: [0, expect.closeTo(10, 2), 90],
      label: "Steve",
      flags: 8,
      pose: 3,
      health: 19.5,
      food: 18,
      xp: 30,
      "held-slot": 4,
      parent: 2,
    });
    expect(rowsOf(at, "entities").get(3)).toMatchObject({ kind: "minecraft:pig", "on-ground": 1 });
    expect(rowsOf(at, "blocks").get("1,63,2")).toMatchObject({ kind: "minecraft:stone" });
    expect(at.values.get("world/time")).toBe(6000);
    expect([...rowsOf(await recording.state(tickTime(2)), "entities")]).toMatchObject([
      [3, { position: [100, 64, 2] }],
    ]);
    const events: string[] = [];
    for await (const message of recording.messages(recording.channel("demo:score")))
      events.push(new TextDecoder().decode(message.payload));
    for await (const message of recording.messages(recording.channel("demo:blob"))) events.push(message.payload.join());
    expect(events).toEqual(['{"points":3}', "1,2,3"]);
  });

  const id = fc.oneof(fc.constantFrom("a", "b", "1"), fc.constantFrom(1, 2));
  const coordinate = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  const at = fc.tuple(coordinate, coordinate, coordinate);
  const angle = fc.integer({ min: 0, max: 359 });
  const look = fc.tuple(angle, fc.integer({ min: -90, max: 90 }));
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ move: fc.record({ id, at, look }, { requiredKeys: ["id"] }) }) },
    { weight: 2, arbitrary: fc.record({ spawn: fc.record({ id, at, type: fc.constantFrom("x:car", "x:tree") }) }) },
    { weight: 1, arbitrary: fc.record({ teleport: fc.record({ id, at }) }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.record({ id }) }) },
    { weight: 4, arbitrary: fc.record({ wait: fc.integer({ min: 1, max: 300 }) }) },
  );

  test("at every tick is what the lines have made of it, whatever they are, and however they are cut", async () => {
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.array(fc.nat(3000), { maxLength: 8 }),
      async (steps, cuts) => {
        const things = new Map<string | number, { at: readonly number[]; look: readonly number[] }>();
        const reported = new Map<number, (readonly number[])[]>();
        const lines: object[] = [{ simtape: 1 }, { tick: 0 }];
        let tick = 0;
        for (const one of steps) {
          if ("wait" in one) {
            reported.set(tick, placesOf(things));
            tick += one.wait;
            lines.push({ tick });
            continue;
          }
          lines.push(one);
          const { id: of, ...rest } = Object.values(one)[0] as { id: string | number };
          const known = things.get(of);
          if ("spawn" in one) {
            if (known === undefined) things.set(of, { look: [0, 0], ...one.spawn });
          } else if (known !== undefined && "remove" in one) things.delete(of);
          else if (known !== undefined) Object.assign(known, rest);
        }
        reported.set(tick, placesOf(things));
        const store = memoryStore();
        const into = protocol({ store, skipped: () => undefined });
        const bytes = bytesOf(lines);
        let from = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
          await into.feed(bytes.subarray(from, Math.max(from, cut)));
          from = Math.max(from, cut);
        }
        await into.recorder!.close();
        const recording = await openRecording(store, "run");
        for (const [time, places] of reported) {
          const { position, rotation } = Object.fromEntries(
            (await recording.state(tickTime(time))).sets.get("entities")!.columns,
          );
          const found = places.map((_, i) => [
            ...Array.from(position!.data.slice(3 * i, 3 * i + 3) as Float64Array),
            ...Array.from(rotation!.data.slice(3 * i, 3 * i + 3) as Float64Array),
          ]);
          expect(found).toHaveLength(places.length);
          // rows ascend by entity, as things came
          for (const [i, place] of places.entries()) {
            const error = place.map((value, k) => {
              const away = Math.abs(value - found[i]![k]!);
              return k < 3 ? away : Math.min(away, 360 - away);
            });
            expect(Math.max(...error.slice(0, 3)), JSON.stringify([place, found[i]])).toBeLessThanOrEqual(
              1 / 8192 + 1e-9,
            );
            expect(Math.max(...error.slice(3)), JSON.stringify([place, found[i]])).toBeLessThanOrEqual(0.00275);
          }
        }
      },
    );
    await fc.assert(property, { numRuns: tries(20, 500) });
  });

  function placesOf(things: ReadonlyMap<unknown, { at: readonly number[]; look: readonly number[] }>): number[][] {
    return Array.from(things.values(), ({ at: [x, y, z], look: [yaw, pitch] }) => [x!, y!, z!, 0, pitch!, yaw!]);
  }
});

describe("the state of any simulator", () => {
  test("has columns as declared, or as they are first used", async () => {
    const recording = await recorded([
      {
        simtape: 1,
        sets: {
          cars: {
            axes: { handed: "left", up: "z" },
            columns: { position: "cm", gear: { kind: "i32" }, rotation: { unit: "rad", width: 3 } },
          },
        },
      },
      { tick: 0 },
      { entities: { cars: { a: { position: [1, 2, 3], gear: -1, kind: "bus", braking: true, speed: 2.5 }, b: {} } } },
      { sets: { cars: { columns: { load: "kg" } } } },
      { entities: { cars: { b: { load: 7, position: [4, null, 6] } } } },
    ]);
    const cars = (await recording.state(0)).sets.get("cars")!;
    expect(cars.axes).toMatchObject({ handed: "left", up: "z", kind: "local" });
    expect(Object.fromEntries(cars.columns)).toMatchObject({
      position: { width: 3, unit: "cm", interpolation: "linear", data: Float64Array.of(1, 2, 3, 4, Number.NaN, 6) },
      gear: { unit: null, interpolation: "hold", data: Int32Array.of(-1, 0) },
      kind: { data: ["bus", ""] },
      braking: { data: Uint8Array.of(1, 0) },
      speed: { data: Float64Array.of(2.5, Number.NaN) },
      load: { unit: "kg", data: Float64Array.of(Number.NaN, 7) },
    });
  });

  test("means what its axes state, in the recording too", async () => {
    const axes = {
      handed: "left",
      up: "y",
      angles: { order: "yaw-pitch-roll", roll: "left", pitch: "down", yaw: "right", zero: "z" },
      own: { forward: "z", up: "y" },
      tickRate: 90,
    };
    const things = { entities: { riders: { a: { position: [1, 2, 3], rotation: [0, 0, 90] } } } };
    const recording = await recorded([{ simtape: 1, sets: { riders: { axes } } }, { tick: 0 }, things]);
    expect((await recording.state(0)).sets.get("riders")!.axes).toEqual({ ...axes, kind: "local", velocities: "set" });
  });

  const path = fc.constantFrom("a", "b/c", "d.e", "__proto__");
  const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Value>;
  const cells = fc.record(
    {
      position: fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.integer()),
      label: fc.string(),
      on: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  const step = fc.oneof(
    fc.record({ set: fc.dictionary(path, value, { noNullPrototype: true }) }),
    fc.record({
      entities: fc.dictionary(
        fc.constantFrom("cars", "people"),
        fc.dictionary(fc.constantFrom("x", "y", "10", "9"), fc.option(cells), { noNullPrototype: true }),
        { noNullPrototype: true },
      ),
    }),
    fc.record({ wait: fc.integer({ min: 1, max: 300 }) }),
  );

  test("at every tick is what the lines have made of it", async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const values = new Map<string, Value>();
      const sets = new Map<string, Map<string, Record<string, unknown>>>();
      const reported = new Map<number, string>();
      const lines: object[] = [{ tick: 0 }];
      let tick = 0;
      const note = (): unknown => reported.set(tick, JSON.stringify([sorted(values), sorted(sets)]));
      for (const one of steps) {
        if ("wait" in one) {
          note();
          tick += one.wait;
          lines.push({ tick });
          continue;
        }
        lines.push(one);
        if ("set" in one)
          for (const [key, item] of Object.entries(one.set)) {
            if (item === null) values.delete(key);
            else values.set(key, JSON.parse(JSON.stringify(item)) as Value);
          }
        else
          for (const [name, things] of Object.entries(one.entities)) {
            const set = sets.get(name) ?? new Map<string, Record<string, unknown>>();
            sets.set(name, set);
            for (const [key, row] of Object.entries(things)) {
              if (row === null) set.delete(key);
              else set.set(key, { ...set.get(key), ...row });
            }
          }
      }
      note();
      const recording = await recorded([...lines, { commit: true }]);
      for (const [time, expected] of reported) {
        const state = await recording.state(tickTime(time));
        const found = new Map<string, Map<string, Record<string, unknown>>>();
        for (const name of sets.keys()) {
          if (!state.sets.has(name)) continue;
          const rows = new Map<string, Record<string, unknown>>();
          for (const [key, { position, label, on }] of rowsOf(state, name)) {
            const known = (position as number[] | undefined)?.every((cell) => !Number.isNaN(cell)) === true;
            rows.set(String(key), { ...(known ? { position } : {}), label: label ?? "", on: (on ?? 0) === 1 });
          }
          found.set(name, rows);
        }
        const wanted = JSON.parse(expected) as [unknown, [string, [string, object][]][]];
        const full = wanted[1].map(([name, rows]) => [
          name,
          rows.map(([key, row]) => [key, { label: "", on: false, ...row }]),
        ]);
        expect(normal(sorted(state.values))).toEqual(normal(wanted[0]));
        // sets that no line has filled yet may be missing
        const filled = (all: unknown): unknown[] =>
          (all as [string, unknown[]][]).filter(([, rows]) => rows.length > 0);
        expect(normal(filled(JSON.parse(JSON.stringify(sorted(found)))))).toEqual(normal(filled(full)));
      }
    });
    await fc.assert(property, { numRuns: tries(20, 500) });
  });

  function sorted(map: ReadonlyMap<string, unknown>): [string, unknown][] {
    return [...map]
      .map(([key, item]): [string, unknown] => [key, item instanceof Map ? sorted(item) : item])
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** -0 is 0 in JSON text, and keys have no order. */
  function normal(item: unknown): unknown {
    return JSON.parse(JSON.stringify(item)) as unknown;
  }
});

describe("a line that cannot be taken", () => {
  const start = [{ tick: 5 }, { spawn: { id: "a", type: "x:y", at: [0, 0, 0] } }];
  const long = "x".repeat(1 << 20);
  test.each<[string, string | object, RegExp]>([
    ["no JSON", "move a", /^line 3: expected an object in JSON, found /],
    ["no object", [1], /^line 3: expected an object, found \[1\]$/],
    ["an unknown key", { mvoe: 1 }, /^line 3: expected one of simtape, tick, time, .*; found "mvoe"$/],
    ["a key of every object", { constructor: 1 }, /^line 3: expected one of .*; found "constructor"$/],
    ["nothing", {}, /^line 3: expected one of .*; found nothing$/],
    ["two things", { tick: 6, commit: true }, /^line 3: expected one thing in a line, found "tick", "commit"$/],
    [
      "a missing field",
      { move: { at: [1, 2, 3] } },
      /^line 3: move\.id: expected an id: text or a whole number, found nothing$/,
    ],
    [
      "a field of another kind",
      { move: { id: "a", at: [1, 2] } },
      /^line 3: move\.at\[2\]: expected a number from -2147483648 to 2147483648, found nothing$/,
    ],
    ["a number too many", { move: { id: "a", at: [1, 2, 3, 4] } }, /^line 3: move\.at\[3\]: expected only 3 numbers/],
    ["no list of numbers", { move: { id: "a", at: 1 } }, /^line 3: move\.at: expected 3 numbers, found 1$/],
    [
      "a number without end",
      '{"move":{"id":"a","at":[1,2,1e999]}}',
      /^line 3: move\.at\[2\]: expected a number .*, found Infinity$/,
    ],
    [
      "an object that does not turn into a number",
      { move: { id: "a", head: { toString: 1 } } },
      /^line 3: move\.head: expected a number .*, found \{"toString":1\}$/,
    ],
    [
      "a field too many",
      { move: { id: "a", to: [1, 2, 3] } },
      /^line 3: move: expected only id, at, look, head, onGround, found "to"$/,
    ],
    ["a thing that is not there", { swing: { id: "b" } }, /^line 3: swing: nothing has the id "b": spawn it first$/],
    ["an id that is another kind of value", { swing: { id: null } }, /^line 3: swing\.id: expected an id/],
    ["a thing that is there", start[1]!, /^line 3: spawn: something has the id "a" already: remove it first$/],
    ["a tick that is over", { tick: 4 }, /^line 3: tick: expected 5 or later, found 4$/],
    [
      "a tick far ahead",
      { tick: 5 + 1_728_001 },
      /^line 3: tick: expected at most a day later than before, found 1728006$/,
    ],
    ["a header", { simtape: 1 }, /^line 3: simtape: the header is the first line$/],
    ["a state in a world", { set: { a: 1 } }, /^line 3: set: the recording has a world/],
    [
      "an event of ours",
      { event: "simtape:x" },
      /^line 3: event: expected a name such as my-simulator:score, found "simtape:x"$/,
    ],
    [
      "an event with two payloads",
      { event: "a:b", value: 1, base64: "" },
      /^line 3: event: expected value or base64, found both$/,
    ],
    ["bad base64", { event: "a:b", base64: "?" }, /^line 3: base64: expected bytes in base64, found "\?"$/],
    [
      "an outcome that is none",
      { end: "open" },
      /^line 3: end: expected one of "completed", "reset", "abandoned", "crashed", found "open"$/,
    ],
    ["a line of more than 1 MiB", `"${long}"`, /^line 3: expected at most 1 MiB in a line, found more$/],
    ["a long value", { chat: { text: long.slice(0, 9999), from: "b" } }, /^line 3: chat: nothing has the id "b"/],
  ])("ends the recording or is skipped, and is reported: %s", async (_, line, message) => {
    const strict = protocol();
    const error = await strict.feed(bytesOf([...start, line])).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LineError);
    expect((error as LineError).message).toMatch(message);
    const skipped: string[] = [];
    const lenient = protocol({ skipped: (fault) => skipped.push(fault.message) });
    await lenient.feed(bytesOf([...start, line, { move: { id: "a", at: [1, 2, 3] } }]));
    expect(skipped).toEqual([(error as LineError).message]);
    expect([lenient.lines, lenient.skipped]).toEqual([4, 1]);
    await lenient.recorder!.close();
    await strict.recorder!.close();
  });

  test.each([
    [{ simtape: 2 }, /^line 1: simtape: expected 1, found 2$/],
    [{ simtape: 1, rate: 0 }, /^line 1: rate: expected ticks per second, from one a day to a billion, found 0$/],
    [{ simtape: 1, worldId: "earth" }, /^line 1: worldId: expected a UUID, found "earth"$/],
    [{ simtape: 1, worldVersion: "é".repeat(9) }, /^line 1: worldVersion: expected a text of at most 16 bytes/],
    [{ simtape: 1, metadata: { hcrp: {} } }, /^line 1: metadata\.hcrp: expected a key other than hcrp and simtape/],
    [{ simtape: 1, sets: { cars: { axes: { up: "x" } } } }, /^line 1: sets\.cars\.axes\.handed: expected one of/],
    [
      { simtape: 1, sets: { cars: { axes: { handed: "left", up: "w" } } } },
      /^line 1: sets\.cars\.axes\.up: expected one/,
    ],
    [
      { simtape: 1, sets: { cars: { axes: { handed: "left", up: "z", own: { forward: "z", up: "z" } } } } },
      /^line 1: sets\.cars\.axes: expected axes that agree \(forward and up are the same axis: z, z\), found/,
    ],
    [{ simtape: 1, ticks: 20 }, /^line 1: expected only simtape, rate, .*, found "ticks"$/],
  ])("may be the header: %j", async (header, message) => {
    const into = protocol();
    await expect(into.feed(bytesOf([header]))).rejects.toThrow(message);
    expect(into.recorder).toBe(null);
  });

  test("leaves nothing of itself behind", async () => {
    const recording = await recorded(
      [
        { set: { a: 1 } },
        { entities: { cars: { a: { speed: 1, wheels: [1, 2] } } } },
        { entities: { cars: { a: { speed: 2 }, b: { speed: 3, wheels: [1, 2, 3] } }, people: { c: {} } } },
        { move: { id: "a" } },
      ],
      { skipped: () => undefined },
    );
    const state = await recording.state(0);
    expect([...rowsOf(state, "cars")]).toEqual([["a", { speed: 1, wheels: [1, 2] }]]);
    expect(state.sets.has("people")).toBe(false);
  });

  test("may be bytes that are no text, or a last line that was cut", async () => {
    const skipped: string[] = [];
    const into = protocol({ skipped: ({ message }) => skipped.push(message) });
    await into.feed(bytesOf([{ tick: 0 }]));
    await into.feed(Uint8Array.of(0x7b, 0xff, 0x7d, 0x0a, 0x0d, 0x0a, 0x0a));
    await into.feed(new TextEncoder().encode('{"chat":{"te'));
    await into.finish();
    expect(skipped).toEqual(["line 2: expected UTF-8, found other bytes", "line 5: the input ends within a line"]);
    await into.feed(new TextEncoder().encode('{"chat":{"text":"whole"}}'));
    await into.finish();
    expect([into.lines, into.skipped]).toEqual([6, 2]);
    await into.recorder!.close();
  });
});

describe("ticks", () => {
  /** The recorded tick behind each of some lines. */
  async function ticksOf(lines: readonly object[]): Promise<number[]> {
    const into = protocol();
    const ticks: number[] = [];
    for (const line of lines) {
      await into.feed(bytesOf([line]));
      ticks.push(into.recorder!.tick);
    }
    await into.recorder!.close();
    return ticks;
  }

  test("begin with the sender's first", async () => {
    expect(await ticksOf([{ tick: 5000 }, { tick: 5001 }, { tick: 5001 }, { tick: 5020 }])).toEqual([0, 1, 1, 20]);
  });

  test("are seconds as well, a moment between two is reported at the later one", async () => {
    const seconds = [1_769_947_200.05, 1_769_947_200.1, 1_769_947_200.15, 1_769_947_200.16, 1_769_947_201.05];
    expect(await ticksOf(seconds.map((time) => ({ time })))).toEqual([0, 1, 2, 3, 20]);
    expect(await ticksOf([{ time: 0 }, { time: 6.15 }, { time: 6.2 }])).toEqual([0, 123, 124]);
  });

  test("go at the rate that the header tells", async () => {
    const ticks = [0, 1, 2, 3, 6, 60].map((tick) => ({ tick }));
    expect(await ticksOf([{ simtape: 1, rate: 60 }, ...ticks])).toEqual([0, 0, 1, 1, 1, 2, 20]);
  });

  test("go on with a sender that goes on, and begin again with one that begins again", async () => {
    const into = protocol();
    await into.feed(bytesOf([{ tick: 100 }, { tick: 110 }]));
    await into.finish();
    await into.feed(bytesOf([{ simtape: 1 }, { tick: 130 }]));
    expect(into.recorder!.tick).toBe(30);
    await into.finish();
    await into.feed(bytesOf([{ tick: 3 }, { tick: 4 }]));
    expect(into.recorder!.tick).toBe(31);
    await into.recorder!.close();
  });

  test("go as the clock does when they are real", async () => {
    let time = 1000;
    const into = protocol({ ticks: "real", now: () => time });
    await into.feed(bytesOf([{ spawn: { id: 1, type: "x:y", at: [0, 0, 0] } }]));
    time += 120;
    await into.feed(bytesOf([{ tick: 77 }, { move: { id: 1, at: [1, 0, 0] } }]));
    expect(into.recorder!.tick).toBe(2);
    time += 1000;
    into.poll();
    expect(into.recorder!.tick).toBe(22);
    await into.recorder!.close();
  });

  test("of which no more comes are over, so that they are committed", async () => {
    const store = memoryStore();
    let time = 1000;
    const now = (): number => time;
    const into = protocol({ store, now, recorder: { now, commit: { every: 30_000 } } });
    await into.feed(bytesOf([{ tick: 7 }, { chat: { text: "once" } }]));
    for (const pause of [1000, 29_000, 2000]) {
      time += pause;
      into.poll();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const recording = await openRecording(store, "run");
    expect((await recording.state(tickTime(1))).values.get("chat")).toMatchObject({ text: "once" });
    await into.feed(bytesOf([{ tick: 7 }, { chat: { text: "twice" } }, { tick: 8 }, { tick: 9 }]));
    expect(into.recorder!.tick).toBe(2);
    await into.recorder!.close();
  });
});

test("what one sender has sent still holds for the next, until it is reset", async () => {
  const store = memoryStore();
  const into = protocol({ store });
  await into.feed(bytesOf([{ tick: 0 }, { spawn: { id: "a", type: "x:y", at: [0, 0, 0] } }]));
  await into.finish();
  await into.feed(bytesOf([{ tick: 1 }, { move: { id: "a", at: [1, 0, 0] } }, { tick: 2 }, { reset: true }]));
  await into.feed(bytesOf([{ spawn: { id: "a", type: "x:y", at: [5, 0, 0] } }]));
  await into.recorder!.close();
  const recording = await openRecording(store, "run");
  const at = async (tick: number): Promise<unknown> => [...rowsOf(await recording.state(tickTime(tick)), "entities")];
  expect(await at(1)).toMatchObject([[1, { position: [1, 0, 0] }]]);
  expect(await at(2)).toMatchObject([[2, { position: [5, 0, 0] }]]);
});

test.each([
  ["a world", [{ tick: 0 }, { spawn: { id: "a", type: "x:y", at: [0, 0, 0] } }]],
  ["states", [{ tick: 0 }, { entities: { cars: { a: { position: [0, 0, 0] } } } }]],
])("a recording of %s that is gone on with gives no number out again", async (_, lines) => {
  const store = memoryStore();
  const ended = protocol({ store });
  await ended.feed(bytesOf([...lines, { tick: 9 }]));
  await ended.recorder!.flush();
  await ended.recorder!.abort();
  const recording = await recorded(lines, { store, recorder: { resume: true } });
  const spawned: unknown[] = [];
  for await (const { value } of recording.messages(recording.channel("spawn")))
    spawned.push((value as { entity: number }).entity);
  expect(spawned).toEqual([1, 2]);
});

test("a recording that is linked to the one before it begins with the whole state", async () => {
  const store = memoryStore();
  const into = protocol({ store, recorder: { limits: { ticks: 20 } } });
  await into.feed(bytesOf([{ tick: 0 }, { set: { a: 1 } }]));
  for (let tick = 1; tick < 60; tick++) {
    await into.feed(bytesOf([{ tick }]));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await into.recorder!.close();
  const { id } = into.recorder!.status;
  expect(id).not.toBe("run");
  const recording = await openRecording(store, id);
  const { end } = await recording.timeline();
  expect((await recording.state(end)).values.get("a")).toBe(1);
});

test("the input waits for a store that does not keep up", async () => {
  const store = memoryStore();
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== "function") return member;
      const call = member.bind(target) as (...words: unknown[]) => Promise<unknown>;
      if (name !== "put") return call;
      return async (key: string, ...words: unknown[]) => {
        if (key.includes("seg-")) await gate;
        return call(key, ...words);
      };
    },
  });
  const into = protocol({
    store: slow,
    recorder: { buffer: { policy: "block", bytes: 1_500_000 } },
  });
  const lines: object[] = [];
  for (let tick = 0; tick < 400; tick++) {
    lines.push({ tick });
    for (let n = 0; n < 4; n++) {
      lines.push({ event: "a:b", base64: randomBytes(3000).toString("base64") });
    }
  }
  let isOver = false;
  const feeding = into.feed(bytesOf(lines)).then(() => {
    isOver = true;
  });
  while (into.recorder?.ready == null) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(isOver).toBe(false);
  release();
  await feeding;
  await into.recorder!.close();
  expect(into.recorder!.status.dropped).toEqual({});
  const recording = await openRecording(store, "run");
  let count = 0;
  for await (const batch of recording.batches({ channels: [recording.channel("a:b")] })) count += batch.length;
  expect(count).toBe(1600);
});

describe("docs/line-protocol.md", () => {
  const page = readFileSync(new URL("../../../../docs/line-protocol.md", import.meta.url), "utf8");

  test("names every key", () => {
    for (const key of LINES.keys()) expect(page, key).toContain(`"${key}"`);
  });

  test("has examples that are taken as they are", async () => {
    const examples = [...page.matchAll(/^```ndjson\n([\s\S]*?)^```$/gm)].map((match) => match[1]!.trim().split("\n"));
    expect(examples.length).toBeGreaterThan(2);
    for (const lines of examples) {
      const recording = await recorded(lines);
      expect(recording.info.metadata["finished"]).toBe(true);
    }
  });
});

test("a report goes to whom it may concern with the second of its tick, and is a bad line where it concerns none", async () => {
  const lines = bytesOf([{ tick: 0 }, { tick: 50 }, { report: { subject: "steve" } }]);
  const reports: unknown[] = [];
  await protocol({ report: (...reported) => reports.push(reported) }).feed(lines);
  expect(reports).toEqual([[{ subject: "steve" }, 2.5]]);
  await expect(protocol().feed(lines)).rejects.toThrow("line 3: report: only a server takes reports");
});

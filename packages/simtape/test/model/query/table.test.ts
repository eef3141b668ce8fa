import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { originAt } from "../../../src/model/axes/geodesy.ts";
import { openBundle } from "../../../src/model/open.ts";
import type { Table, TableOptions } from "../../../src/model/query/table.ts";
import type { TableCells, TableColumn } from "../../../src/model/query/table-cells.ts";
import type { Recording } from "../../../src/model/recording.ts";
import { standardAxes } from "../../../src/model/axes/standard-axes.ts";
import type { State } from "../../../src/model/state/state.ts";
import { after } from "../../../src/model/values/time.ts";
import type { Channel, ChannelInfo, Value } from "../../../src/model/values/value.ts";
import { FORMATS } from "../../../src/index.ts";
import { tries } from "../../soak.ts";
import { REAL, SOUND, type SoundRecording } from "../../specimens.ts";

const ALL: readonly SoundRecording[] = [...SOUND, ...REAL];
/** Moments of a recording that are compared, and messages of a channel. */
const MOMENTS = tries(12, 300);
const MESSAGES = tries(60, 5000);

const opened = new Map<SoundRecording, Recording>();
afterAll(async () => {
  for (const recording of opened.values()) await recording.close();
});

async function open(specimen: SoundRecording): Promise<Recording> {
  const known = opened.get(specimen);
  if (known !== undefined) return known;
  const recording = await openBundle(specimen.bundle(), FORMATS);
  opened.set(specimen, recording);
  return recording;
}

const named = (name: string): SoundRecording => ALL.find((specimen) => specimen.name === name)!;

type Row = Record<string, Value | undefined>;

/** Cells by name; those that are not valid are not there. */
async function rowsOf(table: Table): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { columns, length } of table) {
    expect(columns).toMatchObject(table.columns);
    expect(length).toBeGreaterThan(0);
    for (const { data, valid } of columns) expect([data.length, valid.length]).toEqual([length, length]);
    for (let i = 0; i < length; i++) {
      const row: Row = {};
      for (const cells of columns) if (cells.valid[i] === 1) row[cells.name] = cellAt(cells, i);
      rows.push(row);
    }
  }
  return rows;
}

function cellAt({ kind, data }: TableCells, i: number): Value {
  return kind === "bool" ? data[i] === 1 : data[i]!;
}

/** Times with a message of motion, or of anything where there is no motion. */
async function momentsOf(recording: Recording, query: { start?: number; end?: number } = {}): Promise<number[]> {
  const channels = recording.motion === null ? undefined : [recording.motion];
  const times = new Set<number>();
  for await (const { time } of recording.batches({ ...query, channels })) for (const at of time) times.add(at);
  return [...times];
}

/** A row for each thing of a state, by what the state says of it. */
function naiveRows(state: State, name: string, ids: readonly (number | string)[] | null = null): Row[] {
  const set = state.sets.get(name);
  const rows: Row[] = [];
  set?.ids.forEach((id, row) => {
    if (ids !== null && !ids.includes(id)) return;
    const cells: Row = { time: state.time, id };
    for (const [column, { data, width }] of set.columns) {
      for (let k = 0; k < width; k++) {
        const value = data[row * width + k]!;
        if (!Number.isNaN(value)) cells[width === 1 ? column : `${column}.${"xyzw"[k] ?? k}`] = value;
      }
    }
    rows.push(cells);
  });
  return rows;
}

const setsOf = async (recording: Recording): Promise<string[]> => {
  const names = new Set<string>();
  const { start, end } = await recording.timeline();
  for (const at of [start, (start + end) / 2, end])
    for (const name of (await recording.state(at)).sets.keys()) names.add(name);
  return [...names];
};

describe("the table of a set", () => {
  test.each(ALL)("has what the state has at each recorded moment: $name", async (specimen) => {
    const recording = await open(specimen);
    const moments = await momentsOf(recording);
    const sets = await setsOf(recording);
    if (sets.length === 0) return;
    const query = fc.record({
      set: fc.constantFrom(...sets),
      from: fc.nat(moments.length),
      count: fc.integer({ min: 1, max: MOMENTS }),
    });
    const property = fc.asyncProperty(query, async ({ set, from, count }) => {
      const some = moments.slice(from, from + count);
      const start = from === 0 ? undefined : (moments[from] ?? after(moments.at(-1)!));
      const table = await recording.table(set, { start, end: moments[from + count] }).catch((error: unknown) => {
        // nothing of it is there in that part
        expect(String(error)).toContain(`no set "${set}"`);
        return null;
      });
      const expected: Row[] = [];
      for (const time of some) expected.push(...naiveRows(await recording.state(time), set));
      expect(table === null ? [] : await rowsOf(table)).toEqual(expected);
    });
    await fc.assert(property, { seed: 16, numRuns: tries(4, 40) });
  });

  test.each(ALL)("has what the state has at each step: $name", async (specimen) => {
    const recording = await open(specimen);
    const { start, end } = await recording.timeline();
    const sets = await setsOf(recording);
    if (sets.length === 0) return;
    const time = fc.integer({ min: start, max: Math.max(start, end) });
    const query = fc.record({
      set: fc.constantFrom(...sets),
      from: fc.option(time, { nil: undefined }),
      steps: fc.integer({ min: 1, max: 8 }),
    });
    const property = fc.asyncProperty(query, async ({ set, from, steps }) => {
      const every = Math.max(1, (end - (from ?? start)) / steps);
      const expected: Row[] = [];
      for (let n = 0; (from ?? start) + n * every < after(end); n++)
        expected.push(...naiveRows(await recording.state((from ?? start) + n * every), set));
      const options = { start: from, every };
      const table = await recording.table(set, options).catch(() => null);
      expect(table === null ? [] : await rowsOf(table)).toEqual(expected);
    });
    await fc.assert(property, { seed: 17, numRuns: tries(3, 40) });
  });

  test("tells names, units and kinds before the first row", async () => {
    const recording = await open(SOUND[0]!);
    const { columns } = await recording.table("vehicles");
    expect(columns.slice(0, 2)).toEqual([
      { name: "time", unit: "ns", kind: "f64" },
      { name: "id", unit: null, kind: "f64" },
    ]);
    expect(columns).toContainEqual({ name: "position.x", unit: "cm", kind: "f64" });
    expect(columns).toContainEqual({ name: "kind", unit: null, kind: "string" });
    expect(columns).toContainEqual({ name: "gear", unit: null, kind: "i32" });
    const tape = await open(named("c172p-normal-mp.fgtape"));
    const aircraft = await tape.table("aircraft");
    expect(aircraft.columns[1]).toEqual({ name: "id", unit: null, kind: "string" });
    expect(aircraft.columns.filter(({ name }) => name.startsWith("geodetic")).map(({ unit }) => unit)).toEqual([
      "deg",
      "deg",
      "ft",
    ]);
  });

  test("has the columns and things asked for, and no others", async () => {
    const recording = await open(SOUND[0]!);
    const all = await rowsOf(await recording.table("vehicles"));
    const some = await recording.table("vehicles", { columns: ["position", "gear", "rotation.z"], ids: [25] });
    expect(some.columns.map(({ name }) => name)).toEqual([
      ...["time", "id", "position.x", "position.y", "position.z", "rotation.z", "gear"],
    ]);
    const names = some.columns.map(({ name }) => name);
    const expected = all
      .filter(({ id }) => id === 25)
      .map((row) => Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]])));
    expect(await rowsOf(some)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(10);
  });

  test("is turned to other axes, in metres, when that is asked for", async () => {
    const recording = await open(SOUND[0]!);
    const columns = ["position", "rotation", "velocity", "kind"];
    const recorded = await rowsOf(await recording.table("vehicles", { columns }));
    const table = await recording.table("vehicles", { columns, axes: standardAxes("right", "z") });
    expect(table.axes).toMatchObject({ handed: "right", up: "z", velocities: "set" });
    expect((await recording.table("vehicles")).axes).toMatchObject({ handed: "left", up: "z" });
    expect(table.columns.map(({ name, unit }) => `${name} ${unit}`)).toEqual([
      ...["time ns", "id null", "kind null", "position.x m", "position.y m", "position.z m"],
      ...["rotation.x deg", "rotation.y deg", "rotation.z deg", "velocity.x m/s", "velocity.y m/s", "velocity.z m/s"],
    ]);
    // y to the other side; pitch and yaw the other way
    const signs: Record<string, number> = { "position.x": 0.01, "position.y": -0.01, "position.z": 0.01 };
    Object.assign(signs, { "rotation.y": -1, "rotation.z": -1, "velocity.y": -1 });
    const turned = await rowsOf(table);
    expect(turned.length).toBe(recorded.length);
    turned.forEach((row, n) => {
      for (const [name, cell] of Object.entries(recorded[n]!)) {
        if (typeof cell !== "number") expect(row[name]).toBe(cell);
        else {
          const difference = (row[name] as number) - cell * (signs[name] ?? 1);
          // angles may come out a turn away
          const rest = name.startsWith("rotation") ? Math.sin((difference * Math.PI) / 360) : difference;
          expect(rest, `${n} ${name}`).toBeCloseTo(0, 6);
        }
      }
    });
  });

  test("lies on the plane at its first place, or at the one given, when a geodetic set is turned", async () => {
    const recording = await open(named("c172p-normal-mp.fgtape"));
    const axes = standardAxes("right", "z");
    const asked = { columns: ["position", "geodetic"], ids: ["self"], axes };
    const rows = await rowsOf(await recording.table("aircraft", asked));
    for (const k of "xyz") expect(rows[0]![`position.${k}`]).toBeCloseTo(0, 6);
    const [north, east] = [rows.at(-1)!["geodetic.x"], rows.at(-1)!["geodetic.y"]] as [number, number];
    const [first, last] = [rows[0]!, rows.at(-1)!] as Record<string, number>[];
    expect(Math.sign(last!["position.y"]!)).toBe(Math.sign(north - first!["geodetic.x"]!));
    expect(Math.sign(last!["position.x"]!)).toBe(Math.sign(east - first!["geodetic.y"]!));
    const elsewhere = await rowsOf(await recording.table("aircraft", { ...asked, origin: originAt(north, east) }));
    for (const k of "xy") expect(elsewhere.at(-1)![`position.${k}`]).toBeCloseTo(0, 3);
  });

  test("leaves out what nothing says how to turn", async () => {
    const recording = await open(SOUND[0]!);
    const axes = standardAxes("right", "z");
    const { columns } = await recording.table("vehicles", { axes });
    const names = columns.map(({ name }) => name);
    expect(names).toContain("steering");
    expect(names).not.toContain("box-extent.x");
    await expect(recording.table("vehicles", { axes, columns: ["box-extent"] })).rejects.toThrow("no column");
    await expect(recording.table(recording.channel("position"), { axes })).rejects.toThrow(TypeError);
  });

  test("is refused for a thing that is never there, and names those that are", async () => {
    const recording = await open(SOUND[0]!);
    await expect(recording.table("vehicles", { ids: [25, 999] })).rejects.toThrow(
      /^nothing in vehicles has the id 999; there are: .*\b25\b/,
    );
    const [byNumber, byText] = await Promise.all(
      [25, "25"].map(async (id) => rowsOf(await recording.table("vehicles", { ids: [id] }))),
    );
    expect(byText).toEqual(byNumber);
  });

  test("can be gone through more than once", async () => {
    const table = await (await open(SOUND[0]!)).table("walkers");
    expect(await rowsOf(table)).toEqual(await rowsOf(table));
  });

  test("is refused for a set, a column or a step that is none", async () => {
    const recording = await open(SOUND[0]!);
    await expect(recording.table("cars")).rejects.toThrow('no set "cars"; there are: vehicles, walkers');
    await expect(recording.table("vehicles", { columns: ["colour"] })).rejects.toThrow(
      'no column "colour"; there are: time, id',
    );
    await expect(recording.table("vehicles", { every: 0 })).rejects.toThrow(RangeError);
    const channel = recording.channel("position");
    await expect(recording.table(channel, { every: 1 })).rejects.toThrow(TypeError);
    await expect(recording.table(channel, { ids: [1] })).rejects.toThrow(TypeError);
  });
});

/** Members of a value by their path; a list is a member. */
function leavesOf(value: Value, path: string, into: Map<string, Value>): Map<string, Value> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
  if (isObject)
    for (const [key, item] of Object.entries(value))
      leavesOf(item as Value, path === "" ? key : `${path}.${key}`, into);
  else if (value !== null) into.set(path === "" ? "value" : path, value);
  return into;
}

/** The cells that a value must have in a table of these columns. */
function naiveCells(value: Value, columns: readonly TableColumn[]): Row {
  const cells: Row = {};
  const kinds = new Map(columns.map(({ name, kind }) => [name, kind]));
  for (const [path, leaf] of leavesOf(value, "", new Map())) {
    const name = ["time", "sequence", "record"].includes(path) ? `value.${path}` : path;
    const kind = kinds.get(name);
    const isList = Array.isArray(leaf) || ArrayBuffer.isView(leaf);
    if (kind === undefined) {
      expect(isList, path).toBe(true);
      for (const [k, item] of Array.from(leaf as readonly Value[]).entries()) {
        const itemKind = kinds.get(`${name}.${k}`);
        expect(itemKind, `${path}.${k}`).toBeDefined();
        if (item !== null) cells[`${name}.${k}`] = cellOf(item, itemKind!);
      }
    } else cells[name] = cellOf(leaf, kind);
  }
  return cells;
}

function cellOf(value: Value, kind: string): Value {
  if (kind === "string") return typeof value === "string" ? value : naiveJson(value);
  return kind === "bigint" ? BigInt(value as number | bigint) : value;
}

function naiveJson(value: Value): string {
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return `[${Array.from(value as readonly Value[], (item) => naiveJson(item)).join(",")}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${naiveJson(item as Value)}`)
    .join(",")}}`;
}

async function naiveTable(
  recording: Recording,
  channel: Channel,
  options: TableOptions,
  columns: readonly TableColumn[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const message of recording.messages(channel, options)) {
    const { time, sequence } = message;
    let value: Value = null;
    try {
      value = message.value;
    } catch {
      // it has a row with nothing in it
    }
    if (Array.isArray(value))
      for (const [record, item] of value.entries())
        rows.push({ time, sequence, record, ...naiveCells(item as Value, columns) });
    else rows.push({ time, sequence, ...naiveCells(value, columns) });
  }
  return rows;
}

/** When the message so many behind the first one is. */
async function timeOf(recording: Recording, channel: ChannelInfo, count: number): Promise<number | undefined> {
  let left = count;
  for await (const { time, length } of recording.batches({ channels: [channel] })) {
    if (left < length) return time[left]!;
    left -= length;
  }
  return undefined;
}

describe("the table of a channel", () => {
  test.each(ALL)("has what each message says: $name", async (specimen) => {
    const recording = await open(specimen);
    for (const channel of recording.channels) {
      const options = { end: await timeOf(recording, channel, MESSAGES) };
      const table = await recording.table(channel, options);
      const expected = await naiveTable(recording, channel, options, table.columns);
      expect(await rowsOf(table), channel.name).toEqual(expected);
      expect(new Set(table.columns.map(({ name }) => name)).size, channel.name).toBe(table.columns.length);
    }
  });

  test.each(SOUND)("has some of its columns as they are among all: $name", async (specimen) => {
    const recording = await open(specimen);
    for (const channel of recording.channels) {
      const end = await timeOf(recording, channel, 40);
      const all = await recording.table(channel, { end });
      const some = all.columns.filter((_, i) => i % 2 === 0).map(({ name }) => name);
      const table = await recording.table(channel, { end, columns: some });
      const names = table.columns.map(({ name }) => name);
      expect(names, channel.name).toEqual(expect.arrayContaining(some));
      const rows = (await rowsOf(all)).map((row) =>
        Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]])),
      );
      expect(await rowsOf(table), channel.name).toEqual(rows);
    }
  });

  test("has a row for each record of a packet, as many as CARLA's files have", async () => {
    const counts: Readonly<Record<string, Readonly<Record<string, number>>>> = {
      "2020-DistanceBetweenVehicles.log": {
        position: 2460,
        state: 44_352,
        "anim-vehicle": 2460,
        "event-add": 181,
        collision: 0,
        "scene-light": 216,
      },
      "2021-DistanceToLaneCenter.log": { position: 51_836, state: 15_552, kinematics: 431, "bounding-box": 126 },
    };
    for (const specimen of REAL) {
      const recording = await open(specimen);
      for (const [name, count] of Object.entries(counts[specimen.name] ?? {})) {
        let rows = 0;
        for await (const { length } of await recording.table(recording.channel(name))) rows += length;
        expect(rows, `${specimen.name} ${name}`).toBe(count);
      }
    }
  });

  test("tells units and kinds of a tape's signals", async () => {
    const recording = await open(named("c172p-normal-mp.fgtape"));
    const { columns } = await recording.table(recording.channel("signals"));
    expect(columns).toContainEqual({ name: "/position/altitude-ft", unit: "ft", kind: "f64" });
    expect(columns).toContainEqual({ name: "/controls/gear/gear-down", unit: null, kind: "bool" });
  });

  test("has lists as lists, with the units that the format notes, and the axes of its numbers", async () => {
    const tape = await open(named("patrol.tape"));
    const scans = await tape.table(tape.channel("/robot/RangeFinder/Front"), {
      columns: ["range", "valid", "startAngle"],
    });
    expect(scans.columns.slice(2)).toEqual([
      { name: "startAngle", unit: "deg", kind: "f64" },
      { name: "range", unit: "m", kind: "list", items: "f32" },
      { name: "valid", unit: null, kind: "list", items: "u32" },
    ]);
    expect(scans.axes).toEqual((await tape.table("poses")).axes);
    const odometry = await tape.table(tape.channel("/robot/Odometry"));
    expect(odometry.columns.slice(2).map(({ unit }) => unit)).toEqual(["m", "m", "rad", "m/s", "m/s", "rad/s"]);
    const town = await open(SOUND[0]!);
    const position = await town.table(town.channel("position"));
    expect(position.columns.slice(4).map(({ unit }) => unit)).toEqual(["cm", "cm", "cm", "deg", "deg", "deg"]);
    expect(position.axes).toEqual((await town.table("vehicles")).axes);
    const race = await open(named("tower-race.hcrp"));
    expect((await race.table(race.channel("move"))).axes).toEqual((await race.table("players")).axes);
  });

  test("keeps values whose names are those of its own columns", async () => {
    const recording = await open(named("c172p-normal-mp.fgtape"));
    const channel = recording.channel("multiplayer");
    const { columns } = await recording.table(channel, { columns: ["value.time", "callsign", "position"] });
    expect(columns.map(({ name }) => name)).toEqual([
      ...["time", "sequence", "callsign", "value.time", "position.0", "position.1", "position.2"],
    ]);
  });

  test("is refused for a column that is not there", async () => {
    const recording = await open(SOUND[0]!);
    await expect(recording.table(recording.channel("position"), { columns: ["location", "colour"] })).rejects.toThrow(
      'no column "colour"; there are: time, sequence, record, id, location.0',
    );
  });

  test("takes the schema that a channel is given", async () => {
    const recording = await open(named("patrol.tape"));
    const channel = recording.channel("/robot/Bumper", {
      name: "made",
      decode: (payload) => ({ bytes: payload.length, large: payload[0] === 1 ? 2n ** 60n : 7 }),
    });
    const table = await recording.table(channel as unknown as Channel);
    expect(table.columns.slice(2)).toEqual([
      { name: "bytes", unit: null, kind: "f64" },
      { name: "large", unit: null, kind: "bigint" },
    ]);
    expect((await rowsOf(table)).map(({ large }) => large)).toEqual([2n ** 60n, 7n]);
  });
});

describe("a table", () => {
  test("stops when it is called off, and ends with its recording", async () => {
    const recording = await openBundle(SOUND[0]!.bundle(), FORMATS);
    const controller = new AbortController();
    const table = await recording.table("vehicles", { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(rowsOf(table)).rejects.toThrow("enough");
    await expect(recording.table("vehicles", { signal: controller.signal })).rejects.toThrow("enough");
    const other = await recording.table("vehicles");
    await recording.close();
    await expect(rowsOf(other)).rejects.toMatchObject({ code: "closed" });
    await expect(recording.table("vehicles")).rejects.toMatchObject({ code: "closed" });
  });

  test("comes in batches of bounded size, whose cells are the caller's own", async () => {
    const recording = await open(named("nanotube-rust.traj") ?? named("short pair"));
    const lengths: number[] = [];
    let rows = 0;
    const table = await recording.table("particles", { columns: ["position"] });
    let before: TableCells | null = null;
    for await (const { columns, length } of table) {
      lengths.push(length);
      rows += length;
      const cells = columns[2]!;
      if (before !== null) expect(before.data).not.toBe(cells.data);
      before = cells;
    }
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4096);
    expect(rows).toBeGreaterThan(0);
  });
});

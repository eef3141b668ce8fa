import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { carla } from "../../../src/formats/carla/format.ts";
import { RELEASES as NAMED } from "../../../src/formats/carla/write/releases.ts";
import { writing } from "../../../src/formats/carla/writing.ts";
import {
  type Axes,
  check,
  convert,
  MemoryFiles,
  MutableState,
  open as openRecording,
  placesOf,
  type Recording,
  type State,
  unsetOrigin,
  type Writer,
} from "../../../src/index.ts";
import { Ledger } from "../../../src/ops/convert.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { makeTown, RELEASES } from "../../fixtures/carla/make.ts";

const RIGHT: Axes = { handed: "right", up: "z", kind: "local" };
const LEFT: Axes = { handed: "left", up: "z", kind: "local" };

function open(bytes: Uint8Array): Promise<Recording> {
  return openRecording(bundleOfFiles({ "run.log": bytes }), { formats: [carla] });
}

/** One state after the other, written; gives the recording and the account. */
async function encoded(
  steps: readonly ((state: MutableState) => number)[],
  dialect = "0.9.15",
): Promise<{ recording: Recording; ledger: Ledger }> {
  const to = new MemoryFiles();
  const writer = await writing.create(to, { dialect });
  const ledger = new Ledger();
  const encoder = writing.encoder(writer, ledger);
  const state = new MutableState();
  for (const step of steps) {
    state.time = step(state);
    encoder.step(state.freeze());
  }
  encoder.end();
  await writer.close();
  const recording = await open(to.bytes);
  expect((await check(recording)).status).toBe("sound");
  expect(recording.findings).toEqual([]);
  return { recording, ledger };
}

function robot(state: MutableState, id: string | number, place: readonly number[], turn: readonly number[]): void {
  const set = state.set("poses", RIGHT);
  const row = set.row(id);
  set.column("position", { kind: "f64", width: 3, unit: "m" }).put3(row, place[0]!, place[1]!, place[2]!);
  set.column("rotation", { kind: "f64", width: 3, unit: "rad" }).put3(row, turn[0]!, turn[1]!, turn[2]!);
  set.column("velocity", { kind: "f64", width: 3, unit: "m/s" }).put3(row, 1, 2, 3);
  set.column("kind", { kind: "string", width: 1, unit: null }).putText(row, "mira::robot::Odometry2");
  set.column("label", { kind: "string", width: 1, unit: null }).putText(row, "scout");
  set.column("battery", { kind: "f64", width: 1, unit: null }).put(row, 0.5);
}

const numbers = (state: State, set: string, column: string): number[] =>
  Array.from(state.sets.get(set)!.columns.get(column)!.data as Float64Array);

describe("things with places become actors", () => {
  test("in centimetres and left-handed axes, turned the same way", async () => {
    const { recording } = await encoded([
      (state) => {
        robot(state, "/robot", [1, 2, 3], [0.1, 0.2, 0.3]);
        return 0;
      },
    ]);
    const state = await recording.state(0);
    expect(state.sets.get("vehicles")!.ids).toHaveLength(1);
    for (const [k, value] of [100, -200, 300].entries()) {
      expect(numbers(state, "vehicles", "position")[k]).toBeCloseTo(value, 3);
    }
    const [place] = placesOf(state, unsetOrigin());
    const [x, y, z] = [place!.x, place!.y, place!.z];
    expect([x, y, z].map((value) => Math.round(value * 1e5) / 1e5)).toEqual([1, 2, 3]);
    const source = new MutableState();
    robot(source, "/robot", [1, 2, 3], [0.1, 0.2, 0.3]);
    const [original] = placesOf(source.freeze(), unsetOrigin());
    for (let k = 0; k < 4; k++) expect(place!.orientation![k]).toBeCloseTo(original!.orientation![k]!, 6);
    for (let k = 0; k < 3; k++) expect(place!.velocity![k]).toBeCloseTo(original!.velocity![k]!, 6);
  });

  test("with what they are called, and their own name and kind as attributes", async () => {
    const { recording } = await encoded([
      (state) => {
        robot(state, "/robot", [0, 0, 0], [0, 0, 0]);
        return 0;
      },
    ]);
    const state = await recording.state(0);
    const vehicles = state.sets.get("vehicles")!;
    expect(vehicles.columns.get("label")!.data).toEqual(["scout"]);
    expect(vehicles.columns.get("kind")!.data).toEqual(["vehicle.tesla.model3"]);
    expect(state.values.get(`attributes/${vehicles.ids[0]}`)).toEqual({
      role_name: "scout",
      simtape_set: "poses",
      simtape_id: "/robot",
      simtape_kind: "mira::robot::Odometry2",
    });
  });

  test("that come and go with the things", async () => {
    const { recording } = await encoded([
      (state) => {
        robot(state, "a", [0, 0, 0], [0, 0, 0]);
        return 0;
      },
      (state) => {
        robot(state, "b", [5, 0, 0], [0, 0, 0]);
        return 1e9;
      },
      (state) => {
        state.set("poses").remove("a");
        return 2e9;
      },
    ]);
    const ids = async (time: number): Promise<number> => (await recording.state(time)).sets.get("vehicles")!.ids.length;
    expect([await ids(0), await ids(1e9), await ids(2e9)]).toEqual([1, 2, 1]);
    expect(numbers(await recording.state(2e9), "vehicles", "position")[0]).toBe(500);
  });

  test("each frame lasting until the next, the times moved where they begin below 0", async () => {
    const step = (time: number) => (state: MutableState) => {
      robot(state, 1, [time / 1e9, 0, 0], [0, 0, 0]);
      return time;
    };
    const { recording, ledger } = await encoded([step(-500_000_000), step(0), step(250_000_000)]);
    const starts: unknown[] = [];
    for await (const { value } of recording.messages(recording.channel("frame-start"))) starts.push(value);
    expect(starts).toEqual([
      { frame: 1, durationThis: 0.5, elapsed: 0 },
      { frame: 2, durationThis: 0.25, elapsed: 0.5 },
      { frame: 3, durationThis: -1, elapsed: 0.75 },
    ]);
    expect(ledger.report(false, 3).lost.map(({ path }) => path)).toContain("time");
  });

  test.each(NAMED.map(({ name }) => name))("in dialect %s", async (dialect) => {
    const { recording } = await encoded(
      [0, 1].map((n) => (state: MutableState) => {
        robot(state, 7, [n, 1, 0], [0, 0, 1]);
        return n * 1e9;
      }),
      dialect,
    );
    const state = await recording.state(1e9);
    expect(numbers(state, "vehicles", "position").slice(0, 2)).toEqual([100, -100]);
    const names = recording.channels.map(({ name }) => name);
    expect(names.includes("kinematics")).toBe(NAMED.find(({ name }) => name === dialect)!.until >= 17);
  });

  test("with a packet for each door that opens or closes", async () => {
    const { recording } = await encoded(
      [0b0000, 0b0101, 0b0101, 0b0100].map((open, n) => (state: MutableState) => {
        const set = state.set("vehicles", LEFT);
        const row = set.row(7);
        set.column("position", { kind: "f64", width: 3, unit: "m" }).put3(row, n, 1, 0);
        set.column("open-doors", { kind: "u32", width: 1, unit: null }).put(row, open);
        return n * 1e9;
      }),
      "0.9.16",
    );
    const moved: unknown[] = [];
    for await (const { time, value } of recording.messages("vehicle-door")) {
      for (const { door, isOpen } of value as readonly { readonly door: number; readonly isOpen: boolean }[])
        moved.push([time / 1e9, door, isOpen]);
    }
    expect(moved).toEqual([
      [1, 0, true],
      [1, 2, true],
      [3, 0, false],
    ]);
  });

  test("in whole frames, with the empty packets that CARLA writes", async () => {
    const { recording } = await encoded(
      [
        (state) => {
          robot(state, 7, [0, 1, 0], [0, 0, 1]);
          return 0;
        },
      ],
      "0.9.13",
    );
    const names: string[] = [];
    for await (const { channel } of recording.messages()) names.push(channel.name);
    expect(names).toEqual([
      "frame-start",
      "event-add",
      "event-del",
      "event-parent",
      "collision",
      "position",
      "state",
      "anim-vehicle",
      "anim-walker",
      "vehicle-light",
      "kinematics",
      "bounding-box",
      "frame-end",
    ]);
  });
});

describe("the account", () => {
  test("says what was carried and what CARLA has no room for", async () => {
    const { ledger } = await encoded([
      (state) => {
        robot(state, 7, [0, 1, 0], [0, 0, 1]);
        const lost = state.set("signals", null);
        lost.column("level", { kind: "f64", width: 1, unit: null }).put(lost.row(1), 3);
        state.setValue("energy", 3);
        state.setValue("platform-time", 3);
        return 0;
      },
    ]);
    const { carried, lost } = ledger.report(false, 1);
    expect(carried.map(({ path }) => path).sort()).toEqual([
      "platform-time",
      "poses/kind",
      "poses/label",
      "poses/position",
      "poses/rotation",
      "poses/velocity",
    ]);
    expect(lost.map(({ path }) => path).sort()).toEqual(["energy", "poses/battery", "signals"]);
    expect(lost.every(({ reason, count }) => reason.length > 5 && count > 0)).toBe(true);
  });

  test("of what does not move in a release without positions of props says so", async () => {
    const block = (x: number) => (state: MutableState) => {
      const set = state.set("blocks", LEFT);
      set.column("position", { kind: "f64", width: 3, unit: "m" }).put3(set.row("1,2,3"), x, 2, 3);
      return x * 1e9;
    };
    const old = await encoded([block(0), block(1)], "0.9.10");
    expect(old.ledger.report(false, 2).lost.map(({ path }) => path)).toContain("blocks/position");
    const now = await encoded([block(0), block(1)], "0.9.11");
    expect(now.ledger.report(false, 2).lost).toEqual([]);
    expect(numbers(await now.recording.state(1e9), "other", "position")).toEqual([100, 200, 300]);
  });

  test("needs a writer of CARLA recordings", () => {
    expect(() => writing.encoder({} as Writer, new Ledger())).toThrow(TypeError);
  });
});

describe("a recording of CARLA's own", () => {
  test.each(RELEASES)("of $name, through state into the newest release, shows the same", async (release) => {
    await using recording = await open(makeTown(release));
    const to = new MemoryFiles();
    const report = await convert(recording, writing, to, { create: { dialect: "2026" } });
    await using result = await open(to.bytes);
    expect((await check(result)).status).toBe("sound");
    const { end } = await recording.timeline();
    for (const time of [0, 250_000_000, Math.round(end / 2), end]) {
      const [expected, found] = [await recording.state(time), await result.state(time)];
      for (const [name, set] of expected.sets) {
        const other = found.sets.get(name)!;
        expect(other.ids, `${name} at ${time}`).toEqual(set.ids);
        for (const [key, { data }] of set.columns) {
          // The sensor's box is of NaN, which is as good as none.
          const [cells, others] = [Array.from<unknown>(data), Array.from<unknown>(other.columns.get(key)?.data ?? [])];
          if (name === "sensors" && key.startsWith("box")) continue;
          for (const [i, cell] of cells.entries()) {
            if (typeof cell === "number" && !Number.isNaN(cell)) {
              expect(others[i], `${name}.${key}`).toBeCloseTo(cell, 2);
            } else if (typeof cell === "string") expect(others[i]).toBe(cell);
          }
        }
      }
    }
    const lost = report.lost.map(({ path }) => path);
    for (const path of lost) expect(["physics", "bones", "wheels", "collisions", "packet-139"]).toContain(path);
  });
});

describe("recordings of other formats", () => {
  const files = [
    ["a flight", "fixtures/flightgear/c172p-normal-mp.fgtape"],
    ["a patrol", "fixtures/mira/patrol.tape"],
    ["a race", "fixtures/hcrp/tower-race.hcrp"],
    ["a molecule", "fixtures/nanover/buckyball.nanover.zip"],
  ] as const;

  test.each(files)("%s is shown where things are", async (_, path) => {
    const bytes = new Uint8Array(readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url))));
    await using recording = await openRecording(bundleOfFiles({ [path.split("/").at(-1)!]: bytes }));
    const to = new MemoryFiles();
    await convert(recording, writing, to, { create: { dialect: "0.10" } });
    await using result = await open(to.bytes);
    expect((await check(result)).status).toBe("sound");
    const times: number[] = [];
    for await (const { time } of result.messages(result.channel("frame-start"))) times.push(time);
    expect(times.length).toBeGreaterThan(1);
    const { start } = await recording.timeline();
    const shift = times[0]!;
    const origin = unsetOrigin();
    placesOf(await recording.state(start + shift), origin);
    const at = times.at(-1)!;
    const expected = placesOf(await recording.state(start + at), origin);
    const found = placesOf(await result.state(at), unsetOrigin());
    expect(found.length).toBe(expected.length);
    const key = ({ x, y, z }: { x: number; y: number; z: number }): string =>
      [x, y, z].map((value) => (Math.round(value * 1e4) / 1e4 + 0).toFixed(4)).join();
    const places = new Set(found.map(key));
    const hit = expected.filter((place) => places.has(key(place))).length;
    expect(hit / Math.max(1, expected.length)).toBeGreaterThan(0.95);
  });
});

import { expect, test } from "vitest";
import { FORMATS, MemoryFiles } from "../../../simtape/src/index.ts";
import { AIRPORT } from "../../../demo/src/flightgear-aircraft.ts";
import { heights } from "../../../demo/src/flightgear-land.ts";
import { demo as fly } from "../../../demo/src/flightgear.ts";
import { regions } from "../../../demo/src/hcrp-land.ts";
import { demo as race } from "../../../demo/src/hcrp.ts";
import * as yard from "../../../demo/src/mcap-world.ts";
import { demo as patrol } from "../../../demo/src/mcap.ts";
import { map, picture, unit } from "../../../demo/src/mira-world.ts";
import { demo as drive } from "../../../demo/src/mira.ts";
import { structure } from "../../../demo/src/nanover-structure.ts";
import { demo as simulate } from "../../../demo/src/nanover.ts";
import { openFiles } from "../../../simtape/src/testing/observe.ts";
import { Regions } from "../../src/blocks/anvil/regions.ts";
import type { Scenery } from "../../src/world/companion.ts";
import { read as readHeights } from "../../src/world/heights/read.ts";
import { readPgm } from "../../src/world/map/pgm.ts";
import { cellsOf, OCCUPIED, read as readMap } from "../../src/world/map/read.ts";
import { settingsOf } from "../../src/world/map/settings.ts";
import { filler, misfit } from "../../src/world/pdb/fill.ts";
import { read as readStructure } from "../../src/world/pdb/read.ts";
import { read as readRobot } from "../../src/world/urdf/read.ts";

const OPTIONS = { seconds: 20, entities: 1, seed: 3 };

test("the map of the simulated room is where the scanner meets walls, in the odometry of the robot", async () => {
  const settings = settingsOf(new TextDecoder().decode(map(OPTIONS)));
  expect((await readMap(map(OPTIONS), async () => picture(OPTIONS))).findings).toEqual([]);
  const grey = readPgm(picture(OPTIONS));
  const cells = cellsOf(grey, settings);
  const [ox, oy, yaw] = settings.origin;
  /** Whether a cell is occupied within two of a place, metres of the recording. */
  const isWall = (x: number, y: number): boolean => {
    const [dx, dy] = [x - ox, y - oy];
    const column = Math.floor((dx * Math.cos(yaw) + dy * Math.sin(yaw)) / settings.resolution);
    const row = grey.height - 1 - Math.floor((dy * Math.cos(yaw) - dx * Math.sin(yaw)) / settings.resolution);
    for (let j = row - 2; j <= row + 2; j++)
      for (let i = column - 2; i <= column + 2; i++)
        if (i >= 0 && i < grey.width && cells[j * grey.width + i] === OCCUPIED) return true;
    return false;
  };
  const files = new MemoryFiles();
  await drive(OPTIONS, files);
  await using recording = await openFiles({ "robot.tape": files.bytes }, FORMATS);
  let [met, there] = [0, 0];
  // later its odometry has drifted, as a real one does
  for (let second = 0.5; second <= 4; second += 0.25) {
    const { sets, values } = await recording.state(second * 1e9);
    const poses = sets.get("poses")!;
    // a scan is a while older than the pose
    if (Math.hypot(...[...poses.columns.get("angular-velocity")!.data].map(Number)) > 0.05) continue;
    const [x, y] = poses.columns.get("position")!.data as unknown as [number, number];
    const phi = poses.columns.get("rotation")!.data[2] as number;
    const scan = values.get("/robot/RangeFinder/Front") as unknown as {
      startAngle: number;
      deltaAngle: number;
      maximumRange: number;
      range: Float32Array;
    };
    for (const [beam, range] of scan.range.entries()) {
      if (range >= scan.maximumRange) continue;
      const angle = phi + ((scan.startAngle + beam * scan.deltaAngle) * Math.PI) / 180;
      met++;
      if (isWall(x + range * Math.cos(angle), y + range * Math.sin(angle))) there++;
    }
  }
  expect(met).toBeGreaterThan(900);
  expect(there / met).toBeGreaterThan(0.94);
});

test("the unit of the demo is a sound robot", async () => {
  const { findings, robots, facts } = (await readRobot(unit(), () => Promise.reject(new Error("none")))) as Scenery;
  expect(findings).toEqual([]);
  expect(robots![0]!.links.map(({ name }) => name)).toEqual([
    "base_link",
    "left_wheel",
    "right_wheel",
    "caster",
    "scanner",
  ]);
  expect(Object.fromEntries(facts)["joints that move"]).toBe("2");
});

test("the robot of the yard has its links where the recording has frames, and a map of the yard", async () => {
  const none = (): Promise<never> => Promise.reject(new Error("none"));
  const { findings, robots } = (await readRobot(yard.unit(), none)) as Scenery;
  expect(findings).toEqual([]);
  const { links } = robots![0]!;
  const files = new MemoryFiles();
  await patrol(OPTIONS, files);
  await using recording = await openFiles({ "patrol.mcap": files.bytes }, FORMATS);
  const { sets } = await recording.state(10e9);
  const { ids, columns } = sets.get("frames")!;
  const at = (id: string): number[] =>
    [...columns.get("position")!.data].slice(3 * ids.indexOf(id)).slice(0, 3) as number[];
  const [base, laser, camera] = ["base", "laser", "camera"].map(at) as [number[], number[], number[]];
  for (const [name, place] of [
    ["laser", laser],
    ["camera", camera],
  ] as const) {
    const [ahead, , up] = links.find((link) => link.name === name)!.joint!.at;
    expect(Math.hypot(place[0]! - base[0]!, place[1]! - base[1]!)).toBeCloseTo(ahead, 6);
    expect(place[2]! - base[2]!).toBeCloseTo(up, 6);
  }
  const scenery = (await readMap(yard.map(), async () => yard.picture())) as Scenery;
  expect([scenery.findings, scenery.description]).toEqual([[], "a map of 24.4 × 20.4 m"]);
});

test("the terrain of the demo is labelled as invented, flat where the aircraft rolls, and below it everywhere", async () => {
  const bytes = heights(OPTIONS);
  expect(Buffer.compare(bytes, heights(OPTIONS))).toBe(0);
  expect(bytes.length).toBeLessThan(110_000);
  const scenery = await readHeights(bytes);
  expect(scenery.findings).toEqual([]);
  expect(Object.fromEntries(scenery.facts)["says of itself"]).toMatch(/^Invented terrain/);
  const places = scenery.parts.flatMap(({ positions }) =>
    Array.from({ length: positions.length / 3 }, (_, i) =>
      [0, 1, 2].map((k) => positions[3 * i + k]! + scenery.middle[k]!),
    ),
  );
  const heightAt = (latitude: number, longitude: number): number =>
    places.reduce((best, place) => {
      const away = ([north, east]: readonly number[]): number =>
        Math.hypot(north! - latitude, (east! - longitude) * Math.cos((latitude * Math.PI) / 180));
      return away(place) < away(best) ? place : best;
    })[2]!;
  expect(heightAt(AIRPORT.latitude, AIRPORT.longitude)).toBeCloseTo(AIRPORT.altitude - 0.5, 1);
  const files = new MemoryFiles();
  await fly({ seconds: 200, entities: 1, seed: OPTIONS.seed }, files);
  await using recording = await openFiles({ "flight.fgtape": files.bytes }, FORMATS);
  for (let second = 0; second < 200; second += 8) {
    const { sets } = await recording.state(second * 1e9);
    const [latitude, longitude, feet] = sets.get("aircraft")!.columns.get("geodetic")!.data as unknown as number[];
    expect(heightAt(latitude!, longitude!)).toBeLessThan(0.3048 * feet!);
  }
});

test.each([
  [2, 1],
  [60, 3],
  [700, 8],
])(
  "the structure of %i particles of the seed %i is that of the recording, and adds B factors alone",
  async (entities, seed) => {
    const options = { seconds: 0.1, entities, seed };
    const bytes = await structure(options);
    expect(Buffer.compare(bytes, await structure(options))).toBe(0);
    const none = (): Promise<never> => Promise.reject(new Error("none"));
    const { findings, molecules } = (await readStructure(bytes, none)) as Scenery;
    expect(findings).toEqual([]);
    const files = new MemoryFiles();
    await simulate(options, files);
    await using recording = await openFiles({ "molecule.nanover.zip": files.bytes }, FORMATS);
    const { start, end } = await recording.timeline();
    const state = await recording.state(end);
    const [molecule] = molecules!;
    expect(misfit(molecule!, state.sets.get("particles")!)).toBeNull();
    const filled = filler(molecules!)(state);
    expect([...filled.values.keys()].filter((path) => !state.values.has(path))).toEqual(["b-factor"]);
    for (const [path, value] of state.values) expect(filled.values.get(path)).toBe(value);
    expect(molecule!.residueNames).toEqual(state.values.get("residue.names"));
    expect([...molecule!.bonds]).toEqual([...(state.values.get("bond.pairs") as unknown as Iterable<number>)]);
    // the places of the file are those of the first frame, in Å
    const first = (await recording.state(start + 5e6)).sets.get("particles")!.columns.get("position")!.data;
    const places = new TextDecoder()
      .decode(bytes)
      .split("\n")
      .filter((line) => line.startsWith("HETATM"))
      .flatMap((line) => [30, 38, 46].map((column) => Number(line.slice(column, column + 8))));
    for (const [i, place] of places.entries()) expect(Math.abs(place - 10 * Number(first[i]))).toBeLessThan(0.00051);
  },
);

test("atoms at the ends of a chain move farther than those in its middle, as their B factors say", async () => {
  const none = (): Promise<never> => Promise.reject(new Error("none"));
  const read = await readStructure(await structure({ entities: 700, seed: 1 }), none);
  const { labels, factors } = read.molecules![0]!;
  const mean = (...names: readonly string[]): number => {
    const own = [...factors!].filter((_, i) => names.includes(labels[i]!));
    return own.reduce((sum, factor) => sum + factor, 0) / own.length;
  };
  expect(mean("C1", "C8")).toBeGreaterThan(1.5 * mean("C4", "C5"));
});

test.each([1, 7])(
  "the island of the race of the seed %i has its platforms, and no runner falls into it",
  async (seed) => {
    const options = { seconds: 60, entities: 8, seed };
    const zip = regions(options);
    expect(Buffer.compare(zip, regions({ seed }))).toBe(0);
    expect(zip.length).toBeLessThan(40_000);
    const name = "race.region.zip";
    const world = new Regions({ kind: "files", name, files: [new File([zip as Uint8Array<ArrayBuffer>], name)] });
    const chunks = new Map<string, Awaited<ReturnType<Regions["chunk"]>>>();
    const blockAt = async (x: number, y: number, z: number): Promise<string> => {
      const [at, to] = [Math.floor(x / 16), Math.floor(z / 16)];
      const key = `${at} ${to}`;
      if (!chunks.has(key)) chunks.set(key, await world.chunk(at, to));
      const { minSection, sections } = chunks.get(key)!;
      const { palette, indices } = sections[Math.floor(y / 16) - minSection]!.blocks;
      return palette[indices?.[((y & 15) << 8) | ((z & 15) << 4) | (x & 15)] ?? 0]!;
    };
    const files = new MemoryFiles();
    await race(options, files);
    await using recording = await openFiles({ "race.hcrp": files.bytes }, FORMATS);
    const blocks = (await recording.state(0)).sets.get("blocks")!;
    const [places, names] = [blocks.columns.get("position")!.data, blocks.columns.get("kind")!.data];
    const platforms = new Map<string, string>();
    for (let i = 0; i < blocks.ids.length; i++) {
      const [x, y, z] = [0, 1, 2].map((k) => Math.floor(Number(places[3 * i + k]))) as [number, number, number];
      platforms.set(`${x} ${y} ${z}`, String(names[i]));
    }
    for (const [place, own] of platforms) {
      const [x, y, z] = place.split(" ").map(Number) as [number, number, number];
      expect(await blockAt(x, y, z), place).toBe(own);
    }
    for (let second = 0; second < 60; second += 0.25) {
      const { columns, ids } = (await recording.state(second * 1e9)).sets.get("players")!;
      const position = columns.get("position")!.data;
      for (let i = 0; i < ids.length; i++) {
        const [x, y, z] = [0, 1, 2].map((k) => Math.floor(Number(position[3 * i + k]) + (k === 1 ? 0.01 : 0)));
        // a platform may be jumped through from below, as in the simulation
        if (!platforms.has(`${x} ${y} ${z}`)) expect(await blockAt(x!, y!, z!), `${x} ${y} ${z}`).toBe("minecraft:air");
      }
    }
  },
);

import { loadZstd } from "../../packages/simtape/src/codec/zstd.ts";
import { makeContinuous } from "../../packages/simtape/test/fixtures/flightgear/make.ts";
import { compacted } from "../../packages/simtape/test/fixtures/hcrp/recording.ts";
import { WorldRecorder } from "../../packages/simtape/test/fixtures/hcrp/world.ts";
import { type ContentMessage, makeTape } from "../../packages/simtape/test/fixtures/mira/tape.ts";
import { makeCarla } from "./carla.ts";
import { makeNanover } from "./nanover.ts";

const MB = 1e6;

export interface Case {
  readonly name: string;
  readonly file: string;
  /** Wanted sizes, in bytes; the files have about these sizes. */
  readonly sizes: readonly number[];
  make(size: number): Iterable<Uint8Array> | Promise<Iterable<Uint8Array>>;
}

/** The recordings that are measured: how a file of each format is made, and in which sizes. */
export const CASES: readonly Case[] = [
  { name: "carla", file: "town.log", make: makeCarla, sizes: [100 * MB, 1000 * MB] },
  { name: "nanover", file: "run.traj", make: makeNanover, sizes: [100 * MB, 1000 * MB] },
  { name: "mira, 100 B messages", file: "robot.tape", make: (size) => [makeMira(size, 100)], sizes: [100 * MB] },
  { name: "mira, 10 kB messages", file: "robot.tape", make: (size) => [makeMira(size, 10_000)], sizes: [100 * MB] },
  { name: "flightgear, plain", file: "flight.fgtape", make: (size) => [makeFlight(size, false)], sizes: [100 * MB] },
  { name: "flightgear, compressed", file: "flight.fgtape", make: (size) => [makeFlight(size, true)], sizes: [30 * MB] },
  { name: "hcrp, 24 players", file: "race.hcrp", make: async (size) => [await makeRace(size)], sizes: [20 * MB] },
];

function makeMira(size: number, payload: number): Uint8Array {
  const data = Uint8Array.from({ length: payload }, (_, i) => (i * 31) & 0xff);
  const count = Math.floor(size / (payload + 50));
  const messages: ContentMessage[] = Array.from({ length: count }, (_, i) => ({
    channel: `/robot/Channel${i % 5}`,
    time: i * 1_000_000,
    sequence: i,
    data,
  }));
  const channels = Object.fromEntries([0, 1, 2, 3, 4].map((n) => [`/robot/Channel${n}`, { type: "raw" }]));
  return makeTape({ start: 1_700_000_000_000_000_000n, zoneOffset: 0n, channels, messages }, { maxBlock: 1 << 20 });
}

function makeFlight(size: number, isDeflated: boolean): Uint8Array {
  const probe = 2000;
  const options = { compression: isDeflated ? "1" : "0", data: ["signals", "extra-properties"] };
  const each = makeContinuous({ ...options, frames: probe }).length / probe;
  return makeContinuous({ ...options, frames: Math.floor(size / each) });
}

async function makeRace(size: number): Promise<Uint8Array> {
  const zstd = await loadZstd();
  const race = (ticks: number): Uint8Array => {
    const world = new WorldRecorder(200);
    const pose = (player: number, tick: number): Parameters<WorldRecorder["move"]>[1] => {
      const angle = tick / (20 + player) + Math.sin(tick / 7 + player) / 9;
      const radius = 40 + player;
      return {
        x: radius * Math.cos(angle),
        y: 64 + Math.abs(Math.sin(tick / 6 + player)),
        z: radius * Math.sin(angle),
        yaw: (angle * 180) / Math.PI + 90,
        pitch: 10 * Math.sin(tick / 11),
        onGround: tick % 12 < 6,
      };
    };
    world.at(0);
    for (let player = 0; player < 24; player++)
      world.spawn(player, "minecraft:player", pose(player, 0), {
        uuid: `00000000-0000-4000-8000-00000000000${player % 10}`,
        profile: `P${player}`,
      });
    for (let tick = 1; tick < ticks; tick++) {
      world.at(tick);
      for (let player = 0; player < 24; player++) world.move(player, pose(player, tick));
    }
    return compacted(zstd, { chunks: world.finish(ticks), dataVersion: 4903 }, { level: 3 });
  };
  const probe = 4000;
  return race(Math.floor((size / race(probe).length) * probe));
}

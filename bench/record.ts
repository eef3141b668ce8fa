/**
 * Compares recording with @mcap/core in the same run: `npm run bench:record [-- TRACE.ndjson.gz]`. It measures speed
 * with four players; a simulated day of them; and size and exactness of 24 players who run and jump, and of a trace of
 * real ones.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { MemoryFiles, open, type Store } from "../packages/simtape/dist/index.js";
import { directoryStore, fromFile, toFile } from "../packages/simtape/dist/io/node/index.js";
import { compact, Ring, record } from "../packages/simtape/dist/record/index.js";
import { createMcap, plainMove } from "./make/mcap.ts";
import { Runner } from "./make/runners.ts";
import { stanceAt, walk } from "./make/walkers.ts";

const DAY_TICKS = 1_728_000;
const SPEED_TICKS = 200_000;
const CROWD_TICKS = 2000;
const CROWD_FIRST = 100;
/** The smallest time of so many runs counts, because other programs cost time as well. */
const CROWD_RUNS = 5;
const TICK = 50_000_000;
const DEGREE = 180 / Math.PI;
const CHUNKS = { chunkSize: 256 << 10, isCompressed: true };
const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Row = Readonly<Record<string, number>>;

async function bytesIn(store: Store, prefix: string): Promise<number> {
  let sum = 0;
  for await (const { size } of store.list(prefix)) sum += size;
  return sum;
}

/** A clock that the ticks advance. */
function clockOf(): { now: () => number; tick: (tick: number) => void } {
  const start = 1_767_225_600_000;
  let time = start;
  return {
    now: () => time,
    tick: (tick) => {
      time = start + tick * 50;
    },
  };
}

async function recordWalk(ticks: number): Promise<Row> {
  const store = directoryStore(folder);
  const clock = clockOf();
  const recorder = await record(store, { id: "walk", now: clock.now, limits: { ticks: ticks + 1 } });
  let heap = 0;
  const began = performance.now();
  const moves = await walk(recorder, 4, ticks, async (tick) => {
    clock.tick(tick);
    await turn();
    if (tick % 1000 === 999) heap = Math.max(heap, process.memoryUsage().heapUsed);
  });
  await recorder.close();
  const milliseconds = performance.now() - began;
  return {
    ticks,
    moves,
    milliseconds,
    heap,
    bytes: await bytesIn(store, "walk/"),
    dropped: recorder.status.dropped["move"] ?? 0,
  };
}

/** A ring of one player, and how long a report takes to become a clip that can be opened. */
async function clipWalk(): Promise<Row> {
  const ring = await Ring.create();
  const entity = ring.world.join({ uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5", name: "Steve" }, stanceAt(0, 0));
  for (let tick = 0; tick < 20_000; tick++) {
    ring.world.move(entity, stanceAt(0, tick));
    ring.endTick();
  }
  const files = new MemoryFiles("clip.hcrp");
  const began = performance.now();
  await ring.save("report", 0, () => files);
  const recording = await open(files.bytes);
  await recording.state(0);
  const milliseconds = performance.now() - began;
  await recording.close();
  return { milliseconds, bytes: ring.bytes, ticks: ring.ticks };
}

/** CPU milliseconds of ticks in which 1,000 players move; the first seconds apart from the rest. */
async function crowd(ticks: number): Promise<Row> {
  const clock = clockOf();
  const recorder = await record(directoryStore(folder), { id: "crowd", now: clock.now });
  const { world } = recorder;
  const entities = Array.from({ length: 1000 }, (_, player) =>
    world.join(
      { uuid: `00000000-0000-4000-8000-${String(player).padStart(12, "0")}`, name: `Walker${player}` },
      stanceAt(player, 0),
    ),
  );
  const spent: number[] = [];
  for (let tick = 0; tick < ticks; tick++) {
    const stances = entities.map((_, player) => ({ ...stanceAt(player, tick) }));
    const before = process.cpuUsage();
    for (const [player, entity] of entities.entries()) world.move(entity, stances[player]!);
    recorder.endTick();
    const { user, system } = process.cpuUsage(before);
    spent.push((user + system) / 1000);
    clock.tick(tick);
    await turn();
  }
  await recorder.close();
  const later = spent.slice(CROWD_FIRST).sort((a, b) => a - b);
  return {
    median: later[later.length >> 1]!,
    p99: later[Math.floor(later.length * 0.99)]!,
    worst: later.at(-1)!,
    first: Math.max(...spent.slice(0, CROWD_FIRST)),
  };
}

/** Writes the moves of the same walk with @mcap/core, as plain bytes in zstd chunks. */
async function mcapWalk(ticks: number): Promise<Row> {
  const path = join(folder, "walk.mcap");
  const file = await createMcap(path, CHUNKS);
  const channel = await file.channel("move");
  const began = performance.now();
  let moves = 0;
  for (let tick = 0; tick < ticks; tick++) {
    for (let player = 0; player < 4; player++) {
      if ((tick + player * 900) % 3600 >= 2400) continue;
      await file.add(channel, tick * TICK, plainMove(player, stanceAt(player, tick)));
      moves++;
    }
  }
  await file.close();
  return { ticks, moves, milliseconds: performance.now() - began, bytes: statSync(path).size };
}

type TraceRow = readonly [tick: number, player: number, kind: string, ...rest: (number | string)[]];

/** A trace of real players: [tick, player, "m", x, y, z, yaw, pitch, vx, vy, vz, flags], angles in radians. */
function traceIn(path: string): TraceRow[] {
  const lines = gunzipSync(readFileSync(path)).toString().trim().split("\n");
  return lines.map((line) => JSON.parse(line) as TraceRow);
}

/** A trace of 24 players who run and jump for five minutes. */
function runnersTrace(): TraceRow[] {
  const runners = Array.from({ length: 24 }, (_, player) => new Runner(player + 1));
  const rows: TraceRow[] = [];
  for (let tick = 0; tick < 6000; tick++)
    for (const [player, runner] of runners.entries()) {
      if (!runner.step() && tick > 0) continue;
      const { x, y, z, yaw, pitch, onGround } = runner.stance;
      rows.push([tick, player, "m", x, y, z, yaw / DEGREE, pitch / DEGREE, 0, 0, 0, onGround ? 1 : 0]);
    }
  return rows;
}

async function recordTrace(rows: readonly TraceRow[]): Promise<Row> {
  const first = rows[0]![0];
  const ticks = rows.at(-1)![0] - first + 1;
  const store = directoryStore(folder);
  const clock = clockOf();
  const recorder = await record(store, { id: "trace", now: clock.now });
  const { world } = recorder;
  const peer = await createMcap(join(folder, "trace.mcap"), CHUNKS);
  const channel = await peer.channel("move");
  const entities = new Map<number, number>();
  let moves = 0;
  let error = 0;
  for (const [at, player, kind, ...rest] of rows) {
    if (at - first > recorder.tick) {
      recorder.goTo(at - first);
      clock.tick(at - first);
      await turn();
    }
    const entity = entities.get(player);
    if (kind === "m") {
      const [x, y, z, yaw, pitch, , , , flags] = rest as number[];
      const stance = { x: x!, y: y!, z: z!, yaw: yaw! * DEGREE, pitch: pitch! * DEGREE, onGround: (flags! & 1) !== 0 };
      moves++;
      await peer.add(channel, (at - first) * TICK, plainMove(player, stance));
      if (entity === undefined) {
        const uuid = `00000000-0000-4000-8000-${String(player).padStart(12, "0")}`;
        entities.set(player, world.join({ uuid, name: `Player${player}` }, stance));
      } else {
        world.move(entity, stance);
        world.state(entity, 0, flags! & 10);
      }
    } else if (entity === undefined) continue;
    else if (kind === "swing") world.swing(entity);
    else if (kind === "slot") world.heldSlot(entity, rest[0] as number);
    else if (kind === "b") world.block(rest.slice(0, 3) as [number, number, number], `minecraft:block_${rest[3]}`);
    else if (kind === "chat") world.chat(String(rest[0]), entity);
  }
  recorder.endTick();
  await recorder.close();
  await peer.close();
  const made = join(folder, "trace.hcrp");
  const began = performance.now();
  const report = await compact(fromFile(join(folder, "trace", "meta.hcrp")), toFile(made));
  const compaction = performance.now() - began;
  const sorted = join(folder, "columns.hcrp");
  const { bytesAfter: columns } = await compact(fromFile(join(folder, "trace", "meta.hcrp")), toFile(sorted), {
    columns: true,
  });
  // compares the last place in each tick with the file in columns; `compact` has compared the states of that file with
  // the source's
  const places = new Map<string, readonly number[]>();
  for (const [at, player, kind, ...rest] of rows)
    if (kind === "m") places.set(`${at - first}:${entities.get(player)}`, rest as number[]);
  const recording = await open(fromFile(sorted));
  for (let tick = 0; tick < ticks; tick++) {
    const set = (await recording.state(tick * 5e7)).sets.get("players")!;
    const position = set.columns.get("position")!.data as Float64Array;
    for (const [row, id] of set.ids.entries()) {
      const place = places.get(`${tick}:${id}`);
      for (let k = 0; place !== undefined && k < 3; k++)
        error = Math.max(error, Math.abs(position[3 * row + k]! - place[k]!));
    }
  }
  await recording.close();
  return {
    players: entities.size,
    seconds: ticks / 20,
    moves,
    recorded: await bytesIn(store, "trace/"),
    compacted: report.bytesAfter,
    columns,
    mcap: statSync(join(folder, "trace.mcap")).size,
    error,
    compaction,
  };
}

/** Bytes for each move, and for each player and second. */
function sizesOf(what: string, row: Row): string {
  const { players, seconds, moves } = row as Readonly<Record<"players" | "seconds" | "moves", number>>;
  const both = (bytes: number): string =>
    `${(bytes / moves).toFixed(2)} B (${(bytes / players / seconds).toFixed(0)} B/s)`;
  const kinds = ["recorded", "compacted", "columns", "mcap"].map((kind) => `${kind} ${both(row[kind]!)}`);
  return `${what}, ${players} players, ${seconds.toFixed(0)} s, ${(moves / players / seconds).toFixed(1)} moves a second: a move is ${kinds.join(", ")}; largest error ${row["error"]!.toFixed(6)} block; compaction ${(row["compaction"]! / 1000).toFixed(1)} s`;
}

/** Each case has a process of its own, so that none inherits another's heap. */
function inProcess(...words: string[]): Row {
  const all = ["--expose-gc", "--import", "tsx", fileURLToPath(import.meta.url), "--case", ...words];
  return JSON.parse(execFileSync(process.execPath, all, { maxBuffer: 1 << 20 }).toString()) as Row;
}

const [flag, name, argument] = process.argv.slice(2);
try {
  if (flag === "--case") {
    const run =
      name === "trace"
        ? recordTrace(argument === undefined ? runnersTrace() : traceIn(argument))
        : name === "clip"
          ? clipWalk()
          : name === "mcap"
            ? mcapWalk(Number(argument))
            : name === "crowd"
              ? crowd(Number(argument))
              : recordWalk(Number(argument));
    process.stdout.write(JSON.stringify(await run));
  } else {
    const ours = inProcess("walk", String(SPEED_TICKS));
    const peer = inProcess("mcap", String(SPEED_TICKS));
    const [rate, peerRate] = [ours, peer].map(({ moves, milliseconds }) => moves! / milliseconds!) as [number, number];
    const perMove = ({ bytes, moves }: Row): string => (bytes! / moves!).toFixed(1);
    console.log(`recorder, moves of 4 players   ${Math.round(rate)} k/s, ${perMove(ours)} B each`);
    console.log(
      `@mcap/core, as plain bytes     ${Math.round(peerRate)} k/s, ${perMove(peer)} B each   ours ${(rate / peerRate).toFixed(1)}x as fast`,
    );
    const crowds = Array.from({ length: CROWD_RUNS }, () => inProcess("crowd", String(CROWD_TICKS)));
    const least = (of: string): string => Math.min(...crowds.map((row) => row[of]!)).toFixed(1);
    console.log(
      `a tick of 1,000 players who move: ${least("median")} ms of CPU, p99 ${least("p99")}, worst ${least("worst")}, of the first ${CROWD_FIRST} ${least("first")}`,
    );
    const day = inProcess("walk", String(DAY_TICKS));
    console.log(
      `row 1: a day, 4 players: ${(day["milliseconds"]! / 1000).toFixed(0)} s, heap at most ${Math.round(day["heap"]! / 1e6)} MB, ${(day["bytes"]! / 1e6).toFixed(1)} MB, ${day["dropped"]} moves dropped`,
    );
    const clip = inProcess("clip");
    console.log(
      `row 36: a report is a clip of ${clip["ticks"]} ticks after ${clip["milliseconds"]!.toFixed(0)} ms; the ring takes ${Math.round(clip["bytes"]! / 1024)} KiB`,
    );
    console.log(sizesOf("runners", inProcess("trace")));
    if (flag !== undefined) console.log(sizesOf("trace", inProcess("trace", flag)));
  }
} finally {
  rmSync(folder, { recursive: true });
}

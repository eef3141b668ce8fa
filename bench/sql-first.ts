/**
 * Measures the first row of a statement with a condition on time, over 100 MB of each format:
 * `npm run bench:sql-first [-- WORD…]`. With words, only formats whose name contains one of them. The command runs in a
 * process of its own without a seek index, so that the start of Node and the loading of DuckDB count. The conditions
 * are early and late in the file, a range of time and all times after one; the best of three runs counts. Beside it are
 * a raw read of all bytes of the file, which has no index, and the same question to an earlier export to Parquet, which
 * DuckDB answers in a process of its own. Milliseconds.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CASES } from "./make/cases.ts";
import { createMcap } from "./make/mcap.ts";

const CLI = new URL("../packages/simtape/bin/simtape.js", import.meta.url).pathname;
const PARQUET = new URL("sql-parquet.mjs", import.meta.url).pathname;
const SIZE = 100e6;
const TURNS = 3;

/** The questions to a recording: columns, table, and how many seconds a range has. */
const ASKED: readonly (readonly [name: string, columns: string, table: string, seconds: number])[] = [
  ["carla", "time, id, position_x", "vehicles", 0.5],
  ["carla", "*", "position", 0.5],
  ["nanover", "time, id, position_x", "particles", 0.5],
  ["nanover", "*", "frame", 0.5],
  ["mira, 100 B messages", "*", "robot_Channel1", 0.5],
  ["mira, 10 kB messages", "*", "robot_Channel1", 0.5],
  ["flightgear, plain", "time, id, position_x", "aircraft", 5],
  ["flightgear, plain", "*", "signals", 5],
  ["flightgear, compressed", "time, id, position_x", "aircraft", 5],
  ["hcrp, 24 players", "time, id, position_x", "players", 0.5],
  ["hcrp, 24 players", "*", "move", 0.5],
  ["mcap", "*", "data", 0.5],
];

const words = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "simtape-sql-first-"));
const environment = { ...process.env, SIMTAPE_CACHE: join(folder, "cache"), NO_COLOR: "1" };
try {
  for (const name of new Set(ASKED.map(([of]) => of))) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
    const path = await made(name);
    const raw = await best(async () => readAll(path));
    for (const [, columns, table, seconds] of ASKED.filter(([of]) => of === name))
      await measure(path, `${name}: ${columns} of ${table}`, columns, table, seconds, raw);
    rmSync(path);
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function made(name: string): Promise<string> {
  const found = CASES.find((one) => one.name === name);
  const path = join(folder, found?.file ?? "robot.mcap");
  if (found === undefined) {
    const file = await createMcap(path, { chunkSize: 1 << 20, isCompressed: false });
    const channel = await file.channel("/data", "json");
    for (let k = 0; k < SIZE / 130; k++) {
      const value = { k, position: { x: Math.sin(k / 99), y: Math.cos(k / 99) }, name: "robot" };
      await file.add(channel, k * 1_000_000, Buffer.from(JSON.stringify(value)));
    }
    await file.close();
    return path;
  }
  const descriptor = openSync(path, "w");
  for (const piece of await found.make(Math.min(SIZE, found.sizes[0]!))) writeSync(descriptor, piece);
  closeSync(descriptor);
  return path;
}

function readAll(path: string): void {
  const buffer = Buffer.alloc(1 << 20);
  const descriptor = openSync(path, "r");
  const { size } = fstatSync(descriptor);
  for (let at = 0; at < size; at += buffer.length) readSync(descriptor, buffer, 0, buffer.length, at);
  closeSync(descriptor);
}

async function measure(
  path: string,
  title: string,
  columns: string,
  table: string,
  seconds: number,
  raw: number,
): Promise<void> {
  const parquet = join(folder, "rows.parquet");
  const command = (...rest: readonly string[]): readonly string[] => [CLI, "sql", path, ...rest, "--no-index"];
  const exporting = await best(async () => {
    execFileSync(process.execPath, command(`SELECT ${columns} FROM ${table}`, "-o", parquet, "--force"), {
      env: environment,
      stdio: "ignore",
    });
  }, 1);
  const facts = execFileSync(process.execPath, command(`SELECT duration FROM recordings`), { env: environment });
  const duration = Number(facts.toString().trim().split("\n")[1]);
  console.log(`${title}; raw ${raw.toFixed(0)}, exporting to Parquet ${exporting.toFixed(0)}`);
  for (const [when, from] of [
    ["early", duration * 0.01],
    ["late", duration * 0.98],
  ] as const)
    for (const condition of [
      `time BETWEEN ${from} AND ${from + seconds}`,
      `time >= ${from} LIMIT 1`,
      `time >= ${from}`,
    ]) {
      const statement = (of: string): string => `SELECT ${columns} FROM ${of} WHERE ${condition}`;
      const own = await bestFirst(command(statement(table), "--format", "csv"));
      const beside = await bestFirst([PARQUET, statement(`'${parquet}'`)]);
      console.log(
        `  ${when.padEnd(6)} ${condition.replace(/\d+\.\d+/g, (time) => Number(time).toFixed(1)).padEnd(34)} first row ${ms(own.first)}, all ${ms(own.all)}; of Parquet ${ms(beside.first)}, all ${ms(beside.all)}`,
      );
    }
  rmSync(parquet);
}

interface Times {
  readonly first: number;
  readonly all: number;
}

async function bestFirst(line: readonly string[]): Promise<Times> {
  const all: Times[] = [];
  for (let turn = 0; turn < TURNS; turn++) all.push(await timesOf(line));
  return { first: Math.min(...all.map(({ first }) => first)), all: Math.min(...all.map((one) => one.all)) };
}

/** Milliseconds until the second line of the output, and until the end of the process. */
async function timesOf(line: readonly string[]): Promise<Times> {
  const began = performance.now();
  const child = spawn(process.execPath, line, { env: environment, stdio: ["ignore", "pipe", "inherit"] });
  let first = Number.NaN;
  let lines = 0;
  child.stdout.on("data", (piece: Buffer) => {
    if (lines >= 2) return;
    lines += piece.toString("latin1").split("\n").length - 1;
    if (lines >= 2) first = performance.now() - began;
  });
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) throw new Error(`${line.join(" ")}: ${code}`);
  return { first, all: performance.now() - began };
}

async function best(work: () => Promise<void>, turns = TURNS): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < turns; turn++) {
    const began = performance.now();
    await work();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

function ms(value: number): string {
  return value.toFixed(0).padStart(6);
}

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { localBus } from "../../dist/bus/local.js";
import { connectDatabase, type Database, joinDatabase } from "../../dist/database/database.js";
import { armFailpoint } from "../../dist/failpoint.js";
import { Jobs } from "../../dist/jobs/queue.js";
import { work } from "../../dist/node/work.js";
import { serve } from "../../dist/node/serve.js";
import { settingsOf } from "../../dist/settings.js";
import type { NewDatabase } from "../support/databases.ts";
import { makeRecordings, type Run, SCENARIOS, type World } from "./scenarios.ts";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** All that are in the source: one that is added is tested by that. */
export const POINTS = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .flatMap((path) => [...readFileSync(join(SRC, path), "utf8").matchAll(/failpoint\("([^"]+)"\)/g)])
  .map(([, name]) => name!)
  .sort();

const folder = mkdtempSync(join(tmpdir(), "simtape-durable-"));
export const made = join(folder, "made");
beforeAll(() => makeRecordings(made));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A folder of recordings of its own, and the words for a server of it. */
export function newLibrary(name: string): { library: string; words: readonly string[] } {
  const library = join(folder, name);
  mkdirSync(library, { recursive: true });
  const policy = join(folder, `${name}.json`);
  const kept = { name: "all", days: 36_500, keepBest: false };
  writeFileSync(policy, JSON.stringify({ version: 1, classes: [kept] }));
  const words = ["--access", "open", "--live-silence", "1", "--retention", policy, "--retention-hours", "1"];
  words.push("--lake", `${library}-lake`);
  return { library, words };
}

/** Runs a scenario until the server ends at `point`, then on with the next one to its end. */
export async function survive(
  world: World,
  point: string,
  n: number,
  arm: () => Promise<void>,
  restart: () => Promise<void>,
) {
  const scenario = SCENARIOS[point.split("/")[0]!];
  if (scenario === undefined) throw new Error(`no scenario of ${point}`);
  const ending = new AbortController();
  const run = (signal: AbortSignal): Run => ({ ...world, n, signal });
  const reached = arm().then(() => "reached");
  // a connection may break before its process is known to have ended
  const soon = async (): Promise<unknown> =>
    Promise.race([reached, new Promise((go) => setTimeout(go, 5_000).unref())]);
  const first = scenario(run(ending.signal), point).then(
    () => "came to its end",
    async (error: unknown) =>
      ending.signal.aborted || (await soon()) === "reached" ? "reached" : Promise.reject(error),
  );
  expect(await Promise.race([first, reached]), `before ${point}`).toBe("reached");
  ending.abort();
  await first;
  await restart();
  await scenario(run(AbortSignal.timeout(60_000)), point);
}

/**
 * Tests of one database, in this process: the server is stopped at each failpoint, and a next one goes on. What is
 * stopped stays in the memory of the process, so each database has a test file of its own.
 */
export function testKept(newDatabase: NewDatabase): void {
  let world: World;
  let database: Database;
  let restart: () => Promise<void>;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const where = await newDatabase();
    const { library, words } = newLibrary(where.length === 0 ? "embedded" : "postgres");
    const given = Object.fromEntries(
      [...words, ...where].flatMap((word, i, all) =>
        word.startsWith("--")
          ? [[word.slice(2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()), all[i + 1]!]]
          : [],
      ),
    );
    const settings = await settingsOf({ store: library, port: 0, workers: 0, log: "silent", ...given }, undefined, {});
    const node = await serve(settings);
    database = where.length > 0 ? await connectDatabase(where[1]!) : await joinDatabase(settings.database);
    const bus = localBus(() => undefined);
    // nothing waits for the clock
    const jobs = new Jobs(database.query, bus);
    const waking = setInterval(() => void jobs.runNow("scan", "library").catch(() => undefined), 100);
    const polling = setInterval(() => bus.receive("jobs", ""), 20);
    let working = await work(settings, database, bus);
    restart = async () => {
      armFailpoint(null);
      // what was reached never goes on: it is as if its process had ended
      void working.stop();
      await database.query
        .updateTable("jobs")
        .set({ lease: new Date(0) })
        .where("state", "=", "running")
        .execute();
      working = await work(settings, database, bus);
      // what `serve` does
      for (const kind of ["reconcile", "scan"]) await jobs.add(kind, kind === "scan" ? "library" : "");
      await jobs.runNow("reconcile", "");
    };
    world = { address: () => node.address, query: () => database.query, library, data: settings.data, made };
    close = async () => {
      clearInterval(waking);
      clearInterval(polling);
      await Promise.race([working.stop(), new Promise((resolve) => setTimeout(resolve, 500))]);
      await database.close();
      await node.close();
    };
  });
  afterAll(() => close?.());

  test.each(POINTS.map((point, n) => [point, n] as const))("where the server ends at %s", async (point, n) => {
    const arm = (): Promise<void> =>
      new Promise((resolve) => {
        armFailpoint(point, () => {
          armFailpoint(null);
          resolve();
          return new Promise(() => undefined);
        });
      });
    await survive(world, point, n, arm, restart);
  });
}

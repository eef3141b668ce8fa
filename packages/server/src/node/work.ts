import type { Bus } from "../bus/bus.ts";
import { openBus } from "../bus/open.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { Disk } from "../disk.ts";
import { openLibrary } from "../library/open.ts";
import { logTo } from "../log-output.ts";
import type { Settings } from "../settings.ts";
import { collector } from "./collect.ts";
import { handlersOf } from "./handlers.ts";
import { Jobs } from "../jobs/queue.ts";
import { Worker } from "../jobs/worker.ts";

/** Does jobs until it is stopped. */
export interface Working {
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Kinds of jobs that do not wait behind other kinds, nor these behind them: new files are found even while many recordings
 * wait for their index, and a long video holds up no index.
 */
const APART: readonly string[] = ["scan", "render"];

/**
 * Jobs that one thread does at once: while one job waits for the database or the storage, the thread works on another.
 */
const IN_HAND = 2;

/** Does jobs of a database until it is stopped. */
export async function work(settings: Settings, database: Database, bus: Bus): Promise<Working> {
  const { query } = database;
  const log = logTo(settings.log);
  const jobs = new Jobs(query, bus);
  const library = await openLibrary(settings);
  const disk = new Disk(settings);
  const handlers = [...handlersOf({ settings, database, query, bus, jobs, library, log })];
  const isApart = ([kind]: (typeof handlers)[number]): boolean => APART.includes(kind);
  const others = handlers.filter((handler) => !isApart(handler));
  const apart = handlers.filter(isApart).map((handler) => [handler]);
  const lanes = [...apart, ...Array.from({ length: IN_HAND }, () => others)];
  const collect = collector();
  const rest = (): void => {
    if (!workers.some(({ isBusy }) => isBusy)) collect();
  };
  const workers: readonly Worker[] = lanes.map(
    (lane) => new Worker(jobs, bus, new Map(lane), log, () => disk.hasRoom(), rest),
  );
  return {
    ended: Promise.all(workers.map(({ ended }) => ended)).then(() => undefined),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

/** Does the same as `work`, in a process of its own. */
export async function workAlone(settings: Settings): Promise<Working> {
  const database = await openDatabase(settings.database);
  const bus = await openBus(settings.bus === "local" ? "postgres" : settings.bus, database);
  const worker = await work(settings, database, bus);
  return {
    ended: worker.ended,
    stop: async () => {
      await worker.stop();
      await bus.close();
      await database.close();
    },
  };
}

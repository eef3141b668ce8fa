import { type Bus, openBus } from "../bus/bus.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { Disk } from "../disk.ts";
import { openLibrary } from "../library/open.ts";
import { logTo } from "../log.ts";
import type { Settings } from "../settings.ts";
import { handlersOf } from "./handlers.ts";
import { Jobs } from "./queue.ts";
import { Worker } from "./worker.ts";

/** What does jobs until it is stopped. */
export interface Working {
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Kinds of jobs that wait for no other: however much is to be indexed, what is new is seen. */
const APART: readonly string[] = ["scan"];

/** Does jobs of a database until it is stopped. */
export async function work(settings: Settings, database: Database, bus: Bus): Promise<Working> {
  const { query } = database;
  const log = logTo(settings.log);
  const jobs = new Jobs(query, bus);
  const library = await openLibrary(settings);
  const disk = new Disk(settings);
  const handlers = [...handlersOf({ settings, database, query, bus, jobs, library, log })];
  const lanes = [true, false].map((isApart) => handlers.filter(([kind]) => APART.includes(kind) === isApart));
  const workers = lanes.map((lane) => new Worker(jobs, bus, new Map(lane), log, () => disk.hasRoom()));
  return {
    ended: Promise.all(workers.map(({ ended }) => ended)).then(() => undefined),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

/** As `work`, in a process of its own. */
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

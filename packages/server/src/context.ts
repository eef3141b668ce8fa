import type { Bus } from "./bus/bus.ts";
import type { Database, Query } from "./database/database.ts";
import type { Jobs } from "./jobs/queue.ts";
import type { Library } from "./library/library.ts";
import type { Log } from "./log.ts";
import type { Settings } from "./settings.ts";

/** The services and settings that each part of a node gets. */
export interface Context {
  readonly settings: Settings;
  readonly database: Database;
  readonly query: Query;
  readonly bus: Bus;
  readonly jobs: Jobs;
  readonly library: Library;
  readonly log: Log;
}

import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { Offset } from "./offset.ts";

/** Milliseconds between two questions. */
const ASK_EVERY = 5000;
const FIRST_QUESTIONS = 5;

/**
 * The time that all nodes of a server share: that of the database. The clocks of rooms use it, so that they stay right
 * when another node continues them.
 */
export class ServerTime {
  readonly #database: Database;
  readonly #offset = new Offset();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Settles when the time is known. */
  async start(): Promise<void> {
    // an embedded database runs on this machine
    if (this.#database.isEmbedded) return;
    for (let n = 0; n < FIRST_QUESTIONS; n++) await this.#ask();
    this.#timer = setInterval(() => void this.#ask().catch(() => undefined), ASK_EVERY);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Unix milliseconds, with a fraction. */
  now(): number {
    return here() + this.#offset.value;
  }

  async #ask(): Promise<void> {
    const sent = here();
    const { rows } = await sql<{
      time: number;
    }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as time`.execute(this.#database.query);
    this.#offset.add(sent, rows[0]!.time, here());
  }
}

/** A clock of this machine that never goes back. */
function here(): number {
  return performance.timeOrigin + performance.now();
}

import { sql } from "kysely";
import type { Bus } from "../bus/bus.ts";
import type { Query } from "../database/database.ts";

/** Topic of the bus: a job was added, or is due. */
export const WAKE = "jobs";

type Input = Readonly<Record<string, unknown>>;

/** A job that belongs to this worker until its lease ends. */
export interface ClaimedJob {
  readonly id: number;
  readonly kind: string;
  readonly subject: string;
  readonly input: Input;
  /** Number of this try, from 1; reports of an earlier try are ignored. */
  readonly attempts: number;
}

export interface AddOptions {
  readonly input?: Input;
  /** Milliseconds until the job may begin. */
  readonly after?: number;
}

/**
 * Jobs, as rows, that are done at least once: a worker claims a job under a lease, and it is tried again when the lease
 * ends. The state is only in the database; the bus only wakes workers.
 */
export class Jobs {
  readonly #query: Query;
  readonly #bus: Bus;

  constructor(query: Query, bus: Bus) {
    this.#query = query;
    this.#bus = bus;
  }

  /** Adds a job, unless one of this kind already waits for the same subject. */
  async add(kind: string, subject: string, options: AddOptions = {}): Promise<void> {
    await this.begin(kind, subject, options);
  }

  /** Like `add`; returns the id of the job that waits. */
  async begin(kind: string, subject: string, { input = {}, after = 0 }: AddOptions = {}): Promise<number> {
    const { id } = await this.#query
      .insertInto("jobs")
      .values({ kind, subject, input: JSON.stringify(input), due: sql`now() + ${after} * interval '1 millisecond'` })
      .onConflict((conflict) =>
        conflict.columns(["kind", "subject"]).where("state", "=", "waiting").doUpdateSet({ kind }),
      )
      .returning("id")
      .executeTakeFirstOrThrow();
    this.#bus.publish(WAKE, kind);
    return id;
  }

  /** Like `add`, for many subjects. */
  async addAll(kind: string, subjects: readonly string[]): Promise<void> {
    for (let at = 0; at < subjects.length; at += 1000)
      await sql`
        insert into jobs (kind, subject) select ${kind}, unnest(${subjects.slice(at, at + 1000)}::text[])
        on conflict (kind, subject) where state = 'waiting' do nothing`.execute(this.#query);
    if (subjects.length > 0) this.#bus.publish(WAKE, kind);
  }

  /**
   * Returns those of `subjects` that have no job of this kind: none waits, runs or was cancelled, and none has failed
   * within the last hour.
   */
  async missing(kind: string, subjects: readonly string[]): Promise<readonly string[]> {
    const missing: string[] = [];
    for (let at = 0; at < subjects.length; at += 1000) {
      const { rows } = await sql<{ subject: string }>`
        select subject from unnest(${subjects.slice(at, at + 1000)}::text[]) as asked (subject)
        where not exists (select 1 from jobs where jobs.kind = ${kind} and jobs.subject = asked.subject
          and (state in ('waiting', 'running', 'cancelled')
            or state = 'failed' and ended > now() - interval '1 hour'))`.execute(this.#query);
      for (const { subject } of rows) missing.push(subject);
    }
    return missing;
  }

  /** Lets a waiting job begin at once. */
  async runNow(kind: string, subject: string): Promise<void> {
    await this.#query
      .updateTable("jobs")
      .set({ due: sql`now()` })
      .where("kind", "=", kind)
      .where("subject", "=", subject)
      .where("state", "=", "waiting")
      .where("due", ">", sql<Date>`now()`)
      .execute();
    this.#bus.publish(WAKE, kind);
  }

  /** Claims the job of one of `kinds` that was due first; null: no job is due. `lease` in milliseconds. */
  async claim(kinds: readonly string[], lease: number): Promise<ClaimedJob | null> {
    const { rows } = await sql<ClaimedJob>`
      update jobs set state = 'running', attempts = attempts + 1, lease = now() + ${lease} * interval '1 millisecond'
      where id = (
        select id from jobs
        where (state = 'waiting' and due <= now() or state = 'running' and lease < now()) and kind = any(${kinds})
        order by due, id limit 1 for update skip locked
      )
      returning id, kind, subject, input, attempts`.execute(this.#query);
    return rows[0] ?? null;
  }

  /**
   * Renews the lease of a job, and writes its progress (0 to 1). False: the job no longer belongs to this worker, or
   * was cancelled.
   */
  async renew({ id, attempts }: ClaimedJob, lease: number, progress: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#query
      .updateTable("jobs")
      .set({ lease: sql`now() + ${lease} * interval '1 millisecond'`, progress })
      .where("id", "=", id)
      .where("attempts", "=", attempts)
      .where("state", "=", "running")
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async finish({ id, attempts }: ClaimedJob, result: unknown): Promise<void> {
    await this.#query
      .updateTable("jobs")
      .set({
        state: "done",
        progress: 1,
        lease: null,
        ended: sql`now()`,
        error: null,
        result: JSON.stringify(result ?? null),
      })
      .where("id", "=", id)
      .where("attempts", "=", attempts)
      .where("state", "=", "running")
      .execute();
  }

  /** `again`: milliseconds until the next try, unless another job waits by now; null: the job has failed. */
  async fail({ id, attempts, kind, subject }: ClaimedJob, error: string, again: number | null): Promise<void> {
    const other = this.#query
      .selectFrom("jobs")
      .select("id")
      .where("kind", "=", kind)
      .where("subject", "=", subject)
      .where("state", "=", "waiting");
    const isOver = again === null || (await other.executeTakeFirst()) !== undefined;
    await this.#query
      .updateTable("jobs")
      .set(
        isOver
          ? { state: "failed", error, lease: null, ended: sql`now()` }
          : { state: "waiting", error, lease: null, due: sql`now() + ${again} * interval '1 millisecond'` },
      )
      .where("id", "=", id)
      .where("attempts", "=", attempts)
      .where("state", "=", "running")
      .execute();
  }

  /** Cancels a job; a worker stops a running job when it renews the lease next. False: the job is already over. */
  async cancel(id: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#query
      .updateTable("jobs")
      .set({ state: "cancelled", ended: sql`now()`, lease: null })
      .where("id", "=", id)
      .where("state", "in", ["waiting", "running"])
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Retries a job that has failed or was cancelled. False: the job is in another state, or another one waits. */
  async retry(id: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#query
      .updateTable("jobs as one")
      .set({ state: "waiting", attempts: 0, error: null, progress: 0, ended: null, due: sql`now()` })
      .where("id", "=", id)
      .where("state", "in", ["failed", "cancelled"])
      .where(sql<boolean>`not exists (select 1 from jobs as other where other.state = 'waiting'
        and other.kind = one.kind and other.subject = one.subject)`)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) this.#bus.publish(WAKE, "retry");
    return numUpdatedRows > 0n;
  }
}

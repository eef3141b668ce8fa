import { folderMains, FORMATS } from "simtape";
import { formatOfFolder } from "simtape/serving";
import { type Insertable, sql } from "kysely";
import type { Bus } from "../bus/bus.ts";
import type { Query } from "../database/database.ts";
import type { LiveTable } from "../database/tables.ts";
import { failpoint } from "../failpoint.ts";
import { Problem } from "../problem.ts";
import type { Jobs } from "../jobs/queue.ts";
import { hasRole, type Person } from "../people/person.ts";

/** Folder of the library that holds live recordings. */
export const FOLDER = "live";
/** Name of the main file of a recording that is written in segments, and its format. */
export const MAIN: string = folderMains(FORMATS)[0]!;
const FORMAT = formatOfFolder(MAIN, FORMATS)!.id;

/** Milliseconds after which the lease of a node on a recording ends, unless the node renews it. */
export const LEASE = 6000;

/** Topic of the bus on which a node says how many seconds of a recording can be read. */
export function topicOf(id: string): string {
  return `live.${id}`;
}

/** Progress of a recording, for those who watch it. */
export interface Progress {
  /** `ended`: the recording is complete; it is indexed next. */
  readonly state: "live" | "ended";
  /** Seconds that can be read. */
  readonly seconds: number;
  readonly bytes: number;
}

/** The facts of a recording when it begins. */
export interface Begun {
  readonly id: string;
  readonly person: Person;
  readonly via: "lines" | "segments";
  readonly started: Date | null;
}

/** Rows of live recordings: which account may write a recording, and which node writes it. */
export class Leases {
  readonly #query: Query;
  readonly #jobs: Jobs;
  readonly #bus: Bus;
  readonly #node: string;
  readonly #mostAtOnce: number;

  /** `mostAtOnce`: most live recordings of one account. */
  constructor(query: Query, jobs: Jobs, bus: Bus, node: string, mostAtOnce = Infinity) {
    this.#query = query;
    this.#jobs = jobs;
    this.#bus = bus;
    this.#node = node;
    this.#mostAtOnce = mostAtOnce;
  }

  /**
   * Adds a recording to the catalog, unless it is there. Throws `Problem` when the recording is over, or belongs to
   * another account.
   */
  async begin({ id, person, via, started }: Begun): Promise<void> {
    const owner = person.via === "open" ? null : person.id;
    if (owner !== null) await this.#mustHaveRoom(id, owner);
    // a live recording always has a lease: without one nothing would ever end it
    const isNew = await this.#query.transaction().execute(async (within) => {
      const { numInsertedOrUpdatedRows } = await within
        .insertInto("recordings")
        .values({ ...rowOf(id), started, owner })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 0n) return false;
      await leased(within, { recording: id, sender: person.name, via, node: null, lease: 0 });
      return true;
    });
    if (isNew) return;
    await this.check(id, person);
    await leased(this.#query, { recording: id, sender: person.name, via, node: null, lease: 0 });
  }

  /** Checks that a person may write a recording, if it exists. Throws `Problem` otherwise. */
  async check(id: string, person: Person, isWritten = true): Promise<void> {
    const row = await this.#rowOf(id);
    if (row === undefined) return;
    if (!isTheirs(row, id, person)) throw new Problem(409, "another recording has this id; choose a different id");
    if (isWritten && row.state !== "live") throw new Problem(409, "this recording has ended; start another one");
  }

  /**
   * Whether a person may read the present part of a recording that they make. A recording of another account is
   * answered as if it did not exist.
   */
  async mayRead(id: string, person: Person): Promise<boolean> {
    const row = await this.#rowOf(id);
    return row !== undefined && isTheirs(row, id, person);
  }

  #rowOf(id: string) {
    return this.#query
      .selectFrom("recordings")
      .leftJoin("live", "live.recording", "recordings.id")
      .select(["recordings.id", "state", "owner", "live.recording"])
      .where((where) => where.or([where("recordings.id", "=", id), where("key", "=", `${FOLDER}/${id}/${MAIN}`)]))
      .executeTakeFirst();
  }

  /** Throws `Problem` when an account would have more live recordings than it may. */
  async #mustHaveRoom(id: string, owner: string): Promise<void> {
    const { count } = await this.#query
      .selectFrom("live")
      .innerJoin("recordings", "recordings.id", "live.recording")
      .select(sql<string>`count(*)`.as("count"))
      .where("owner", "=", owner)
      .where("live.recording", "<>", id)
      .executeTakeFirstOrThrow();
    if (Number(count) >= this.#mostAtOnce)
      throw new Problem(429, `this account has ${count} live recordings: end some of them`);
  }

  /** A recording has reached a limit and continues as a new recording. */
  async goOn(id: string, next: string): Promise<void> {
    const row = await this.#query
      .selectFrom("recordings")
      .innerJoin("live", "live.recording", "recordings.id")
      .select(["owner", "collection", "sender"])
      .where("recordings.id", "=", id)
      .executeTakeFirstOrThrow();
    const { owner, collection, sender } = row;
    await this.#query.transaction().execute(async (within) => {
      await within
        .insertInto("recordings")
        .values({ ...rowOf(next), started: new Date(), owner, collection })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await leased(within, { recording: next, sender, via: "lines", node: this.#node, lease: LEASE });
    });
  }

  /** The recording exists and is not live. */
  async isOver(id: string): Promise<boolean> {
    const row = await this.#query.selectFrom("recordings").select("state").where("id", "=", id).executeTakeFirst();
    return row !== undefined && row.state !== "live";
  }

  /** A recorder has connected again to a recording that it had left open. */
  async revive(id: string, { name: sender }: Person): Promise<void> {
    await this.#query.transaction().execute(async (within) => {
      await within.updateTable("recordings").set({ state: "live" }).where("id", "=", id).execute();
      await leased(within, { recording: id, sender, via: "segments", node: null, lease: 0 });
    });
  }

  /** The recorder on another machine is connected. */
  async hear(id: string): Promise<void> {
    await this.#query
      .updateTable("live")
      .set({ heard: sql`now()`, lease: sql`now()` })
      .where("recording", "=", id)
      .where("via", "=", "segments")
      .execute();
  }

  /** Takes a recording for this node. False: another node has the lease. */
  async claim(id: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#query
      .updateTable("live")
      .set({ node: this.#node, lease: until(LEASE), heard: sql`now()` })
      .where("recording", "=", id)
      .where((where) =>
        where.or([where("node", "is", null), where("node", "=", this.#node), where("lease", "<", sql<Date>`now()`)]),
      )
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /**
   * Renews the leases of recordings, and returns which of them this node still has; `heard`: the recordings whose
   * sender is connected.
   */
  async renew(ids: readonly string[], heard: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.#query
      .updateTable("live")
      .set({
        lease: until(LEASE),
        heard: sql`case when recording = any(${heard}) then now() else heard end`,
      })
      .where("node", "=", this.#node)
      .where("recording", "in", ids)
      .returning("recording")
      .execute();
    return new Set(rows.map(({ recording }) => recording));
  }

  /** Gives up the lease of a recording that is not over, so that another node may continue it. */
  async release(id: string): Promise<void> {
    await this.#query
      .updateTable("live")
      .set({ node: null, lease: sql`now()` })
      .where("recording", "=", id)
      .where("node", "=", this.#node)
      .execute();
  }

  /** Writes the progress into the catalog, and publishes it to those who watch. */
  async noteProgress(id: string, { seconds, bytes }: Pick<Progress, "seconds" | "bytes">): Promise<void> {
    await this.#query
      .updateTable("recordings")
      .set({ seconds, bytes, first: 0, last: seconds, changed: sql`now()` })
      .where("id", "=", id)
      .where("state", "=", "live")
      .execute();
    this.tellProgress(id, { seconds, bytes });
  }

  /** Only publishes the progress to those who watch. */
  tellProgress(id: string, { seconds, bytes }: Pick<Progress, "seconds" | "bytes">): void {
    this.#bus.publish(topicOf(id), JSON.stringify({ state: "live", seconds, bytes } satisfies Progress));
  }

  /**
   * Recordings that a killed node or a sender has left: their leases were not renewed for this many milliseconds. This
   * node now has their leases.
   */
  async abandoned(silence: number): Promise<readonly { recording: string; via: "lines" | "segments" }[]> {
    return this.#query
      .updateTable("live")
      .set({ node: this.#node, lease: until(5 * LEASE) })
      .where("lease", "<", sql<Date>`now()`)
      .where("heard", "<", sql<Date>`now() - ${silence} * interval '1 millisecond'`)
      .returning(["recording", "via"])
      .execute();
  }

  /** Marks the recording as over: from now on it is a normal recording, which is indexed next. */
  async end(id: string): Promise<void> {
    const row = await this.#query.transaction().execute(async (within) => {
      await within
        .updateTable("recordings")
        .set({ state: "new", stamp: "", changed: sql`now()` })
        .where("id", "=", id)
        .where("state", "=", "live")
        .execute();
      return within.deleteFrom("live").where("recording", "=", id).returning("recording").executeTakeFirst();
    });
    if (row === undefined) return;
    await failpoint("live/ended");
    await this.#jobs.add("scan", "library");
    const last = await this.#query
      .selectFrom("recordings")
      .select(["seconds", "bytes"])
      .where("id", "=", id)
      .executeTakeFirst();
    const progress: Progress = { state: "ended", seconds: last?.seconds ?? 0, bytes: last?.bytes ?? 0 };
    this.#bus.publish(topicOf(id), JSON.stringify(progress));
  }
}

/** `lease` in milliseconds. */
async function leased(
  query: Query,
  { lease, ...row }: Pick<Insertable<LiveTable>, "recording" | "sender" | "via" | "node"> & { readonly lease: number },
): Promise<void> {
  await query
    .insertInto("live")
    .values({ ...row, lease: until(lease) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function isTheirs(row: { id: string; owner: string | null }, id: string, person: Person): boolean {
  return row.id === id && ((row.owner !== null && row.owner === person.id) || hasRole(person, "staff"));
}

/** The row of a recording that was not indexed yet. */
function rowOf(id: string) {
  return {
    id,
    key: `${FOLDER}/${id}/${MAIN}`,
    name: id,
    state: "live" as const,
    format: FORMAT,
    ...{ files: "[]", bytes: 0, stamp: "", metadata: "{}", channels: "[]", findings: "[]", summary: "", names: "" },
  };
}

function until(milliseconds: number): ReturnType<typeof sql<Date>> {
  return sql<Date>`now() + ${milliseconds} * interval '1 millisecond'`;
}

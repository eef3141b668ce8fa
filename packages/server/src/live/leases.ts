import { folderMains, FORMATS } from "simtape";
import { formatOfFolder } from "simtape/serving";
import { sql } from "kysely";
import type { Bus } from "../bus/bus.ts";
import type { Query } from "../database/database.ts";
import { Problem } from "../http/problem.ts";
import type { Jobs } from "../jobs/queue.ts";
import { hasRole, type Person } from "../people/person.ts";

/** Folder of the library in which live recordings are. */
export const FOLDER = "live";
/** Name of the main file of a recording that is written in segments, and what format that is. */
export const MAIN: string = folderMains(FORMATS)[0]!;
const FORMAT = formatOfFolder(MAIN, FORMATS)!.id;

/** Milliseconds for which a node has a recording without saying so again. */
export const LEASE = 6000;

/** Topic of the bus on which a node says how far a recording is. */
export function topicOf(id: string): string {
  return `live.${id}`;
}

/** How far a recording is, for those who watch it. */
export interface Progress {
  /** `ended`: no more comes; it is indexed next. */
  readonly state: "live" | "ended";
  /** Seconds that can be read. */
  readonly seconds: number;
  readonly bytes: number;
}

/** What is said of a recording when it begins. */
export interface Begun {
  readonly id: string;
  readonly person: Person;
  readonly via: "lines" | "segments";
  readonly started: Date | null;
}

/** Rows of live recordings: who may write which, and which node does. */
export class Leases {
  readonly #query: Query;
  readonly #jobs: Jobs;
  readonly #bus: Bus;
  readonly #node: string;

  constructor(query: Query, jobs: Jobs, bus: Bus, node: string) {
    this.#query = query;
    this.#jobs = jobs;
    this.#bus = bus;
    this.#node = node;
  }

  /** Puts a recording into the catalog, unless it is there. Throws `Problem` when it is over, or not this person's. */
  async begin({ id, person, via, started }: Begun): Promise<void> {
    const owner = person.via === "open" ? null : person.id;
    const { numInsertedOrUpdatedRows } = await this.#query
      .insertInto("recordings")
      .values({ ...rowOf(id), started, owner })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 0n) await this.check(id, person);
    await this.#query
      .insertInto("live")
      .values({ recording: id, sender: person.name, via, node: null, lease: sql`now()` })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  /** Whether a person may write a recording, or read what is there of it, as far as there is one. Throws `Problem` when not. */
  async check(id: string, person: Person, isWritten = true): Promise<void> {
    const row = await this.#query
      .selectFrom("recordings")
      .leftJoin("live", "live.recording", "recordings.id")
      .select(["recordings.id", "state", "owner", "live.recording"])
      .where((where) => where.or([where("recordings.id", "=", id), where("key", "=", `${FOLDER}/${id}/${MAIN}`)]))
      .executeTakeFirst();
    if (row === undefined) return;
    const isOwn = (row.owner !== null && row.owner === person.id) || hasRole(person, "staff");
    if (!isOwn || row.id !== id) throw new Problem(409, "another recording has this id; choose another one");
    if (isWritten && row.state !== "live") throw new Problem(409, "this recording is over; begin another one");
  }

  /** A recording has come to a limit, and goes on as another one. */
  async goOn(id: string, next: string): Promise<void> {
    const row = await this.#query
      .selectFrom("recordings")
      .innerJoin("live", "live.recording", "recordings.id")
      .select(["owner", "collection", "sender"])
      .where("recordings.id", "=", id)
      .executeTakeFirstOrThrow();
    const { owner, collection, sender } = row;
    await this.#query
      .insertInto("recordings")
      .values({ ...rowOf(next), started: new Date(), owner, collection })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await this.#query
      .insertInto("live")
      .values({ recording: next, sender, via: "lines", node: this.#node, lease: until(LEASE) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  /** There is such a recording, and it is not live. */
  async isOver(id: string): Promise<boolean> {
    const row = await this.#query.selectFrom("recordings").select("state").where("id", "=", id).executeTakeFirst();
    return row !== undefined && row.state !== "live";
  }

  /** A recorder has come again to what it had left open. */
  async revive(id: string): Promise<void> {
    await this.#query.updateTable("recordings").set({ state: "live" }).where("id", "=", id).execute();
  }

  /** A recorder elsewhere is there. */
  async hear(id: string): Promise<void> {
    await this.#query
      .updateTable("live")
      .set({ heard: sql`now()`, lease: sql`now()` })
      .where("recording", "=", id)
      .where("via", "=", "segments")
      .execute();
  }

  /** Takes a recording for this node. False: another node has it. */
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

  /** Keeps recordings for longer, and says which of them are still this node's; `heard`: those whose sender is there. */
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

  /** Lets go of a recording that is not over: another node may go on with it. */
  async release(id: string): Promise<void> {
    await this.#query
      .updateTable("live")
      .set({ node: null, lease: sql`now()` })
      .where("recording", "=", id)
      .where("node", "=", this.#node)
      .execute();
  }

  /** Says in the catalog, and to those who watch, how far it is. */
  async noteProgress(id: string, { seconds, bytes }: Pick<Progress, "seconds" | "bytes">): Promise<void> {
    await this.#query
      .updateTable("recordings")
      .set({ seconds, bytes, first: 0, last: seconds, changed: sql`now()` })
      .where("id", "=", id)
      .where("state", "=", "live")
      .execute();
    this.tellProgress(id, { seconds, bytes });
  }

  /** Says it only to those who watch. */
  tellProgress(id: string, { seconds, bytes }: Pick<Progress, "seconds" | "bytes">): void {
    this.#bus.publish(topicOf(id), JSON.stringify({ state: "live", seconds, bytes } satisfies Progress));
  }

  /** Those that a killed node or a sender has left: not heard of for so many milliseconds. They are this node's now. */
  async abandoned(silence: number): Promise<readonly { recording: string; via: "lines" | "segments" }[]> {
    return this.#query
      .updateTable("live")
      .set({ node: this.#node, lease: until(5 * LEASE) })
      .where("lease", "<", sql<Date>`now()`)
      .where("heard", "<", sql<Date>`now() - ${silence} * interval '1 millisecond'`)
      .returning(["recording", "via"])
      .execute();
  }

  /** It is over: a recording like any other from here on, which is looked at next. */
  async end(id: string): Promise<void> {
    await this.#query
      .updateTable("recordings")
      .set({ state: "new", stamp: "", changed: sql`now()` })
      .where("id", "=", id)
      .where("state", "=", "live")
      .execute();
    const row = await this.#query
      .deleteFrom("live")
      .where("recording", "=", id)
      .returning("recording")
      .executeTakeFirst();
    if (row === undefined) return;
    await this.#jobs.add("scan", "library");
    const told = await this.#query
      .selectFrom("recordings")
      .select(["seconds", "bytes"])
      .where("id", "=", id)
      .executeTakeFirst();
    const progress: Progress = { state: "ended", seconds: told?.seconds ?? 0, bytes: told?.bytes ?? 0 };
    this.#bus.publish(topicOf(id), JSON.stringify(progress));
  }
}

/** A recording of which nothing is known yet. */
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

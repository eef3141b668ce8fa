import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { newId } from "../ids.ts";
import type { Clock } from "./clock.ts";
import type { Lead, Note } from "./protocol.ts";

/** A room as the database has it. */
export interface StoredRoom {
  readonly id: string;
  readonly name: string;
  readonly recordings: readonly string[];
  readonly owner: string | null;
  readonly lead: Lead;
}

/** Most notes of a room; only the newest are kept. */
const MOST_NOTES = 500;

/** Rooms and notes in the database. */
export class RoomStore {
  readonly #query: Query;

  constructor(query: Query) {
    this.#query = query;
  }

  async make(room: Omit<StoredRoom, "id" | "lead">, clock: Clock): Promise<StoredRoom> {
    const id = newId();
    const { name, recordings, owner } = room;
    await this.#query
      .insertInto("rooms")
      .values({ id, name, recordings: JSON.stringify(recordings), owner, clock: JSON.stringify(clock), generation: 0 })
      .execute();
    return { ...room, id, lead: { clock, generation: 0, leader: null } };
  }

  async find(id: string): Promise<StoredRoom | null> {
    return (await this.#select([id]))[0] ?? null;
  }

  /** The newest rooms, at most this many. */
  async list(most: number): Promise<readonly StoredRoom[]> {
    return this.#select(null, most);
  }

  /** The leaders of those rooms that still exist. */
  async leads(ids: readonly string[]): Promise<ReadonlyMap<string, Lead>> {
    return new Map((await this.#select(ids)).map(({ id, lead }) => [id, lead]));
  }

  /** Replaces the leader of the previous generation. False: another node changed it first. */
  async replace(id: string, { clock, leader, generation }: Lead): Promise<boolean> {
    const { numUpdatedRows } = await this.#query
      .updateTable("rooms")
      .set({ clock: JSON.stringify(clock), leader, generation, changed: sql`now()` })
      .where("id", "=", id)
      .where("generation", "=", generation - 1)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async remove(id: string): Promise<void> {
    await this.#query.deleteFrom("rooms").where("id", "=", id).execute();
  }

  async addNote(note: Omit<Note, "id" | "made">): Promise<Note> {
    const kept: Note = { ...note, id: newId(), made: new Date().toISOString() };
    await this.#query
      .insertInto("notes")
      .values({ ...kept, made: new Date(kept.made) })
      .execute();
    return kept;
  }

  /** Notes of these recordings, by time. */
  async notes(recordings: readonly string[]): Promise<readonly Note[]> {
    const rows = await this.#query
      .selectFrom("notes")
      .selectAll()
      .where("recording", "in", recordings)
      .orderBy("made", "desc")
      .limit(MOST_NOTES)
      .execute();
    return rows
      .map(({ id, recording, author, time, thing, text, made }) => ({
        ...{ id, recording, author, time, thing, text },
        made: made.toISOString(),
      }))
      .sort((a, b) => a.time - b.time);
  }

  async #select(ids: readonly string[] | null, most = 10_000): Promise<StoredRoom[]> {
    const rows = await this.#query
      .selectFrom("rooms")
      .select(["id", "name", "recordings", "owner", "clock", "generation", "leader"])
      .$if(ids !== null, (rooms) => rooms.where("id", "in", ids!))
      .orderBy("made", "desc")
      .limit(most)
      .execute();
    return rows.map(({ id, name, recordings, owner, clock, generation, leader }) => ({
      ...{ id, name, recordings, owner },
      lead: { clock: clock as Clock, generation, leader },
    }));
  }
}

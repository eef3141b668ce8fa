import { sql } from "kysely";
import { FORMATS } from "simtape";
import type { Query } from "../../database/database.ts";

/** A kind of event, or a person. Names with the same `key` are one. */
export interface Name {
  readonly key: string;
  readonly value: string;
  readonly title: string;
}

/** What the catalog counts of a recording by name: kinds of its events, and people in it. */
export type Names = Readonly<Record<"events" | "people", readonly Name[]>>;

/** Sets of the state whose things are people. */
export const PEOPLE: readonly string[] = [
  ...new Set((await Promise.all(FORMATS.map(async (format) => (await format.traits?.())?.people ?? []))).flat()),
];

/** Names that are kept, of all recordings together; those that were read first are forgotten first. */
const MOST = 2_000_000;
/** Different names that are kept once for all recordings which have them. */
const MOST_SHARED = 100_000;
/** Recordings that are read in one query. */
const AT_ONCE = 5000;

/** A recording, and the version of its row: its `xmin`, the transaction that wrote it. */
export interface Versioned {
  readonly id: string;
  readonly version: string;
}

interface Known {
  readonly version: string;
  readonly names: Names;
}

/**
 * The names in recordings, kept in memory, so that a search need not join and sort them each time. Those of a recording
 * are read again when its row has another version: what changes its names changes its row in the same transaction.
 */
export class KnownNames {
  readonly #query: Query;
  readonly #known = new Map<string, Known>();
  readonly #shared = new Map<string, Name>();
  #count = 0;

  constructor(query: Query) {
    this.#query = query;
  }

  /** Of these recordings, in their order; null: one was deleted meanwhile. */
  async of(all: readonly Versioned[]): Promise<readonly (Names | null)[]> {
    const missing = all.filter(({ id, version }) => this.#known.get(id)?.version !== version);
    const read = new Map<string, Names>();
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      const ids = missing.slice(at, at + AT_ONCE).map(({ id }) => id);
      for (const id of ids) this.#forget(id);
      for (const { id, version, kinds, titles, labels } of await this.#read(ids)) {
        const events = kinds.map((kind, n) => this.#name(kind, kind, titles[n]!));
        const names = { events, people: labels.map((label) => this.#name(label.toLowerCase(), label, label)) };
        read.set(id, names);
        this.#keep(id, { version, names });
      }
    }
    return all.map(({ id }) => read.get(id) ?? this.#known.get(id)?.names ?? null);
  }

  #name(key: string, value: string, title: string): Name {
    const text = `${value}\n${title}`;
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    if (this.#shared.size >= MOST_SHARED) this.#shared.clear();
    const name = { key, value, title };
    this.#shared.set(text, name);
    return name;
  }

  #keep(id: string, known: Known): void {
    this.#known.set(id, known);
    this.#count += sizeOf(known);
    while (this.#count > MOST) this.#forget(this.#known.keys().next().value!);
  }

  #forget(id: string): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    this.#known.delete(id);
    this.#count -= sizeOf(known);
  }

  async #read(ids: readonly string[]): Promise<readonly Row[]> {
    const { rows } = await sql<Row>`
      select id, xmin::text as version,
        array(select kind from event_kinds where recording = recordings.id order by kind) as kinds,
        array(select title from event_kinds where recording = recordings.id order by kind) as titles,
        array(select min(label) from entities
          where recording = recordings.id and set = any(${PEOPLE}::text[]) and label <> '' group by lower(label)) as labels
      from recordings where id = any(${ids}::text[])`.execute(this.#query);
    return rows;
  }
}

interface Row {
  readonly id: string;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly titles: readonly string[];
  readonly labels: readonly string[];
}

/** One more for the recording itself. */
function sizeOf({ names }: Known): number {
  return 1 + names.events.length + names.people.length;
}

import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { Problem } from "../http/problem.ts";
import { identityOf } from "../people/accounts.ts";

/** Whose data it is about. */
export interface Who {
  readonly names: readonly string[];
  /** In small letters. */
  readonly uuids: readonly string[];
  /** Ids of accounts of this server. */
  readonly accounts: readonly string[];
}

/** A recording that a subject is in. */
export interface Concerned {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly state: string;
  /** Only they are in it, as far as is known. */
  readonly isOnlyTheirs: boolean;
  readonly holds: readonly string[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * All that is known of a subject by a name, a UUID, or the id of an account; `others`: further names and UUIDs. Throws
 * `Problem` when a name is of several.
 */
export async function whoIs(query: Query, asked: string, others: readonly string[]): Promise<Who> {
  const given = [asked, ...others];
  const names = new Set<string>();
  const uuids = new Set<string>();
  for (const text of given) {
    const isUuid = UUID.test(identityOf(text));
    (isUuid ? uuids : names).add(isUuid ? identityOf(text) : text);
  }
  const accounts = await query
    .selectFrom("users")
    .select(["id", "name", "identities"])
    .where(
      sql<boolean>`id = any(${[...names]}) or lower(name) = any(${lower(names)}) or identities ?| ${[...uuids]}::text[]`,
    )
    .execute();
  for (const { id, name, identities } of accounts) {
    // an id was asked for: it is no name
    names.delete(id);
    names.add(name);
    for (const identity of identities) (UUID.test(identity) ? uuids : names).add(identity);
  }
  if (uuids.size === 0) {
    for (const one of (await idsCalled(query, [...names])).slice(0, 2)) uuids.add(one);
    if (uuids.size > 1)
      throw new Problem(409, `several are called ${asked}: ask by a UUID`, {
        uuids: await idsCalled(query, [...names]),
      });
  }
  return { names: [...names], uuids: [...uuids], accounts: accounts.map(({ id }) => id) };
}

/** Recordings that they are in, or that are theirs. */
export async function recordingsOf(query: Query, { names, uuids, accounts }: Who): Promise<readonly Concerned[]> {
  const { rows } = await sql<Concerned & { isOwner: boolean; others: number }>`
    select id, key, name, state, coalesce(owner = any(${accounts}), false) as "isOwner",
      array(select reason from holds where recording = recordings.id order by made) as holds,
      (select count(*) from subjects where recording = recordings.id and identity <> all(${uuids})) as others
    from recordings where state <> 'gone' and (owner = any(${accounts})
      or exists (select 1 from subjects where recording = recordings.id and identity = any(${uuids}))
      or exists (select 1 from entities where recording = recordings.id
        and (lower(label) = any(${lower(names)}) or lower(name) = any(${lower([...names, ...uuids])})))
      or exists (select 1 from reviews where recording = recordings.id
        and lower(subject) = any(${lower([...names, ...uuids])})))
    order by id`.execute(query);
  const mine = await sql<{ recording: string }>`
    select recording from subjects where identity = any(${uuids})`.execute(query);
  const theirs = new Set(mine.rows.map(({ recording }) => recording));
  return rows.map(({ isOwner, others, ...row }) => ({
    ...row,
    isOnlyTheirs: Number(others) === 0 && (theirs.has(row.id) || isOwner),
  }));
}

/** UUIDs of those whose recordings name one of these, as metadata tell: lists of `subjects` with `uuid` and `name`. */
async function idsCalled(query: Query, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ metadata: unknown }>`
    select metadata from recordings where state <> 'gone' and exists (
      select 1 from entities where recording = recordings.id and lower(label) = any(${lower(names)})) limit 1000`.execute(
    query,
  );
  const found = new Set<string>();
  const wanted = new Set(lower(names));
  for (const { metadata } of rows) collect(metadata, wanted, found, 0);
  return [...found];
}

function collect(value: unknown, names: ReadonlySet<string>, found: Set<string>, depth: number): void {
  if (typeof value !== "object" || value === null || depth > 8) return;
  const { name, uuid } = value as { name?: unknown; uuid?: unknown };
  if (typeof name === "string" && names.has(name.toLowerCase())) {
    const id = uuidOf(uuid);
    if (id !== null) found.add(id);
  }
  for (const inner of Object.values(value)) collect(inner, names, found, depth + 1);
}

function uuidOf(value: unknown): string | null {
  if (typeof value === "string") return UUID.test(identityOf(value)) ? identityOf(value) : null;
  const parts = typeof value === "object" && value !== null ? Object.values(value) : [];
  if (parts.length !== 4 || !parts.every(Number.isInteger)) return null;
  return identityOf(parts.map((part) => ((part as number) >>> 0).toString(16).padStart(8, "0")).join(""));
}

export function lower(texts: Iterable<string>): string[] {
  return [...texts].map((text) => text.toLowerCase());
}

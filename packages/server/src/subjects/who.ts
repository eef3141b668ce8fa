import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { Problem } from "../problem.ts";
import { identityOf } from "../people/accounts.ts";

/** The person whose data a request is about. */
export interface Who {
  readonly names: readonly string[];
  /** Names in small letters. */
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
  /** No other person is in it, as far as the catalog knows. */
  readonly isOnlyTheirs: boolean;
  readonly holds: readonly string[];
}

const SHORTEST_LOGIN = 8;
/** Most letters of a requested name. */
const SHORTEST_NAME = 3;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Finds everything that identifies a subject, by a name, a UUID, or the id of an account; `others`: further names and
 * UUIDs. Throws `Problem` when several people have the name.
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
    .select(["id", "name", "identities", "subject"])
    .where(
      sql<boolean>`id = any(${[...names]}) or lower(name) = any(${lower(names)}) or identities ?| ${[...uuids]}::text[]`,
    )
    .execute();
  for (const { id, name, identities, subject } of accounts) {
    // the request gave an id, which is not a name
    names.delete(id);
    names.add(name);
    for (const identity of identities) (UUID.test(identity) ? uuids : names).add(identity);
    // issuer and login of the account; a short number is too common to search for
    const login = subject?.slice(subject.indexOf(" ") + 1) ?? "";
    if (login.length >= SHORTEST_LOGIN) names.add(login);
  }
  if (uuids.size === 0) {
    for (const one of (await idsCalled(query, [...names])).slice(0, 2)) uuids.add(one);
    if (uuids.size > 1)
      throw new Problem(409, `several people have the name ${asked}: use a UUID`, {
        uuids: await idsCalled(query, [...names]),
      });
  }
  if (uuids.size > 0) for (const name of await namesOf(query, [...uuids])) names.add(name);
  return { names: [...names], uuids: [...uuids], accounts: accounts.map(({ id }) => id) };
}

/** Recordings that the subject is in, or owns. */
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

/** The names in recordings of the people with these UUIDs. */
async function namesOf(query: Query, uuids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { name, uuid } of await subjectsNamed(query, uuids))
    if (uuids.includes(uuid) && name.length >= SHORTEST_NAME) found.add(name);
  return found;
}

/** Names of other people that contain one of the subject's names: `Bob Miller` when the subject is `Bob`. */
export async function othersLike(query: Query, { names, uuids, accounts }: Who): Promise<readonly string[]> {
  const wanted = lower(names);
  const known = await query
    .selectFrom("users")
    .select("name")
    .where(sql<boolean>`id <> all(${[...accounts]})`)
    .execute();
  const { rows } = await sql<{ name: string }>`select distinct name from runs where uuid <> all(${[...uuids]})`.execute(
    query,
  );
  const players = (await subjectsNamed(query, uuids)).filter(({ uuid }) => !uuids.includes(uuid));
  const all = new Set([...known, ...rows, ...players].map(({ name }) => name));
  return [...all].filter((name) =>
    wanted.some((one) => name.toLowerCase().includes(one) && name.toLowerCase() !== one),
  );
}

/** All people with name and UUID in recordings of these subjects. */
async function subjectsNamed(
  query: Query,
  uuids: readonly string[],
): Promise<readonly { readonly name: string; readonly uuid: string }[]> {
  const { rows } = await sql<{ metadata: unknown }>`
    select metadata from recordings where state <> 'gone' and exists (
      select 1 from subjects where recording = recordings.id and identity = any(${[...uuids]})) limit 10000`.execute(
    query,
  );
  const found: { name: string; uuid: string }[] = [];
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > 8) return;
    const { name, uuid } = value as { name?: unknown; uuid?: unknown };
    const id = typeof name === "string" ? uuidOf(uuid) : null;
    if (id !== null) found.push({ name: name as string, uuid: id });
    for (const inner of Object.values(value)) look(inner, depth + 1);
  };
  for (const { metadata } of rows) look(metadata, 0);
  const runs = await query
    .selectFrom("runs")
    .select(["name", "uuid"])
    .where(sql<boolean>`uuid = any(${[...uuids]})`)
    .execute();
  return [...found, ...runs];
}

/** Recordings that only mention a subject and are about other people. */
export async function recordingsById(query: Query, ids: readonly string[]): Promise<readonly Concerned[]> {
  const { rows } = await sql<Concerned>`
    select id, key, name, state, false as "isOnlyTheirs",
      array(select reason from holds where recording = recordings.id order by made) as holds
    from recordings where state <> 'gone' and id = any(${[...ids]}) order by id`.execute(query);
  return rows;
}

/**
 * UUIDs of the people to whom recordings give one of these names in their metadata: lists of `subjects` with `uuid` and
 * `name`.
 */
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

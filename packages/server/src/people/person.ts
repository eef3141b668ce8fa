import type { PublicPolicy, Role } from "../database/tables.ts";

/** Name of the cookie of a session. */
export const COOKIE = "simtape_session";

/**
 * What a token may be used for; a session may be used for everything that its role allows. `report:trusted`: its
 * reports may have a score, flags and the name of another reporter.
 */
export const SCOPES = ["read", "write", "live", "report:trusted", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes that only administrators may give to tokens: the server trusts what such programs send. */
export const GRANTED: ReadonlySet<Scope> = new Set(["live", "report:trusted"]);

const OF_ONESELF: readonly Scope[] = ["read", "write", "admin"];

/** The scopes that an account of a role may have; its tokens may have no others. */
export function scopesOf(role: Role): readonly Scope[] {
  return role === "viewer" || role === "player" ? OF_ONESELF : SCOPES;
}

/** The user of a request. */
export interface Person {
  /** Null: the user is not signed in. */
  readonly id: string | null;
  readonly name: string;
  readonly role: Role | "none";
  /** Ids by which recordings name this person. */
  readonly identities: readonly string[];
  readonly scopes: readonly Scope[];
  readonly via: "open" | "session" | "token" | "none";
}

/** A user who is not signed in. */
export const NONE: Person = { id: null, name: "", role: "none", identities: [], scopes: [], via: "none" };

/** The user of every request to an open server. */
export const OPERATOR: Person = {
  id: "operator",
  name: "operator",
  role: "admin",
  identities: [],
  scopes: SCOPES,
  via: "open",
};

const RANK: Readonly<Record<Person["role"], number>> = {
  none: 0,
  recorder: 1,
  viewer: 2,
  player: 2,
  staff: 3,
  admin: 4,
};

/** Whether a person has a role, or a higher one. Recorders can only record. */
export function hasRole({ role }: Pick<Person, "role">, least: Role): boolean {
  return RANK[role] >= RANK[least];
}

/** The properties of a recording that rights depend on. */
export interface Owned {
  readonly id: string;
  readonly owner: string | null;
  /** The people who are in it, by the ids that it has for them. */
  readonly subjects: readonly string[];
  /** The policy of its collection; null: it is in no collection. */
  readonly public: PublicPolicy | null;
}

/** Whether a recording is a person's own: the catalog names them as the owner, or they are in it. */
export function isOwn({ id, identities }: Person, { owner, subjects }: Pick<Owned, "owner" | "subjects">): boolean {
  return (owner !== null && owner === id) || subjects.some((subject) => identities.includes(subject));
}

/**
 * Whether a person may read a recording. `off`: only the staff; `own`: also its owner and the people who are in it;
 * `all`: all users who are signed in as viewers. `usual` is the policy for recordings that are in no collection.
 */
export function mayRead(person: Person, recording: Owned, usual: PublicPolicy): boolean {
  if (!hasRole(person, "viewer")) return false;
  if (hasRole(person, "staff")) return true;
  const policy = recording.public ?? usual;
  return policy === "all" || (policy === "own" && isOwn(person, recording));
}

import type { PublicPolicy, Role } from "../database/tables.ts";

/** Name of the cookie of a session. */
export const COOKIE = "simtape_session";

/** What a token may be used for; a session may be used for all that its role may. */
export const SCOPES = ["read", "write", "live", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Who asks. */
export interface Person {
  /** Null: is not signed in. */
  readonly id: string | null;
  readonly name: string;
  readonly role: Role | "none";
  /** Ids by which recordings name this person. */
  readonly identities: readonly string[];
  readonly scopes: readonly Scope[];
  readonly via: "open" | "session" | "token" | "none";
}

/** Who is not signed in. */
export const NONE: Person = { id: null, name: "", role: "none", identities: [], scopes: [], via: "none" };

/** Who asks a server that is open to all who reach it. */
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

/** Whether a person has a role, or a higher one. Recorders only record. */
export function hasRole({ role }: Person, least: Role): boolean {
  return RANK[role] >= RANK[least];
}

/** As much of a recording as rights depend on. */
export interface Owned {
  readonly id: string;
  readonly owner: string | null;
  /** Whom it is of, by the ids that it names them by. */
  readonly subjects: readonly string[];
  /** Of its collection; null: it is in none. */
  readonly public: PublicPolicy | null;
}

/** Whether a recording is a person's own: theirs in the catalog, or of them. */
export function isOwn({ id, identities }: Person, { owner, subjects }: Pick<Owned, "owner" | "subjects">): boolean {
  return (owner !== null && owner === id) || subjects.some((subject) => identities.includes(subject));
}

/**
 * Whether a person may read a recording. `off`: staff alone; `own`: also whose it is; `all`: all who are signed in as
 * viewers. `usual` is the policy of what is in no collection.
 */
export function mayRead(person: Person, recording: Owned, usual: PublicPolicy): boolean {
  if (!hasRole(person, "viewer")) return false;
  if (hasRole(person, "staff")) return true;
  const policy = recording.public ?? usual;
  return policy === "all" || (policy === "own" && isOwn(person, recording));
}

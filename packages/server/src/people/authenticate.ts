import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { hashOf } from "../ids.ts";
import { type Lease, Remembered } from "../remembered.ts";
import type { Openness } from "./openness.ts";
import { COOKIE, NONE, OPERATOR, type Person, scopesOf } from "./person.ts";

/** Topic of the bus on which a node says that a token, a session or a user has changed. */
export const PEOPLE = "people";

/**
 * Milliseconds for which an answer of the database is used again: after that, a change whose message was lost takes
 * effect, too.
 */
const KEPT = 900;
const MOST_KEPT = 10_000;
/** Seconds between two writes of the last use of a session or token. */
const NOTED = 60;

/** Identifies the user of a request: by a token in the header, or by the cookie of a session. */
export class Authentication {
  readonly #context: Context;
  readonly #tokens: Remembered<Person>;
  readonly #sessions: Remembered<Person>;
  readonly #open: Remembered<boolean>;

  constructor(context: Context, openness: Openness) {
    const { query, settings, bus } = context;
    this.#context = context;
    this.#tokens = new Remembered(KEPT, MOST_KEPT, (hash) => personByToken(query, hash));
    this.#sessions = new Remembered(KEPT, MOST_KEPT, (hash) => personBySession(query, hash, settings.idleHours));
    this.#open = new Remembered(KEPT, 1, () => openness.isOpen());
    bus.subscribe(PEOPLE, () => this.#forget());
  }

  /**
   * Call this after a change of users, sessions or tokens: it takes effect at once on this node, and on the others by a
   * message of the bus.
   */
  changed(): void {
    this.#forget();
    this.#context.bus.publish(PEOPLE, "changed");
  }

  /** Calls `hear` after a change on any node. */
  onChange(hear: () => void): void {
    this.#context.bus.subscribe(PEOPLE, hear);
  }

  /** Whether every client that reaches the server is an administrator. */
  isOpen(): Promise<boolean> {
    return this.#open.get("");
  }

  /** Whether a request has a token or a session cookie, valid or not. */
  static isNamed({ headers, cookies }: FastifyRequest): boolean {
    return headers.authorization !== undefined || cookies[COOKIE] !== undefined;
  }

  async personOf(request: FastifyRequest): Promise<Person> {
    const { authorization = "" } = request.headers;
    if (authorization !== "") {
      const [, token = ""] = /^Bearer (\S{1,200})$/i.exec(authorization) ?? [];
      return token === "" ? NONE : this.#tokens.get(hashOf(token));
    }
    const cookie = request.cookies[COOKIE];
    if (cookie !== undefined && cookie.length <= 200) {
      const person = await this.#sessions.get(hashOf(cookie));
      if (person !== NONE) return person;
    }
    return (await this.isOpen()) ? OPERATOR : NONE;
  }

  /** How long the person of a request is known to be; null: no longer, or it rests on several answers. */
  leaseOf({ person, headers, cookies }: FastifyRequest): Lease | null {
    const { authorization } = headers;
    const cookie = cookies[COOKIE];
    if (person.via === "token") return this.#tokens.leaseOf(hashOf(authorization!.replace(/^Bearer /i, "")), person);
    if (person.via === "session") return this.#sessions.leaseOf(hashOf(cookie!), person);
    const isNamed = authorization !== undefined || cookie !== undefined;
    return person.via === "open" && !isNamed ? this.#open.leaseOf("", true) : null;
  }

  #forget(): void {
    this.#tokens.forget();
    this.#sessions.forget();
    this.#open.forget();
  }
}

async function personByToken(query: Query, hash: string): Promise<Person> {
  const row = await query
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.owner")
    .select(["users.id", "users.name", "users.role", "users.identities", "tokens.scopes"])
    .select(sql<boolean>`tokens.used is null or tokens.used < now() - ${NOTED} * interval '1 second'`.as("isOld"))
    .where("tokens.hash", "=", hash)
    .where("tokens.revoked", "is", null)
    .where("users.disabled", "=", false)
    .where(sql<boolean>`(tokens.expires is null or tokens.expires > now())`)
    .executeTakeFirst();
  if (row === undefined) return NONE;
  if (row.isOld) await query.updateTable("tokens").set({ used: sql`now()` }).where("hash", "=", hash).execute();
  const { id, name, role, identities } = row;
  // when the role of an account has become lower since the token was made, the token loses these scopes, too
  const scopes = scopesOf(role).filter((scope) => row.scopes.includes(scope));
  return { id, name, role, identities, scopes, via: "token" };
}

async function personBySession(query: Query, hash: string, idleHours: number): Promise<Person> {
  const row = await query
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user")
    .select(["users.id", "users.name", "users.role", "users.identities"])
    .select(sql<boolean>`sessions.used < now() - ${NOTED} * interval '1 second'`.as("isOld"))
    .where("sessions.hash", "=", hash)
    .where("users.disabled", "=", false)
    .where(sql<boolean>`sessions.expires > now() and sessions.used > now() - ${idleHours} * interval '1 hour'`)
    .executeTakeFirst();
  if (row === undefined) return NONE;
  if (row.isOld) await query.updateTable("sessions").set({ used: sql`now()` }).where("hash", "=", hash).execute();
  const { id, name, role, identities } = row;
  return { id, name, role, identities, scopes: scopesOf(role), via: "session" };
}

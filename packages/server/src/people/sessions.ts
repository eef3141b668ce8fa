import type { FastifyReply, FastifyRequest } from "fastify";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { hashOf, newSecret } from "../ids.ts";
import type { Settings } from "../settings.ts";
import { COOKIE } from "./person.ts";

/** Sessions of users who have signed in: each is a row with the hash of a cookie. */
export class Sessions {
  readonly #query: Query;
  readonly #settings: Settings;

  constructor(query: Query, settings: Settings) {
    this.#query = query;
    this.#settings = settings;
  }

  /** Begins a session and gives its cookie to the browser; the session that the browser had before ends. */
  async begin(user: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#remove(request);
    const secret = newSecret("session");
    const seconds = this.#settings.sessionHours * 3600;
    await this.#query
      .insertInto("sessions")
      .values({ hash: hashOf(secret), user, expires: new Date(Date.now() + seconds * 1000) })
      .execute();
    void reply.setCookie(COOKIE, secret, { ...this.cookie(request), maxAge: seconds });
  }

  /** Ends the session of this browser. */
  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#remove(request);
    void reply.clearCookie(COOKIE, this.cookie(request));
  }

  async endAll(user: string): Promise<void> {
    await this.#query.deleteFrom("sessions").where("user", "=", user).execute();
  }

  /** Removes the sessions that have expired. */
  async sweep(): Promise<void> {
    await this.#query
      .deleteFrom("sessions")
      .where(sql<boolean>`(expires < now() or used < now() - ${this.#settings.idleHours} * interval '1 hour')`)
      .execute();
  }

  /**
   * Options of the cookie: it is sent only to this server, no script can read it, and requests from other sites do not
   * send it.
   */
  cookie({ protocol }: FastifyRequest): { path: string; httpOnly: true; sameSite: "lax"; secure: boolean } {
    const origin = this.#settings.publicOrigin;
    const secure = origin === null ? protocol === "https" : origin.startsWith("https:");
    return { path: "/", httpOnly: true, sameSite: "lax", secure };
  }

  async #remove({ cookies }: FastifyRequest): Promise<void> {
    const before = cookies[COOKIE];
    if (before !== undefined) await this.#query.deleteFrom("sessions").where("hash", "=", hashOf(before)).execute();
  }
}

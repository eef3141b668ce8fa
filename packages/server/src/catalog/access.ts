import type { FastifyRequest } from "fastify";
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { FileFact, RecordingState, Tables } from "../database/tables.ts";
import { notFound } from "../http/problem.ts";
import { hasRole, mayRead, type Owned, type Person } from "../people/person.ts";
import { Remembered } from "../remembered.ts";

/** As much of a recording as a request for its bytes needs. */
export interface Reachable extends Owned {
  readonly key: string;
  readonly files: readonly FileFact[];
  readonly state: RecordingState;
  /** The world that it was made in, as its metadata have it; null: they name none. */
  readonly worldId: string | null;
  readonly worldVersion: string | null;
}

/** How long what is known of a recording is used again: its bytes are asked for in hundreds of small ranges. */
const KEPT = 1000;

/** Finds recordings that the one who asks may read. */
export class Recordings {
  readonly #context: Context;
  readonly #known: Remembered<Reachable | null>;

  constructor(context: Context) {
    this.#context = context;
    this.#known = new Remembered(KEPT, 10_000, (id) => this.#load(id));
  }

  /** Throws the same `Problem` for what is not there and for what is not for this person. */
  async find(id: string, { person }: FastifyRequest): Promise<Reachable> {
    const found = await this.#known.get(id);
    if (found === null || found.state === "gone" || !mayRead(person, found, this.#context.settings.public))
      throw notFound("the recording");
    return found;
  }

  forget(id: string): void {
    this.#known.forget(id);
  }

  async #load(id: string): Promise<Reachable | null> {
    const found = await this.#context.query
      .selectFrom("recordings")
      .leftJoin("collections", "collections.id", "recordings.collection")
      .select(["recordings.id", "key", "files", "state", "owner", "collections.public"])
      .select(sql<string | null>`metadata ->> 'worldId'`.as("worldId"))
      .select(sql<string | null>`metadata ->> 'worldVersion'`.as("worldVersion"))
      .select(sql<string[]>`array(select identity from subjects where recording = recordings.id)`.as("subjects"))
      .where("recordings.id", "=", id)
      .executeTakeFirst();
    return found ?? null;
  }
}

/** What a person may see of the catalog, as a condition: `mayRead` for many rows at once. */
export function visibleTo(
  person: Person,
  usual: Context["settings"]["public"],
): (builder: ExpressionBuilder<Tables, "recordings">) => Expression<SqlBool> {
  return (builder) => {
    if (hasRole(person, "staff")) return builder.val(true);
    if (!hasRole(person, "viewer")) return builder.val(false);
    const within = (policy: "own" | "all"): Expression<SqlBool> => {
      const collections = builder.selectFrom("collections").select("collections.id").where("public", "=", policy);
      const named = builder("recordings.collection", "in", collections);
      return usual === policy ? builder.or([named, builder("recordings.collection", "is", null)]) : named;
    };
    if (person.id === null) return within("all");
    const theirs = builder.selectFrom("subjects").select("recording").where("identity", "in", person.identities);
    const isOwn = builder.or([
      builder("recordings.owner", "=", person.id),
      ...(person.identities.length === 0 ? [] : [builder("recordings.id", "in", theirs)]),
    ]);
    return builder.or([within("all"), builder.and([isOwn, within("own")])]);
  };
}

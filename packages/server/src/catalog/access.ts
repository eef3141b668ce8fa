import type { FastifyRequest } from "fastify";
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { FileFact, RecordingState, Tables } from "../database/tables.ts";
import { notFound } from "../problem.ts";
import { hasRole, mayRead, type Owned, type Person } from "../people/person.ts";
import { type Lease, Remembered } from "../remembered.ts";

/** The columns of a recording that a request for its bytes needs. */
export interface Reachable extends Owned {
  readonly key: string;
  readonly files: readonly FileFact[];
  readonly state: RecordingState;
  /** The world that the recording was made in, from its metadata; null: the metadata name no world. */
  readonly worldId: string | null;
  readonly worldVersion: string | null;
}

/**
 * Milliseconds for which this row is used again: a page asks for the bytes of a recording in hundreds of small ranges.
 */
const KEPT = 1000;

const all = new WeakMap<Context, Recordings>();

/** Finds recordings that the user of the request may read. */
export class Recordings {
  readonly #context: Context;
  readonly #known: Remembered<Reachable | null>;

  /** The one of a node: what one route makes it forget, every route reads again. */
  static of(context: Context): Recordings {
    const found = all.get(context) ?? new Recordings(context);
    all.set(context, found);
    return found;
  }

  private constructor(context: Context) {
    this.#context = context;
    this.#known = new Remembered(KEPT, 10_000, (id) => this.#load(id));
  }

  /** Throws the same `Problem` for a recording that does not exist and for one that this person may not read. */
  async find(id: string, request: FastifyRequest): Promise<Reachable> {
    const found = await this.findOrGone(id, request);
    if (found.state === "gone") throw notFound("the recording");
    return found;
  }

  /** Like `find`, but also one whose file is gone, of which the catalog still knows. */
  async findOrGone(id: string, { person }: FastifyRequest): Promise<Reachable> {
    const found = await this.#known.get(id);
    if (found === null || !mayRead(person, found, this.#context.settings.public)) throw notFound("the recording");
    return found;
  }

  /**
   * Like `find`, but a recorder also finds the recordings that it has made: it may report them, though it may not read
   * them. For all others it throws the same `Problem`.
   */
  async findReportable(id: string, request: FastifyRequest): Promise<Reachable> {
    const { person } = request;
    const found = await this.#known.get(id);
    const isMade = found !== null && found.state !== "gone" && found.owner !== null && found.owner === person.id;
    return isMade && person.role === "recorder" ? found : this.find(id, request);
  }

  /** How long what was found is known to be; null: no longer. */
  leaseOf(found: Reachable): Lease | null {
    return this.#known.leaseOf(found.id, found);
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

/** Condition for the recordings that a person may see in the catalog: `mayRead` as SQL, for many rows at once. */
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

import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import { visibleTo } from "../catalog/access.ts";
import { filtersOf } from "../catalog/search/filters.ts";
import { filtered } from "../catalog/search/search.ts";
import type { Context } from "../context.ts";
import { clean } from "../database/clean.ts";
import { notFound, Problem } from "../problem.ts";
import type { Source } from "./question.ts";
import type { Chosen } from "./shapes.ts";

/** Most recordings of one statement. */
const MOST = 100_000;
/** Recordings whose tables are listed: of each format, and of all. */
const MOST_OF_FORMAT = 3;
const MOST_LOOKED_AT = 20;

/** A recording of a statement, with what the log needs to know. */
export interface Readable extends Source {
  readonly owner: string | null;
  readonly format: string | null;
}

type Parts = Pick<Context, "query" | "settings">;

/**
 * The recordings that a request is about, by path: those of the ids or filters, or all that the user may read. Throws `Problem`
 * for an id of a recording that does not exist or that the user may not read.
 */
export async function sourcesOf(
  chosen: Chosen | undefined,
  { person }: FastifyRequest,
  parts: Parts,
): Promise<readonly Readable[]> {
  const all = parts.query.selectFrom("recordings");
  const ids = Array.isArray(chosen) ? [...new Set(chosen as readonly string[])] : null;
  const { folder, ...filters } = ids === null && chosen !== undefined ? (chosen as Exclude<Chosen, string[]>) : {};
  let rows =
    ids === null
      ? await filtered(all, filtersOf(filters), person, parts)
      : all
          .where("recordings.id", "in", ids.map(clean))
          .where("state", "<>", "gone")
          .where(visibleTo(person, parts.settings.public));
  if (folder !== undefined)
    rows = rows.where(sql<boolean>`starts_with(recordings.key, ${`${clean(folder).replace(/\/+$/, "")}/`})`);
  const found = await rows
    .select(["recordings.id", "key", "name", "state", "format", "bytes", "first", "last", "seconds", "version"])
    .select(["epoch", "started", "metadata", "channels", "summary", "owner", "collection", "added"])
    .select(sql<string[]>`array(select tag from tags where recording = recordings.id order by tag)`.as("tags"))
    .orderBy("key")
    .limit(MOST + 1)
    .execute();
  if (found.length > MOST) throw new Problem(422, `more than ${MOST} recordings: choose fewer`, { code: "limit" });
  if (ids !== null && found.length < ids.length) throw notFound("a recording of the list");
  return found.map((row): Readable => {
    const { id, key, name, state, format, summary, owner, collection, added, tags } = row;
    return {
      ...{ id, key, tags, owner, format },
      isIndexed: state !== "live",
      ...(state === "indexed" && row.version !== null ? { known: knownOf(row) } : {}),
      more: { id, name, state, summary, owner, collection, added: added.toISOString() },
    };
  });
}

/** Few recordings that have the tables of all: the newest of each format. */
export function examplesOf(sources: readonly Readable[]): readonly Readable[] {
  const count = new Map<string | null, number>();
  return [...sources]
    .sort((a, b) => String(b.more["added"]).localeCompare(String(a.more["added"])))
    .filter(({ format }) => {
      const met = count.get(format) ?? 0;
      count.set(format, met + 1);
      return met < MOST_OF_FORMAT;
    })
    .slice(0, MOST_LOOKED_AT);
}

interface Row {
  readonly format: string | null;
  readonly version: string | null;
  readonly first: number | null;
  readonly last: number | null;
  readonly seconds: number | null;
  readonly epoch: number | null;
  readonly bytes: number;
  readonly metadata: unknown;
  readonly channels: readonly { readonly count: number }[];
}

/** The row of `recordings` without opening the file. */
function knownOf({ format, version, first, last, seconds, epoch, bytes, metadata, channels }: Row): Source["known"] {
  return {
    ...{ format, version, start: first, end: last, epoch, duration: seconds, bytes },
    messages: channels.reduce((sum, { count }) => sum + count, 0),
    metadata: JSON.stringify(metadata),
  };
}

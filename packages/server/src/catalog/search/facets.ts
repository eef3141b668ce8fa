import type { FastifyInstance } from "fastify";
import { type RawBuilder, sql } from "kysely";
import { type Static, Type } from "typebox";
import type { Context } from "../../context.ts";
import { hasRole, type Person } from "../../people/person.ts";
import { Remembered } from "../../remembered.ts";
import { areNone, FILTERS, type Filters, filtersOf } from "./filters.ts";
import { filtered } from "./search.ts";

const COUNTS = Type.Array(Type.Object({ value: Type.String(), title: Type.String(), count: Type.Number() }));
const FACETS = Type.Object({
  total: Type.Number(),
  whole: Type.Boolean({ description: "false: there are more; this is of the newest that were found" }),
  formats: COUNTS,
  states: COUNTS,
  events: COUNTS,
  tags: COUNTS,
  collections: COUNTS,
});
type Facets = Static<typeof FACETS>;
type Counts = Static<typeof COUNTS>;

/** Most recordings that a search counts over. */
const MOST = 2000;
/** Most values that are returned of each property: the most frequent ones. */
const MOST_VALUES = 100;
/** Milliseconds for which counts over the whole library are used again. */
const KEPT = 10_000;

/** The properties of recordings, with the number of recordings that have each value. */
export function facetRoutes(app: FastifyInstance, context: Context): void {
  const ofAll = new Remembered(KEPT, 1, () => countAll(context));
  app.get<{ Querystring: Static<typeof FILTERS> }>(
    "/api/facets",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Count recordings by property",
        description: "Counts recordings by format, state, event, tag and collection. Takes the filters of the search.",
        querystring: FILTERS,
        response: { 200: FACETS },
      },
    },
    async (request) => {
      const filters = filtersOf(request.query);
      if (areNone(filters) && hasRole(request.person, "staff")) return ofAll.get("");
      return countFound(filters, request.person, context);
    },
  );
}

async function countAll({ query }: Context): Promise<Facets> {
  const there = sql`select id from recordings where state <> 'gone'`;
  const { rows } = await sql<{ total: number }>`select count(*) as total from recordings where state <> 'gone'`.execute(
    query,
  );
  return { total: rows[0]!.total, whole: true, ...(await countsIn(there, query, true)) };
}

async function countFound(filters: Filters, person: Person, context: Context): Promise<Facets> {
  const rows = await filtered(context.query.selectFrom("recordings").select("recordings.id"), filters, person, context);
  const found = await rows
    .orderBy("added", "desc")
    .orderBy("recordings.id", "desc")
    .limit(MOST + 1)
    .execute();
  const ids = found.slice(0, MOST).map(({ id }) => id);
  const counts = await countsIn(sql`select unnest(${ids}::text[]) as id`, context.query, false);
  return { total: ids.length, whole: found.length <= MOST, ...counts };
}

async function countsIn(
  ids: RawBuilder<unknown>,
  query: Context["query"],
  areAll: boolean,
): Promise<Omit<Facets, "total" | "whole">> {
  const within = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
    areAll ? sql`true` : sql`${column} in (${ids})`;
  const of = async (values: RawBuilder<unknown>): Promise<Counts> => {
    const { rows } = await sql<Counts[number]>`
      select value, title, count from (${values}) counted order by count desc, value limit ${MOST_VALUES}`.execute(
      query,
    );
    return rows;
  };
  const own = (name: string): Promise<Counts> =>
    of(sql`select ${sql.ref(name)} as value, ${sql.ref(name)} as title, count(*) as count from recordings
      where ${sql.ref(name)} is not null and state <> 'gone' and ${within(sql`id`)} group by ${sql.ref(name)}`);
  const there = sql`exists (select from recordings where recordings.id = part.recording and state <> 'gone')`;
  const [formats, states, events, tags, collections] = await Promise.all([
    own("format"),
    own("state"),
    of(
      // these counts are cached, so they may include recordings that were just deleted
      sql`select kind as value, max(title) as title, count(*) as count from event_kinds part
        where ${areAll ? sql`true` : sql`${within(sql`part.recording`)} and ${there}`} group by kind`,
    ),
    of(
      sql`select tag as value, tag as title, count(*) as count from tags part
        where ${within(sql`part.recording`)} and ${there} group by tag`,
    ),
    of(
      sql`select collections.id as value, collections.name as title, count(*) as count
        from recordings join collections on collections.id = recordings.collection
        where state <> 'gone' and ${within(sql`recordings.id`)} group by collections.id, collections.name`,
    ),
  ]);
  return { formats, states, events, tags, collections };
}

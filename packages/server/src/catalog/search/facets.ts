import type { FastifyInstance } from "fastify";
import { type RawBuilder, sql } from "kysely";
import { FORMATS } from "simtape";
import { type Static, Type } from "typebox";
import type { Context } from "../../context.ts";
import { hasRole, type Person } from "../../people/person.ts";
import { Remembered } from "../../remembered.ts";
import { areNone, FILTERS, type Filters, filtersOf, zoneOf } from "./filters.ts";
import { chosenIn, dayIn, filtered } from "./search.ts";

const COUNTS = Type.Array(Type.Object({ value: Type.String(), title: Type.String(), count: Type.Number() }));
const FACETS = Type.Object({
  total: Type.Number(),
  whole: Type.Boolean({ description: "false: there are more; this is of the newest that were found" }),
  formats: COUNTS,
  states: COUNTS,
  events: COUNTS,
  people: COUNTS,
  maps: COUNTS,
  lengths: Type.Array(COUNTS.items, { description: "seconds, as the filter `length` takes them" }),
  days: Type.Array(COUNTS.items, { description: "days of `zone`, as the filter `day` takes them; the latest first" }),
  tags: COUNTS,
  collections: COUNTS,
});
type Facets = Static<typeof FACETS>;
type Name = Exclude<keyof Facets, "total" | "whole">;

/** Most recordings that a search counts over. */
const MOST = 20_000;
/** Most values that are returned of each property: the most frequent ones. */
const MOST_VALUES = 100;
/** Milliseconds for which counts over the whole library are used again. */
const KEPT = 10_000;
/** Classes of lengths, by their least seconds. */
const LENGTHS: readonly (readonly [least: number, most: number | null])[] = [
  [0, 10],
  [10, 60],
  [60, 600],
  [600, 3600],
  [3600, null],
];
/** Sets of the state whose things are people. */
const PEOPLE: readonly string[] = [
  ...new Set((await Promise.all(FORMATS.map(async (format) => (await format.traits?.())?.people ?? []))).flat()),
];

/** The properties of recordings, with the number of recordings that have each value. */
export function facetRoutes(app: FastifyInstance, context: Context): void {
  const ofAll = new Remembered(KEPT, 20, (zone) => countIn(filtersOf({}), zone, null, context));
  app.get<{ Querystring: Static<typeof FILTERS> }>(
    "/api/facets",
    {
      config: { role: "viewer" },
      schema: {
        summary: "Count recordings by property",
        description:
          "Counts the recordings that a search finds by format, state, kind of event, person, map, length, day, tag and collection. Takes the filters of the search. The values of a property are counted as if none of it was chosen, so that others can be chosen with it; states, tags and collections are counted among what was found.",
        querystring: FILTERS,
        response: { 200: FACETS },
      },
    },
    async (request) => {
      const filters = filtersOf(request.query);
      const zone = zoneOf(request.query);
      if (areNone(filters) && hasRole(request.person, "staff")) return ofAll.get(zone);
      return countIn(filters, zone, request.person, context);
    },
  );
}

/** Counts what a person may read, in one query; null: everything, however much it is. */
async function countIn(filters: Filters, zone: string, person: Person | null, context: Context): Promise<Facets> {
  const { formats } = filters;
  const chosen = {
    formats: formats.length === 0 ? null : sql<boolean>`coalesce(recordings.format = any(${formats}::text[]), false)`,
    ...chosenIn(filters),
  };
  const names = Object.keys(chosen) as (keyof typeof chosen)[];
  const rest = { ...filters, formats: [], events: [], things: [], maps: [], lengths: [], days: [] };
  const { query } = context;
  const there = query
    .selectFrom("recordings")
    .select(["recordings.id", "recordings.added", "format", "state", "collection", "recordings.map"])
    .select([lengthClass().as("length"), dayIn(zone).as("day")])
    .select(names.map((name) => (chosen[name] ?? sql<boolean>`true`).as(`fits_${name}` as const)));
  const rows = person === null ? there.where("state", "<>", "gone") : await filtered(there, rest, person, context);
  const found =
    person === null
      ? rows
      : rows
          .orderBy("added", "desc")
          .orderBy("recordings.id", "desc")
          .limit(MOST + 1);
  /** What was found, as if nothing of this facet was chosen. */
  const fits = (but: keyof typeof chosen | null): RawBuilder<unknown> =>
    sql.join([sql`true`, ...names.flatMap((one) => (one === but ? [] : [sql.ref(`fits_${one}`)]))], sql` and `);
  const own = (facet: Name, column: string, but: keyof typeof chosen | null): RawBuilder<unknown> =>
    sql`select ${facet} as facet, ${sql.ref(column)} as value, ${sql.ref(column)} as title, count(*) as count
      from found where ${sql.ref(column)} is not null and ${fits(but)} group by ${sql.ref(column)}`;
  const parts = [
    sql`select 'total' as facet, case when count(*) > ${person === null ? null : MOST}::bigint then '' else 'whole' end as value,
      '' as title, count(*) filter (where ${fits(null)}) as count from found`,
    own("formats", "format", "formats"),
    own("states", "state", null),
    own("maps", "map", "maps"),
    own("lengths", "length", "lengths"),
    own("days", "day", "days"),
    sql`select 'events', kind, max(part.title), count(*) from found join event_kinds part on part.recording = found.id
      where ${fits("events")} group by kind`,
    // distinct recordings of a name by hashing: to count them as distinct would sort all names
    sql`select 'people', min(label), min(label), count(*) from (
        select found.id, min(label) as label from found
        join entities part on part.recording = found.id and part.set = any(${PEOPLE}::text[])
        where label <> '' and ${fits("people")} group by found.id, lower(label)
      ) named group by lower(label)`,
    sql`select 'tags', tag, tag, count(*) from found join tags part on part.recording = found.id
      where ${fits(null)} group by tag`,
    sql`select 'collections', collections.id, collections.name, count(*) from found
      join collections on collections.id = found.collection where ${fits(null)} group by collections.id, collections.name`,
  ];
  const ranked = sql`case when facet = 'days' then value else '' end desc, count desc, value`;
  const { rows: counted } = await sql<{ facet: Name | "total"; value: string; title: string; count: number }>`
    with found as materialized (${found}), counted as (${sql.join(parts, sql` union all `)}),
    ranked as (select counted.*, row_number() over (partition by facet order by ${ranked}) as place from counted)
    select facet, value, title, count from ranked where place <= ${MOST_VALUES} order by facet, place`.execute(query);
  const of = (facet: Name): Facets[Name] =>
    counted.flatMap(({ facet: its, value, title, count }) => (its === facet ? [{ value, title, count }] : []));
  const total = counted.find(({ facet }) => facet === "total")!;
  return {
    total: total.count,
    whole: total.value === "whole",
    ...{ formats: of("formats"), states: of("states"), events: of("events"), people: of("people"), maps: of("maps") },
    ...{ lengths: of("lengths"), days: of("days"), tags: of("tags"), collections: of("collections") },
  };
}

/** The class that the length of a recording is in, as the filter takes it: `10-60`. */
function lengthClass(): RawBuilder<string | null> {
  const cases = LENGTHS.map(([least, most]) =>
    most === null ? sql`else ${`${least}-`}` : sql`when recordings.seconds < ${most} then ${`${least}-${most}`}`,
  );
  return sql<string | null>`case when recordings.seconds is null then null ${sql.join(cases, sql` `)} end`;
}

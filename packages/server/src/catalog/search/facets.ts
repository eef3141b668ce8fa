import type { FastifyInstance } from "fastify";
import { type RawBuilder, sql } from "kysely";
import { type Static, Type } from "typebox";
import type { Context } from "../../context.ts";
import { hasRole, type Person } from "../../people/person.ts";
import { Remembered } from "../../remembered.ts";
import { areNone, FILTERS, type Filters, filtersOf, zoneOf } from "./filters.ts";
import { KnownNames, type Names, type Versioned } from "./known-names.ts";
import { chosenIn, filtered } from "./search.ts";

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
/** Most counts that are kept. */
const MOST_KEPT = 100;
/** Classes of lengths, by their least seconds. */
const LENGTHS: readonly (readonly [least: number, most: number | null])[] = [
  [0, 10],
  [10, 60],
  [60, 600],
  [600, 3600],
  [3600, null],
];

/** Counts, and the state of the database before they were counted. */
interface Kept {
  readonly snapshot: string;
  readonly facets: Facets;
}

/** The properties of recordings, with the number of recordings that have each value. */
export function facetRoutes(app: FastifyInstance, context: Context): void {
  const known = new KnownNames(context.query);
  const kept = new Map<string, Kept>();
  const ofAll = new Remembered(KEPT, 20, (zone) => counts(filtersOf({}), zone, null));

  /** Counts again only when something has changed. */
  async function counts(filters: Filters, zone: string, person: Person | null): Promise<Facets> {
    const rights = person === null ? null : [person.role, person.id, person.identities];
    const key = JSON.stringify([filters, zone, rights]);
    const snapshot = await snapshotOf(context.query);
    const before = kept.get(key);
    kept.delete(key);
    const facets = before?.snapshot === snapshot ? before.facets : await countIn(filters, zone, person, context, known);
    kept.set(key, { snapshot, facets });
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
    return facets;
  }

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
      return counts(filters, zone, request.person);
    },
  );
}

/** What the database shows now: while it is the same, so is every answer. A change of any table makes another one. */
async function snapshotOf(query: Context["query"]): Promise<string> {
  const { rows } = await sql<{ snapshot: string }>`select pg_current_snapshot()::text as snapshot`.execute(query);
  return rows[0]!.snapshot;
}

/** Counts what a person may read; null: everything, however much it is. */
async function countIn(
  filters: Filters,
  zone: string,
  person: Person | null,
  context: Context,
  known: KnownNames,
): Promise<Facets> {
  const { formats } = filters;
  const chosen = {
    formats: formats.length === 0 ? null : sql<boolean>`coalesce(recordings.format = any(${formats}::text[]), false)`,
    ...chosenIn(filters),
  };
  const names = (Object.keys(chosen) as (keyof typeof chosen)[]).filter((name) => chosen[name] !== null);
  const rest = { ...filters, formats: [], events: [], things: [], maps: [], lengths: [], days: [] };
  const { query } = context;
  const there = query
    .selectFrom("recordings")
    .select(["recordings.id", "recordings.added", "format", "state", "collection", "recordings.map"])
    .select([
      lengthClass().as("length"),
      sql<Date>`(recordings.started at time zone ${zone})::date`.as("day"),
      sql<string>`recordings.xmin::text`.as("version"),
    ])
    .select(names.map((name) => chosen[name]!.as(`fits_${name}` as const)));
  const rows = person === null ? there.where("state", "<>", "gone") : await filtered(there, rest, person, context);
  const those =
    person === null
      ? rows
      : rows
          .orderBy("added", "desc")
          .orderBy("recordings.id", "desc")
          .limit(MOST + 1);
  /** What was found, as if nothing of this facet was chosen. */
  const fits = (but: keyof typeof chosen | null): RawBuilder<unknown> =>
    sql.join([sql`true`, ...names.flatMap((one) => (one === but ? [] : [sql.ref(`fits_${one}`)]))], sql` and `);
  const most = sql`order by count desc, value limit ${MOST_VALUES}`;
  const own = (facet: Name, column: string, but: keyof typeof chosen | null, order = most): RawBuilder<unknown> =>
    sql`select ${facet} as facet, ${sql.ref(column)}::text as value, '' as title, count(*) as count
      from found where ${sql.ref(column)} is not null and ${fits(but)} group by ${sql.ref(column)} ${order}`;
  /** Those whose names are counted, as `namedIn` reads them. */
  const versions = sql`select 'named', coalesce(string_agg(id || ' ' || version || ' ' || case
      when not (${fits("people")}) then 'events' when not (${fits("events")}) then 'people' else 'both' end, ' '), ''), '', count(*)
    from found where (${fits("events")}) or (${fits("people")})`;
  const parts = [
    sql`select 'total' as facet, case when count(*) > ${person === null ? null : MOST}::bigint then '' else 'whole' end as value,
      '' as title, count(*) filter (where ${fits(null)}) as count from found`,
    own("formats", "format", "formats"),
    own("states", "state", null),
    own("maps", "map", "maps"),
    own("lengths", "length", "lengths"),
    own("days", "day", "days", sql`order by value desc limit ${MOST_VALUES}`),
    versions,
    sql`select 'tags', tag as value, tag, count(*) as count from found join tags part on part.recording = found.id
      where ${fits(null)} group by tag ${most}`,
    sql`select 'collections', collections.id as value, collections.name, count(*) as count from found
      join collections on collections.id = found.collection where ${fits(null)}
      group by collections.id, collections.name ${most}`,
  ];
  const { rows: counted } = await sql<{ facet: Name | "total" | "named"; value: string; title: string; count: number }>`
    with found as materialized (${those})
    ${sql.join(
      parts.map((part) => sql`(${part})`),
      sql` union all `,
    )}`.execute(query);
  const of = (facet: Name): Facets[Name] =>
    counted.flatMap(({ facet: its, value, title, count }) =>
      its === facet ? [{ value, title: title || value, count }] : [],
    );
  const named = namedIn(counted.find(({ facet }) => facet === "named")!.value);
  const found = await known.of(named);
  const total = counted.find(({ facet }) => facet === "total")!;
  return {
    total: total.count,
    whole: total.value === "whole",
    ...{ formats: of("formats"), states: of("states"), maps: of("maps"), lengths: of("lengths"), days: of("days") },
    ...{ tags: of("tags"), collections: of("collections") },
    events: countsOf(named, found, "events"),
    people: countsOf(named, found, "people"),
  };
}

/** A recording whose names are counted: of one facet, if what is chosen of the other leaves it out. */
interface Named extends Versioned {
  readonly counted: keyof Names | "both";
}

/** Of each the id, the version and what is counted: `r1 815 both r2 816 events`. */
function namedIn(text: string): readonly Named[] {
  const words = text.split(" ");
  const named: Named[] = [];
  for (let n = 0; n + 2 < words.length; n += 3)
    named.push({ id: words[n]!, version: words[n + 1]!, counted: words[n + 2] as Named["counted"] });
  return named;
}

/** How many recordings have each name, the most frequent ones first. */
function countsOf(named: readonly Named[], found: readonly (Names | null)[], facet: keyof Names): Facets["people"] {
  const counts = new Map<string, { value: string; title: string; count: number }>();
  for (const [n, { counted }] of named.entries()) {
    if (counted !== "both" && counted !== facet) continue;
    for (const { key, value, title } of found[n]?.[facet] ?? []) {
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { value, title, count: 1 });
      else known.count++;
    }
  }
  const all = [...counts.values()];
  // those of the most frequent ones are sorted by name alone: there may be many thousands of names
  const least =
    Uint32Array.from(all, ({ count }) => count)
      .sort()
      .at(-MOST_VALUES) ?? 0;
  const frequent = all.filter(({ count }) => count >= least);
  return frequent.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, MOST_VALUES);
}

/** The class that the length of a recording is in, as the filter takes it: `10-60`. */
function lengthClass(): RawBuilder<string | null> {
  const cases = LENGTHS.map(([least, most]) =>
    most === null ? sql`else ${`${least}-`}` : sql`when recordings.seconds < ${most} then ${`${least}-${most}`}`,
  );
  return sql<string | null>`case when recordings.seconds is null then null ${sql.join(cases, sql` `)} end`;
}

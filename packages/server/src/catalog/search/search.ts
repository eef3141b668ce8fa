import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { Context } from "../../context.ts";
import type { Tables } from "../../database/tables.ts";
import type { Person } from "../../people/person.ts";
import { visibleTo } from "../access.ts";
import type { Filters } from "./filters.ts";
import { converted, type Measure } from "./measure.ts";
import type { ExtentFilter } from "./question.ts";
import { textQueryOf } from "./words.ts";

export type Rows<O> = SelectQueryBuilder<Tables, "recordings", O>;

type Parts = Pick<Context, "query" | "settings">;

/** Most rows of `extent_paths` that a name may match. */
const MOST_PATHS = 500;

/** Adds the filters to a query of recordings, and the condition that this person may see them. */
export async function filtered<O>(rows: Rows<O>, filters: Filters, person: Person, parts: Parts): Promise<Rows<O>> {
  const { query, settings } = parts;
  const { from, until, longer, shorter, digest, tags } = filters;
  let found = (await narrowed(rows, filters, query)).where(visibleTo(person, settings.public));
  const text = textQueryOf(filters.q);
  if (text !== null) found = found.where(sql<boolean>`words @@ to_tsquery('simple', ${text})`);
  if (from !== null) found = found.where(sql<boolean>`coalesce(recordings.started, '-infinity') >= ${from}`);
  if (until !== null)
    found = found
      .where("started", "is not", null)
      .where(sql<boolean>`coalesce(recordings.started, '-infinity') < ${until}`);
  if (longer !== null) found = found.where(sql<boolean>`coalesce(recordings.seconds, -1) > ${longer}`);
  if (shorter !== null)
    found = found.where("seconds", "is not", null).where(sql<boolean>`coalesce(recordings.seconds, -1) < ${shorter}`);
  if (digest !== null) found = found.where(sql<boolean>`file_digests @> array[${digest}]`);
  for (const condition of Object.values(chosenIn(filters))) if (condition !== null) found = found.where(condition);
  for (const tag of tags) found = found.where(has(sql`tags`, sql`part.tag = ${tag}`));
  for (const [name, value] of filters.meta) found = found.where(metadataHas(name, value));
  for (const extent of filters.extents) found = found.where(await extentIs(extent, query));
  return found;
}

/** What was chosen of facets: by their names, what a recording must meet; null: nothing is chosen. */
export type Chosen = Readonly<Record<"formats" | "events" | "people" | "maps" | "lengths" | "days", Condition | null>>;
type Condition = RawBuilder<boolean>;

/** Of one facet several values may be chosen: a recording must have one of them. Formats are among the columns. */
export function chosenIn({ events, things, maps, lengths, days }: Filters): Omit<Chosen, "formats"> {
  const any = <T>(all: readonly T[], condition: (values: readonly T[]) => Condition): Condition | null =>
    all.length === 0 ? null : condition(all);
  return {
    events: any(events, (kinds) => has(sql`event_kinds`, sql`part.kind = any(${kinds}::text[])`)),
    people: any(things, (names) => {
      const who = sql`any(${names.map((name) => name.toLowerCase())}::text[])`;
      return has(sql`entities`, sql`(lower(part.label) = ${who} or lower(part.name) = ${who})`);
    }),
    maps: any(maps, (names) => sql<boolean>`coalesce(recordings.map = any(${names}::text[]), false)`),
    lengths: any(lengths, (all) => {
      const each = all.map(({ least, most }) =>
        most === null
          ? sql`recordings.seconds >= ${least}`
          : sql`(recordings.seconds >= ${least} and recordings.seconds < ${most})`,
      );
      return sql<boolean>`coalesce(${sql.join(each, sql` or `)}, false)`;
    }),
    days: any(days, (all) => {
      const dates = all.map(({ date }) => date);
      return sql<boolean>`coalesce(${dayIn(all[0]!.zone)} = any(${dates}::text[]), false)`;
    }),
  };
}

/** The day on which a recording began, in a time zone: `2026-11-23`. */
export function dayIn(zone: string): RawBuilder<string | null> {
  return sql<string | null>`to_char(recordings.started at time zone ${zone}, 'YYYY-MM-DD')`;
}

/** Filters on one column: indexes hold the column beside the order. */
export async function narrowed<O>(rows: Rows<O>, filters: Filters, query: Context["query"]): Promise<Rows<O>> {
  const { formats, states, collection, owner, key, findings, duplicates } = filters;
  let found = rows.where("state", "<>", "gone");
  if (formats.length > 0) found = found.where("format", "in", formats);
  if (states.length > 0) found = found.where(sql<boolean>`state = any(${states}::text[])`);
  if (findings !== null) found = found.where("has_findings", "=", findings);
  if (duplicates !== null) found = found.where("twin", "=", duplicates);
  if (owner !== null) found = found.where("owner", "=", owner);
  if (key !== null) found = found.where("key", "=", key);
  if (collection !== null) {
    const named = await query
      .selectFrom("collections")
      .select("collections.id")
      .where((builder) => builder.or([builder("collections.id", "=", collection), builder("name", "=", collection)]))
      .execute();
    const ids = named.map(({ id }) => id);
    // with a single collection, the index still gives the order
    found = ids.length === 0 ? found.where(sql<boolean>`false`) : found.where("collection", "in", ids);
  }
  return found;
}

function has(table: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from ${table} part where part.recording = recordings.id and ${condition})`;
}

/**
 * Finds a value by its whole key, or by the keys of nested objects: `server.map`. A value may be a text, a number or a
 * boolean.
 */
function metadataHas(key: string, value: string): RawBuilder<boolean> {
  const values: unknown[] = [value];
  if (/^(-?\d+(\.\d+)?(e[+-]?\d+)?|true|false|null)$/i.test(value)) values.push(JSON.parse(value.toLowerCase()));
  const paths = key.includes(".") ? [[key], key.split(".")] : [[key]];
  const shapes = paths.flatMap((path) =>
    values.map((one) => JSON.stringify(path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), one))),
  );
  return sql<boolean>`(${sql.join(
    shapes.map((shape) => sql`metadata @> ${shape}::jsonb`),
    sql` or `,
  )})`;
}

async function extentIs({ path, above, below }: ExtentFilter, query: Context["query"]): Promise<RawBuilder<boolean>> {
  const paths = await pathsCalled(path, query);
  const conditions: RawBuilder<unknown>[] = [];
  const units = new Map<string, number[]>();
  for (const { id, unit } of paths) units.set(unit, [...(units.get(unit) ?? []), id]);
  for (const [unit, ids] of units) {
    const bound = (measure: Measure | null): number | null | undefined =>
      measure === null ? null : (converted(measure, unit) ?? undefined);
    const [least, most] = [bound(above), bound(below)];
    if (least === undefined || most === undefined) continue;
    const parts = [sql`part.path = any(${ids}::integer[])`];
    if (least !== null) parts.push(sql`part.most > ${least}`);
    if (most !== null) parts.push(sql`part.least < ${most}`);
    conditions.push(sql`(${sql.join(parts, sql` and `)})`);
  }
  if (conditions.length === 0) return sql<boolean>`false`;
  const found = has(sql`extents`, sql`(${sql.join(conditions, sql` or `)})`);
  const thing = THING.exec(path);
  if (thing === null) return found;
  const [, set, id] = thing;
  const isThere = has(sql`entities`, sql`part.set = ${set} and part.name = ${id}`);
  // the range of this thing alone, where the index has it
  const own = ofThing(path, { above, below }, paths);
  return sql<boolean>`(${found} and ${isThere} and ${own})`;
}

/** A thing of a set, and a number of it. */
const THING = /^([^/*]+)\/([^/*]+)\/[^/]+$/;

function ofThing(
  path: string,
  { above, below }: Omit<ExtentFilter, "path">,
  paths: readonly { readonly unit: string }[],
): RawBuilder<boolean> {
  const known = sql`thing_extents -> ${path}`;
  const fitting = [...new Set(paths.map(({ unit }) => unit))].flatMap((unit) => {
    const bounds = [above, below].map((measure) => (measure === null ? null : (converted(measure, unit) ?? undefined)));
    const [least, most] = bounds as [number | null | undefined, number | null | undefined];
    if (least === undefined || most === undefined) return [];
    const parts = [sql`${known} ->> 2 = ${unit}`];
    if (least !== null) parts.push(sql`(${known} ->> 1)::float8 > ${least}`);
    if (most !== null) parts.push(sql`(${known} ->> 0)::float8 < ${most}`);
    return [sql`(${sql.join(parts, sql` and `)})`];
  });
  return sql<boolean>`(not jsonb_exists(thing_extents, ${path}) or ${sql.join(fitting, sql` or `)})`;
}

/**
 * The paths that a name matches: the path itself; the part after its last slash (`altitude-ft`), also without its
 * ending (`altitude`); or the part after its last dot (`speed`); a recorded velocity has a speed, too. A thing of a set
 * has the paths of its set.
 */
async function pathsCalled(
  path: string,
  query: Context["query"],
): Promise<readonly { readonly id: number; readonly unit: string }[]> {
  const name = path.toLowerCase();
  const escaped = name.replace(/[\\%_]/g, "\\$&");
  const general = path.replace(/^([^/]+)\/[^/]+\/([^/]+)$/, "$1/*/$2");
  return query
    .selectFrom("extent_paths")
    .select(["id", "unit"])
    .where((builder) =>
      builder.or([
        builder("path", "in", [path, general]),
        builder("leaf", "=", name),
        builder("leaf", "like", `${escaped}-%`),
        builder("leaf", "like", `${escaped}.%`),
        builder("tail", "=", name),
        ...(name === "speed" ? [builder("leaf", "=", "velocity.length")] : []),
      ]),
    )
    .limit(MOST_PATHS)
    .execute();
}

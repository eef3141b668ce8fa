import { sql } from "kysely";
import type { Context } from "../../context.ts";
import type { Tables } from "../../database/tables.ts";
import { hasRole, type Person } from "../../people/person.ts";
import { COLUMNS, type Row } from "./columns.ts";
import { areNone, type Filters, isOfColumns } from "./filters.ts";
import { behind, orderBy, positionOf, type SearchOrder, sortedBy } from "./order.ts";
import { filtered, narrowed, type Rows } from "./search.ts";

/** The page that a request asks for. */
export interface PageQuery {
  readonly filters: Filters;
  readonly order: SearchOrder;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** A recording of a page, by its place in the order. */
interface Place {
  readonly id: string;
  readonly position: string;
}

type Parts = Pick<Context, "query" | "settings">;

/** Rows that are read at first, and at most when the first rows had enough matches. */
const NEAR = 2000;
const FAR = 50_000;
/** Matches among the first rows that count as enough. */
const PROMISING = 4;
/** How many times longer it takes to find and sort a row than to read one in order. */
const DEARER = 4;
/** Most rows that are sorted, as the planner estimates their number. */
const FEW = 20_000;

/** The recordings of a page, in its order, each at its place; null: it was deleted meanwhile. */
export async function listOf(
  page: PageQuery,
  person: Person,
  parts: Parts,
): Promise<readonly (Place & { readonly row: Row | null })[]> {
  const { query } = parts;
  if (hasRole(person, "staff") && areNone(page.filters)) {
    const rows = await filtered(query.selectFrom("recordings").select(COLUMNS), page.filters, person, parts);
    const found = await inOrder(onwards(rows, page), page).execute();
    return found.map(({ position, ...row }) => ({ id: row.id, position, row }));
  }
  const places = await pageOf(page, person, parts);
  const ids = places.map(({ id }) => id);
  const rows = await query
    .selectFrom("recordings")
    .select(COLUMNS)
    .where("recordings.id", "=", sql<string>`any(${ids}::text[])`)
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  return places.map((place) => ({ ...place, row: found.get(place.id) ?? null }));
}

/**
 * Returns the places of a page, in its order. The planner of the database does not always know how many rows match, for
 * instance the beginning of a word, and might read a million rows in order to find three. So common matches are
 * searched among the first rows of the order, and rare matches are found first and sorted afterwards. The planner
 * decides where its estimate is good: for conditions on single columns that many rows meet.
 */
async function pageOf(page: PageQuery, person: Person, parts: Parts): Promise<readonly Place[]> {
  const { filters, limit } = page;
  const rows = onwards(await filtered(parts.query.selectFrom("recordings"), filters, person, parts), page);
  const isForAll = hasRole(person, "staff");
  let further = Number.POSITIVE_INFINITY;
  if (!isForAll || !isOfColumns(filters)) {
    const first = await near(NEAR, page, person, parts);
    if (first.length === limit) return first;
    if (first.length >= PROMISING) further = Math.min(FAR, (2 * NEAR * limit) / first.length);
  }
  const all = found(rows, page);
  const count = await countOf(all);
  if (count > further / DEARER) {
    const more = await near(further, page, person, parts);
    if (more.length === limit) return more;
  }
  return count > FEW ? placesIn(rows, page) : sorted(all, page, parts);
}

/** Searches the first rows of the order; if they give a whole page, it is the page. */
async function near(count: number, page: PageQuery, person: Person, parts: Parts): Promise<readonly Place[]> {
  const rows = await narrowed(parts.query.selectFrom("recordings"), page.filters, parts.query);
  const first = onwards(rows, page).selectAll().orderBy(orderBy(page.order)).limit(Math.ceil(count)).as("recordings");
  const among = parts.query.selectFrom(first) as unknown as Rows<object>;
  return placesIn(await filtered(among, page.filters, person, parts), page);
}

/** All rows that match, with the values that they are sorted by. */
function found(rows: Rows<object>, { order }: PageQuery) {
  return (
    rows
      .select(["recordings.id", sortedBy(order).as("value"), positionOf(order).as("position")])
      // the planner does not look through this to the order
      .offset(0)
  );
}

/** Number of rows as the planner estimates it. */
async function countOf(all: ReturnType<typeof found>): Promise<number> {
  const [plan] = await all.explain<{ "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }>("json");
  return plan!["QUERY PLAN"][0].Plan["Plan Rows"];
}

function sorted(
  all: ReturnType<typeof found>,
  { order, limit }: PageQuery,
  { query }: Parts,
): Promise<readonly Place[]> {
  const direction = order.isDescending ? "desc" : "asc";
  return query
    .selectFrom(all.as("found"))
    .select(["found.id", "found.position"])
    .orderBy("found.value", direction)
    .orderBy("found.id", direction)
    .limit(limit)
    .execute();
}

/** Rows after the cursor. */
function onwards<O>(rows: Rows<O>, { cursor, order }: PageQuery): Rows<O> {
  return cursor === undefined ? rows : rows.where(behind(cursor, order));
}

function placesIn(rows: Rows<object>, page: PageQuery): Promise<readonly Place[]> {
  return inOrder((rows as Rows<Pick<Tables["recordings"], never>>).select("recordings.id"), page).execute();
}

function inOrder<O>(rows: Rows<O>, { order, limit }: PageQuery) {
  return rows.select(positionOf(order).as("position")).orderBy(orderBy(order)).limit(limit);
}

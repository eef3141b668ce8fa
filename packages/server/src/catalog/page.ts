import type { Context } from "../context.ts";
import type { Tables } from "../database/tables.ts";
import { hasRole, type Person } from "../people/person.ts";
import { areNone, type Filters, isOfColumns } from "./filters.ts";
import { behind, orderBy, positionOf, type SearchOrder, sortedBy } from "./order.ts";
import { filtered, narrowed, type Rows } from "./search.ts";

/** Which page is asked for. */
export interface PageQuery {
  readonly filters: Filters;
  readonly order: SearchOrder;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** A recording of a page, and where it is in its order. */
interface Place {
  readonly id: string;
  readonly position: string;
}

type Parts = Pick<Context, "query" | "settings">;

/** Rows that are looked through at first, and at most when what is found among them promises enough. */
const NEAR = 2000;
const FAR = 50_000;
/** Found among the first that promise enough. */
const PROMISING = 4;
/** A row that is found and sorted takes as long as so many that are looked through. */
const DEARER = 4;
/** Rows that are sorted at most, as far as can be told before. */
const FEW = 20_000;

/**
 * The ids of a page, in its order. The planner of the database cannot always know how many rows have what is asked for,
 * the beginning of a word for instance, and would go through a million rows in their order to find three. So what is
 * common is looked for among the first rows of the order, and what is rare is found first and sorted then. The planner
 * decides where it knows: what single columns say, and is not rare.
 */
export async function pageOf(page: PageQuery, person: Person, parts: Parts): Promise<readonly Place[]> {
  const { filters, limit } = page;
  const rows = onwards(await filtered(parts.query.selectFrom("recordings"), filters, person, parts), page);
  const isForAll = hasRole(person, "staff");
  if (isForAll && areNone(filters)) return placesIn(rows, page);
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

/** Among the first of the order; if that gives a whole page, it is the page. */
async function near(count: number, page: PageQuery, person: Person, parts: Parts): Promise<readonly Place[]> {
  const rows = await narrowed(parts.query.selectFrom("recordings"), page.filters, parts.query);
  const first = onwards(rows, page).selectAll().orderBy(orderBy(page.order)).limit(Math.ceil(count)).as("recordings");
  const among = parts.query.selectFrom(first) as unknown as Rows<object>;
  return placesIn(await filtered(among, page.filters, person, parts), page);
}

/** All that fit, with what they are sorted by. */
function found(rows: Rows<object>, { order }: PageQuery) {
  return (
    rows
      .select(["recordings.id", sortedBy(order).as("value"), positionOf(order).as("position")])
      // behind it the planner does not see the order
      .offset(0)
  );
}

/** How many they are, as far as the planner knows. */
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

/** Behind the cursor. */
function onwards<O>(rows: Rows<O>, { cursor, order }: PageQuery): Rows<O> {
  return cursor === undefined ? rows : rows.where(behind(cursor, order));
}

function placesIn(rows: Rows<object>, { order, limit }: PageQuery): Promise<readonly Place[]> {
  return (rows as Rows<Pick<Tables["recordings"], never>>)
    .select(["recordings.id", positionOf(order).as("position")])
    .orderBy(orderBy(order))
    .limit(limit)
    .execute();
}

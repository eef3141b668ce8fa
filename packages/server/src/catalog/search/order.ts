import { type RawBuilder, sql } from "kysely";
import { Problem } from "../../problem.ts";

/** The order of a list of recordings; equal ones are ordered by their ids. */
export interface SearchOrder {
  readonly sort: "added" | "started" | "seconds" | "name" | "bytes";
  readonly isDescending: boolean;
}

interface Column {
  /** As in the index: an unknown value is the least. */
  readonly value: RawBuilder<unknown>;
  readonly type: RawBuilder<unknown>;
  /** Whether a cursor may contain the value. */
  readonly fits: (text: string) => boolean;
}

const isNumber = (text: string): boolean => text.trim() !== "" && Number.isFinite(Number(text));
const isTime = (text: string): boolean =>
  text === "-infinity" || /^-?\d{1,6}-\d\d-\d\d \d\d:\d\d:\d\d[\d.+:-]*( BC)?$/.test(text);

const COLUMNS: Readonly<Record<SearchOrder["sort"], Column>> = {
  added: { value: sql`recordings.added`, type: sql`timestamptz`, fits: isTime },
  started: { value: sql`coalesce(recordings.started, '-infinity')`, type: sql`timestamptz`, fits: isTime },
  seconds: { value: sql`coalesce(recordings.seconds, -1)`, type: sql`double precision`, fits: isNumber },
  name: { value: sql`recordings.name`, type: sql`text`, fits: (text) => !text.includes("\0") },
  bytes: { value: sql`recordings.bytes`, type: sql`bigint`, fits: (text) => /^\d{1,16}$/.test(text) },
};

/** The expression that rows are sorted by. */
export function sortedBy({ sort }: SearchOrder): RawBuilder<unknown> {
  return COLUMNS[sort].value;
}

/** With all digits, for the cursor. */
export function positionOf({ sort }: SearchOrder): RawBuilder<string> {
  return sql<string>`${COLUMNS[sort].value}::text`;
}

export function orderBy({ sort, isDescending }: SearchOrder): RawBuilder<unknown> {
  return isDescending
    ? sql`${COLUMNS[sort].value} desc, recordings.id desc`
    : sql`${COLUMNS[sort].value}, recordings.id`;
}

/**
 * Rows after the last row of the previous page. Throws `Problem` for a cursor of another order, or a text that is no
 * cursor.
 */
export function behind(cursor: string, { sort, isDescending }: SearchOrder): RawBuilder<boolean> {
  const { value, type, fits } = COLUMNS[sort];
  const [name, position, id] = partsOf(cursor);
  if (name !== nameOf({ sort, isDescending }) || !fits(position)) throw wrong();
  const compared = isDescending ? sql`<` : sql`>`;
  return sql<boolean>`(${value}, recordings.id) ${compared} (cast(${position} as ${type}), ${id})`;
}

export function cursorAt(order: SearchOrder, position: string, id: string): string {
  return Buffer.from(JSON.stringify([nameOf(order), position, id])).toString("base64url");
}

function nameOf({ sort, isDescending }: SearchOrder): string {
  return `${sort} ${isDescending ? "desc" : "asc"}`;
}

function partsOf(cursor: string): readonly [name: string, position: string, id: string] {
  try {
    const parts = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown;
    if (
      Array.isArray(parts) &&
      parts.length === 3 &&
      parts.every((part) => typeof part === "string" && !part.includes("\0"))
    )
      return parts as unknown as [string, string, string];
  } catch {
    // below
  }
  throw wrong();
}

function wrong(): Problem {
  return new Problem(400, "this cursor does not come from this server and order");
}

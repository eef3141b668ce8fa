import { sql } from "kysely";
import type { Lost } from "simtape";
import type { Query } from "../database/database.ts";
import { Problem } from "../problem.ts";
import type { Queue } from "./shapes.ts";

/** Order of the queue: the highest score of a detector first, then the oldest report. */
const ORDERS = {
  score: { columns: sql`(-score, made, reviews.id)`, key: sql<string>`(-score)::text` },
  age: { columns: sql`(0::double precision, made, reviews.id)`, key: sql<string>`'0'` },
  newest: {
    columns: sql`(-extract(epoch from made)::double precision, made, reviews.id)`,
    key: sql<string>`(-extract(epoch from made)::double precision)::text`,
  },
} as const;

/** A page of the queue, and the cursor of the next page; null: this is the last page. */
export async function queued(query: Query, { state, assignee, subject, recording, sort, limit, cursor }: Queue) {
  const { columns, key } = ORDERS[sort];
  let rows = query
    .selectFrom("reviews")
    .leftJoin("recordings", "recordings.id", "reviews.recording")
    .select(REVIEW)
    .select([key.as("key"), sql<string>`made::text`.as("position")])
    .orderBy(columns)
    .limit(limit + 1);
  if (state === "pending") rows = rows.where("reviews.state", "in", ["open", "assigned"]);
  else if (state !== undefined) rows = rows.where("reviews.state", "=", state);
  if (assignee !== undefined) rows = rows.where("assignee", "=", assignee);
  if (subject !== undefined) rows = rows.where(sql<boolean>`lower(subject) = lower(${subject})`);
  if (recording !== undefined) rows = rows.where("reviews.recording", "=", recording);
  if (cursor !== undefined) {
    const [before, made, id] = positionOf(cursor);
    rows = rows.where(sql<boolean>`${columns} > (${before}::double precision, ${made}::timestamptz, ${id})`);
  }
  const found = await rows.execute();
  const last = found[limit - 1];
  const next = found.length > limit && last !== undefined ? [last.key, last.position, last.id] : null;
  return {
    reviews: found.slice(0, limit).map((row) => reviewOf({ ...row, key: undefined, position: undefined })),
    cursor: next === null ? null : Buffer.from(JSON.stringify(next)).toString("base64url"),
  };
}

/** One review with its marks and holds; null: it does not exist. */
export async function reviewById(query: Query, id: string) {
  const row = await query
    .selectFrom("reviews")
    .leftJoin("recordings", "recordings.id", "reviews.recording")
    .select(REVIEW)
    .where("reviews.id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const marks = await query
    .selectFrom("review_marks")
    .select(["id", "author", "time", "thing", "label", "severity", "made"])
    .where("review", "=", id)
    .orderBy("time")
    .orderBy("id")
    .execute();
  const holds = await query
    .selectFrom("holds")
    .select(["id", "recording", "reason"])
    .where("review", "=", id)
    .execute();
  return { ...reviewOf(row), marks, holds };
}

const REVIEW = [
  "reviews.id",
  "reviews.recording",
  "recordings.name",
  "reviews.subject",
  "reviews.reporter",
  "reviews.text",
  "reviews.first",
  "reviews.last",
  "reviews.score",
  "reviews.flags",
  "reviews.state",
  "reviews.assignee",
  "reviews.verdict",
  "reviews.remark",
  "reviews.judge",
  "reviews.clip",
  "reviews.clip_error",
  "reviews.clip_lost",
  "reviews.written",
  "reviews.written_error",
  "reviews.made",
  "reviews.closed",
] as const;

interface Row {
  readonly id: string;
  readonly recording: string | null;
  readonly clip: string | null;
  readonly clip_error: string | null;
  readonly clip_lost: readonly Lost[];
  readonly written_error: string | null;
  readonly first: number | null;
}

function reviewOf<R extends Row>(review: R) {
  const { clip_error: clipError, clip_lost: clipLost, written_error: writtenError, ...row } = review;
  const at = row.first === null ? "" : `#t=${row.first}`;
  return {
    ...row,
    clipError,
    clipLost,
    writtenError,
    page: row.recording === null ? null : `/r/${row.recording}${at}`,
    clipPage: row.clip === null ? null : `/r/${row.clip}`,
  };
}

/** Throws `Problem`. */
function positionOf(cursor: string): readonly [before: string, made: string, id: string] {
  try {
    const [before, made, id] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
    const isSound = Number.isFinite(Number(before)) && !Number.isNaN(Date.parse(String(made)));
    if (typeof before === "string" && typeof made === "string" && typeof id === "string" && isSound)
      return [before, made, id];
  } catch {
    // below
  }
  throw new Problem(400, "this cursor does not come from this server");
}

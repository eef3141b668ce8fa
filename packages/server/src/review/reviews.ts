import { sql } from "kysely";
import type { Context } from "../context.ts";
import { failpoint } from "../failpoint.ts";
import { notFound, Problem } from "../problem.ts";
import { newId } from "../ids.ts";
import type { MarkInput, ReportInput, VerdictInput } from "./shapes.ts";

/** Seconds that a report covers when it gives no range: the last ones of the recording. */
export const USUAL = 300;
/** Seconds that are still recorded after a report about a live recording. */
export const TAIL = 60;

/** Reports and their reviews. The routes check the rights. */
export class Reviews {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Takes a report: the recording is on hold from now on, and a clip of the range will be cut. Returns the id of the
   * review. Throws `Problem` when the recording does not exist.
   */
  async report({ recording, subject, text, score = 0, flags = [], ...range }: ReportInput, reporter: string | null) {
    const { query, jobs } = this.#context;
    const row = await query
      .selectFrom("recordings")
      .select(["key", "state", "first", "last"])
      .where("id", "=", recording)
      .where("state", "<>", "gone")
      .executeTakeFirst();
    if (row === undefined) throw notFound("the recording");
    const isLive = row.state === "live";
    // the range may include moments that the catalog does not know yet
    const isBeyond = isLive && range.first !== undefined;
    const { first, last } = rangeOf(range, row.first, isBeyond ? null : row.last);
    const id = newId();
    await query.transaction().execute(async (within) => {
      await within
        .insertInto("reviews")
        .values({
          ...{ id, recording, subject, reporter, text, first, last, score },
          flags: JSON.stringify(flags),
          state: "open",
          until: isLive ? sql<Date>`now() + ${TAIL} * interval '1 second'` : null,
        })
        .execute();
      await within
        .insertInto("holds")
        .values({ id: newId(), recording, reason: `report ${id}`, review: id })
        .execute();
    });
    await failpoint("review/reported");
    await jobs.add("clip", id, { after: isLive ? TAIL * 1000 : 0 });
    return id;
  }

  /** Assigns a review to a member of the staff; when several try at once, one succeeds. Throws `Problem`. */
  async assign(id: string, to: string | null, from: string | null): Promise<void> {
    const { numUpdatedRows } = await this.#context.query
      .updateTable("reviews")
      .set({ assignee: to, state: to === null ? "open" : "assigned" })
      .where("id", "=", id)
      .where("state", "<>", "closed")
      .where(sql<boolean>`assignee is not distinct from ${from}`)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw await this.#refusal(id);
  }

  /** Throws `Problem` for a closed review: its marks are already in the recording. */
  async mark(id: string, author: string, { time, thing = null, label, severity }: MarkInput): Promise<string> {
    const mark = newId();
    const { rows } = await sql<{ id: string }>`
      insert into review_marks (id, review, author, time, thing, label, severity)
      select ${mark}, id, ${author}, ${time}, ${thing}, ${label}, ${severity}::integer from reviews
      where id = ${id} and state <> 'closed' returning id`.execute(this.#context.query);
    if (rows.length === 0) throw await this.#refusal(id);
    return mark;
  }

  /** Throws `Problem`. */
  async unmark(id: string, mark: string): Promise<void> {
    const { rows } = await sql<{ id: string }>`
      delete from review_marks using reviews
      where review_marks.id = ${mark} and review = ${id} and reviews.id = review and state <> 'closed'
      returning review_marks.id`.execute(this.#context.query);
    if (rows.length === 0) throw await this.#refusal(id, "the mark");
  }

  /**
   * Closes a review with a verdict; when several try at once, one succeeds. Only the assignee can close an assigned
   * review. A job then writes the verdict and the marks into the recording.
   */
  async close(id: string, judge: string, { verdict, remark, keep }: VerdictInput): Promise<void> {
    const { query, jobs } = this.#context;
    const isClosed = await query.transaction().execute(async (within) => {
      const { numUpdatedRows } = await within
        .updateTable("reviews")
        .set({ state: "closed", verdict, remark, judge, closed: sql<Date>`now()` })
        .where("id", "=", id)
        .where("state", "<>", "closed")
        .where((is) => is.or([is("assignee", "is", null), is("assignee", "=", judge)]))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      if (!keep) await within.deleteFrom("holds").where("review", "=", id).execute();
      return true;
    });
    if (!isClosed) throw await this.#refusal(id);
    await failpoint("review/closed");
    await jobs.add("verdict", id);
  }

  /** The reason why nothing was changed. */
  async #refusal(id: string, what = "the review"): Promise<Problem> {
    const row = await this.#context.query
      .selectFrom("reviews")
      .select(["state", "assignee"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined) return notFound("the review");
    if (row.state === "closed") return new Problem(409, "the review is already closed", { state: "closed" });
    if (row.assignee === null)
      return what === "the review" ? new Problem(409, "the review is no longer assigned") : notFound(what);
    return new Problem(409, "the review is assigned to another member of the staff", {
      state: row.state,
      assignee: row.assignee,
    });
  }
}

/**
 * The range in seconds that is kept: within the recording, as far as its length is known. Throws `Problem` for an
 * invalid range.
 */
function rangeOf(
  { first, last }: Pick<ReportInput, "first" | "last">,
  start: number | null,
  end: number | null,
): { first: number | null; last: number | null } {
  if (first !== undefined && last !== undefined && last <= first)
    throw new Problem(400, `the range ends (${last} s) before it begins (${first} s)`);
  const until = last ?? end;
  const from = first ?? (until === null ? null : Math.max(start ?? 0, until - USUAL));
  if (from !== null && end !== null && start !== null && (from > end || (last !== undefined && last < start)))
    throw new Problem(400, `the recording lasts from ${start} s to ${end} s: nothing is in the range`);
  return { first: from, last: last ?? null };
}

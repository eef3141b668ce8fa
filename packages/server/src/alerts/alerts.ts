import { sql } from "kysely";
import { type Allowance, TOO_LONG } from "../answers/question.ts";
import type { Readers } from "../answers/readers.ts";
import { filtered } from "../catalog/search/search.ts";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { failpoint } from "../failpoint.ts";
import { newId } from "../ids.ts";
import type { Owed } from "../jobs/reconcile.ts";
import type { Work } from "../jobs/worker.ts";
import { Audit } from "../people/audit.ts";
import { isOwn, type Person, scopesOf } from "../people/person.ts";
import { Problem } from "../problem.ts";

/** A search that new recordings are looked at for, and whose it is. */
interface Watched {
  readonly id: string;
  readonly query: string;
  readonly expression: string | null;
  readonly person: Person;
}

/** The recording that is looked at. */
interface Subject {
  readonly id: string;
  readonly key: string;
  readonly stamp: string;
  readonly digest: string;
}

/** What a search says of a recording; null: it does not fit. */
type Verdict = {
  readonly count: number | null;
  readonly seconds: number | null;
  readonly first: number | null;
  readonly trouble: string | null;
} | null;

/** Of a search without an expression. */
const FOUND: Verdict = { count: null, seconds: null, first: null, trouble: null };

/** Indexed recordings that the watched searches have not been asked about. */
export function owedAlerts({ query }: Pick<Context, "query">): Owed {
  return {
    kind: "alerts",
    subjects: async () => {
      const rows = await query
        .selectFrom("news")
        .innerJoin("recordings", "recordings.id", "news.recording")
        .select("recordings.id")
        .where("state", "=", "indexed")
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

/** Adds the job for a recording that was indexed just now, if it is news. */
export async function announce({ query, jobs }: Pick<Context, "query" | "jobs">, recording: string): Promise<void> {
  const news = await query.selectFrom("news").select("recording").where("recording", "=", recording).executeTakeFirst();
  if (news === undefined) return;
  await failpoint("alerts/owed");
  await jobs.add("alerts", recording);
}

/**
 * Asks all watched searches about a recording that is new, or has other bytes than before; those that it fits get an alert,
 * once for the same bytes. `readers` end an expression that takes too long, and this says so in its alert.
 */
export async function lookFor(
  context: Context,
  readers: Readers,
  recording: string,
  { signal, progress }: Work,
): Promise<unknown> {
  const { query, settings } = context;
  const row = await query
    .selectFrom("news")
    .innerJoin("recordings", "recordings.id", "news.recording")
    .select(["recordings.id", "key", "stamp", "recordings.digest", "indexed"])
    .where("news.recording", "=", recording)
    .whereRef("news.digest", "=", "recordings.digest")
    // a recording that has changed meanwhile is indexed again, and is still news then
    .where("state", "=", "indexed")
    .executeTakeFirst();
  if (row === undefined) return { asked: 0, alerts: 0 };
  const subject: Subject = { ...row, digest: row.digest! };
  const searches = await watchedSince(query, row.indexed!);
  const known = new Map<string, Verdict>();
  /** What expressions of an account may take. */
  const allowances = new Map<string, Allowance>();
  let alerts = 0;
  for (const [i, search] of searches.entries()) {
    signal.throwIfAborted();
    progress(i / searches.length);
    const { expression, person } = search;
    if (!(await isFound(context, subject, search))) continue;
    let verdict = expression === null ? FOUND : known.get(expression);
    if (verdict === undefined) {
      const allowance = allowances.get(person.id!) ?? { left: settings.alertSeconds * 1000 };
      allowances.set(person.id!, allowance);
      verdict = await verdictOf(readers, subject, expression!, allowance, settings.alertSeconds, signal);
      // another account may have more time left
      if (verdict?.trouble == null) known.set(expression!, verdict);
    }
    if (verdict === null) continue;
    await failpoint("alerts/hit");
    if (await keep(query, search, subject, verdict)) alerts++;
    await failpoint("alerts/kept");
  }
  await query.deleteFrom("news").where("recording", "=", recording).where("digest", "=", subject.digest).execute();
  return { asked: searches.length, alerts };
}

/** Searches that were watched when the recording was indexed, the oldest first. */
async function watchedSince(query: Query, indexed: Date): Promise<readonly Watched[]> {
  const rows = await query
    .selectFrom("searches")
    .innerJoin("users", "users.id", "searches.owner")
    .select(["searches.id", "query", "expression", "users.id as owner", "users.name", "role", "identities"])
    .where("watched", "<=", indexed)
    .where("users.disabled", "=", false)
    .orderBy("watched")
    .orderBy("searches.id")
    .execute();
  return rows.map(({ id, query: words, expression, owner, name, role, identities }) => {
    const person: Person = { id: owner, name, role, identities, scopes: scopesOf(role), via: "session" };
    return { id, query: words, expression, person };
  });
}

/** Whether the owner of a search may read the recording, and its filters find it. */
async function isFound(context: Context, { id }: Subject, search: Watched): Promise<boolean> {
  // loaded here, as it loads the shapes of requests, which no other job needs
  const { filtersInQuery } = await import("../catalog/search/filters.ts");
  try {
    const one = context.query.selectFrom("recordings").select("recordings.id").where("recordings.id", "=", id);
    const rows = await filtered(one, filtersInQuery(search.query), search.person, context);
    return (await rows.executeTakeFirst()) !== undefined;
  } catch (error) {
    // an erasure has put another word into a filter
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** `seconds`: what the allowance was at first. Rejects where another try can help. */
async function verdictOf(
  readers: Readers,
  { id, key, stamp }: Subject,
  where: string,
  allowance: Allowance,
  seconds: number,
  signal: AbortSignal,
): Promise<Verdict> {
  const trouble = (text: string): Verdict => ({ count: null, seconds: null, first: null, trouble: text });
  const tooLong = `the expressions that you watch took longer than ${seconds} s in this recording`;
  if (allowance.left <= 0) return trouble(tooLong);
  try {
    const answer = await readers.ask({ id, key, stamp }, { of: "when", where, limit: 0 }, signal, allowance);
    const { count, time, first } = JSON.parse(answer) as { count: number; time: number; first: number | null };
    return count === 0 ? null : { count, seconds: time / 1e9, first: (first ?? 0) / 1e9, trouble: null };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Problem)) throw error;
    const code = error.more["code"];
    if (code === TOO_LONG) return trouble(tooLong);
    // it names what this recording does not have
    if (error.status === 400 && code !== "limit") return null;
    if (error.status === 400 || error.status === 422) return trouble(error.message);
    throw error;
  }
}

/** False: there is an alert of these bytes, or the search was changed meanwhile. */
function keep(query: Query, search: Watched, subject: Subject, verdict: NonNullable<Verdict>): Promise<boolean> {
  const { id, expression, person } = search;
  return query.transaction().execute(async (within) => {
    const same = await within
      .selectFrom("searches")
      .select("id")
      .where("id", "=", id)
      .where("watched", "is not", null)
      .where("query", "=", search.query)
      .where(sql<boolean>`expression is not distinct from ${expression}`)
      .forShare()
      .executeTakeFirst();
    if (same === undefined) return false;
    const read = await within
      .selectFrom("recordings")
      .select("owner")
      .select(sql<string[]>`array(select identity from subjects where recording = recordings.id)`.as("subjects"))
      .where("id", "=", subject.id)
      .where("digest", "=", subject.digest)
      .forShare()
      .executeTakeFirst();
    if (read === undefined) return false;
    const made = await within
      .insertInto("alerts")
      .values({ id: newId(), search: id, recording: subject.id, digest: subject.digest, ...verdict })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (made === undefined) return false;
    // an alert says what is in a recording, as reading it does
    if (!isOwn(person, read) && verdict.trouble === null)
      await new Audit(within).add({
        ...{ who: person.id, role: person.role, action: "alert", recording: subject.id, details: { search: id } },
      });
    return true;
  });
}

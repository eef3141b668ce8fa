import { RecordingError } from "simtape";
import { eraseSubject, isRecorded } from "simtape/record";
import { SIDE_CAR_ENDING } from "simtape";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Query } from "../database/database.ts";
import { setTimeout } from "node:timers/promises";
import { indexRecording } from "../catalog/index/index-recording.ts";
import { Companions } from "../catalog/companions.ts";
import { othersOf, removeFile, removeWorld } from "../catalog/recording-files.ts";
import { Scanner } from "../catalog/scan/scan.ts";
import { SeekIndexes } from "../catalog/index/seek-indexes.ts";
import { failpoint } from "../failpoint.ts";
import { PEOPLE } from "../people/authenticate.ts";
import { PermanentError, type Work } from "../jobs/worker.ts";
import { unchanged } from "../review/verdict.ts";
import type { EraseReport, Outcome } from "./certificate.ts";
import { removeCopies } from "./copies.ts";
import { mentionsOf } from "./elsewhere.ts";
import { renameFiles } from "./rename.ts";
import { recordingId, removeRecording } from "simtape/lake";
import { lakeStore } from "../lake/store.ts";
import { searchLake } from "../lake/traces.ts";
import { maskRows, type RowTrace } from "./rows.ts";
import { search } from "./search.ts";
import { Traces } from "./traces.ts";
import { type Concerned, lower, othersLike, recordingsById, recordingsOf, type Who } from "./who.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Milliseconds until a recording that was still being written is checked again. */
const LOOK_AGAIN = 300;

interface Asked extends Who {
  /** Whether recordings that cannot be redacted are deleted. */
  readonly deletes: boolean;
  /** The recordings that an earlier try has found: those that it redacted no longer name the subject. */
  readonly found?: readonly Concerned[];
}

/**
 * Erases a subject: deletes the recordings of the subject alone, redacts those that other people are in, leaves those
 * on hold alone, and replaces the subject's names in paths and in all rows by an opaque id. Then it searches everything
 * for the subject: what it finds is reported as remaining. A second run has no further effect; after an interruption it
 * starts again.
 */
export async function eraseWho(context: Context, id: string, work: Work): Promise<unknown> {
  const { signal, progress } = work;
  const { query, jobs, library } = context;
  const request = await query.selectFrom("subject_requests").select("who").where("id", "=", id).executeTakeFirst();
  if (request?.who == null) return null;
  const who = request.who as Asked;
  await knowAll(context, work);
  const traces = new Traces(who, await othersLike(query, who), id);
  const outcomes = new Map<string, Outcome>();
  const contents = new Map<string, boolean>();
  const take = async (recording: Concerned): Promise<void> => {
    signal.throwIfAborted();
    contents.delete(recording.id);
    const { why, ...outcome } = await eraseFrom(context, recording, who, signal);
    outcomes.set(recording.id, { recording: recording.id, ...outcome, why: traces.masked(why) });
  };
  const concerned = await concernedBy(query, id, who);
  for (const [i, recording] of concerned.entries()) {
    await take(recording);
    await failpoint("subjects/recording-erased");
    progress((0.4 * (i + 1)) / concerned.length);
  }
  // recordings that only mention the subject
  const named = await search(context, traces, id, { outcomes, contents }, signal);
  for (const recording of await recordingsById(query, named.recordings)) await take(recording);
  const all = [...outcomes.values()];
  const kept = all.filter(({ did }) => did === "kept").map(({ recording }) => recording);
  await removeCopies(context, who, [...outcomes.keys()]);
  for (const { key } of await query.selectFrom("subject_requests").select("key").where(isAbout(who)).execute())
    if (key !== null) await library.remove(key);
  const mentions = await mentionsOf(query, who);
  await forget(context, who, id, kept);
  context.bus.publish(PEOPLE, "changed");
  await failpoint("subjects/forgotten");
  progress(0.7);
  const renamed = await renameFiles(context, traces, kept, signal);
  const changed: Record<string, number> = {};
  for (const { table, column } of await maskRows(query, traces, id, (row) => mayChange(row, id, kept)))
    changed[`${table}.${column}`] = (changed[`${table}.${column}`] ?? 0) + 1;
  await clearLake(context, traces, outcomes, signal);
  await failpoint("subjects/lake-cleared");
  const { remains, searched } = await search(context, traces, id, { outcomes, contents }, signal);
  const report: EraseReport = {
    outcomes: all,
    mentions: mentions.map((mention) => ({ ...mention, id: traces.masked(mention.id) })),
    ...{ changed, renamed, remains, searched },
    token: traces.token,
    isComplete: remains.length === 0,
  };
  await query
    .updateTable("subject_requests")
    .set({ state: "done", who: null, error: null, report: JSON.stringify(report), ended: sql<Date>`now()` })
    .where("id", "=", id)
    .execute();
  await failpoint("subjects/reported");
  await jobs.add("scan", "library");
  return { deleted: count(all, "deleted"), redacted: count(all, "redacted"), kept: kept.length };
}

/**
 * Removes from the lake the recordings that were deleted or redacted, and all others that name the subject there, but for those
 * that are kept. When the present files are indexed, they are written into it again.
 */
async function clearLake(
  { settings }: Context,
  traces: Traces,
  outcomes: ReadonlyMap<string, Outcome>,
  signal: AbortSignal,
): Promise<void> {
  const lake = lakeStore(settings);
  if (lake === null) return;
  const kept = new Set<string>();
  for (const [recording, { did }] of outcomes)
    if (did === "kept") kept.add(recordingId(recording));
    else await removeRecording(lake, recordingId(recording), signal);
  const { traces: found } = await searchLake(lake, traces, kept, signal);
  for (const { recording } of found) await removeRecording(lake, recording, signal);
}

/**
 * Rows of kept recordings stay unchanged; renaming also changes the paths of files; other accounts do not belong to the
 * subject.
 */
function mayChange({ table, column, id, recording }: RowTrace, request: string, kept: readonly string[]): boolean {
  if (table === "users" || (table === "subject_requests" && id === request)) return false;
  if (table === "recordings") return !kept.includes(id ?? "") && column !== "key" && column !== "files";
  return recording === null || table === "audit" || !kept.includes(recording);
}

/**
 * The recordings that the subject is in, or was in before an earlier try; the list is stored with the request until it
 * is done.
 */
async function concernedBy(query: Query, id: string, who: Asked): Promise<readonly Concerned[]> {
  const before = who.found ?? [];
  // an earlier try may have renamed their files
  const now = await recordingsById(
    query,
    before.map((one) => one.id),
  );
  const places = new Map(now.map(({ id: its, key, name, state, holds }) => [its, { key, name, state, holds }]));
  const all = [...before.map((one) => ({ ...one, ...places.get(one.id) })), ...(await recordingsOf(query, who))];
  const found = [...new Map(all.map((one) => [one.id, one])).values()];
  await query
    .updateTable("subject_requests")
    .set({ who: JSON.stringify({ ...who, found }) })
    .where("id", "=", id)
    .execute();
  return found;
}

/** Scans and indexes the whole library first: only the index knows which people are in a recording. */
async function knowAll(context: Context, work: Work): Promise<void> {
  const { query, library, jobs } = context;
  const scanner = new Scanner(query, library, jobs);
  for (;;) {
    await scanner.scan(work.signal);
    for (const { id } of await query.selectFrom("recordings").select("id").where("state", "=", "new").execute())
      await indexRecording(context, id, work).catch((error: unknown) => {
        // a recording that cannot be read is reported as such
        if (!(error instanceof PermanentError)) throw error;
      });
    if (!scanner.isSoon) return;
    await setTimeout(LOOK_AGAIN, undefined, { signal: work.signal });
  }
}

async function eraseFrom(
  { query, library, settings }: Context,
  { id, key, state, isOnlyTheirs, holds }: Concerned,
  { names, uuids, deletes }: Asked,
  signal: AbortSignal,
): Promise<Omit<Outcome, "recording">> {
  if (holds.length > 0) return { did: "kept", why: "on hold", isWhole: false };
  if (state === "live") return { did: "kept", why: "is being recorded: erase again when it has ended", isWhole: false };
  const row = await query.selectFrom("recordings").select("files").where("id", "=", id).executeTakeFirst();
  // left by an earlier try
  const others = othersOf(key, row?.files ?? []);
  // the thumbnail contains names, too; the redacted recording gets a new one
  const forgetIndex = (): Promise<void> => new SeekIndexes(settings).remove(id);
  const removeOthers = async (): Promise<void> => {
    for (const other of others) await removeFile(library, other);
  };
  const remove = async (why: string): Promise<Omit<Outcome, "recording">> => {
    await removeOthers();
    await failpoint("subjects/segments-deleted");
    await removeWorld(library, key);
    await removeFile(library, key);
    await failpoint("subjects/files-deleted");
    await new Companions({ query, settings }).removeAll(id);
    await forgetIndex();
    await query.deleteFrom("recordings").where("id", "=", id).execute();
    return { did: "deleted", why, isWhole: true };
  };
  if (isOnlyTheirs) return remove("no other person is in it");
  try {
    const bundle = library.bundle(key);
    if (!(await isRecorded(bundle)))
      throw new RecordingError("unsupported", "its format cannot be redacted by subject");
    await eraseSubject(bundle, await unchanged(library, key), { names, uuids, signal });
    await failpoint("subjects/redacted");
    // the segments were joined into one file
    await removeOthers();
    await failpoint("subjects/segments-removed");
    await forgetIndex();
    for (const ending of [SIDE_CAR_ENDING, ".provenance.json"]) await library.remove(key + ending);
    return { did: "redacted", why: "other people are in it", isWhole: true };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return deletes
      ? remove(`cannot be redacted: ${error.message}`)
      : { did: "kept", why: `cannot be redacted: ${error.message}`, isWhole: false };
  }
}

/** Removes the subject's names from all rows, except the audit and the rows of kept recordings. */
async function forget({ query }: Context, who: Asked, id: string, kept: readonly string[]): Promise<void> {
  const { names, uuids, accounts } = who;
  const called = lower([...names, ...uuids]);
  const keeps = [...kept];
  await query.transaction().execute(async (within) => {
    const isTheirs = sql`(owner = any(${[...accounts]})
      or exists (select 1 from subjects where recording = recordings.id and identity = any(${[...uuids]}))
      or exists (select 1 from entities where recording = recordings.id
        and (lower(label) = any(${called}) or lower(name) = any(${called}))))`;
    const run = (statement: ReturnType<typeof sql>) => statement.execute(within);
    // their files no longer exist: delete everything that the catalog knows of them
    await run(sql`delete from recordings where state = 'gone' and ${isTheirs}`);
    // these facts are missing until the redacted recording is indexed again
    await run(sql`update recordings set metadata = '{}', names = '' where id <> all(${keeps}) and ${isTheirs}`);
    // facts that the index job reads again, from the present files
    await run(sql`delete from entities where recording <> all(${keeps})
      and (lower(label) = any(${called}) or lower(name) = any(${called}))`);
    await run(sql`delete from subjects where recording <> all(${keeps}) and identity = any(${[...uuids]})`);
    await run(sql`delete from runs where recording <> all(${keeps})
      and (uuid = any(${[...uuids]}) or lower(name) = any(${lower(names)}))`);
    await run(sql`delete from notes where author = any(${[...accounts, ...names]})`);
    const isIn = sql.join(
      called.map((text) => sql`position(${text} in lower(text)) > 0`),
      sql` or `,
    );
    if (called.length > 0) await run(sql`update notes set text = '(erased)' where ${isIn}`);
    await run(
      sql`delete from reviews where lower(subject) = any(${called}) and (recording is null or recording <> all(${keeps}))`,
    );
    await run(sql`update reviews set reporter = null where reporter = any(${[...accounts, ...names]})`);
    await run(sql`delete from users where id = any(${[...accounts]}) and id <> 'operator'`);
    await run(sql`update jobs set input = '{}', result = null, error = null where state <> 'running'
      and (${sql.join([sql`false`, ...called.map((text) => sql`position(${text} in lower(concat(input, result, error))) > 0`)], sql` or `)})`);
    await within
      .updateTable("subject_requests")
      .set({ who: null, key: null })
      .where(isAbout(who))
      .where("id", "<>", id)
      .execute();
  });
}

function isAbout({ names, uuids }: Who) {
  const called = lower([...names, ...uuids]);
  return sql<boolean>`kind = 'export' and (${sql.join([sql`false`, ...called.map((text) => sql`position(${text} in lower(who::text)) > 0`)], sql` or `)})`;
}

function count(outcomes: readonly Outcome[], did: Outcome["did"]): number {
  return outcomes.filter((one) => one.did === did).length;
}

import { RecordingError } from "simtape";
import { eraseSubject, isRecorded } from "simtape/record";
import { SIDE_CAR_ENDING } from "simtape";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { setTimeout } from "node:timers/promises";
import { indexRecording } from "../catalog/index-recording.ts";
import { Scanner } from "../catalog/scan.ts";
import { SeekIndexes } from "../catalog/seek-indexes.ts";
import { HopelessError, type Work } from "../jobs/worker.ts";
import { unchanged } from "../review/verdict.ts";
import { mentionsOf } from "./elsewhere.ts";
import { type Concerned, lower, recordingsOf, type Who } from "./who.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** What became of one recording. */
interface Outcome {
  readonly recording: string;
  readonly did: "deleted" | "redacted" | "kept";
  readonly why: string;
  /** Nothing of them is left in it. */
  readonly isWhole: boolean;
}

/** Milliseconds until files that were still being written are looked at again. */
const LOOK_AGAIN = 300;
/** In the folder of a recording that is, or was, being made. */
const JOURNAL = "journal.hcj";

interface Asked extends Who {
  /** Whether what cannot be redacted is deleted whole. */
  readonly deletes: boolean;
}

/**
 * Erases a subject: deletes what is only theirs, makes them unknown in what others are in, leaves alone what is on hold
 * and says so, and takes their names out of all rows but the audit, which has ids. Done twice it is the same.
 */
export async function eraseWho(context: Context, id: string, work: Work): Promise<unknown> {
  const { signal, progress } = work;
  const { query, jobs, library } = context;
  const request = await query.selectFrom("subject_requests").select("who").where("id", "=", id).executeTakeFirst();
  if (request?.who == null) return null;
  const who = request.who as Asked;
  await knowAll(context, work);
  const outcomes: Outcome[] = [];
  const recordings = await recordingsOf(query, who);
  for (const [i, recording] of recordings.entries()) {
    signal.throwIfAborted();
    outcomes.push({ recording: recording.id, ...(await eraseFrom(context, recording, who, signal)) });
    progress((i + 1) / recordings.length);
  }
  const kept = outcomes.filter(({ did }) => did === "kept").map(({ recording }) => recording);
  for (const { key } of await query.selectFrom("subject_requests").select("key").where(isAbout(who)).execute())
    if (key !== null) await library.remove(key);
  await forget(context, who, id, kept);
  const mentions = await mentionsOf(query, who);
  const report = {
    outcomes,
    mentions,
    isComplete: mentions.length === 0 && outcomes.every(({ isWhole }) => isWhole),
  };
  await query
    .updateTable("subject_requests")
    .set({ state: "done", who: null, error: null, report: JSON.stringify(report), ended: sql<Date>`now()` })
    .where("id", "=", id)
    .execute();
  await jobs.add("scan", "library");
  return { deleted: count(outcomes, "deleted"), redacted: count(outcomes, "redacted"), kept: kept.length };
}

/** Looks at everything in the library first: whom a recording is about is known when it is indexed. */
async function knowAll(context: Context, work: Work): Promise<void> {
  const { query, library, jobs } = context;
  const scanner = new Scanner(query, library, jobs);
  for (;;) {
    await scanner.scan(work.signal);
    for (const { id } of await query.selectFrom("recordings").select("id").where("state", "=", "new").execute())
      await indexRecording(context, id, work).catch((error: unknown) => {
        // what cannot be read is known as that
        if (!(error instanceof HopelessError)) throw error;
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
  if (state === "live") return { did: "kept", why: "is being recorded: ask again when it has ended", isWhole: false };
  const folder = key.slice(0, key.lastIndexOf("/") + 1);
  const main = key.slice(folder.length);
  const { files } = await query.selectFrom("recordings").select("files").where("id", "=", id).executeTakeFirstOrThrow();
  /** Of the recording, beside the main file: segments, the metadata before the last, what a recorder has mirrored. */
  const others = new Set([...files.map(({ name }) => name), `${main}.bak`, JOURNAL].filter((name) => name !== main));
  // it has names, too; what is left of the recording gets one again
  const forgetIndex = (): Promise<void> => new SeekIndexes(settings).remove(id);
  const removeOthers = async (): Promise<void> => {
    for (const name of others) await removeAll(folder + name);
  };
  const remove = async (why: string): Promise<Omit<Outcome, "recording">> => {
    await removeOthers();
    await removeAll(key);
    await forgetIndex();
    await query.deleteFrom("recordings").where("id", "=", id).execute();
    return { did: "deleted", why, isWhole: true };
  };
  const removeAll = async (file: string): Promise<void> => {
    for (const ending of ["", SIDE_CAR_ENDING, ".provenance.json"]) await library.remove(file + ending);
  };
  if (isOnlyTheirs) return remove("only they are in it");
  try {
    const bundle = library.bundle(key);
    if (!(await isRecorded(bundle)))
      throw new RecordingError("unsupported", "its format cannot be redacted by subject");
    await eraseSubject(bundle, await unchanged(library, key), { names, uuids, signal });
    // what was in segments is in one file now
    await removeOthers();
    await forgetIndex();
    for (const ending of [SIDE_CAR_ENDING, ".provenance.json"]) await library.remove(key + ending);
    const isCalled = lower([...names, ...uuids]).some((text) => key.toLowerCase().includes(text));
    const why = isCalled ? "others are in it; rename its file, which is called by the name" : "others are in it";
    return { did: "redacted", why, isWhole: !isCalled };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return deletes
      ? remove(`cannot be redacted: ${error.message}`)
      : { did: "kept", why: `cannot be redacted: ${error.message}`, isWhole: false };
  }
}

/** Out of all rows but the audit, and those of recordings that are kept. */
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
    // their files are no longer there, so that nothing of them is known any more
    await run(sql`delete from recordings where state = 'gone' and ${isTheirs}`);
    // until it is indexed again, as it is now
    await run(sql`update recordings set metadata = '{}', names = '' where id <> all(${keeps}) and ${isTheirs}`);
    // what is asked for again by the job that indexes, of files as they are now
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

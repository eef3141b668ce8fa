import { createHash } from "node:crypto";
import { open, PathError, type Recording } from "simtape";
import { CompareError, type CompareOptions, compare } from "simtape/compare";
import { fileSpool } from "simtape/node";
import { damageIn, findingToPlain, parseRange } from "simtape/serving";
import { toJson, UsageError } from "simtape/command";
import { statistics } from "simtape/stats";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import type { ClaimedJob } from "../jobs/queue.ts";
import { PermanentError, type Work } from "../jobs/worker.ts";
import type { Library } from "../library/library.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Options of the command, as they came; times as commands take them. */
export interface AnalysisOptions {
  readonly from?: string;
  readonly until?: string;
  readonly align?: string;
  readonly match?: "id" | "name" | "nearest";
  readonly rules?: readonly string[];
  /** Seconds. */
  readonly near?: number;
}

/** What a job is to find: of one recording its statistics, of two where they differ. */
export interface Analysis {
  readonly kind: "stats" | "compare";
  readonly recording: string;
  readonly other: string | null;
  readonly options: AnalysisOptions;
}

/** The same for the same question, in whatever order its options come. */
export function analysisId({ kind, recording, other, options }: Analysis): string {
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([kind, recording, other, sorted]))
    .digest("base64url")
    .slice(0, 22);
}

/** Goes through the recordings, and keeps what it found with them; it replaces what was found before. */
export async function analyse(
  query: Query,
  library: Library,
  job: ClaimedJob,
  work: Work,
): Promise<{ readonly analysis: string; readonly same: boolean | null }> {
  const asked = job.input as unknown as Analysis;
  const sources = [];
  for (const id of asked.other === null ? [asked.recording] : [asked.recording, asked.other])
    sources.push(await sourceOf(query, id));
  const [one, other] = sources;
  let found: { readonly result: object; readonly same: boolean | null };
  try {
    found =
      other === undefined
        ? await opened(library, one!.key, work, (recording) => statisticsOf(recording, one!.key, asked.options, work))
        : await opened(library, one!.key, work, (a) =>
            opened(library, other.key, work, (b) => comparisonOf(a, b, [one!.key, other.key], asked.options, work)),
          );
  } catch (error) {
    if (work.signal.aborted) throw error;
    const isWrong = error instanceof UsageError || error instanceof CompareError || error instanceof PathError;
    throw isWrong || isUnreadable(error) ? new PermanentError((error as Error).message) : error;
  }
  const id = analysisId(asked);
  const { result, same } = found;
  const stamps = sources.map(({ stamp }) => stamp);
  const row = { same, stamps, result: toJson(result), made: sql<Date>`now()` };
  const { kind, recording, options } = asked;
  await query
    .insertInto("analyses")
    .values({ id, kind, recording, other: asked.other, options: JSON.stringify(options), ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
  return { analysis: id, same };
}

async function sourceOf(query: Query, id: string): Promise<{ readonly key: string; readonly stamp: string }> {
  const row = await query
    .selectFrom("recordings")
    .select(["key", "stamp"])
    .where("id", "=", id)
    .where("state", "<>", "gone")
    .executeTakeFirst();
  if (row === undefined) throw new PermanentError("the recording is no longer there");
  return row;
}

async function opened<T>(
  library: Library,
  key: string,
  { signal }: Work,
  work: (recording: Recording) => Promise<T>,
): Promise<T> {
  await using recording = await open(library.bundle(key), { spool: fileSpool(), signal });
  return await work(recording);
}

async function statisticsOf(recording: Recording, file: string, options: AnalysisOptions, { signal, progress }: Work) {
  const range = await parseRange(options, recording);
  const { start, end } = await recording.timeline();
  const found = await statistics(recording, {
    ...{ ...range, signal },
    onProgress: (time) => progress(end > start ? (time - start) / (end - start) : 1),
  });
  return { result: { file, ...found, findings: damageIn(recording.findings).map(findingToPlain) }, same: null };
}

async function comparisonOf(
  a: Recording,
  b: Recording,
  [one, other]: readonly [string, string],
  { align, match, rules, near, ...times }: AnalysisOptions,
  { signal, progress }: Work,
) {
  const found = await compare(a, b, {
    ...(await parseRange(times, a)),
    ...{ align: align as CompareOptions["align"], match, rules, signal },
    near: near === undefined ? undefined : near * 1e9,
    onProgress: (time, { start, end }) => progress(end > start ? (time - start) / (end - start) : 1),
  });
  const sideOf = (file: string, { findings, ...side }: typeof found.a) => {
    return { file, ...side, findings: findings.map(findingToPlain) };
  };
  return { result: { ...found, a: sideOf(one, found.a), b: sideOf(other, found.b) }, same: found.same };
}

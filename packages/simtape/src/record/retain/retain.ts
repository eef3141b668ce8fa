import { type Store, StoreError } from "../../io/store/store.ts";
import { decide } from "./decide.ts";
import { type Facts, readFacts } from "./facts.ts";
import { isHeld } from "./policy.ts";
import type { RetentionPolicy } from "./schema.ts";
import { type Found, survey, tellingFiles } from "./survey.ts";
import { type MainFile, type Placed, readableTombstone, readTombstone, withdrawTombstone } from "./tombstone.ts";

/** What is to become of one recording. */
export interface RetentionRow {
  readonly id: string;
  /** UUID, where it has one. */
  readonly recordingId: string | null;
  /** Null: it is of none. */
  readonly class: string | null;
  readonly bytes: number;
  /** Unix milliseconds of its end. */
  readonly end: number;
  readonly decision: "keep" | "delete";
  readonly reason: string;
  /** Its metadata cannot be read; it is kept. */
  readonly isDoubtful: boolean;
  /** What it can be opened by; none where only segments are left. */
  readonly files: readonly MainFile[];
  /** Its tombstone, when it has one that counts. */
  readonly placed: Placed | null;
}

/** What a policy says of a store. */
export interface RetentionPlan {
  /** Unix milliseconds. */
  readonly now: number;
  /** By id. */
  readonly rows: readonly RetentionRow[];
  /** Tombstones of recordings that are gone. */
  readonly strays: readonly string[];
  /** Sentences: holds of recordings that are not there, quotas that cannot be met. */
  readonly warnings: readonly string[];
}

/** How a store is gone through. Everything is optional. */
export interface RetentionOptions {
  /** Recordings worked on at once; 8. */
  readonly concurrency?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Recordings done, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Judges every recording of a store by its metadata: a listing, and a read of 4 KiB of each. Changes nothing. Throws
 * `StoreError`; a damaged recording is kept and its row says so.
 */
export async function planRetention(
  store: Store,
  policy: RetentionPolicy,
  now: number,
  options: RetentionOptions = {},
): Promise<RetentionPlan> {
  const { recordings, buried } = await survey(store, options.signal);
  const subjects: Subject[] = [];
  await eachOf(recordings, options, async (found) => {
    subjects.push(await subjectOf(store, found, buried.has(found.id), policy, options.signal));
  });
  const judged = subjects.filter(({ isRest }) => !isRest);
  const decisions = decide(
    judged.map(({ facts }) => facts),
    policy,
    now,
  );
  const rows = judged.map((subject, i) => rowOf(subject, policy, decisions[i]!));
  for (const subject of subjects) if (subject.isRest) rows.push(rowOf(subject, policy, restOf(subject, policy)));
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  const known = new Set(recordings.map(({ id }) => id));
  return {
    now,
    rows,
    strays: [...buried].filter((id) => !known.has(id)).sort(),
    warnings: [...unknownHolds(policy, rows), ...unmetQuotas(policy, rows)],
  };
}

/**
 * Takes the tombstone of a recording away. False: there is none. The next time the policy is applied it marks the
 * recording again, unless it is on hold. Throws `StoreError` `conflict` when its deletion has begun.
 */
export async function undoRetention(store: Store, id: string, signal?: AbortSignal): Promise<boolean> {
  const placed = await readTombstone(store, id, signal);
  if (placed === null || placed.tombstone.state === "undone") return false;
  const isBegun = placed.tombstone.state === "deleting";
  if (isBegun || !(await withdrawTombstone(store, placed, signal)))
    throw new StoreError("conflict", `its deletion has begun: ${store.name}/${id}`, id);
  return true;
}

/** Works on all of `items`, several at once. After the first error no other is begun, and it is thrown at the end. */
export async function eachOf<T>(
  items: readonly T[],
  { concurrency = 8, signal, onProgress }: RetentionOptions,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  let next = 0;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && errors.length === 0) {
      try {
        signal?.throwIfAborted();
        await work(items[next++]!);
        onProgress?.(++done, items.length);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}

/** A recording on its way to a row. */
interface Subject {
  readonly facts: Facts;
  readonly found: Found;
  readonly placed: Placed | null;
  /** Nothing is left that it could be opened by, and its deletion has begun. */
  readonly isRest: boolean;
}

async function subjectOf(
  store: Store,
  found: Found,
  isBuried: boolean,
  policy: RetentionPolicy,
  signal: AbortSignal | undefined,
): Promise<Subject> {
  const placed = isBuried ? await readableTombstone(store, found.id, signal) : null;
  const { id, bytes, modified } = found;
  const facts = await readFacts(store, { id, bytes, modified }, tellingFiles(found), policy, signal);
  const isRest = placed?.tombstone.state === "deleting" && found.files.length === 0;
  return { facts, found, placed, isRest };
}

function rowOf(
  { facts, found, placed }: Subject,
  { classes }: RetentionPolicy,
  { decision, reason }: Pick<RetentionRow, "decision" | "reason">,
): RetentionRow {
  const { id, bytes, end, recordingId, problem } = facts;
  return {
    id,
    recordingId,
    class: classes[facts.class]?.name ?? null,
    bytes,
    end,
    decision,
    reason,
    isDoubtful: problem !== null,
    files: found.files,
    placed,
  };
}

function restOf({ placed }: Subject, policy: RetentionPolicy): Pick<RetentionRow, "decision" | "reason"> {
  const { id, recordingId, reason } = placed!.tombstone;
  if (isHeld(policy, id, recordingId)) return { decision: "keep", reason: "on hold; only segments are left" };
  return { decision: "delete", reason: `its deletion has begun: ${reason}` };
}

function unknownHolds({ hold = [] }: RetentionPolicy, rows: readonly RetentionRow[]): string[] {
  const ids = new Set(rows.flatMap(({ id, recordingId }) => (recordingId === null ? [id] : [id, recordingId])));
  const unknown = hold.filter((id) => !ids.has(id) && !ids.has(id.toLowerCase()));
  return unknown.map((id) => `on hold, but not there: ${id}`);
}

function unmetQuotas({ classes, quotaBytes }: RetentionPolicy, rows: readonly RetentionRow[]): string[] {
  const quotas = [
    ...classes.map((one) => ({ name: one.name, quota: one.quotaBytes })),
    { name: null, quota: quotaBytes },
  ];
  return quotas.flatMap(({ name, quota }) => {
    if (quota === undefined) return [];
    const its = rows.filter(
      (row) => row.decision === "keep" && row.class !== null && (name ?? row.class) === row.class,
    );
    const kept = its.reduce((sum, { bytes }) => sum + bytes, 0);
    return kept > quota
      ? [`what is kept of ${name ?? "the store"} has ${kept} bytes, more than the ${quota} allowed`]
      : [];
  });
}

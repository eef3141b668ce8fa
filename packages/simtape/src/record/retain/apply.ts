import { type Store, StoreError } from "../../io/store/store.ts";
import { eachOf, planRetention, type RetentionOptions, type RetentionPlan, type RetentionRow } from "./retain.ts";
import { graceOf } from "./policy.ts";
import type { RetentionPolicy } from "./schema.ts";
import { type Remains, remains } from "./survey.ts";
import {
  isChanged,
  type MainFile,
  type Placed,
  putTombstone,
  readableTombstone,
  removeTombstone,
  type Tombstone,
  unlessConflict,
  withdrawTombstone,
} from "./tombstone.ts";

/** What was done about one recording that is to go, or was. */
export interface RetentionChange {
  readonly id: string;
  readonly bytes: number;
  /**
   * `marked`: it has a tombstone now; `waiting`: it has one, in its grace; `deleted`: it is gone; `withdrawn`: it stays
   * after all, its tombstone is gone; `skipped`: another process was at work on it, the next run decides; `refused`:
   * the store does not allow it.
   */
  readonly did: "marked" | "waiting" | "deleted" | "withdrawn" | "skipped" | "refused";
  readonly reason: string;
}

/** What applying a retention policy did: the plan, and what became of each recording. */
export interface RetentionResult {
  readonly plan: RetentionPlan;
  /** By id. */
  readonly changes: readonly RetentionChange[];
}

type Done = readonly [did: RetentionChange["did"], reason: string];

/**
 * Marks recordings that are due, and deletes those whose grace period is over and that are still due. May run in several
 * places at once, and be ended at any moment: the next run goes on with it. Throws `StoreError` when the store fails.
 */
export async function applyRetention(
  store: Store,
  policy: RetentionPolicy,
  now: number,
  options: RetentionOptions = {},
): Promise<RetentionResult> {
  const plan = await planRetention(store, policy, now, options);
  const undertaker = new Undertaker(store, now, graceOf(policy), options.signal);
  const changes: RetentionChange[] = [];
  const due = plan.rows.filter(({ decision, placed }) => decision === "delete" || placed !== null);
  await eachOf(due, options, async (row) => {
    const [did, reason] = await undertaker.see(row);
    changes.push({ id: row.id, bytes: row.bytes, did, reason });
  });
  for (const id of plan.strays) {
    if (await undertaker.forget(id)) changes.push({ id, bytes: 0, did: "deleted", reason: "nothing is left of it" });
  }
  changes.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { plan, changes };
}

class Undertaker {
  readonly #store: Store;
  readonly #now: number;
  readonly #grace: number;
  readonly #signal: AbortSignal | undefined;

  constructor(store: Store, now: number, grace: number, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#now = now;
    this.#grace = grace;
    this.#signal = signal;
  }

  async see(row: RetentionRow): Promise<Done> {
    try {
      return await this.#see(row);
    } catch (error) {
      // A lock on one object, say, is no reason to leave the others.
      if (error instanceof StoreError && error.code === "denied") return ["refused", error.message];
      throw error;
    }
  }

  /** Takes away the tombstone of what is gone; false: it was not there any more. */
  async forget(id: string): Promise<boolean> {
    const placed = await readableTombstone(this.#store, id, this.#signal);
    if (placed === null) return false;
    // A recording may have come under this id since.
    if ((await this.#remains(id)).modified > 0) return false;
    await removeTombstone(this.#store, id, placed.etag, this.#signal);
    return true;
  }

  async #see(row: RetentionRow): Promise<Done> {
    const { placed, decision, reason } = row;
    if (decision === "keep") {
      // What little is left of one that is on hold now stays as it is, and so does its tombstone.
      if (row.files.length === 0 && placed!.tombstone.state === "deleting") return ["skipped", reason];
      return this.#withdraw(placed!, reason);
    }
    if (placed === null || placed.tombstone.state === "undone") return this.#mark(row, placed?.etag ?? null);
    const there = await this.#remains(row.id);
    const { tombstone } = placed;
    if (isChanged(tombstone.files, there.files)) return this.#withdraw(placed, "it has changed since it was marked");
    if (tombstone.state === "deleting") return this.#delete(placed, there);
    if (there.files.length < tombstone.files.length || there.modified > tombstone.marked)
      return this.#withdraw(placed, "it has changed since it was marked");
    if (this.#now - tombstone.marked < this.#grace) return ["waiting", tombstone.reason];
    const etag = await putTombstone(this.#store, { ...tombstone, state: "deleting" }, placed.etag, this.#signal);
    if (etag === null) return ["skipped", "another process is at work on it"];
    return this.#delete({ tombstone, etag }, there);
  }

  async #mark(row: RetentionRow, before: string | null): Promise<Done> {
    const { id, recordingId, bytes, reason, files } = row;
    const there = await this.#remains(id);
    const isSame = there.files.length === files.length && !isChanged(files, there.files);
    if (!isSame) return ["skipped", "it has changed since it was judged"];
    const tombstone: Tombstone = {
      version: 1,
      id,
      recordingId,
      state: "marked",
      marked: this.#now,
      class: row.class,
      reason,
      bytes,
      files,
    };
    const etag = await putTombstone(this.#store, tombstone, before, this.#signal);
    return etag === null ? ["skipped", "another process is at work on it"] : ["marked", reason];
  }

  async #withdraw(placed: Placed, reason: string): Promise<Done> {
    const isDone = await withdrawTombstone(this.#store, placed, this.#signal);
    return isDone ? ["withdrawn", reason] : ["skipped", "another process is at work on it"];
  }

  /**
   * Main files, then the rest, then the tombstone: ended anywhere in between, what can be opened is whole, and the
   * tombstone tells what is left to do. What has come since the mark is of another recording and stays.
   */
  async #delete({ tombstone, etag }: Placed, there: Remains): Promise<Done> {
    const { id, marked, reason } = tombstone;
    for (const file of there.files) {
      if (!(await this.#remove(file))) return ["skipped", "it changed while it was deleted"];
    }
    for (const other of there.others) if (other.modified <= marked) await this.#remove(other);
    await removeTombstone(this.#store, id, etag, this.#signal);
    return ["deleted", reason];
  }

  /** False: something else is there now. */
  async #remove({ key, etag }: MainFile): Promise<boolean> {
    const signal = this.#signal;
    const options = { condition: { etag }, ...(signal === undefined ? {} : { signal }) };
    if ((await unlessConflict(this.#store.delete(key, options).then(() => true))) === true) return true;
    return (await this.#store.head(key, signal)) === null;
  }

  #remains(id: string): Promise<Remains> {
    return remains(this.#store, id, this.#signal);
  }
}

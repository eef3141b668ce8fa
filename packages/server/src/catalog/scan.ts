import { isOfSomeWorld } from "simtape/world";
import type { Query } from "../database/database.ts";
import type { Jobs } from "../jobs/queue.ts";
import { type Group, groupsOf, stampOf } from "../library/grouping.ts";
import type { Library, LibraryFile } from "../library/library.ts";
import { adopt, type LostRow, lostOf } from "./adopt.ts";
import { isRecording } from "./is-recording.ts";
import { markTwins } from "./keep.ts";
import { type KnownRow, markGone, noteAll, rowsAt, rowsOfAll } from "./scan-rows.ts";

/** What a look at the library has changed. */
export interface ScanResult {
  readonly found: number;
  readonly added: number;
  readonly changed: number;
  readonly renamed: number;
  readonly gone: number;
}

/** Milliseconds without a change after which a file is taken to be whole. */
const QUIET = 1000;
/** Milliseconds after which the whole catalog is compared again: other nodes change it, too. */
const COMPARE_EVERY = 5 * 60_000;
/** Recordings that are noted at once, and new files that are looked into at once. */
const AT_ONCE = 200;
const OPEN = 4;

/** A recording of the library, as it is now. */
interface Found {
  readonly group: Group;
  readonly stamp: string;
}

/**
 * Compares the library with the catalog: what is new or has changed is to be indexed, what is no longer there is marked.
 * Remembers what it has seen, so that only what has changed is asked of the database. Several nodes may do it at once.
 */
export class Scanner {
  readonly #query: Query;
  readonly #library: Library;
  readonly #jobs: Jobs;
  /** Stamps of recordings by their keys, and of files that are none. */
  #seen = new Map<string, string>();
  readonly #others = new Map<string, string>();
  /** Ids by key of those that are still being written: indexed when they are quiet. */
  readonly #busy = new Map<string, string>();
  #compared = Number.NEGATIVE_INFINITY;

  constructor(query: Query, library: Library, jobs: Jobs) {
    this.#query = query;
    this.#library = library;
    this.#jobs = jobs;
  }

  /** Whether something is being written, so that the next look should come soon. */
  get isSoon(): boolean {
    return this.#busy.size > 0;
  }

  async scan(signal?: AbortSignal): Promise<ScanResult> {
    const files: LibraryFile[] = [];
    for await (const file of this.#library.list(signal)) if (!isOfSomeWorld(file.key)) files.push(file);
    const all = new Map<string, Found>();
    for (const group of groupsOf(files)) all.set(group.key, { group, stamp: stampOf(group) });
    const now = performance.now();
    const isWhole = now - this.#compared > COMPARE_EVERY;
    const fresh = [...all.values()].filter(({ group, stamp }) => isWhole || this.#seen.get(group.key) !== stamp);
    const away = [...this.#seen.keys()].filter((key) => !all.has(key));
    const rows = isWhole
      ? await rowsOfAll(this.#query)
      : await rowsAt(this.#query, [...fresh.map(({ group }) => group.key), ...away]);
    const known = new Map(rows.map((row) => [row.key, row]));
    const gone = rows.filter(({ key, state }) => state !== "gone" && state !== "live" && !all.has(key));
    await markGone(this.#query, gone);
    for (const key of [...away, ...gone.map((row) => row.key)]) this.#forget(key);
    const counts = await this.#takeAll(fresh, known, signal);
    await this.#settle(all);
    await markTwins(
      this.#query,
      gone.map(({ digest }) => digest),
    );
    for (const key of this.#others.keys()) if (!all.has(key)) this.#others.delete(key);
    if (isWhole) this.#compared = now;
    return { found: this.#seen.size, ...counts, gone: gone.length };
  }

  #forget(key: string): void {
    this.#seen.delete(key);
    this.#busy.delete(key);
  }

  async #takeAll(
    fresh: readonly Found[],
    known: ReadonlyMap<string, KnownRow>,
    signal: AbortSignal | undefined,
  ): Promise<{ added: number; changed: number; renamed: number }> {
    const counts = { added: 0, changed: 0, renamed: 0 };
    const unknown: Found[] = [];
    const again: string[] = [];
    for (const one of fresh) {
      const { group, stamp } = one;
      const row = known.get(group.key);
      if (row?.state === "live") continue;
      if (row !== undefined && row.stamp === stamp && row.state !== "gone") {
        this.#seen.set(group.key, stamp);
        // noted by a node that ended before it was to be indexed
        if (row.state === "new" && !this.#busy.has(group.key)) {
          if (isQuiet(group)) again.push(row.id);
          else this.#busy.set(group.key, row.id);
        }
      } else if (this.#others.get(group.key) !== stamp) unknown.push(one);
    }
    await this.#jobs.addAll("index", again);
    const lost = await lostOf(
      this.#query,
      unknown.filter(({ group }) => !known.has(group.key)).map(({ group }) => group),
    );
    const maybeLost: (Found & { readonly rows: readonly LostRow[] })[] = [];
    for (let at = 0; at < unknown.length; at += AT_ONCE) {
      signal?.throwIfAborted();
      const recordings = await this.#recordingsAmong(unknown.slice(at, at + AT_ONCE));
      const plain: Found[] = [];
      for (const one of recordings) {
        const candidates = known.has(one.group.key) ? [] : (lost.get(sizeOf(one.group)) ?? []);
        if (candidates.length > 0) maybeLost.push({ ...one, rows: candidates });
        else plain.push(one);
      }
      await this.#note(plain, known, counts);
    }
    for (const one of maybeLost) {
      signal?.throwIfAborted();
      if (!isQuiet(one.group)) await this.#note([one], known, counts);
      else if (await adopt(this.#query, this.#library, one.group, one.stamp, one.rows, signal)) {
        counts.renamed++;
        this.#seen.set(one.group.key, one.stamp);
      } else await this.#note([one], known, counts);
    }
    return counts;
  }

  async #recordingsAmong(found: readonly Found[]): Promise<readonly Found[]> {
    const are = new Array<boolean | null>(found.length);
    let next = 0;
    const look = async (): Promise<void> => {
      for (let at = next++; at < found.length; at = next++)
        are[at] = await isRecording(this.#library, found[at]!.group);
    };
    await Promise.all(Array.from({ length: OPEN }, look));
    return found.filter(({ group, stamp }, i) => {
      // what cannot be looked at now is looked at the next time
      if (are[i] === false) {
        this.#others.set(group.key, stamp);
        this.#seen.delete(group.key);
      }
      return are[i] === true;
    });
  }

  async #note(
    found: readonly Found[],
    known: ReadonlyMap<string, KnownRow>,
    counts: { added: number; changed: number },
  ): Promise<void> {
    if (found.length === 0) return;
    const ids = await noteAll(this.#query, found, known);
    const toIndex: string[] = [];
    for (const { group, stamp } of found) {
      const noted = ids.get(group.key);
      // it has become live meanwhile
      if (noted === undefined) continue;
      this.#seen.set(group.key, stamp);
      if (known.has(group.key)) counts.changed++;
      else counts.added++;
      this.#busy.delete(group.key);
      if (noted.isIndexed) continue;
      if (isQuiet(group)) toIndex.push(noted.id);
      else this.#busy.set(group.key, noted.id);
    }
    await this.#jobs.addAll("index", toIndex);
  }

  /** Those that have become quiet are indexed. */
  async #settle(all: ReadonlyMap<string, Found>): Promise<void> {
    const quiet = [...this.#busy].filter(([key]) => {
      const found = all.get(key);
      return found !== undefined && isQuiet(found.group);
    });
    await this.#jobs.addAll(
      "index",
      quiet.map(([, id]) => id),
    );
    for (const [key] of quiet) this.#busy.delete(key);
  }
}

/** Whether nothing was written for a moment. Clocks of other machines may be ahead. */
function isQuiet({ files }: Group): boolean {
  const now = Date.now();
  return files.every(({ changed }) => changed === null || now - changed > QUIET || changed - now > QUIET);
}

function sizeOf({ files }: Group): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

import { isOfSomeWorld } from "simtape/world";
import type { Query } from "../../database/database.ts";
import { failpoint } from "../../failpoint.ts";
import type { Jobs } from "../../jobs/queue.ts";
import { type Group, groupsOf, stampOf } from "../../library/grouping.ts";
import type { Library, LibraryFile } from "../../library/library.ts";
import { adopt, type LostRow, lostOf } from "./adopt.ts";
import { ownerIn } from "../../library/uploaded.ts";
import { isRecording } from "./is-recording.ts";
import { markTwins } from "../index/keep.ts";
import { type KnownRow, markGone, noteAll, removeNew, rowsAt, rowsOfAll } from "./scan-rows.ts";

/** What a scan of the library has changed. */
export interface ScanResult {
  readonly found: number;
  readonly added: number;
  readonly changed: number;
  readonly renamed: number;
  readonly gone: number;
}

/** Milliseconds without a change after which a file counts as complete. */
const QUIET = 1000;
/** Milliseconds after which the whole catalog is compared again, because other nodes change it, too. */
const COMPARE_EVERY = 5 * 60_000;
/** Recordings that are written to the catalog at once, and new files that are read at once. */
const AT_ONCE = 200;
const OPEN = 4;

/** A recording as it is in the library now. */
interface Found {
  readonly group: Group;
  readonly stamp: string;
}

/**
 * Compares the library with the catalog: new and changed recordings get an index job, missing ones are marked. It
 * remembers the state that it has seen, so that it asks the database only about changes. Several nodes may do this at
 * once.
 */
export class Scanner {
  readonly #query: Query;
  readonly #library: Library;
  readonly #jobs: Jobs;
  /** Stamps of recordings by their keys, and of files that are not recordings. */
  #seen = new Map<string, string>();
  readonly #others = new Map<string, string>();
  /** Ids by key of recordings that are still being written: they are indexed when they no longer change. */
  readonly #busy = new Map<string, string>();
  #compared = Number.NEGATIVE_INFINITY;

  constructor(query: Query, library: Library, jobs: Jobs) {
    this.#query = query;
    this.#library = library;
    this.#jobs = jobs;
  }

  /** Whether a recording is being written, so that the next scan should come soon. */
  get isSoon(): boolean {
    return this.#busy.size > 0;
  }

  /** Compares one folder with the catalog, and no other folder. */
  async scanFolder(folder: string, signal?: AbortSignal): Promise<void> {
    const all = await this.#list(signal, folder);
    const keys = [...all.values()].flatMap(({ group }) => group.files.map(({ key }) => key));
    const rows = await rowsAt(this.#query, keys);
    // a part that arrived before its main file was listed as a recording
    const gone = rows.filter(({ key, state }) => state !== "gone" && state !== "live" && !all.has(key));
    await markGone(this.#query, gone);
    await this.#takeAll([...all.values()], new Map(rows.map((row) => [row.key, row])), signal);
    for (const id of this.#busy.values()) await this.#jobs.add("index", id, { after: QUIET });
    this.#busy.clear();
  }

  async scan(signal?: AbortSignal): Promise<ScanResult> {
    const all = await this.#list(signal);
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

  async #list(signal?: AbortSignal, folder?: string): Promise<ReadonlyMap<string, Found>> {
    const files: LibraryFile[] = [];
    for await (const file of this.#library.list(signal, folder)) if (!isOfSomeWorld(file.key)) files.push(file);
    return new Map(groupsOf(files).map((group) => [group.key, { group, stamp: stampOf(group) }]));
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
        // a node added the recording and ended before it added the index job
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
      // an upload appears only when it is complete
      if (!isQuiet(one.group) && ownerIn(one.group.key) === null) await this.#note([one], known, counts);
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
      // a file that cannot be read now is read in the next scan
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
    await failpoint("catalog/noted");
    const isNew = ({ group: { key } }: Found): boolean => ids.has(key) && ids.get(key)!.id !== known.get(key)?.id;
    const missing = await this.#missingAmong(found.filter(isNew));
    await removeNew(
      this.#query,
      [...missing].flatMap((key) => ids.get(key)?.id ?? []),
    );
    const toIndex: string[] = [];
    for (const { group, stamp } of found) {
      const noted = ids.get(group.key);
      // the recording has become live meanwhile, or was erased
      if (noted === undefined || missing.has(group.key)) continue;
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

  /**
   * Keys of recordings that were deleted since this scan listed them. An erasure deletes files before rows, so a row
   * that is added later is found here; the next scan would keep it as gone, with the names in its path.
   */
  async #missingAmong(found: readonly Found[]): Promise<ReadonlySet<string>> {
    const missing = new Set<string>();
    const rest = found.map(({ group }) => group.key);
    const look = async (): Promise<void> => {
      for (let key = rest.pop(); key !== undefined; key = rest.pop()) {
        const file = await this.#library.open(key);
        if (file === null) missing.add(key);
        else await file.close();
      }
    };
    await Promise.all(Array.from({ length: OPEN }, look));
    return missing;
  }

  /** Queues index jobs for recordings that no longer change. */
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

/** Whether the files have not changed for a moment. The clocks of other machines may be ahead. */
function isQuiet({ files }: Group): boolean {
  const now = Date.now();
  return files.every(({ changed }) => changed === null || Math.abs(now - changed) > QUIET);
}

function sizeOf({ files }: Group): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

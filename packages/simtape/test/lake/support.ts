import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { open, type SourceBundle, type Store, StoreError } from "../../src/index.ts";
import { type LakeChange, type LakeOptions, type LakeSource, manifestsIn, updateLake } from "../../src/lake/index.ts";
import type { SoundRecording } from "../specimens.ts";

/** A source of a lake whose files are in memory. */
export function sourceOf(file: string, bundle: () => SourceBundle, stamp = "1"): LakeSource {
  return { file, stamp, open: () => open(bundle()) };
}

export function sourcesOf(recordings: readonly SoundRecording[], stamp = "1"): LakeSource[] {
  return recordings.map(({ name, bundle }) => sourceOf(name, bundle, stamp));
}

export async function updated(
  lake: Store,
  sources: readonly LakeSource[],
  options: LakeOptions = {},
): Promise<LakeChange[]> {
  const changes: LakeChange[] = [];
  for await (const change of updateLake(lake, sources, options)) changes.push(change);
  return changes;
}

/** What became of each recording, by where it is in its store. */
export function did(changes: readonly LakeChange[]): Record<string, string> {
  return Object.fromEntries(changes.map((change) => [change.file, change.did]));
}

export async function keysOf(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list("")) keys.push(key);
  return keys;
}

/** What readers that follow manifests see: the tables of each recording with the digests of their files. */
export async function seen(lake: Store): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for await (const manifest of manifestsIn(lake)) {
    const { recording, origin, files } = manifest;
    const missing: string[] = [];
    for (const { key } of files) if ((await lake.head(key)) === null) missing.push(key);
    // one that has been replaced since it was read names what is gone
    const now = missing.length === 0 ? null : await lake.get(`_manifests/${recording}.json`);
    if (now !== null && new TextDecoder().decode(now.bytes) === `${JSON.stringify(manifest)}\n`)
      throw new Error(`${recording} lacks ${missing.join(", ")}`);
    if (origin !== null) found[recording] = files.map(({ key }) => key.replace(/-[0-9a-f]{8}\.parquet$/, "")).sort();
  }
  return found;
}

/** Files that no commit has. */
export async function strays(lake: Store): Promise<string[]> {
  const named = new Set<string>();
  for await (const { files } of manifestsIn(lake)) for (const { key } of files) named.add(key);
  return (await keysOf(lake)).filter((key) => !key.startsWith("_manifests/") && !named.has(key));
}

/** Copies a lake to a folder, where DuckDB reads it. */
export async function toFolder(lake: Store, folder: string): Promise<void> {
  for (const key of await keysOf(lake)) {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), (await lake.get(key))!.bytes);
  }
}

/** A store that notes each change, and calls before each. */
export class WatchedStore implements Store {
  readonly changes: string[] = [];
  readonly #store: Store;
  readonly #before: (change: string, count: number) => Promise<void> | void;

  constructor(store: Store, before: (change: string, count: number) => Promise<void> | void = () => undefined) {
    this.#store = store;
    this.#before = before;
  }

  /** From the change of this number on, counted from 0, the store cannot be reached: as if the writer were killed. */
  static killed(store: Store, lives: number): WatchedStore {
    return new WatchedStore(store, (change, count) => {
      if (count >= lives) throw new StoreError("unavailable", `killed before: ${change}`, null);
    });
  }

  get name(): string {
    return this.#store.name;
  }

  list(...words: Parameters<Store["list"]>): ReturnType<Store["list"]> {
    return this.#store.list(...words);
  }

  head(...words: Parameters<Store["head"]>): ReturnType<Store["head"]> {
    return this.#store.head(...words);
  }

  get(...words: Parameters<Store["get"]>): ReturnType<Store["get"]> {
    return this.#store.get(...words);
  }

  source(...words: Parameters<Store["source"]>): ReturnType<Store["source"]> {
    return this.#store.source(...words);
  }

  async put(...words: Parameters<Store["put"]>): ReturnType<Store["put"]> {
    await this.#note(`put ${words[0]}`);
    return this.#store.put(...words);
  }

  async sink(...words: Parameters<Store["sink"]>): ReturnType<Store["sink"]> {
    await this.#note(`sink ${words[0]}`);
    return this.#store.sink(...words);
  }

  async delete(...words: Parameters<Store["delete"]>): ReturnType<Store["delete"]> {
    await this.#note(`delete ${words[0]}`);
    return this.#store.delete(...words);
  }

  async #note(change: string): Promise<void> {
    await this.#before(change, this.changes.length);
    this.changes.push(change);
  }
}

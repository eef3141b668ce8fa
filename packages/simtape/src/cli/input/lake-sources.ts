import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { Sha256 } from "../../bytes/sha256.ts";
import { fileSpool } from "../../io/node/index.ts";
import type { StoreEntry } from "../../io/store/store.ts";
import type { LakeSource } from "../../lake/source.ts";
import { isHidden, mayBelong } from "../../model/file-names.ts";
import { openBundle } from "../../model/open.ts";
import type { Recording } from "../../model/recording.ts";
import { UsageError } from "../run/failure.ts";
import { isInS3, storeAt, under } from "./command-path.ts";
import { recordingsIn } from "./folders.ts";
import { allFormats } from "./formats.ts";
import { budgetOf, bundleNamed, type ReadOptions, seekIndexOf } from "./recordings.ts";
import { recordingsInStore } from "./store-recordings.ts";

/**
 * The recordings of a folder, on disk or in a bucket, with what tells whether they have changed. Throws `UsageError` where
 * there is no such folder, or no recording in it.
 */
export async function lakeSources(store: string, options: ReadOptions): Promise<readonly LakeSource[]> {
  const found = isInS3(store) ? await inBucket(store) : await onDisk(store);
  return found.map(({ path, file, stamp }) => ({ file, stamp, open: () => opened(path, options) }));
}

interface Found {
  readonly path: string;
  readonly file: string;
  readonly stamp: string;
}

async function onDisk(folder: string): Promise<Found[]> {
  if ((await stat(folder).catch(() => null))?.isDirectory() !== true) throw new UsageError(`no such folder: ${folder}`);
  const found: Found[] = [];
  const listed = new Map<string, readonly string[]>();
  for (const { path, main } of await recordingsIn(folder)) {
    const place = main === null ? dirname(path) : path;
    const names = listed.get(place) ?? (await readdir(place)).sort();
    listed.set(place, names);
    const own = names.filter((name) =>
      main === null ? mayBelong(basename(path), name, allFormats()) : !isHidden(name),
    );
    const lines: string[] = [];
    for (const name of own) {
      const entry = await stat(join(place, name), { bigint: true }).catch(() => null);
      if (entry?.isFile() === true) lines.push(`${name} ${entry.size} ${entry.mtimeNs}`);
    }
    const file = relative(folder, path) || basename(path);
    found.push({ path, file, stamp: digestOf(lines) });
  }
  return found;
}

async function inBucket(folder: string): Promise<Found[]> {
  const store = storeAt(folder);
  const byFolder = new Map<string, StoreEntry[]>();
  for await (const entry of store.list("")) {
    const place = entry.key.slice(0, Math.max(0, entry.key.lastIndexOf("/")));
    const entries = byFolder.get(place);
    if (entries === undefined) byFolder.set(place, [entry]);
    else entries.push(entry);
  }
  const keys = await recordingsInStore(store, allFormats());
  return keys.map((key) => {
    const inside = byFolder.get(key);
    const place = key.slice(0, Math.max(0, key.lastIndexOf("/")));
    const nameOf = (entry: StoreEntry): string => entry.key.slice(entry.key.lastIndexOf("/") + 1);
    const main = key.slice(key.lastIndexOf("/") + 1);
    const own = inside ?? (byFolder.get(place) ?? []).filter((entry) => mayBelong(main, nameOf(entry), allFormats()));
    const stamp = digestOf(own.map((entry) => `${nameOf(entry)} ${entry.size} ${entry.etag}`));
    return { path: key === "" ? folder : under(folder, key), file: key === "" ? basename(folder) : key, stamp };
  });
}

function digestOf(lines: readonly string[]): string {
  return new Sha256()
    .update(new TextEncoder().encode([...lines].sort().join("\n")))
    .digest()
    .slice(0, 32);
}

async function opened(path: string, options: ReadOptions): Promise<Recording> {
  return openBundle(await bundleNamed(path, options), allFormats(), {
    spool: fileSpool(),
    budget: budgetOf(options),
    seekIndex: seekIndexOf(path, options),
  });
}

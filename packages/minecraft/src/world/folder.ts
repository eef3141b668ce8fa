import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Store } from "simtape";
import { UsageError } from "simtape/command";
import { type WorldName, WorldWriter } from "simtape/world";
import { anvilChunk } from "./anvil.ts";
import { Damage } from "./damage.ts";
import { chunksIn, regionIn, type Stored } from "./region-file.ts";

const OVERWORLD = "minecraft:overworld";
/** Folders of the dimensions of a world of the game, until 1.21; the overworld's is the world's own. */
const FOLDERS = ["region", "DIM-1/region", "DIM1/region"];
const DIMENSIONS = new Map([
  ["DIM-1", "minecraft:the_nether"],
  ["DIM1", "minecraft:the_end"],
]);
/** Chunks that are written at once. */
const AT_ONCE = 8;

export interface WorldImportOptions {
  /** The dimension of a folder of region files; for a world: the only one that is imported. */
  readonly dimension?: string | undefined;
  /** Whether chunks replace those in the store. Default false. */
  readonly replaces?: boolean | undefined;
}

/** A chunk or a file that cannot be read. */
export interface LeftOut {
  /** Path below the folder. */
  readonly file: string;
  /** Null: the whole file. */
  readonly x: number | null;
  readonly z: number | null;
  readonly reason: string;
}

export interface WorldImportReport extends WorldName {
  readonly dimensions: Readonly<Record<string, number>>;
  /** Number of chunks that were read, and of those that were missing in the store or differ from it. */
  readonly chunks: number;
  readonly added: number;
  /** Number of chunks that the game had not finished. */
  readonly unfinished: number;
  readonly damaged: readonly LeftOut[];
}

/**
 * Puts the chunks of a folder into a store: of a world of the game, or of region files (`r.X.Z.mca`). Rejects with
 * `UsageError` when there are none, and with errors of the file system and the store.
 */
export async function importWorld(
  folder: string,
  store: Store,
  world: WorldName,
  { dimension, replaces = false }: WorldImportOptions = {},
): Promise<WorldImportReport> {
  const found = (await regionsIn(folder, dimension)).filter(({ dimension: of }) => of === (dimension ?? of));
  if (found.length === 0) throw new UsageError(`a folder without region files (r.X.Z.mca): ${folder}`);
  const work = new WorldImport(folder, new WorldWriter(store, world, { replaces }));
  for (const { path, dimension: of } of found) await work.take(path, of);
  const { chunks, added, unfinished, damaged, dimensions } = work;
  return { ...world, dimensions: Object.fromEntries(dimensions), chunks, added, unfinished, damaged };
}

class WorldImport {
  readonly #folder: string;
  readonly #writer: WorldWriter;
  readonly dimensions = new Map<string, number>();
  readonly damaged: LeftOut[] = [];
  chunks = 0;
  added = 0;
  unfinished = 0;

  constructor(folder: string, writer: WorldWriter) {
    this.#folder = folder;
    this.#writer = writer;
  }

  async take(path: string, dimension: string): Promise<void> {
    let writing: Promise<unknown>[] = [];
    for await (const stored of chunksIn(path)) {
      const work = this.#put(stored, relative(this.#folder, path), dimension);
      // the write may fail while the next chunk is read; the error is handled below
      work.catch(() => undefined);
      writing.push(work);
      if (writing.length < AT_ONCE) continue;
      await Promise.all(writing);
      writing = [];
    }
    await Promise.all(writing);
    this.added += await this.#writer.flush();
  }

  async #put(stored: Stored, file: string, dimension: string): Promise<void> {
    const reject = (reason: string): number => this.damaged.push({ file, x: stored.x, z: stored.z, reason });
    if ("problem" in stored) {
      reject(stored.problem);
      return;
    }
    const { x, z } = stored;
    try {
      const placed = anvilChunk(stored.nbt);
      if (placed === null) this.unfinished++;
      else if (placed.x !== x || placed.z !== z) reject(`it says that it is at ${placed.x}, ${placed.z}`);
      else {
        await this.#writer.put(dimension, x, z, placed.chunk);
        this.chunks++;
        this.dimensions.set(dimension, (this.dimensions.get(dimension) ?? 0) + 1);
      }
    } catch (error) {
      // dimensions of data packs may have names that no store accepts
      if (!(error instanceof Damage || error instanceof RangeError)) throw error;
      reject(error.message);
    }
  }
}

interface Region {
  readonly path: string;
  readonly dimension: string;
}

async function regionsIn(folder: string, dimension?: string): Promise<Region[]> {
  const own = await filesIn(folder, dimension ?? dimensionOf(folder));
  if (own.length > 0) return own;
  const paths = FOLDERS.map((below) => join(folder, below));
  const known = await Promise.all(paths.map((path) => filesIn(path, dimensionOf(path))));
  return [...known.flat(), ...(await othersIn(join(folder, "dimensions")))];
}

function dimensionOf(folder: string): string {
  const path = resolve(folder);
  return DIMENSIONS.get(basename(basename(path) === "region" ? dirname(path) : path)) ?? OVERWORLD;
}

/** Dimensions of data packs, and since 26.1 all: `dimensions/NAMESPACE/PATH/region`. */
async function othersIn(folder: string): Promise<Region[]> {
  const folders = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ignoreAbsent);
  const found: Region[] = [];
  for (const { name, parentPath } of folders.filter((entry) => entry.isDirectory() && entry.name === "region")) {
    const [namespace, ...path] = relative(folder, parentPath).replaceAll("\\", "/").split("/");
    if (path.length > 0) found.push(...(await filesIn(join(parentPath, name), `${namespace}:${path.join("/")}`)));
  }
  return found;
}

async function filesIn(folder: string, dimension: string): Promise<Region[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreAbsent);
  return entries
    .filter((entry) => !entry.isDirectory() && regionIn(entry.name) !== null)
    .map(({ name }) => ({ path: join(folder, name), dimension }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function ignoreAbsent(error: NodeJS.ErrnoException): [] {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
  throw error;
}

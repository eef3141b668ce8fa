import { blob, http } from "simtape";
import { type ByteSource, memory, openZip, zipContent, type ZipMember } from "simtape/kit";
import type { WorldChunk } from "simtape/world";
import type { Locator } from "../../protocol.ts";
import { anvilChunk, TooOldError } from "./anvil-chunk.ts";
import { RegionFile, regionName, SIDE } from "./region-file.ts";

/** Tables of region files that are kept, 4 KiB each. */
const KEPT = 64;
/** Region files of a zip that are kept, inflated. */
const KEPT_OF_ZIP = 4;
/** Folders of a world of the game whose region files have no blocks. */
const NO_BLOCKS = /(^|\/)(entities|poi)\//;
/** Bytes of a region file of a zip, or that a server sends as a whole, as it knows no ranges. */
const MOST_WHOLE = 64 << 20;
/** How a zip begins: the header of its first member. */
const MEMBER: readonly number[] = [0x50, 0x4b, 3, 4];
const FOLDERS: Readonly<Record<string, string>> = { "DIM-1": "minecraft:the_nether", DIM1: "minecraft:the_end" };
/** Dimensions that a folder which does not say where it is from is not of. */
const OTHERS: readonly string[] = Object.values(FOLDERS);

/** A folder of region files, a zip of one, or some of them: a world of the game, as the game saves it. */
export class Regions {
  readonly #place: Locator;
  /** Null: of the overworld, or of a world that is the server's own. */
  readonly #dimension: string | null;
  /** By name; the file that was asked for last is the last. Null: there is none. */
  readonly #files = new Map<string, Promise<RegionFile | null>>();
  readonly #isZip: boolean;
  #zip: Promise<Zip> | null = null;

  constructor(place: Locator) {
    this.#place = place;
    this.#isZip = /\.zip$/i.test(place.name);
    this.#dimension = dimensionOf(place.kind === "url" ? decodeURIComponent(new URL(place.url).pathname) : place.name);
  }

  /** Whether it may have blocks of a dimension, as `minecraft:the_nether`. */
  isOf(dimension: string): boolean {
    return this.#dimension === null ? !OTHERS.includes(dimension) : this.#dimension === dimension;
  }

  /**
   * A chunk, by its numbers; null: there is none, or the game has not finished it. Rejects for one that is damaged, and says
   * which it is, or which file.
   */
  async chunk(x: number, z: number): Promise<WorldChunk | null> {
    // what is wrong with the zip is no fault of the file that was looked for in it
    if (this.#isZip) {
      this.#zip ??= zipAt(this.#place);
      await this.#zip;
    }
    const name = regionName(Math.floor(x / SIDE), Math.floor(z / SIDE));
    const file = await this.#file(name).catch((error: unknown) => {
      throw about(name, error);
    });
    try {
      const [atX, atZ] = [x - SIDE * Math.floor(x / SIDE), z - SIDE * Math.floor(z / SIDE)];
      const nbt = (await file?.chunk(atX, atZ, () => this.#open(`c.${x}.${z}.mcc`))) ?? null;
      const placed = nbt === null ? null : anvilChunk(nbt);
      if (placed !== null && (placed.x !== x || placed.z !== z))
        throw new RangeError(`it says that it is at ${placed.x}, ${placed.z}`);
      return placed?.chunk ?? null;
    } catch (error) {
      // all chunks of a file are as old, more or less
      throw about(error instanceof TooOldError ? name : `chunk ${x}, ${z}`, error);
    }
  }

  #file(name: string): Promise<RegionFile | null> {
    const known = this.#files.get(name);
    this.#files.delete(name);
    const file = known ?? this.#open(name).then((source) => (source === null ? null : RegionFile.open(source)));
    this.#files.set(name, file);
    if (this.#files.size > (this.#isZip ? KEPT_OF_ZIP : KEPT)) {
      const [first, oldest] = this.#files.entries().next().value!;
      this.#files.delete(first);
      oldest.then((one) => one?.close()).catch(() => undefined);
    }
    return file;
  }

  /** Null: there is no file of that name. */
  async #open(name: string): Promise<ByteSource | null> {
    const place = this.#place;
    if (this.#zip !== null) return inZip(await this.#zip, name);
    if (place.kind === "files") {
      const file = place.files.find((one) => one.name === name);
      return file === undefined ? null : blob(file);
    }
    const url = new URL(place.url);
    const isFolder = url.pathname.endsWith("/");
    if (!isFolder && url.pathname.split("/").at(-1) !== name) return null;
    if (isFolder) url.pathname += name;
    const answer = await fetch(url, { method: "HEAD" });
    if (answer.status === 204 || answer.status === 404) return null;
    if (!answer.ok) throw new Error(`the server refused ${url.pathname} (${answer.status})`);
    return http(url, { limit: MOST_WHOLE });
  }
}

interface Zip {
  readonly source: ByteSource;
  readonly members: readonly ZipMember[];
}

/** Rejects with `Error`, in words, for what is no zip. */
async function zipAt(place: Locator): Promise<Zip> {
  const source = place.kind === "files" ? blob(place.files[0]!) : http(place.url, { limit: MOST_WHOLE });
  const first = await source.read(0, MEMBER.length);
  // a long file is not searched for members that may begin anywhere in it
  const zip = MEMBER.every((byte, at) => first[at] === byte) ? await openZip(source) : null;
  if (zip === null) throw new Error(`${place.name} is no zip`);
  return { source, members: zip.members };
}

/** A region file, inflated; null: there is none of that name. Rejects with `Error` for one that is damaged or too long. */
async function inZip({ source, members }: Zip, name: string): Promise<ByteSource | null> {
  const member = members.find((one) => one.name.split("/").at(-1) === name && !NO_BLOCKS.test(one.name));
  if (member === undefined) return null;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let isSound = true;
  for await (const piece of zipContent(source, member, () => (isSound = false))) {
    length += piece.length;
    if (length > MOST_WHOLE) throw new Error(`more than ${MOST_WHOLE >> 20} MiB`);
    parts.push(Uint8Array.from(piece));
  }
  if (!isSound) throw new Error("it is damaged in the zip");
  return memory(new Uint8Array(await new Blob(parts).arrayBuffer()));
}

function about(what: string, error: unknown): Error {
  return new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

/** By the path of the folder, as the game names folders; null: it does not say. */
function dimensionOf(path: string): string | null {
  const parts = path.split("/").filter((part) => part !== "" && !part.endsWith(".mca"));
  if (parts.at(-1) === "region") parts.pop();
  const known = FOLDERS[parts.at(-1) ?? ""];
  if (known !== undefined) return known;
  // dimensions of data packs, and since 26.1 all: `dimensions/NAMESPACE/PATH/region`
  const at = parts.lastIndexOf("dimensions");
  return at < 0 || at + 2 >= parts.length ? null : `${parts[at + 1]}:${parts.slice(at + 2).join("/")}`;
}

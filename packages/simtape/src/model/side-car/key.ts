import { Sha256 } from "../../bytes/sha256.ts";
import type { ByteSource, SourceBundle } from "../../io/source/source.ts";
import type { Value } from "../values/value.ts";
import { listOf, membersOf, textIn, wholeOf } from "../kept/shapes.ts";

/** Files beside the main one of which a key is made; recordings of more have no side-car. */
export const MAX_SIBLINGS = 32;

/** Bytes at either end of a file that are looked at, and of each of the places between. */
const END_BYTES = 64 << 10;
const SAMPLE_BYTES = 4 << 10;
const SAMPLES = 8;

/** By what one file of a recording is known again. */
export interface FileKey {
  /** Null: the main file, whatever it is called. */
  readonly name: string | null;
  readonly size: number;
  /** SHA-256 of both ends and of places between, in hex. */
  readonly digest: string;
  /** Changes whenever the file does; null: the medium tells none. Two are compared only where both are of one kind. */
  readonly stamp: string | null;
}

/** Null: its size is not known, so it may grow. */
export async function keyOf(
  source: ByteSource,
  name: string | null,
  stamp: string | null,
  signal?: AbortSignal,
): Promise<FileKey | null> {
  const size = await source.size();
  if (size === null) return null;
  const pieces = await Promise.all(placesIn(size).map(([at, length]) => source.read(at, length, signal)));
  return { name, size, digest: await digestOf(pieces), stamp };
}

/** By what the machine has for it, off this thread; pages that are not served safely have nothing. */
async function digestOf(pieces: readonly Uint8Array[]): Promise<string> {
  const subtle = (globalThis as { crypto?: { subtle?: SubtleCrypto } }).crypto?.subtle;
  if (subtle === undefined) {
    const hash = new Sha256();
    for (const piece of pieces) hash.update(piece);
    return hash.digest();
  }
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  const digest = new Uint8Array(await subtle.digest("SHA-256", all));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The keys of a main file and of files beside it; null where one is not there, or has none. */
export async function keysOf(
  main: ByteSource,
  bundle: SourceBundle,
  siblings: readonly string[],
  open: (name: string) => Promise<ByteSource | null>,
  signal?: AbortSignal,
): Promise<readonly FileKey[] | null> {
  if (siblings.length > MAX_SIBLINGS) return null;
  const stampOf = async (name?: string): Promise<string | null> => (await bundle.stamp?.(name)) ?? null;
  const keys = [await keyOf(main, null, await stampOf(), signal)];
  for (const name of siblings) {
    const source = await open(name);
    keys.push(source === null ? null : await keyOf(source, name, await stampOf(name), signal));
  }
  return keys.every((key) => key !== null) ? keys : null;
}

export function plainKeys(keys: readonly FileKey[]): Value {
  return keys.map(({ name, size, digest, stamp }): Value => ({ name, size, digest, stamp }));
}

/** Throws `LayoutError` for what are no keys. */
export function keptKeys(kept: Value | undefined): readonly FileKey[] {
  return listOf(kept).map((plain) => {
    const { name, size, digest, stamp } = membersOf(plain);
    return {
      name: name === null ? null : textIn(name),
      size: wholeOf(size),
      digest: textIn(digest),
      stamp: typeof stamp === "string" ? stamp : null,
    };
  });
}

/** Why the files are not those of which a key was kept; null: they are. Throws `LayoutError` for what is no key. */
export function differenceOf(kept: Value | undefined, keys: readonly FileKey[] | null): string | null {
  if (keys === null || listOf(kept).length !== keys.length) return "it was made from other files";
  for (const [i, plain] of listOf(kept).entries()) {
    const { name, size, digest, stamp } = membersOf(plain);
    const key = keys[i]!;
    const what = key.name ?? "the file";
    if (name !== key.name) return "it was made from other files";
    if (size !== key.size) return `${what} has ${key.size} bytes, but had ${wholeOf(size)} when it was made`;
    if (digest !== key.digest) return `${what} has different content`;
    if (typeof stamp === "string" && key.stamp !== null && kindOf(stamp) === kindOf(key.stamp) && stamp !== key.stamp)
      return `${what} was changed since it was made`;
  }
  return null;
}

/** The word that a stamp begins with. */
function kindOf(stamp: string): string {
  return stamp.slice(0, stamp.indexOf(" "));
}

/** Offset and length of what is looked at, in order, without overlap. */
function placesIn(size: number): [offset: number, length: number][] {
  const least = 2 * END_BYTES + SAMPLES * SAMPLE_BYTES;
  if (size <= least) return size === 0 ? [] : [[0, size]];
  const step = (size - 2 * END_BYTES) / SAMPLES;
  const between = Array.from({ length: SAMPLES }, (_, i): [number, number] => {
    return [Math.floor(END_BYTES + i * step), SAMPLE_BYTES];
  });
  return [[0, END_BYTES], ...between, [size - END_BYTES, END_BYTES]];
}

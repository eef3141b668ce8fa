import type { Locator } from "../protocol.ts";
import { type Beside, NOTHING, refused, type Scenery } from "./companion.ts";
import { KINDS } from "./registry.ts";

/** What a page asks of this worker, once: a companion of a kind, by its id. */
export interface ReadAsk {
  readonly kind: string;
  readonly place: Locator;
  /** Places of the recording, degrees north and east, for what is read as it comes. */
  readonly around: readonly (readonly [number, number])[];
}

/** Bytes of all files that a companion may have beside it. */
const MOST_BESIDE = 512 << 20;
/** Bytes by which a kind is recognized. */
const FIRST = 512;

addEventListener("message", ({ data }: MessageEvent<ReadAsk>) => {
  void answer(data).then((scenery) => {
    postMessage(scenery, { transfer: [...movedOf(scenery)] });
  });
});

/** All that goes wrong is a finding: a bad companion stops nothing. */
async function answer({ kind: id, place, around }: ReadAsk): Promise<Scenery> {
  try {
    const { name, whole, stream } = KINDS.find((one) => one.id === id)!;
    if (whole === null && stream === undefined) return NOTHING;
    const body = place.kind === "url" ? await bodyAt(place.url) : place.files[0]!;
    if (typeof body === "string") return refused("not-there", body);
    if (whole === null) {
      const { first, pieces } = await begun(body instanceof Blob ? body.stream() : body.body!, stream!.mostBytes);
      if (!stream!.recognizes(first)) return refused("not-recognized", `this is no ${name}`);
      return await (await stream!.reader())(pieces, around);
    }
    const bytes = await within(body, whole.mostBytes);
    if (bytes === null) return refused("too-large", `more than ${whole.mostBytes >> 20} MiB`);
    if (!whole.recognizes(bytes.subarray(0, FIRST))) return refused("not-recognized", `this is no ${name}`);
    return await (await whole.reader())(bytes, besideOf(place));
  } catch (error) {
    return refused("not-read", wordsOf(error));
  }
}

/** Readers say what is wrong in an `Error`; all other kinds come from libraries that ran over the end of the bytes. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const isOfLibrary = error instanceof RangeError || error instanceof TypeError || !(error instanceof Error);
  return isOfLibrary ? `it is cut or damaged (${message})` : message;
}

/** Files that were given together with it, or that lie behind the same address. */
function besideOf(place: Locator): Beside {
  let left = MOST_BESIDE;
  return async (name) => {
    const body = await bodyBeside(place, name);
    if (typeof body === "string") throw new Error(`${name}: ${body}`);
    const bytes = await within(body, left);
    if (bytes === null) throw new Error(`${name}: all files together have more than ${MOST_BESIDE >> 20} MiB`);
    left -= bytes.length;
    return bytes;
  };
}

async function bodyBeside(place: Locator, name: string): Promise<Blob | Response | string> {
  if (place.kind === "files") return place.files.find((file) => file.name === name) ?? "it was not given with it";
  // a name leads nowhere but beside
  if (/[/\\]/.test(name)) return "a name of a file beside it is wanted, not a path";
  const url = new URL(encodeURIComponent(name), place.url);
  url.search = new URL(place.url).search;
  return bodyAt(url.href);
}

/** What belongs to who gets it from now on. */
function movedOf({ parts, bodies = [], models = [], robots = [], skins, relief }: Scenery): ReadonlySet<Transferable> {
  const moved = new Set<Transferable>();
  if (relief !== undefined) moved.add(relief.heights.buffer as ArrayBuffer);
  if (skins !== undefined) moved.add(skins.pictures.pixels.buffer);
  for (const { positions, normals, index } of parts)
    for (const { buffer } of [positions, normals, index]) moved.add(buffer as ArrayBuffer);
  const all = [...bodies, ...models, ...robots.flatMap(({ links }) => links)].flatMap(({ solids }) => solids);
  for (const { positions, normals, places, index, picture } of all) {
    for (const array of [positions, normals, places, index]) if (array !== null) moved.add(array.buffer as ArrayBuffer);
    if (picture !== null) moved.add(picture);
  }
  return moved;
}

/** A text says why there is none. */
async function bodyAt(url: string): Promise<Blob | Response | string> {
  const response = await fetch(url);
  if (response.status === 200) return response;
  return response.status === 204 ? "it is not there" : `the server answers ${response.status}`;
}

/** The first bytes of a stream, and all of it in pieces. Reading on rejects with `Error` behind so many bytes. */
async function begun(
  stream: ReadableStream<Uint8Array>,
  most: number,
): Promise<{ readonly first: Uint8Array; readonly pieces: AsyncIterable<Uint8Array> }> {
  const reader = stream.getReader();
  const read: Uint8Array[] = [];
  let length = 0;
  const next = async (): Promise<Uint8Array | null> => {
    const { done, value } = await reader.read();
    if (done) return null;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error(`more than ${most >> 20} MiB`);
    }
    return value;
  };
  while (length < FIRST) {
    const piece = await next();
    if (piece === null) break;
    read.push(piece);
  }
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    yield* read.splice(0);
    for (let piece = await next(); piece !== null; piece = await next()) yield piece;
  };
  return { first: new Uint8Array(await new Blob(read as BlobPart[]).slice(0, FIRST).arrayBuffer()), pieces: pieces() };
}

/** Null: there are more. */
async function within(body: Blob | Response, most: number): Promise<Uint8Array | null> {
  if (body instanceof Blob) return body.size > most ? null : new Uint8Array(await body.arrayBuffer());
  if (Number(body.headers.get("content-length") ?? 0) > most) return null;
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const reader = body.body!.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      return null;
    }
    parts.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

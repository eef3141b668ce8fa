import type { Locator } from "../protocol.ts";
import { refused, type Scenery } from "./companion.ts";
import { KINDS } from "./registry.ts";

/** What a page asks of this worker, once: a companion of a kind, by its id. */
export interface ReadAsk {
  readonly kind: string;
  readonly place: Locator;
}

/** Bytes by which a kind is recognized. */
const FIRST = 512;

addEventListener("message", ({ data }: MessageEvent<ReadAsk>) => {
  void answer(data).then((scenery) => {
    const moved = scenery.parts.flatMap(({ positions, normals, index }) => [positions, normals, index]);
    postMessage(scenery, { transfer: moved.map(({ buffer }) => buffer as ArrayBuffer) });
  });
});

/** All that goes wrong is a finding: a bad companion stops nothing. */
async function answer({ kind: id, place }: ReadAsk): Promise<Scenery> {
  try {
    const kind = KINDS.find((one) => one.id === id)!;
    const body = place.kind === "url" ? await bodyAt(place.url) : place.files[0]!;
    if (typeof body === "string") return refused("not-there", body);
    const bytes = await within(body, kind.mostBytes);
    if (bytes === null) return refused("too-large", `more than ${kind.mostBytes >> 20} MiB`);
    if (!kind.recognizes(bytes.subarray(0, FIRST))) return refused("not-recognized", `this is no ${kind.name}`);
    return await (await kind.reader())(bytes);
  } catch (error) {
    return refused("not-read", error instanceof Error ? error.message : String(error));
  }
}

/** A text says why there is none. */
async function bodyAt(url: string): Promise<Blob | Response | string> {
  const response = await fetch(url);
  return response.status === 200 ? response : `the server answers ${response.status}`;
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

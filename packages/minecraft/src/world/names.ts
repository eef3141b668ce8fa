import { createHash } from "node:crypto";
import { UsageError } from "simtape/command";
import type { WorldName } from "simtape/world";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Id for a recording that names no world. */
const NO_WORLD = "00000000-0000-0000-0000-000000000000";
/** Bytes of a version in a recording. */
const VERSION_BYTES = 16;

/** The world that a recording says it was made in; null: it names none. */
export function worldIn({ metadata }: { readonly metadata: object }): WorldName | null {
  const { worldId: id, worldVersion: version } = metadata as { worldId?: unknown; worldVersion?: unknown };
  return typeof id !== "string" || typeof version !== "string" || id === NO_WORLD ? null : { id, version };
}

/** A UUID in its usual form; `UsageError` for any other text. */
export function worldId(text: string): string {
  const id = text.toLowerCase();
  if (!UUID.test(id) || id === NO_WORLD)
    throw new UsageError(`the id of a world is a UUID as 5ba7a26a-0e4d-3b9c-8155-0123456789ab, not ${text}`);
  return id;
}

/** The id of a world when only its server is known: always the same one. */
export function worldIdOf(server: string): string {
  const hash = hashOf(`world ${server}`);
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5");
}

/**
 * A version of a world as recordings have it: 16 bytes as hexadecimal digits. The text is such digits, or a name of 16
 * bytes at most; `UsageError` for any other text.
 */
export function worldVersion(text: string): string {
  const bytes = /^([0-9a-f]{2}){1,16}$/.test(text) ? Buffer.from(text, "hex") : Buffer.from(text);
  if (bytes.length === 0 || bytes.length > VERSION_BYTES)
    throw new UsageError(`the version of a world has 1 to ${VERSION_BYTES} bytes, not ${JSON.stringify(text)}`);
  return bytes.toString("hex").padEnd(2 * VERSION_BYTES, "0");
}

/** The version of a world for one recording: the world as it is when the recording begins. */
export function worldVersionOf(recording: string): string {
  return hashOf(`recording ${recording}`).slice(0, 2 * VERSION_BYTES);
}

function hashOf(text: string): string {
  return createHash("sha256").update(`simtape ${text}`).digest("hex");
}

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { putMarks } from "../formats/hypercube/marks.ts";
import type { RecordingInfo } from "../model/reader.ts";
import type { Value } from "../model/value.ts";
import type { Writer } from "../model/writer.ts";
import type { Annotation } from "../ops/edit/apply.ts";
import type { Operation } from "../ops/edit/list.ts";
import { toJson } from "./json.ts";
import { isInS3, placeAt } from "./place.ts";

/** Where an edited recording comes from, and what was done to it. */
export interface Provenance {
  readonly simtape: "provenance";
  readonly version: 1;
  readonly sources: readonly Source[];
  readonly operations: readonly Operation[];
  readonly annotations: readonly Annotation[];
}

interface Source {
  readonly name: string;
  /** Null for what is no file, such as a URL. */
  readonly sha256: string | null;
  /** Of a source that was edited itself. */
  readonly provenance?: Provenance | undefined;
}

/** How a format keeps the text inside a recording, where its own programs pass over it. */
interface Room {
  metadata(text: string): Readonly<Record<string, Value>>;
  read(metadata: Readonly<Record<string, Value>>): Value | undefined;
  /** Puts annotations where the format has a place for them. */
  annotate?(writer: Writer, annotations: readonly Annotation[]): void;
}

/** A property beside those that FlightGear reads from `meta`. */
const PROPERTY = "simtape-provenance";

const ROOMS: ReadonlyMap<string, Room> = new Map<string, Room>([
  [
    "hypercube",
    {
      metadata: (text) => ({ metadata: { simtape: { provenance: text } } }),
      read: (metadata) => within(metadata, "metadata", "simtape", "provenance"),
      annotate: putMarks,
    },
  ],
  [
    "flightgear",
    { metadata: (text) => ({ meta: { [PROPERTY]: text } }), read: (metadata) => within(metadata, "meta", PROPERTY) },
  ],
  ["nanover", { metadata: (provenance) => ({ provenance }), read: (metadata) => within(metadata, "provenance") }],
]);

/**
 * What `writeEdited` is to be given so that the provenance travels inside the recording, where the format has room;
 * `annotations` are those that the source does not have.
 */
export function inside(
  format: string,
  provenance: Provenance,
  annotations: readonly Annotation[],
): { metadata?: Readonly<Record<string, Value>>; begin?: (writer: Writer) => void } {
  const room = ROOMS.get(format);
  if (room === undefined) return {};
  return {
    metadata: room.metadata(toJson(provenance)),
    begin: (writer) => {
      if (annotations.length > 0) room.annotate?.(writer, annotations);
    },
  };
}

/** What a recording says itself of where it comes from; null when it says nothing. */
function provenanceIn({ format, metadata }: RecordingInfo): Provenance | null {
  const found = ROOMS.get(format)?.read(metadata);
  const text = found instanceof Uint8Array ? new TextDecoder().decode(found) : found;
  return typeof text === "string" ? parsed(text) : null;
}

/** The same, or what the file beside it says. */
export async function provenanceOf(info: RecordingInfo, path: string): Promise<Provenance | null> {
  const own = provenanceIn(info);
  if (own !== null || path === "-" || /^https?:/i.test(path)) return own;
  const bytes = await placeAt(besideOf(path))
    .read()
    .catch(() => null);
  return bytes === null ? null : parsed(new TextDecoder().decode(bytes));
}

/** Keeps it beside a recording that does not hold it, with the mode of a new file; one that holds it has nothing beside. */
export async function keepBeside(
  path: string,
  info: RecordingInfo,
  provenance: Provenance,
  mode: number | undefined,
): Promise<void> {
  const isInside = toJson(provenanceIn(info)) === toJson(provenance);
  if (!isInside) await placeAt(besideOf(path)).write(new TextEncoder().encode(`${toJson(provenance)}\n`), mode);
  else if (!isInS3(path)) await rm(besideOf(path), { force: true });
}

/** SHA-256 of a file; null for what is none, such as a URL. */
export async function digestOf(name: string): Promise<string | null> {
  const hash = createHash("sha256");
  try {
    for await (const bytes of createReadStream(name)) hash.update(bytes as Buffer);
    return hash.digest("hex");
  } catch {
    return null;
  }
}

function besideOf(path: string): string {
  return `${path}.provenance.json`;
}

function parsed(text: string): Provenance | null {
  try {
    const value = JSON.parse(text) as Partial<Provenance> | null;
    return value?.simtape === "provenance" && value.version === 1 ? (value as Provenance) : null;
  } catch {
    return null;
  }
}

function within(value: Value | undefined, ...path: readonly string[]): Value | undefined {
  let found = value;
  for (const name of path) {
    if (typeof found !== "object" || found === null || ArrayBuffer.isView(found)) return undefined;
    found = (found as { readonly [key: string]: Value })[name];
  }
  return found;
}

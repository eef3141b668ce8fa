import { type Annotation, PROVENANCE_ENDING } from "../../model/annotation.ts";
import type { Finding } from "../../model/error.ts";
import type { Recording } from "../../model/recording.ts";
import type { Operation } from "../../ops/edit/list.ts";
import { commandPath } from "./command-path.ts";

/** Where an edited recording comes from, and what was done to it. */
export interface Provenance {
  readonly simtape: "provenance";
  readonly version: 1;
  readonly sources: readonly Source[];
  readonly operations: readonly Operation[];
  readonly annotations: readonly Annotation[];
}

export interface Source {
  readonly name: string;
  /** Null for what is no file, such as a URL. */
  readonly sha256: string | null;
  /** What was damaged or lost in it already. */
  readonly findings?: readonly Finding[] | undefined;
  /** Of a source that was edited itself. */
  readonly provenance?: Provenance | undefined;
}

/** What a recording says itself of where it comes from; null when it says nothing. */
export async function provenanceIn(recording: Recording): Promise<Provenance | null> {
  const found = (await recording.traits()).room?.read(recording.info.metadata);
  const text = found instanceof Uint8Array ? new TextDecoder().decode(found) : found;
  return typeof text === "string" ? parsedProvenance(text) : null;
}

/** What the file beside a recording says of where it comes from, or else the recording itself. */
export async function provenanceOf(recording: Recording, path: string): Promise<Provenance | null> {
  return (await provenanceAt(path)) ?? provenanceIn(recording);
}

export async function provenanceAt(path: string): Promise<Provenance | null> {
  const bytes = await bytesBeside(path);
  return bytes === null ? null : parsedProvenance(new TextDecoder().decode(bytes));
}

async function bytesBeside(path: string): Promise<Uint8Array | null> {
  if (path === "-" || /^https?:/i.test(path)) return null;
  return commandPath(besideOf(path))
    .read()
    .catch(() => null);
}

export function besideOf(path: string): string {
  return path + PROVENANCE_ENDING;
}

/** What such a file says; null: it is none. */
export function parsedProvenance(text: string): Provenance | null {
  try {
    const value = JSON.parse(text) as Partial<Provenance> | null;
    return value?.simtape === "provenance" && value.version === 1 ? (value as Provenance) : null;
  } catch {
    return null;
  }
}

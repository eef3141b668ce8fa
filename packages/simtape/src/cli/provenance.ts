import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { shownUrl } from "../io/shown-url.ts";
import type { Finding } from "../model/error.ts";
import type { Recording } from "../model/recording.ts";
import type { TextRoom } from "../model/traits.ts";
import type { Value } from "../model/value.ts";
import type { Writer, WritingFormat } from "../model/writer.ts";
import type { Annotation } from "../ops/edit/apply.ts";
import type { Operation } from "../ops/edit/list.ts";
import { damage } from "./ending.ts";
import { UsageError } from "./failure.ts";
import { toJson } from "./json.ts";
import { say } from "./output.ts";
import { isInS3, commandPath } from "./command-path.ts";
import { bundleNamed } from "./recordings.ts";
import type { Target } from "./target.ts";

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
  /** What was damaged or lost in it already. */
  readonly findings?: readonly Finding[] | undefined;
  /** Of a source that was edited itself. */
  readonly provenance?: Provenance | undefined;
}

/**
 * What `writeEdited` is to be given so that the provenance travels inside the recording, in the room that its format has;
 * `annotations` are those that the source does not have.
 */
export function inside(
  room: TextRoom,
  { annotate }: WritingFormat,
  provenance: Provenance,
  annotations: readonly Annotation[],
): { metadata: Readonly<Record<string, Value>>; begin: (writer: Writer) => void } {
  return {
    metadata: room.put(toJson(provenance)),
    begin: (writer) => {
      if (annotations.length > 0) annotate?.(writer, annotations);
    },
  };
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

async function provenanceAt(path: string): Promise<Provenance | null> {
  const bytes = await bytesBeside(path);
  return bytes === null ? null : parsedProvenance(new TextDecoder().decode(bytes));
}

async function bytesBeside(path: string): Promise<Uint8Array | null> {
  if (path === "-" || /^https?:/i.test(path)) return null;
  return commandPath(besideOf(path))
    .read()
    .catch(() => null);
}

/**
 * Whether the file beside the target may be written: nothing is there, or what is overwritten with the recording.
 * Throws `UsageError` when it may not.
 */
export async function mustHavePlace({ main, force, isStandardOutput }: Target): Promise<void> {
  if (isStandardOutput || (await commandPath(besideOf(main)).kind()) === null) return;
  if (!force) throw new UsageError(`there is something already, --force overwrites it: ${besideOf(main)}`);
  if ((await provenanceAt(main)) === null)
    throw new UsageError(`not written by simtape, take it away first: ${besideOf(main)}`);
}

/** Keeps it beside a recording that does not hold it; one that holds it has nothing beside. */
export async function keepBeside(target: Target, written: Recording, provenance: Provenance): Promise<void> {
  if (toJson(await provenanceIn(written)) === toJson(provenance)) await nothingBeside(target);
  else await put(target, provenance);
}

/** A copy has beside it what its source has: made ready before anything is written, and done behind. */
export async function bringing(target: Target, file: string): Promise<() => Promise<void>> {
  const provenance = await provenanceAt(file);
  if (provenance === null) return () => nothingBeside(target);
  await mustHavePlace(target);
  return () => put(target, provenance);
}

/** When a recording that seems sound was made of one that is damaged, the file beside it says so. */
export async function keepDamage(target: Target, file: string, recording: Recording): Promise<void> {
  if (damage().length === 0 || target.files.size === 0) return;
  const provenance = await provenanceOf(recording, file);
  await mustHavePlace(target);
  const sources = [await sourceNamed(file, provenance)];
  await put(target, { simtape: "provenance", version: 1, sources, operations: [], annotations: [] });
}

/** A source as it is written down. */
export async function sourceNamed(name: string, provenance: Provenance | null): Promise<Source> {
  const findings = damage().flatMap(({ file, ...finding }) => (file === name ? [finding] : []));
  return {
    name: shownUrl(name),
    sha256: await digestOf(name),
    ...(findings.length === 0 ? {} : { findings }),
    ...(provenance === null ? {} : { provenance }),
  };
}

async function put(target: Target, provenance: Provenance): Promise<void> {
  if (target.isStandardOutput) return say("simtape: standard output has no place for where this comes from");
  const bytes = new TextEncoder().encode(`${toJson(provenance)}\n`);
  await target.put(basename(besideOf(target.main)), bytes, target.force);
}

/** What lay beside a recording that was overwritten is not about the new one. */
async function nothingBeside({ main, force, isStandardOutput }: Target): Promise<void> {
  if (!force || isStandardOutput || isInS3(main) || (await provenanceAt(main)) === null) return;
  await rm(besideOf(main), { force: true });
}

/** SHA-256 of a file; null for what is none, such as a URL. */
async function digestOf(name: string): Promise<string | null> {
  const hash = createHash("sha256");
  try {
    const source = name === "-" ? await (await bundleNamed(name)).open() : null;
    if (source === null) for await (const bytes of createReadStream(name)) hash.update(bytes as Buffer);
    else
      for (let at = 0; ; ) {
        const bytes = await source.read(at, 1 << 20);
        if (bytes.length === 0) break;
        hash.update(bytes);
        at += bytes.length;
      }
    return hash.digest("hex");
  } catch {
    return null;
  }
}

/** The same without notes that hold one of the texts, also in what it says of its sources. */
export function withoutTexts(provenance: Provenance, texts: ReadonlySet<string>): Provenance {
  const isKept = (note: { readonly text: string }): boolean => ![...texts].some((text) => note.text.includes(text));
  const { sources, operations, annotations } = provenance;
  return {
    ...provenance,
    sources: sources.map((source) =>
      source.provenance === undefined ? source : { ...source, provenance: withoutTexts(source.provenance, texts) },
    ),
    operations: operations.filter((operation) => operation.op !== "annotate" || isKept(operation)),
    annotations: annotations.filter(isKept),
  };
}

function besideOf(path: string): string {
  return `${path}.provenance.json`;
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

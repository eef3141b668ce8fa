import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { shownUrl } from "../../io/shown-url.ts";
import type { Annotation } from "../../model/annotation.ts";
import type { Recording } from "../../model/recording.ts";
import type { TextRoom } from "../../model/text-room.ts";
import type { Value } from "../../model/value.ts";
import type { Writer, WritingFormat } from "../../model/writer.ts";
import { damage } from "../run/ending.ts";
import { UsageError } from "../run/failure.ts";
import { toJson } from "../../model/json.ts";
import { say } from "../run/terminal.ts";
import { isInS3, commandPath } from "../input/command-path.ts";
import { bundleNamed } from "../input/recordings.ts";
import type { Target } from "./target.ts";
import {
  type Provenance,
  type Source,
  provenanceIn,
  provenanceOf,
  provenanceAt,
  besideOf,
} from "../input/provenance.ts";

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

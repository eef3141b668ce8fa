import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { shownUrl } from "../../io/source/shown-url.ts";
import type { Annotation } from "../../model/annotation.ts";
import type { Recording } from "../../model/recording.ts";
import type { TextRoom } from "../../model/values/text-room.ts";
import type { Value } from "../../model/values/value.ts";
import type { Writer, WritingFormat } from "../../model/writer.ts";
import { damage } from "../run/ending.ts";
import { UsageError } from "../run/failure.ts";
import { toJson } from "../../model/values/json.ts";
import { say } from "../run/terminal.ts";
import { commandPath } from "../input/command-path.ts";
import { bundleNamed } from "../input/recordings.ts";
import type { TakeBack, Target } from "./target.ts";
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
  if (!force) throw new UsageError(`exists already, --force overwrites it: ${besideOf(main)}`);
  if ((await provenanceAt(main)) === null)
    throw new UsageError(`exists already and was not written by simtape, remove it first: ${besideOf(main)}`);
}

/**
 * Keeps beside the target what `make` gives, or nothing for null. It gets its name before the main file does, and is
 * asked for when that one is whole: what is damaged in its source is known by then.
 */
export function keepBeside(target: Target, make: () => Promise<Provenance | null>): void {
  target.before(async () => {
    const provenance = await make();
    return provenance === null ? nothingBeside(target) : put(target, provenance);
  });
}

/** What to keep beside a recording: null for one that holds the same itself. */
export async function unlessInside(written: Recording, provenance: Provenance): Promise<Provenance | null> {
  return toJson(await provenanceIn(written)) === toJson(provenance) ? null : provenance;
}

/** What a copy has beside it: what its source has. Throws `UsageError` when there is no place for it. */
export async function bringing(target: Target, file: string): Promise<Provenance | null> {
  const provenance = await provenanceAt(file);
  if (provenance !== null) await mustHavePlace(target);
  return provenance;
}

/** That a recording which seems sound was made of one that is damaged; null when nothing is damaged. */
export async function damageOf(target: Target, file: string, recording: Recording): Promise<Provenance | null> {
  if (damage().length === 0 || target.isStandardOutput) return null;
  return madeOf(target, file, recording, await recording.annotations());
}

/** What a recording was made of, with the notes that it keeps. Throws `UsageError` when there is no place for it. */
export async function madeOf(
  target: Target,
  file: string,
  recording: Recording,
  annotations: readonly Annotation[],
): Promise<Provenance> {
  await mustHavePlace(target);
  const sources = [await sourceNamed(file, await provenanceOf(recording, file))];
  return { simtape: "provenance", version: 1, sources, operations: [], annotations };
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

async function put(target: Target, provenance: Provenance): Promise<TakeBack | undefined> {
  if (target.isStandardOutput) {
    say("simtape: standard output has no place for where this comes from");
    return undefined;
  }
  const beside = besideOf(target.main);
  await target.put(basename(beside), new TextEncoder().encode(`${toJson(provenance)}\n`), target.force);
  // what was there is overwritten
  return target.force ? undefined : () => commandPath(beside).remove();
}

/** What lies beside a recording that is overwritten is not about the new one. */
async function nothingBeside({ main, force, isStandardOutput }: Target): Promise<undefined> {
  if (!force || isStandardOutput || (await provenanceAt(main)) === null) return;
  await commandPath(besideOf(main)).remove();
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

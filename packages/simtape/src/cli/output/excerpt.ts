import { held } from "../../io/sink/held.ts";
import type { SinkBundle } from "../../io/sink/sink.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import type { Annotation } from "../../model/annotation.ts";
import { openBundle } from "../../model/open.ts";
import type { SpoolFactory } from "../../io/source/spool.ts";
import type { Recording } from "../../model/recording.ts";
import type { Lost } from "../../model/writer.ts";
import type { RewriteReport } from "../../ops/copy.ts";
import { applyEdits } from "../../ops/edit/apply.ts";
import type { Operation } from "../../ops/edit/list.ts";
import { writeEdited } from "../../ops/edit/write.ts";
import { mustBeSound, readBack } from "../../ops/sound.ts";
import { withDictionary } from "./conversion-check.ts";
import { allFormats } from "../input/formats.ts";
import { matching } from "../input/glob.ts";
import { toJson } from "../../model/values/json.ts";
import { inside } from "./provenance.ts";
import { type Provenance, parsedProvenance, provenanceIn } from "../input/provenance.ts";
import { formatOf, writingOf } from "../input/format-of.ts";

/** What is written of where an excerpt comes from, and how. */
export interface ExcerptOptions {
  /** Of the source, as it is to be known by. */
  readonly name: string;
  readonly sha256: string | null;
  /** What lies beside the source about where it comes from, as text; null: nothing. */
  readonly beside?: string | null | undefined;
  readonly spool?: SpoolFactory | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What came of it. */
export interface ExcerptReport {
  readonly messages: number;
  /** What the result does not have of the source's part, as members of a zip that are damaged. */
  readonly lost: readonly Lost[];
  /** To be put beside the result, where its format has no room for it: where it comes from. Null: it is inside. */
  readonly beside: string | null;
}

/**
 * Writes a recording of any format as edits leave it, with where it comes from and all its notes. The source is not
 * touched. `edits` says what to do, once it is open. Throws `RecordingError`, and `EditError` for edits that cannot be made.
 */
export async function excerpt(
  from: SourceBundle,
  to: SinkBundle,
  edits: (source: Recording) => Promise<readonly Exclude<Operation, { op: "join" }>[]>,
  { name, sha256, beside = null, spool, signal }: ExcerptOptions,
): Promise<ExcerptReport> {
  const source = await openBundle(from, allFormats(), { spool, signal });
  try {
    const before = (beside === null ? null : parsedProvenance(beside)) ?? (await provenanceIn(source));
    const operations = await edits(source);
    const writing = await writingOf(formatOf(source));
    const context = { writing, matching, open: () => Promise.reject(new RangeError("an excerpt joins nothing")) };
    const list = { version: 1, operations } as const;
    const { reader, annotations, inherited } = await applyEdits(
      source.reader,
      list,
      context,
      before?.annotations ?? [],
    );
    const provenance: Provenance = {
      simtape: "provenance",
      version: 1,
      sources: [{ name, sha256, ...(before === null ? {} : { provenance: before }) }],
      operations,
      annotations: [...inherited, ...annotations],
    };
    const { room } = await source.traits();
    const more = room === undefined ? {} : inside(room, writing, provenance, annotations);
    const work = (files: SinkBundle): Promise<RewriteReport> =>
      writeEdited(reader, writing, files, { ...more, signal });
    const { messages, lost } = await soundly(source, from, to, work, signal);
    return { messages, lost, beside: room === undefined ? `${toJson(provenance)}\n` : null };
  } finally {
    await source.close();
  }
}

/**
 * What `work` writes of a recording takes its name when it opens and is as sound as that; `from` has the dictionary that
 * it may need. Throws `RecordingError`, and nothing is left then.
 */
export function soundly<T>(
  source: Recording,
  from: SourceBundle,
  to: SinkBundle,
  work: (to: SinkBundle) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return held(to, async (files) => {
    const made = await work(files);
    await using written = await readBack(openBundle(withDictionary(files.written, from), allFormats(), { signal }));
    await mustBeSound(written, [source]);
    return made;
  });
}

/**
 * What is to lie beside a recording that is as it is, so that it has these notes, too: with all that lies there, or is
 * inside. Null: it has them already.
 */
export async function annotated(
  from: SourceBundle,
  beside: string | null,
  notes: readonly Annotation[],
): Promise<string | null> {
  const source = await openBundle(from, allFormats(), {});
  try {
    const known = (beside === null ? null : parsedProvenance(beside)) ?? (await provenanceIn(source)) ?? NOTHING;
    const isThere = ({ at, kind, text }: Annotation): boolean =>
      known.annotations.some((note) => note.at === at && note.kind === kind && note.text === text);
    const added = notes.filter((note) => !isThere(note));
    if (added.length === 0) return null;
    const operations = added.map((note) => ({ op: "annotate", ...note }) as const);
    const allNotes = [...known.annotations, ...added];
    return `${toJson({ ...known, operations: [...known.operations, ...operations], annotations: allNotes })}\n`;
  } finally {
    await source.close();
  }
}

const NOTHING: Provenance = { simtape: "provenance", version: 1, sources: [], operations: [], annotations: [] };

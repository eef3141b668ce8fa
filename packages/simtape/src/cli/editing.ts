import { isAbsolute } from "node:path";
import { HeldFiles } from "../io/held.ts";
import { shownUrl } from "../io/shown-url.ts";
import { openBundle } from "../model/open.ts";
import type { Reader } from "../model/reader.ts";
import { Recording } from "../model/recording.ts";
import { type Annotation, applyEdits, type EditContext } from "../ops/edit/apply.ts";
import { EditError, type EditList, parseEditList } from "../ops/edit/list.ts";
import type { RewriteReport } from "../ops/copy.ts";
import type { Removed } from "../ops/edit/redact.ts";
import { refuseTexts } from "../ops/edit/scan.ts";
import { writeEdited } from "../ops/edit/write.ts";
import { bringNeeded } from "./needed.ts";
import { UsageError } from "./failure.ts";
import { allFormats } from "./formats.ts";
import { matching } from "./glob.ts";
import { toJson } from "./json.ts";
import {
  inside,
  keepBeside,
  mustHavePlace,
  type Provenance,
  provenanceOf,
  sourceNamed,
  withoutTexts,
} from "./provenance.ts";
import { folderOf, commandPath, under } from "./command-path.ts";
import { budgetOf, openNamed, type ReadOptions } from "./recordings.ts";
import { formatOf, mustFit, type Target, writingOf } from "./target.ts";
import { parseDuration } from "./time.ts";

/** An edited recording, open, with what was done to which files. */
export interface Editing {
  readonly recording: Recording;
  /** As it was opened, before any edit. */
  readonly source: Recording;
  readonly list: EditList;
  /** Of the list, and of the source. */
  readonly annotations: readonly Annotation[];
  readonly inherited: readonly Annotation[];
  /** Names of the sources, and what each says of where it comes from itself. */
  readonly files: ReadonlyMap<string, Provenance | null>;
  /** Texts of what a redaction takes out; null: there is none. */
  readonly removed: Removed | null;
}

/**
 * Lays an edit list over a recording; nothing is written. `list` is the list or the path of one; names in it are
 * from `folder`, or from where the list is. `file` null: the list's own source.
 */
export async function editing(
  file: string | null,
  list: EditList | string,
  folder: string | null,
  options: ReadOptions,
): Promise<Editing> {
  const from = folder ?? (typeof list === "string" ? folderOf(list) : ".");
  const parsed = typeof list === "string" ? await readList(list) : list;
  const name = file ?? (parsed.source === undefined ? null : placed(parsed.source, from));
  if (name === null) throw new UsageError("the list names no source: say which recording to edit");
  const source = await openNamed(name, options);
  const provenance = await provenanceOf(source, name);
  const files = new Map([[name, provenance]]);
  const opened = [source];
  let removed: Removed | null = null;
  try {
    const context: EditContext = {
      writing: await writingOf(formatOf(source)),
      matching,
      removed: ({ said, gone }) => {
        removed = {
          said: new Set([...(removed?.said ?? []), ...said]),
          gone: new Set([...(removed?.gone ?? []), ...gone]),
        };
      },
      open: async (other): Promise<Reader> => {
        const path = placed(other, from);
        const joined = await openNamed(path, options);
        opened.push(joined);
        files.set(path, await provenanceOf(joined, path));
        return joined.reader;
      },
    };
    const notes = provenance?.annotations ?? [];
    const { reader, annotations, inherited } = await applyEdits(source.reader, parsed, context, notes);
    // an edited recording is as damaged as what it is made of
    const recording = new Recording(
      reader,
      { list: () => opened.flatMap(({ findings }) => findings) },
      formatOf(source),
    );
    return { recording, source, list: parsed, annotations, inherited, files, removed };
  } catch (error) {
    await source.close();
    // where in a list that was made of a command line says nothing
    if (error instanceof EditError)
      throw new UsageError(typeof list === "string" ? error.message : error.message.slice(error.path.length + 2));
    throw error;
  }
}

/**
 * Writes it, and where it comes from: inside where the format has room, else in a file beside. Closes everything.
 */
export async function writeEdits(edited: Editing, target: Target, options: ReadOptions): Promise<RewriteReport> {
  const { recording, list, files } = edited;
  const format = formatOf(edited.source);
  try {
    mustFit(target, format);
    await mustHavePlace(target);
    const { room } = await edited.source.traits();
    // what goes inside is written first: everything that is damaged is to be known by then
    const isKnown = edited.source.info.seekIndex === "built" && files.size === 1;
    if (room !== undefined && !isKnown) for await (const _ of recording.batches());
    const operations = list.operations.map((operation) =>
      operation.op === "join" ? { ...operation, files: operation.files.map(shownUrl) } : operation,
    );
    const annotations = [...edited.inherited, ...edited.annotations];
    const { removed } = edited;
    const provenanceNow = async (): Promise<Provenance> => {
      const sources = [];
      for (const [name, provenance] of files) sources.push(await sourceNamed(name, provenance));
      const told: Provenance = { simtape: "provenance", version: 1, sources, operations, annotations };
      return removed === null ? told : withoutTexts(told, removed.gone);
    };
    const provenance = await provenanceNow();
    if (removed === null) await bringNeeded(edited.source, target);
    const to = removed === null ? target.sink : new HeldFiles(target.sink);
    const writing = await writingOf(format);
    const report = await writeEdited(recording.reader, writing, to, {
      ...(room === undefined ? {} : inside(room, writing, provenance, edited.annotations)),
      ...(removed === null ? {} : { without: removed }),
    });
    if (removed !== null) await publish(to as HeldFiles, provenance, removed, options);
    const written = await openBundle(target.written, allFormats(), { budget: budgetOf(options) });
    try {
      await keepBeside(target, written, room !== undefined ? provenance : await provenanceNow());
    } finally {
      await written.close();
    }
    return report;
  } finally {
    await recording.close();
  }
}

/** Gives what was written its name, when nothing of what was taken out is left in it. */
async function publish(
  files: HeldFiles,
  provenance: Provenance,
  { gone }: Removed,
  options: ReadOptions,
): Promise<void> {
  try {
    const written = await openBundle(files.written, allFormats(), { budget: budgetOf(options) });
    try {
      await refuseTexts(written, files.written, [new TextEncoder().encode(toJson(provenance))], gone);
    } finally {
      await written.close();
    }
  } catch (error) {
    await files.abort();
    throw error;
  }
  await files.release();
}

async function readList(path: string): Promise<EditList> {
  const bytes = await commandPath(path)
    .read()
    .catch((cause: NodeJS.ErrnoException) => {
      throw new UsageError(`the edit list cannot be read (${cause.code}): ${path}`);
    });
  const text = new TextDecoder().decode(bytes);
  try {
    return parseEditList(JSON.parse(text), parseDuration);
  } catch (error) {
    if (error instanceof EditError || error instanceof SyntaxError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

function placed(name: string, folder: string): string {
  return name === "-" || isAbsolute(name) || /^(https?|s3):\/\//i.test(name) ? name : under(folder, name);
}

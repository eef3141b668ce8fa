import { isAbsolute } from "node:path";
import type { Reader } from "../../model/reader.ts";
import { Recording } from "../../model/recording.ts";
import type { Annotation } from "../../model/annotation.ts";
import { applyEdits, type EditContext } from "../../ops/edit/apply.ts";
import { EditError, type EditList, parseEditList } from "../../ops/edit/list.ts";
import { type Removed, together } from "../../ops/edit/redact.ts";
import { UsageError } from "../run/failure.ts";
import { matching } from "./glob.ts";
import { type Provenance, provenanceOf } from "./provenance.ts";
import { folderOf, commandPath, under } from "./command-path.ts";
import { openNamed, type ReadOptions } from "./recordings.ts";
import { formatOf, writingOf } from "./format-of.ts";
import { parseDuration } from "./time.ts";

/** An edited recording, open, with what was done to which files. */
export interface Editing {
  readonly recording: Recording;
  /** As it was opened, before any edit. */
  readonly source: Recording;
  /** All that were opened: the source, and those that are joined. */
  readonly opened: readonly Recording[];
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
      removed: (found) => {
        removed = together(removed, found);
      },
      open: async (other): Promise<Reader> => {
        const path = placed(other, from);
        // all that is joined is open at once: it shares the memory of one recording
        const joined = await openNamed(path, options, source.reader.budget);
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
    return { recording, source, opened, list: parsed, annotations, inherited, files, removed };
  } catch (error) {
    for (const one of opened) await one.close();
    // where in a list that was made of a command line says nothing
    if (error instanceof EditError)
      throw new UsageError(typeof list === "string" ? error.message : error.message.slice(error.path.length + 2));
    throw error;
  }
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

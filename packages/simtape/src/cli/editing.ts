import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { isAbsolute } from "node:path";
import { Findings } from "../model/error.ts";
import type { Reader } from "../model/reader.ts";
import { Recording } from "../model/recording.ts";
import { type Annotation, applyEdits } from "../ops/edit/apply.ts";
import { EditError, type EditList, parseEditList } from "../ops/edit/list.ts";
import { writeEdited } from "../ops/edit/write.ts";
import { UsageError } from "./failure.ts";
import { matching } from "./glob.ts";
import { toJson } from "./json.ts";
import { folderOf, placeAt, under } from "./place.ts";
import { openNamed } from "./recordings.ts";
import { formatOf, type Target, writingOf } from "./target.ts";
import { parseDuration } from "./time.ts";

/** An edited recording, open, with what was done to which files. */
export interface Editing {
  readonly recording: Recording;
  /** As it was opened, before any edit. */
  readonly source: Recording;
  readonly list: EditList;
  readonly annotations: readonly Annotation[];
  readonly files: readonly string[];
}

/**
 * Lays an edit list over a recording; nothing is written. `list` is the list or the path of one; names in it are
 * from `folder`, or from where the list is. `file` null: the list's own source.
 */
export async function editing(file: string | null, list: EditList | string, folder: string | null): Promise<Editing> {
  const from = folder ?? (typeof list === "string" ? folderOf(list) : ".");
  const parsed = typeof list === "string" ? await readList(list) : list;
  const name = file ?? (parsed.source === undefined ? null : placed(parsed.source, from));
  if (name === null) throw new UsageError("the list names no source: say which recording to edit");
  const source = await openNamed(name);
  const files = [name];
  try {
    const { reader, annotations } = await applyEdits(source.reader, parsed, {
      writing: await writingOf(formatOf(source)),
      matching,
      open: async (other): Promise<Reader> => {
        const path = placed(other, from);
        files.push(path);
        return (await openNamed(path)).reader;
      },
    });
    const recording = new Recording(reader, new Findings());
    return { recording, source, list: parsed, annotations, files };
  } catch (error) {
    await source.close();
    if (error instanceof EditError) throw new UsageError(error.message);
    throw error;
  }
}

/** Writes it, with a file beside that tells where it comes from. Gives the number of messages. Closes everything. */
export async function writeEdits(edited: Editing, target: Target): Promise<number> {
  const { recording, list, annotations, files } = edited;
  try {
    const writing = await writingOf(formatOf(edited.source));
    const messages = await writeEdited(recording.reader, writing, target.sink);
    const sources = [];
    for (const name of files) sources.push({ name, sha256: await digestOf(name) });
    const provenance = { simtape: "provenance", version: 1, sources, operations: list.operations, annotations };
    await placeAt(`${target.main}.provenance.json`).write(new TextEncoder().encode(`${toJson(provenance)}\n`));
    return messages;
  } finally {
    await recording.close();
  }
}

async function readList(path: string): Promise<EditList> {
  const bytes = await placeAt(path)
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

/** SHA-256 of a file; null for what is none, such as a URL. */
async function digestOf(name: string): Promise<string | null> {
  const hash = createHash("sha256");
  try {
    for await (const bytes of createReadStream(name)) hash.update(bytes as Buffer);
    return hash.digest("hex");
  } catch {
    return null;
  }
}

function placed(name: string, folder: string): string {
  return isAbsolute(name) || /^(https?|s3):\/\//i.test(name) ? name : under(folder, name);
}

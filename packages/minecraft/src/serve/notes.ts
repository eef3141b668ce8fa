import { readFile, rename, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Annotation } from "simtape";
import { fromFile } from "simtape/node";
import { annotated, PROVENANCE_ENDING } from "simtape/serving";
import { UsageError } from "simtape/command";
import type { Stored } from "../stored/recordings.ts";

/** By path: the note that is being written. The next note waits for it, so that none is lost. */
const writing = new Map<string, Promise<void>>();

/**
 * Saves a note beside a recording, in `NAME.provenance.json`, where all parts of simtape find it. The recording itself
 * does not change. Throws `UsageError` when the note cannot be saved.
 */
export function keepNote({ path }: Stored, note: Annotation): Promise<void> {
  const before = writing.get(path) ?? Promise.resolve();
  const written = before.catch(() => undefined).then(() => write(path, note));
  writing.set(path, written);
  const forget = (): void => {
    if (writing.get(path) === written) writing.delete(path);
  };
  written.then(forget, forget);
  return written;
}

async function write(path: string, note: Annotation): Promise<void> {
  const file = path + PROVENANCE_ENDING;
  try {
    const beside = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (beside !== null && !isProvenance(beside))
      throw new UsageError(`${basename(file)} contains other data than notes: move it elsewhere`);
    const text = await annotated(fromFile(path), beside, [note]);
    if (text === null) return;
    const part = `${file}.${process.pid}.part`;
    await writeFile(part, text, { flush: true });
    await rename(part, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw error instanceof UsageError ? error : new UsageError(`the note cannot be kept (${code ?? String(error)})`);
  }
}

function isProvenance(text: string): boolean {
  try {
    return (JSON.parse(text) as { readonly simtape?: unknown } | null)?.simtape === "provenance";
  } catch {
    return false;
  }
}

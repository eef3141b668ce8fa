import { readFile, rename, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { UsageError } from "simtape/serving";

/** What is written beside a recording: an edit list that `simtape edit` takes. */
interface EditList {
  readonly version: 1;
  readonly source: string;
  readonly operations: readonly object[];
}

/**
 * Keeps a mark beside a recording, which is not touched: in `NAME.marks.json`, an edit list that
 * `simtape edit --list NAME.marks.json -o OUTPUT` carries out. `at`: nanoseconds. Throws `UsageError` where it cannot be kept.
 */
export async function keepMark(path: string, at: number, text: string, author: string): Promise<void> {
  const file = `${path.replace(/\.hcrp$/, "")}.marks.json`;
  const list = await listIn(file, path);
  const mark = { op: "annotate", at: `${at / 1e9}s`, text: `${author}: ${text}`, kind: "review" };
  const next = { ...list, operations: [...list.operations, mark] };
  try {
    await writeFile(`${file}.part`, `${JSON.stringify(next, null, 2)}\n`, { flush: true });
    await rename(`${file}.part`, file);
  } catch (error) {
    throw new UsageError(`the mark cannot be kept (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function listIn(file: string, path: string): Promise<EditList> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new UsageError(`the marks cannot be read (${error.code})`);
  });
  if (text === null) return { version: 1, source: basename(path), operations: [] };
  try {
    const found = JSON.parse(text) as Partial<EditList>;
    if (found.version === 1 && Array.isArray(found.operations)) return found as EditList;
  } catch {
    // as below
  }
  throw new UsageError(`${basename(file)} is no list of marks: put it elsewhere`);
}

import { commandPath } from "../input/command-path.ts";
import { UsageError } from "../run/failure.ts";
import type { Target } from "./target.ts";
import { targetOf } from "./target-of.ts";

export interface ReportOptions {
  readonly html?: string;
  readonly view?: string;
  readonly force?: boolean;
}

/** Where the report on `files` goes, which only who reads all of them may read; null: none was asked for. */
export async function reportOf({ html, view, force }: ReportOptions, files: readonly string[]): Promise<Target | null> {
  if (html !== undefined) {
    if (html.endsWith("/") || (await commandPath(html).kind()) === "folder")
      throw new UsageError(`a folder: say what the report in it is called: ${html}`);
    return targetOf(html, { force: force === true }, files);
  }
  if (view !== undefined) throw new UsageError("--view goes with --html");
  return null;
}

/** Writes it beside and renames it: a report that is there is whole. */
export async function writeReport(target: Target, page: string): Promise<void> {
  const sink = await target.sink.open();
  try {
    await sink.write(new TextEncoder().encode(page));
    await sink.close();
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

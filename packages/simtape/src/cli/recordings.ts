import type { Command } from "commander";
import { FORMATS } from "../formats.ts";
import type { DictionaryLookup } from "../formats/hypercube/dictionary.ts";
import { createHypercube } from "../formats/hypercube/format.ts";
import { bundleOf, FOLDER_MAINS } from "../io/bundle.ts";
import { fileSpool, stdin } from "../io/node/index.ts";
import { shownUrl } from "../io/shown-url.ts";
import type { SourceBundle } from "../io/source.ts";
import { bundleAt } from "../location.ts";
import { openBundle } from "../model/open.ts";
import type { Format } from "../model/reader.ts";
import type { Recording } from "../model/recording.ts";
import { UsageError } from "./failure.ts";
import { Progress, say } from "./output.ts";
import { placeAt, under } from "./place.ts";
import { hide } from "./secrets.ts";

/** What `reads` was told on the command line. */
let dictionaries: DictionaryLookup | null = null;

/** Adds the options of commands that open recordings. */
export function reads(command: Command): Command {
  const collect = (path: string, paths: readonly string[]): readonly string[] => [...paths, path];
  return command
    .option("--dictionary <file>", "zstd dictionary of an HCRP recording, where no <id>.dict is beside it", collect, [])
    .hook("preAction", async (_, action) => {
      const paths = action.opts<{ dictionary: readonly string[] }>().dictionary;
      dictionaries = paths.length === 0 ? null : await (await import("./dictionary.ts")).dictionariesFrom(paths);
    });
}

/** Every format, with the dictionaries that were given. */
export function knownFormats(): readonly Format[] {
  if (dictionaries === null) return FORMATS;
  const given = createHypercube({ dictionaries });
  return FORMATS.map((format) => (format.id === given.id ? given : format));
}

/** The files of what was named on the command line: a path, a folder, a URL, one in S3, or `-` for standard input. */
export async function bundleNamed(name: string): Promise<SourceBundle> {
  if (name === "-") return bundleOf(stdin());
  hide(name);
  if (isUrl(name)) return bundleAt(urlOf(name));
  const place = placeAt(name);
  if ((await place.kind()) !== "folder") return place.source;
  for (const main of FOLDER_MAINS) {
    const inside = placeAt(under(name, main));
    if ((await inside.kind()) === "file") return inside.source;
  }
  throw new UsageError(`a folder without a recording of its own (${FOLDER_MAINS.join(", ")}): ${name}`);
}

/** Whether a name is one on a web server. */
export function isUrl(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/** Throws `UsageError` for what only looks like a URL. */
export function urlOf(name: string): URL {
  if (!URL.canParse(name)) throw new UsageError(`not a URL: ${shownUrl(name)}`);
  return new URL(name);
}

/** Opens what was named on the command line, showing progress. */
export async function openNamed(name: string): Promise<Recording> {
  const progress = new Progress("reading");
  return openBundle(await bundleNamed(name), knownFormats(), {
    spool: fileSpool(),
    onProgress: (done, total) => progress.show(done, total),
  }).finally(() => progress.end());
}

/** Opens a recording, or an edit list that names its source, and closes it when `work` is done. */
export async function withRecording<T>(name: string, work: (recording: Recording) => Promise<T>): Promise<T> {
  const recording = name.endsWith(".json")
    ? (await (await import("./editing.ts")).editing(null, name, null)).recording
    : await openNamed(name);
  try {
    return await work(recording);
  } finally {
    await recording.close();
  }
}

/** Damage that was met while a command did something else: one line on standard error. */
export function warnOfDamage(recording: Recording, name: string): void {
  const bad = recording.findings.filter(({ severity }) => severity === "damage" || severity === "loss");
  if (bad.length === 0) return;
  const more = bad.length > 1 ? ` (and ${bad.length - 1} more)` : "";
  say(`simtape: ${name} is damaged: ${bad[0]!.message}${more}. See: simtape check ${name}`);
}

import type { Command } from "commander";
import type { DictionaryLookup } from "../formats/hcrp/chunk/dictionary.ts";
import { createHcrp } from "../formats/hcrp/format.ts";
import { bundleOf, FOLDER_MAINS } from "../io/bundle.ts";
import { fileSpool, stdin } from "../io/node/index.ts";
import { shownUrl } from "../io/shown-url.ts";
import type { ByteSource, SourceBundle } from "../io/source.ts";
import { bundleAt } from "../location.ts";
import { openBundle } from "../model/open.ts";
import type { Format } from "../model/reader.ts";
import type { Recording } from "../model/recording.ts";
import { heed, whenOver } from "./ending.ts";
import { UsageError } from "./failure.ts";
import { allFormats } from "./formats.ts";
import { Progress } from "./output.ts";
import { placeAt, under } from "./place.ts";
import { hide } from "./secrets.ts";
import { sizeOf } from "./size.ts";

/** What `reads` was given on the command line. */
let dictionaries: DictionaryLookup | null = null;
let given: number | undefined;

/** Adds the options of commands that open recordings. */
export function reads(command: Command): Command {
  const collect = (path: string, paths: readonly string[]): readonly string[] => [...paths, path];
  return budgeted(command)
    .option("--dictionary <file>", "zstd dictionary of an HCRP recording, where no <id>.dict is beside it", collect, [])
    .hook("preAction", async (_, action) => {
      const { dictionary: paths } = action.opts<{ dictionary: readonly string[] }>();
      dictionaries = paths.length === 0 ? null : await (await import("./dictionary.ts")).dictionariesFrom(paths);
    });
}

/** Adds the option that says what an open recording may take: see `budget`. */
export function budgeted(command: Command): Command {
  return command
    .option("--budget <size>", "memory that a recording may take, as 512MiB (256MiB)", sizeOf)
    .hook("preAction", (_, action) => {
      given = action.opts<{ budget?: number }>().budget;
    });
}

/** Bytes that a recording may take: as was given, or as the environment says; undefined: the usual. Throws `UsageError`. */
export function budget(): number | undefined {
  const text = process.env["SIMTAPE_BUDGET"] ?? "";
  if (given !== undefined || text === "") return given;
  try {
    return sizeOf(text);
  } catch (error) {
    throw new UsageError(`SIMTAPE_BUDGET is ${text}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Every format, with the dictionaries that were given. */
export function knownFormats(): readonly Format[] {
  if (dictionaries === null) return allFormats();
  const given = createHcrp({ dictionaries });
  return allFormats().map((format) => (format.id === given.id ? given : format));
}

/** The files of what was named on the command line: a path, a folder, a URL, one in S3, or `-` for standard input. */
export async function bundleNamed(name: string): Promise<SourceBundle> {
  if (name === "-") return standardInput();
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

/** Standard input comes once: all who open it share one source, which is closed when the command is over. */
let input: SourceBundle | null = null;

function standardInput(): SourceBundle {
  if (input === null) {
    const source = stdin();
    input = bundleOf(unclosed(source));
    whenOver(() => {
      input = null;
      return source.close();
    });
  }
  return input;
}

/** `source` for one of many who read it. */
export function unclosed(source: ByteSource): ByteSource {
  return {
    name: source.name,
    size: () => source.size(),
    read: (offset, length, signal) => source.read(offset, length, signal),
    close: async () => undefined,
  };
}

/** Opens what was named on the command line, showing progress. What is damaged in it is said when the command ends. */
export async function openNamed(name: string): Promise<Recording> {
  return openedAs(name, await bundleNamed(name));
}

/** Opens a bundle that belongs to what was named on the command line. */
export async function openedAs(name: string, bundle: SourceBundle): Promise<Recording> {
  const progress = new Progress("reading");
  const recording = await openBundle(bundle, knownFormats(), {
    spool: fileSpool(),
    budget: budget(),
    onProgress: (done, total) => progress.show(done, total),
  }).finally(() => progress.end());
  heed(name, recording);
  return recording;
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

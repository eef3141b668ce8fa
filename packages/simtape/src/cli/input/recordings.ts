import { readdir, readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import type { Budget } from "../../bytes/budget.ts";
import { bundleOf, withFiles } from "../../io/source/bundle.ts";
import { collectEarly } from "../run/collect-early.ts";
import { failure } from "../../io/node/file-source.ts";
import { fileSpool, stdin } from "../../io/node/index.ts";
import { shownUrl } from "../../io/source/shown-url.ts";
import type { ByteSource, SourceBundle } from "../../io/source/source.ts";
import { bundleAt } from "../../location.ts";
import { folderMains } from "../../model/file-names.ts";
import { openBundle } from "../../model/open.ts";
import type { FormatOption } from "../../model/format.ts";
import type { Recording } from "../../model/recording.ts";
import { collected } from "./collected.ts";
import { heed, whenOver } from "../run/ending.ts";
import { UsageError } from "../run/failure.ts";
import { allFormats } from "./formats.ts";
import { Progress } from "../run/terminal.ts";
import { toServers } from "./timeout.ts";
import { commandPath, isInS3, under } from "./command-path.ts";
import { hide } from "../run/secrets.ts";
import { sizeOf } from "./size.ts";

/** Options on the command line of commands that open recordings, see `reads`. */
export interface ReadOptions {
  readonly budget?: number;
  /** Files for options of formats, by the names that they have beside a recording. */
  readonly given?: ReadonlyMap<string, Uint8Array>;
  /** Whether a seek index that was kept is used: absent, one of this machine. Behind `seeks` only. */
  readonly index?: boolean;
  readonly mayUseIndex?: boolean;
}

/**
 * Adds the options of commands that look at a part of a recording: they use the seek index that was kept of it. Those that
 * judge or change a recording read all of it themselves.
 */
export function seeks(command: Command): Command {
  return reads(command)
    .option("--index", "use the seek index beside a URL, too")
    .option("--no-index", "do not use a saved seek index")
    .hook("preAction", (_, action) => {
      action.setOptionValue("mayUseIndex", true);
    });
}

/** As `open` takes it. */
export function seekIndexOf(name: string, { index, mayUseIndex }: ReadOptions): "beside" | false | undefined {
  if (mayUseIndex !== true || index === false) return false;
  return isUrl(name) && index === true ? "beside" : undefined;
}

/** Adds the options of commands that open recordings of any format. */
export function reads(command: Command): Command {
  return takesFiles(budgeted(command));
}

/** Adds the options of all formats. */
export function takesFiles(command: Command): Command {
  const options = allFormats()
    .flatMap((format) => format.options ?? [])
    .map((of) => [of, new Option(`--${of.name} <file>`, of.help).argParser(collected)] as const);
  for (const [, option] of options) command.addOption(option);
  return command.hook("preAction", async (_, action) => {
    const flags = action.opts<Readonly<Record<string, readonly string[] | undefined>>>();
    const given = new Map<string, Uint8Array>();
    for (const [of, option] of options)
      for (const path of flags[option.attributeName()] ?? []) {
        const content = await contentOf(path);
        given.set(await fileName(of, content, path), content);
      }
    action.setOptionValue("given", given);
  });
}

/** Throws `UsageError` for what is no such file. */
async function fileName(of: FormatOption, content: Uint8Array, path: string): Promise<string> {
  const name = await of.fileName(content);
  if (name === null) throw new UsageError(`no ${of.what}: ${path}`);
  return name;
}

/** A small file, whole. Throws `UsageError` where it cannot be read. */
export async function contentOf(path: string): Promise<Uint8Array> {
  return new Uint8Array(
    await readFile(path).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`cannot be read (${error.code ?? ""}): ${path}`);
    }),
  );
}

/** Adds the option that says what an open recording may take: see `budgetOf`. */
export function budgeted(command: Command): Command {
  return command
    .option("--budget <size>", "memory that a recording may take, as 512MiB (256MiB)", sizeOf)
    .hook("preAction", collectEarly);
}

/**
 * Bytes that a recording may take: as given, or as the environment says; undefined: the default. Throws `UsageError`.
 */
export function budgetOf({ budget }: ReadOptions): number | undefined {
  const text = process.env["SIMTAPE_BUDGET"] ?? "";
  if (budget !== undefined || text === "") return budget;
  try {
    return sizeOf(text);
  } catch (error) {
    throw new UsageError(`SIMTAPE_BUDGET is ${text}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * The files of what was named on the command line: a path, a folder, a URL, one in S3, or `-` for standard input; and
 * what was given besides.
 */
export async function bundleNamed(name: string, options: ReadOptions = {}): Promise<SourceBundle> {
  return withGiven(await bundleIn(name), options);
}

/** With the files that were given for options of formats. */
export function withGiven(bundle: SourceBundle, { given }: ReadOptions): SourceBundle {
  return given === undefined || given.size === 0 ? bundle : withFiles(bundle, given);
}

async function bundleIn(name: string): Promise<SourceBundle> {
  if (name === "-") return standardInput();
  hide(name);
  if (isUrl(name)) return bundleAt(urlOf(name), { fetch: toServers().fetch });
  return commandPath(await mainPath(name)).source;
}

/** The path of the main file: what was named, or, of a folder, the one in it. Throws `UsageError` when there is none. */
export async function mainPath(name: string): Promise<string> {
  if ((await commandPath(name).kind()) !== "folder") return name;
  const mains = folderMains(allFormats());
  for (const main of mains) if ((await commandPath(under(name, main)).kind()) === "file") return under(name, main);
  if (!isInS3(name))
    await readdir(name).catch((error: unknown) => {
      throw failure(error, name);
    });
  throw new UsageError(`a folder without a recording of its own (${mains.join(", ")}): ${name}`);
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

/**
 * Opens what was named on the command line, showing progress. What is damaged in it is said when the command ends.
 * `shared`: the budget of another recording, for one that is open together with it.
 */
export async function openNamed(name: string, options: ReadOptions, shared?: Budget): Promise<Recording> {
  return openedAs(name, await bundleNamed(name, options), options, shared);
}

/** Opens a bundle that belongs to what was named on the command line. */
export async function openedAs(
  name: string,
  bundle: SourceBundle,
  options: ReadOptions,
  shared?: Budget,
): Promise<Recording> {
  const progress = new Progress("reading");
  const recording = await openBundle(bundle, allFormats(), {
    spool: fileSpool(),
    budget: shared ?? budgetOf(options),
    seekIndex: seekIndexOf(name, options),
    onProgress: (done, total) => progress.show(done, total),
  }).finally(() => progress.end());
  heed(name, recording);
  return recording;
}

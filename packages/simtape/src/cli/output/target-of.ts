import { stat } from "node:fs/promises";
import { checkFileName } from "../../io/source/bundle.ts";
import { modeLike } from "../../io/node/access.ts";
import { tidy } from "../../io/node/directory-files.ts";
import type { SinkBundle } from "../../io/sink/sink.ts";
import { formatOfFolder } from "../../model/file-names.ts";
import { openBundle } from "../../model/open.ts";
import type { Format } from "../../model/format.ts";
import { UsageError } from "../run/failure.ts";
import { allFormats } from "../input/formats.ts";
import { listed } from "./listed.ts";
import { folderOf, isInS3, type CommandPath, commandPath, under } from "../input/command-path.ts";
import { bundleNamed } from "../input/recordings.ts";
import { preceded } from "./preceded.ts";
import { pouredOut } from "./standard-output.ts";
import { formatNamed, endingOf } from "../input/format-of.ts";
import type { Target, TargetOptions } from "./target.ts";

/**
 * Where to write what is made of `input`, of the first of several. A folder is where a file of the source's name goes, with the ending of
 * `format` where that is another, or a recording that is a folder of files itself.
 * Throws `UsageError` when no target is named, or something is there and may not be overwritten.
 */
export async function targetOf(
  named: string | undefined,
  options: TargetOptions,
  made?: string | readonly string[],
  format?: Format,
): Promise<Target> {
  const inputs = made === undefined ? [] : typeof made === "string" ? [made] : made;
  const input = inputs[0];
  const path = named ?? options.output;
  if (path === undefined) throw new UsageError("say where to write: a last argument, or -o FILE");
  if (named !== undefined && options.output !== undefined) throw new UsageError("the output is named twice");
  if (path === "-") return pouredOut();
  const isFolder = path.endsWith("/") || (await commandPath(path).kind()) === "folder";
  const main = isFolder ? await mainIn(path, options.dialect, input, format) : path;
  for (const other of inputs)
    if (other === path || (await isSame(other, path)) || (await isSame(other, main)))
      throw new UsageError(`input and output are the same file: ${path}`);
  const place = commandPath(main);
  const force = options.force === true;
  if (!force && (await place.kind()) !== null) throw new UsageError(`exists already, --force overwrites it: ${main}`);
  if ((await place.kind()) === "folder") throw new UsageError(`a folder is there: ${main}`);
  const mode = await modeOf(inputs);
  if (!isInS3(main)) await tidy(folderOf(main));
  const files = new Map<string, number>();
  const { sink, before } = preceded(guarded(place, main, options, mode));
  return {
    path,
    main,
    sink: listed(sink, files),
    before,
    written: place.source,
    mode,
    force,
    files,
    isStandardOutput: false,
    put: async (name, bytes, replaces = false) => {
      const beside = listed(commandPath(under(folderOf(main), name)).sink(replaces, mode), files);
      const sink = await beside.open();
      await sink.write(bytes);
      await sink.close();
    },
  };
}

/** Who may read all of `inputs`; undefined: none is a file of this machine. */
async function modeOf(inputs: readonly string[]): Promise<number | undefined> {
  const modes = await Promise.all(inputs.map(modeLike));
  return modes.reduce<number | undefined>((all, mode) => (mode === null ? all : (all ?? mode) & mode), undefined);
}

/** Main file of what is written into a folder. */
async function mainIn(
  folder: string,
  dialect: string | undefined,
  input: string | undefined,
  format: Format | undefined,
): Promise<string> {
  const hasName = input !== undefined && input !== "-" && !input.endsWith(".json");
  const name = hasName ? (await bundleNamed(input)).name : null;
  const asFolder = allFormats().find(({ files }) => files?.folder !== undefined && files.folder.dialect === dialect);
  if (asFolder !== undefined) return under(folder, asFolder.files!.folder!.mains[0]!);
  const ofFolder = name === null ? null : formatOfFolder(name, allFormats());
  if (name !== null && ofFolder !== null && dialect === undefined && (format ?? ofFolder) === ofFolder)
    return under(folder, name);
  const own = name !== null && ofFolder !== null ? lastOf(input!.endsWith(name) ? folderOf(input!) : input!) : name;
  if (own === null) throw new UsageError(`a folder: say what the file in it is called: ${folder}`);
  checkFileName(own, input!);
  const meant = format ?? ofFolder ?? formatNamed(own);
  if (meant === null || formatNamed(own) === meant) return under(folder, own);
  return under(folder, `${own.slice(0, own.length - endingOf(own).length)}.${meant.extensions[0]!}`);
}

function lastOf(path: string): string | null {
  return path.replace(/\/+$/, "").split("/").at(-1) || null;
}

/**
 * Files beside the main one are overwritten only where they belong to the recording that is overwritten, and none of
 * that is left where it would be taken for a part of the new one.
 */
function guarded(
  place: CommandPath,
  main: string,
  { force = false, isExport = false }: TargetOptions,
  mode: number | undefined,
): SinkBundle {
  const free = place.sink(false, mode);
  const beside = (name: string): string => under(folderOf(main), name);
  const isThere = async (name: string): Promise<boolean> => (await commandPath(beside(name)).kind()) !== null;
  if (!force)
    return {
      name: free.name,
      open: async (name) => {
        if (name !== undefined && (await isThere(name)))
          throw new UsageError(`exists already, remove it or choose another name: ${beside(name)}`);
        return free.open(name);
      },
    };
  const forced = place.sink(true, mode);
  let own: Promise<readonly string[]> | null = null;
  const kept = new Set<string>();
  return {
    name: forced.name,
    open: async (name) => {
      if (name === undefined) {
        const pair = await pairOf(place, lastOf(main)!, beside);
        const sink = await forced.open();
        const close = sink.close.bind(sink);
        return Object.assign(sink, {
          close: async () => {
            const left = pair.find((other) => !kept.has(other));
            if (left !== undefined)
              throw new UsageError(
                `belongs to the recording that --force overwrites, and would become a part of the new one, remove it first: ${beside(left)}`,
              );
            await close();
          },
        });
      }
      own ??= filesBeside(place);
      const isOwn = isExport ? (await place.kind()) === "file" : (await own).includes(name);
      if (!isOwn && (await isThere(name)))
        throw new UsageError(
          `exists already and does not belong to the ${isExport ? "file" : "recording"} that --force overwrites, remove it first: ${beside(name)}`,
        );
      const sink = await (isOwn ? forced : free).open(name);
      kept.add(name);
      const abort = sink.abort.bind(sink);
      return Object.assign(sink, {
        abort: () => {
          kept.delete(name);
          return abort();
        },
      });
    },
  };
}

/** The other file of a pair that is there: it is found by the name of the main one, whatever that becomes. */
async function pairOf(place: CommandPath, main: string, beside: (name: string) => string): Promise<readonly string[]> {
  const names = allFormats().flatMap(({ files }) => files?.partners?.(main) ?? []);
  const kinds = await Promise.all(names.map((name) => commandPath(beside(name)).kind()));
  if (!kinds.includes("file")) return [];
  return (await filesBeside(place)).filter((name) => names.includes(name));
}

/** Names of the files beside the main one of the recording at a place; none where there is no recording. */
async function filesBeside(place: CommandPath): Promise<readonly string[]> {
  if ((await place.kind()) !== "file") return [];
  const there = await openBundle(place.source, allFormats()).catch(() => null);
  await there?.close();
  return there?.reader.siblings ?? [];
}

/** Whether two names are of one file on disk, however they are written. */
async function isSame(a: string, b: string): Promise<boolean> {
  if (a === "-") return false;
  const [one, other] = await Promise.all([a, b].map((path) => stat(path).catch(() => null)));
  return one != null && other != null && one.ino === other.ino && one.dev === other.dev && one.ino !== 0;
}

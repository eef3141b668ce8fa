import { dirname, join, relative, resolve } from "node:path";
import { type Command, Option } from "commander";
import { exporterFor, fittingTargets } from "../../export/export-to.ts";
import type { ExportReport, ExportTarget, OriginalFiles } from "../../export/exporter.ts";
import { EXPORT_TARGETS, targetCalled, targetOfName } from "../../export/targets.ts";
import { HeldFiles } from "../../io/sink/held.ts";
import { removeEmpty } from "../../io/node/directory-files.ts";
import { makeFolders } from "../../io/node/folders.ts";
import { RecordingError } from "../../model/error.ts";
import { toJson } from "../../model/values/json.ts";
import type { TimeRange } from "../../model/values/time.ts";
import type { Recording } from "../../model/recording.ts";
import { type AskedRows, askedOf, AXES } from "../input/asked-rows.ts";
import { collected } from "../input/collected.ts";
import { commandPath, isInS3, under } from "../input/command-path.ts";
import { forEach } from "../input/each.ts";
import { recordingsAt } from "../input/folders.ts";
import { endingFor } from "../input/format-of.ts";
import { ORIGIN_FLAGS } from "../input/origin.ts";
import { bundleNamed, type ReadOptions, seeks } from "../input/recordings.ts";
import { channelCalled, thingsOfAll } from "../input/table-of.ts";
import { clock, TIME_HELP } from "../input/time.ts";
import { withRecording } from "../input/with-recording.ts";
import { report } from "../output/report.ts";
import type { Target } from "../output/target.ts";
import { spooledSink } from "../output/spooled-sink.ts";
import { targetOf } from "../output/target-of.ts";
import { EXIT, type Failure, UsageError } from "../run/failure.ts";
import { byteSize, counted, Output, Progress, paint, say, tellLost } from "../run/terminal.ts";

interface ExportCommand extends ReadOptions, AskedRows {
  readonly to?: string;
  readonly output?: string;
  readonly list?: boolean;
  readonly set?: string;
  readonly channel?: string;
  readonly time?: "ns" | "s";
  readonly units: boolean;
  readonly original?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Sets and channels that `--list` names of each target. */
const MOST_NAMES = 6;
/** Bytes of files that are carried inside unless `--original` says so. */
const ORIGINAL_LIMIT = 256 << 20;

export function addExport(program: Command): void {
  const ids = EXPORT_TARGETS.map(({ id }) => id);
  const targets = EXPORT_TARGETS.map(({ id, name, carries }) => `  ${id.padEnd(8)} ${name}: ${carries}`);
  seeks(program.command("export"))
    .summary("recordings for other programs: spreadsheets, pandas and more")
    .description(
      "Writes what a recording holds as a file that other programs read. A target that cannot carry anything of the recording is refused, with those that can. Exit 3: something was lost.",
    )
    .argument("<file...>", "paths, URLs, or - for standard input; a folder stands for the recordings in it")
    .addOption(new Option("--to <target>", "the target, when the name of the output does not say it").choices(ids))
    .option(
      "-o, --output <path>",
      "where to write; of several recordings a folder, made if it is not there; default standard output",
    )
    .option("--list", "write nothing, say which targets fit")
    .addOption(new Option("--set <name>", "a set of the state: vehicles, atoms, aircraft").conflicts("channel"))
    .option("-c, --channel <name>", "a channel: a row for each message, or for each item of those that are lists")
    .option("--columns <names>", "only these, with commas between: position,brake", collected)
    .option("--id <id>", "only this thing (may be given more than once)", collected)
    .option("--from <time>", "first time, inclusive")
    .option("--until <time>", "last time, exclusive")
    .option("--every <time>", "at this interval instead of at recorded moments: 50ms")
    .addOption(
      new Option("--axes <name>", "turned to these axes, in metres; standard is right-handed with z up")
        .choices(Object.keys(AXES))
        .default("source"),
    )
    .option(ORIGIN_FLAGS, "where a local plane touches the earth: degrees, metres, degrees")
    .addOption(new Option("--time <unit>", "what a column of time is in (s)").choices(["ns", "s"]))
    .option("--no-units", "headers without units: position.x, not position.x [cm]")
    .option(
      "--original",
      "to MCAP: carry the files of the recording inside, however large (default: of a whole one, up to 256 MiB)",
    )
    .option("--no-original", "to MCAP: leave them out")
    .option("--force", "overwrite existing files")
    .option("--json", "one JSON object per file")
    .addHelpText(
      "after",
      `\nTargets:\n${targets.join("\n")}\n\n${TIME_HELP}\n\nExamples:\n  $ simtape export town.log -o vehicles.csv\n  $ simtape export town.log --columns position,velocity --id 24 --to parquet -o hero.parquet\n  $ simtape export runs/ --to parquet -o tables/\n  $ simtape export robot.tape -c /robot/Odometry --to ndjson | head\n  $ simtape export flight.fgtape --list`,
    )
    .action(async (files: string[], options: ExportCommand) => {
      process.exitCode = options.list === true ? await listAll(files, options) : await exportAll(files, options);
    });
}

async function exportAll(files: readonly string[], options: ExportCommand): Promise<number> {
  const folders = await foldersOf(files);
  const isIntoFolder = await leadsIntoFolder(options.output, folders.size > 1);
  const target = meantTarget(options, isIntoFolder);
  const written = new Map<string, string>();
  const one = (file: string): Promise<number> =>
    withRecording(file, options, async (recording) => {
      const { output } = options;
      const name = isIntoFolder ? join(folders.get(file) ?? "", await nameIn(file, recording, target)) : "";
      const path = isIntoFolder ? under(output!, name) : (output ?? "-");
      const other = written.get(path);
      if (other !== undefined) throw new UsageError(`${path} is written already, of ${other}`);
      written.set(path, file);
      const folder = dirname(path);
      const made = isIntoFolder && !isInS3(path) ? await makeFolders(folder).catch(cannotBeMade(folder)) : null;
      return exportOne(recording, target, path, file, options).catch(async (error: unknown) => {
        // no folder is left for a recording that was refused
        if (made !== null) await removeEmpty(resolve(folder), dirname(resolve(made)));
        throw error;
      });
    });
  return forEach(files, one, (file, failure) => failed(file, failure, options));
}

/** Each recording with its folder, from the folder that was named on; "" of one that is named itself. */
async function foldersOf(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  for (const named of files)
    for (const file of await recordingsAt(named).catch(() => [named]))
      folders.set(file, file === named ? "" : dirname(relative(named, file)));
  return folders;
}

function cannotBeMade(folder: string): (error: Error) => never {
  return (error) => {
    throw new UsageError(`the folder cannot be made: ${folder} (${(error as NodeJS.ErrnoException).code})`);
  };
}

/** Whether the output is a folder. Throws `UsageError` where it must be, and is not. */
async function leadsIntoFolder(output: string | undefined, areSeveral: boolean): Promise<boolean> {
  const isFolder =
    output !== undefined && output !== "-" && (output.endsWith("/") || (await commandPath(output).kind()) === "folder");
  if (isFolder || !areSeveral) return isFolder;
  throw new UsageError("several recordings go into a folder: -o FOLDER/");
}

/** As it is called, or as the name of the output says. */
function meantTarget({ to, output }: ExportCommand, isFolder: boolean): ExportTarget {
  const found = to !== undefined ? targetCalled(to) : output === undefined || isFolder ? null : targetOfName(output);
  if (found !== null) return found;
  const ids = EXPORT_TARGETS.map(({ id }) => id).join("|");
  throw new UsageError(`say --to ${ids}${output === undefined ? ", or -o FILE with such an ending" : ""}`);
}

/** What a recording is called in a folder of exports. */
async function nameIn(file: string, recording: Recording, target: ExportTarget): Promise<string> {
  const name = file === "-" ? null : (await bundleNamed(file)).name;
  const own = name ?? `recording.${target.id}`;
  const ending = endingFor(recording, own);
  const stem = ending !== "" && own.endsWith(ending) ? own.slice(0, -ending.length) : own.replace(/\.[^.]*$/, "");
  return `${stem}.${target.extensions[0]!}`;
}

async function exportOne(
  recording: Recording,
  target: ExportTarget,
  path: string,
  file: string,
  options: ExportCommand,
): Promise<number> {
  const place = await targetOf(undefined, { ...options, output: path, isExport: true }, file);
  const { start, end } = await recording.timeline();
  const progress = new Progress(`exporting ${target.id}`);
  // counts and places that are known late are written in front: objects of a store do not take that
  const held = new HeldFiles(isInS3(path) ? await spooledSink(place.sink) : place.sink, place.written);
  let made: ExportReport;
  try {
    const exporter = await exporterFor(recording, target).catch(asUnfit);
    const range = await askedOf(recording, options);
    const length = (range.end ?? end) - (range.start ?? start);
    made = await exporter.write(recording, held, {
      ...range,
      set: options.set,
      channel: options.channel === undefined ? undefined : channelCalled(recording, options.channel),
      units: options.units,
      time: options.time,
      things: thingsOfAll,
      original: await originalOf(file, target, range, options),
      onProgress: (time) => progress.show(time - (range.start ?? start), length, clock),
    });
    await held.release();
  } catch (error) {
    await held.abort();
    throw asUsage(error);
  } finally {
    progress.end();
  }
  await report(place, options, { file, to: target.id, ...made }, tell(place, made));
  return made.lost.length > 0 ? EXIT.lossy : EXIT.done;
}

/** The files to be carried inside; null: none. Of a part of a recording only where it is asked for. */
async function originalOf(
  file: string,
  target: ExportTarget,
  { start, end }: TimeRange,
  { original, set, channel }: ExportCommand,
): Promise<OriginalFiles | null> {
  const hasFiles = file !== "-" && !file.endsWith(".json");
  if (original === true && !hasFiles) throw new TypeError("--original: the recording is in no files");
  const isWhole = start === undefined && end === undefined && set === undefined && channel === undefined;
  if (!hasFiles || !(original ?? (isWhole && target.takes.includes("original")))) return null;
  return { bundle: await bundleNamed(file), limit: original === true ? undefined : ORIGINAL_LIMIT };
}

/** Options that do not fit are wrong usage. */
function asUsage(error: unknown): unknown {
  return error instanceof RangeError || error instanceof TypeError ? new UsageError(error.message) : error;
}

/** That a target carries nothing of the recording is wrong usage, too. */
function asUnfit(error: unknown): never {
  throw RecordingError.is(error) && error.code === "unsupported" ? new UsageError(error.message) : error;
}

function tell(place: Target, { of, count, unit, lost, notes }: ExportReport): string[] {
  const size = byteSize(place.files.get(place.main) ?? 0);
  const line = `${place.main}: ${counted(count, unit, unit === "fix" ? "fixes" : undefined)}, ${of.join(", ")}, ${size}`;
  return [line, ...tellLost(lost), ...notes.map((note) => `  ${note}`)];
}

/** Said of one of several; as JSON, too, but where the output itself goes to standard output. */
async function failed(file: string, failure: Failure, { json, output }: ExportCommand): Promise<void> {
  say(`simtape: ${file} is not exported: ${failure.message}`);
  if (json !== true || output === undefined || output === "-") return;
  const out = new Output();
  await out.line(toJson({ file, error: failure }));
  await out.flush();
}

/** The first names of many. */
function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return more <= 1 ? names.join(", ") : `${names.slice(0, MOST_NAMES).join(", ")} and ${more} more`;
}

async function listAll(files: readonly string[], options: ExportCommand): Promise<number> {
  const out = new Output();
  const one = (file: string): Promise<number> =>
    withRecording(file, options, async (recording) => {
      const found = await fittingTargets(recording);
      const targets = found.map(({ target: { id, name, extensions, mediaType, carries, takes }, fits }) => ({
        ...{ id, name, extensions, mediaType, carries, takes, fits },
      }));
      if (options.json === true) await out.line(toJson({ file, format: recording.info.format, targets }));
      else {
        await out.line(`${file}: ${recording.info.format}`);
        for (const { id, fits, carries } of targets)
          await out.line(
            `  ${paint.bold(id.padEnd(8))} ${fits.length > 0 ? some(fits) : paint.dim(`nothing: it carries ${carries}`)}`,
          );
      }
      await out.flush();
      return EXIT.done;
    });
  return forEach(files, one, (file, failure) => failed(file, failure, { ...options, output: file }));
}

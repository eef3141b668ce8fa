import { type Command, Option } from "commander";
import type { TableOptions } from "../../model/query/table.ts";
import type { Recording } from "../../model/recording.ts";
import type { Question } from "../../ask/ask.ts";
import type { DerivedTable } from "../../ask/columns.ts";
import type { RowsOf } from "../../export/row-source.ts";
import { derivedAmong, usableExpression } from "../input/asked.ts";
import { commandPath } from "../input/command-path.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { byteSize, counted, Progress, say } from "../run/terminal.ts";
import { ORIGIN_FLAGS } from "../input/origin.ts";
import { type AskedRows, askedOf, AXES } from "../input/asked-rows.ts";
import { type ReadOptions, seeks } from "../input/recordings.ts";
import { withRecording } from "../input/with-recording.ts";
import { toStandardOutput } from "../output/put.ts";
import { report } from "../output/report.ts";
import { tableOf } from "../input/table-of.ts";
import {
  batchInSeconds,
  columnsInSeconds,
  type Put,
  type RowWriter,
  TABLE_FORMATS,
  type TableFormat,
  withoutUnit,
  withUnit,
} from "../../export/rows.ts";
import type { Target } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { clock, TIME_HELP } from "../input/time.ts";

interface TableCommand extends ReadOptions, AskedRows {
  readonly set?: string;
  readonly channel?: string;
  readonly time: "ns" | "s";
  readonly units: boolean;
  readonly format?: TableFormat;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export function addTable(program: Command): void {
  const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
  seeks(program.command("table"))
    .summary("rows and columns for other programs: CSV, Parquet, NDJSON")
    .description(
      "Writes what moves, or the messages of a channel, as flat typed columns: a row for each thing at each recorded moment, or for each message. Without --set and --channel it is the set that the recording is about: vehicles, atoms, players, poses, aircraft.",
    )
    .argument("<file>", "path, folder, URL, or - for standard input")
    .addOption(
      new Option("--set <name>", "a set of the state: a row for each thing at each moment").conflicts("channel"),
    )
    .option("-c, --channel <name>", "a channel: a row for each message, or for each item of those that are lists")
    .option(
      "--columns <names>",
      "only these, with commas between: position,brake; of a set also expressions: 'distance(it, vehicles[25])'",
      collect,
    )
    .option("--id <id>", "of a set: only this thing (may be given more than once)", collect)
    .option("--from <time>", "first time, inclusive")
    .option("--until <time>", "last time, exclusive")
    .option("--every <time>", "of a set: rows at this interval instead of at recorded moments: 50ms")
    .addOption(
      new Option("--axes <name>", "of a set: turned to these axes, in metres; standard is right-handed with z up")
        .choices(Object.keys(AXES))
        .default("source"),
    )
    .option(ORIGIN_FLAGS, "with --axes: where geodetic things are laid on a plane; by default at the first place")
    .addOption(new Option("--time <unit>", "what time is in").choices(["ns", "s"]).default("ns"))
    .option("--no-units", "headers without units: position.x, not position.x [cm]")
    .addOption(
      new Option("--format <format>", "how to write it; by default as the name of the output says, else CSV").choices(
        TABLE_FORMATS,
      ),
    )
    .option("-o, --output <file>", "where to write: x.csv, x.parquet, x.ndjson; default standard output")
    .option("--force", "overwrite an existing file")
    .option("--json", "with -o: the report as one JSON object; without: the same as --format ndjson")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\nWith --axes positions, rotations, orientations and velocities are turned; other columns of three or four numbers are left out, but colours and geodetic places. Expressions (docs/ask.md) are of each thing of the set, with the units of the recording.\n\nExamples:\n  $ simtape table town.log -o vehicles.csv\n  $ simtape table town.log --columns position,brake --id 24 --every 50ms -o hero.parquet\n  $ simtape table town.log --columns "speed(it) in km/h, distance(it, vehicles[25]) in m" -o speeds.csv\n  $ simtape table run.nanover.zip --columns position,element --from 1s --until 2s\n  $ simtape table robot.tape -c /robot/Odometry --format ndjson | head`,
    )
    .action(async (file: string, options: TableCommand) => {
      const target = await fileFor(file, options);
      process.exitCode = await withRecording(file, options, (recording) => write(recording, target, options));
    });
}

/** Null: standard output. */
async function fileFor(input: string, { output, force }: TableCommand): Promise<Target | null> {
  if (output === undefined || output === "-") return null;
  if (output.endsWith("/") || (await commandPath(output).kind()) === "folder")
    throw new UsageError(`a folder: say what the file in it is called: ${output}`);
  return targetOf(undefined, { output, ...(force === undefined ? {} : { force }) }, input);
}

async function write(recording: Recording, target: Target | null, options: TableCommand): Promise<number> {
  const format = formatOf(target, options);
  const { of, name, undecodable } = await tableOf(recording, options);
  const asked = await askedOf(recording, options);
  const table = await asTable(recording, of, asked).catch((error: unknown) => {
    throw error instanceof RangeError || error instanceof TypeError ? new UsageError(error.message) : error;
  });
  const columns = options.time === "s" ? columnsInSeconds(table.columns) : table.columns;
  const sink = target === null ? null : await target.sink.open();
  let rows = 0;
  try {
    const put: Put = sink === null ? toStandardOutput() : (piece) => sink.write(bytesOf(piece));
    const header = options.units ? withUnit : withoutUnit;
    const writer = await writerOf(format, recording, { columns, axes: table.axes }, header, put);
    rows = await pump(recording, table, asked, writer, options.time === "s");
    await sink?.close();
  } catch (error) {
    await sink?.abort();
    throw error;
  }
  if (target !== null) {
    const size = byteSize(target.files.get(target.main) ?? 0);
    const line = `${target.main}: ${counted(rows, "row")} of ${counted(columns.length, "column")}, ${name}, ${size}`;
    await report(target, options, { of: name, rows, axes: table.axes, columns }, [line]);
  }
  // each payload is decoded once for the columns and once for the rows
  const empty = undecodable(2);
  if (empty === 0) return EXIT.done;
  say(`simtape: ${counted(empty, "payload does", "payloads do")} not decode and have empty rows`);
  return EXIT.lossy;
}

/** With columns that are derived, where expressions are among those asked for. */
async function asTable(recording: Recording, of: RowsOf["of"], asked: TableOptions): Promise<DerivedTable> {
  const { recorded, derived } = await derivedAmong(asked.columns ?? []);
  if (derived.length === 0) return recording.table(of, asked);
  if (typeof of !== "string")
    throw new UsageError("columns are derived of a set, and not of a channel: leave --channel out");
  const { askEach } = await import("../../ask/ask.ts");
  const { derivedTable } = await import("../../ask/columns.ts");
  const { start, end, ids } = asked;
  const questions: Question[] = [];
  for (const text of derived)
    questions.push(await usableExpression(text, () => askEach(recording, of, text, { start, end, ids })));
  return usableExpression(derived.join(", "), () =>
    derivedTable(recording, of, questions, { ...asked, columns: recorded }),
  );
}

/** The rows go from the table to the writer; tells how many they were. */
async function pump(
  recording: Recording,
  table: DerivedTable,
  { start, end }: TableOptions,
  writer: RowWriter,
  inSeconds: boolean,
): Promise<number> {
  const timeline = await recording.timeline();
  const from = start ?? timeline.start;
  const length = (end ?? timeline.end) - from;
  const progress = new Progress("table");
  let rows = 0;
  try {
    for await (const batch of table) {
      await writer.write(inSeconds ? batchInSeconds(batch) : batch);
      rows += batch.length;
      progress.show(Number(batch.columns[0]!.data[batch.length - 1]) - from, length, clock);
    }
    await writer.end();
  } finally {
    progress.end();
  }
  return rows;
}

async function writerOf(
  format: TableFormat,
  { reader }: Recording,
  ...given: Parameters<typeof import("../../export/csv.ts")["csvWriter"]>
): Promise<RowWriter> {
  if (format === "parquet") return (await import("../../export/parquet.ts")).parquetWriter(...given, reader.budget);
  if (format === "csv") return (await import("../../export/csv.ts")).csvWriter(...given);
  return (await import("../../export/ndjson.ts")).ndjsonWriter(...given);
}

/** As asked for, or as the name of the file says. */
function formatOf(target: Target | null, { format, json }: TableCommand): TableFormat {
  if (target === null) {
    const found = format ?? (json === true ? "ndjson" : "csv");
    if (found === "parquet" && process.stdout.isTTY === true)
      throw new UsageError("Parquet is no text for a terminal: say -o FILE");
    return found;
  }
  const ending = /\.([^./]*)$/.exec(target.main)?.[1]?.toLowerCase() ?? "";
  const found = format ?? (ending === "jsonl" ? "ndjson" : TABLE_FORMATS.find((one) => one === ending));
  if (found !== undefined) return found;
  throw new UsageError(`cannot tell the format from the name ${target.main}: say --format ${TABLE_FORMATS.join("|")}`);
}

function bytesOf(piece: string | Uint8Array): Uint8Array {
  return typeof piece === "string" ? Buffer.from(piece) : piece;
}

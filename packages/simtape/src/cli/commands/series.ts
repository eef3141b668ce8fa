import { type Command, Option } from "commander";
import type { DerivedBatch, Question } from "../../ask/ask.ts";
import { PathError } from "../../model/state/path.ts";
import type { SeriesMode, SeriesOptions } from "../../model/query/series.ts";
import type { Recording } from "../../model/recording.ts";
import type { TimeRange } from "../../model/values/time.ts";
import { usableExpression } from "../input/asked.ts";
import { collected } from "../input/collected.ts";
import { intervalOf } from "../input/interval.ts";
import { type ReadOptions, seeks } from "../input/recordings.ts";
import { clock, parseRange, TIME_HELP } from "../input/time.ts";
import { withRecording } from "../input/with-recording.ts";
import { findingToPlain } from "../output/findings.ts";
import { toJson } from "../../model/values/json.ts";
import { plainSeries, SERIES_HEADER, seriesRows } from "../output/series-text.ts";
import { damageIn } from "../run/ending.ts";
import { UsageError } from "../run/failure.ts";
import { Output } from "../run/terminal.ts";

interface SeriesCommand extends ReadOptions {
  readonly path?: readonly string[];
  readonly from?: string;
  readonly until?: string;
  readonly every?: string;
  readonly points?: string;
  readonly mode?: Exclude<SeriesMode, "all">;
  readonly json?: boolean;
}

export function addSeries(program: Command): void {
  seeks(program.command("series"))
    .summary("numbers over time, of any path")
    .description(
      "Writes the values of paths over time as CSV: path, time in nanoseconds, value. Without --path it lists the paths of the recording.",
    )
    .argument("<file>", "path, folder, URL, or - for standard input")
    .argument("[expression]", "a number, boolean or text made of paths: distance(vehicles[1], vehicles[2])")
    .option("--path <path>", "a number or text: vehicles/24/position.x (may be given more than once)", collected)
    .option("--from <time>", "first time, inclusive")
    .option("--until <time>", "last time, exclusive")
    .option("--every <time>", "the values at this interval: 50ms")
    .option("--points <count>", "at most a few values for each of so many steps, instead of all")
    .addOption(
      new Option(
        "--mode <mode>",
        "with --points: the first, least, greatest and last value of each step, or the one at its start",
      )
        .choices(["minmax", "sample"])
        .default("minmax"),
    )
    .option("--json", "one JSON object with a list of times and a list of values for each path")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\n\nExamples:\n  $ simtape series flight.fgtape\n  $ simtape series flight.fgtape --path /position/altitude-ft > altitude.csv\n  $ simtape series town.log --path vehicles/24/position.x --path vehicles/24/gear --every 100ms --json\n  $ simtape series town.log "speed(vehicles[24]) in km/h"\nExpressions: docs/ask.md.`,
    )
    .action(async (file: string, expression: string | undefined, options: SeriesCommand) => {
      const output = new Output();
      await withRecording(file, options, (recording) =>
        expression === undefined
          ? write(recording, options, output)
          : usableExpression(expression, () => derive(recording, expression, options, output)),
      );
      await output.flush();
    });
}

async function write(recording: Recording, options: SeriesCommand, output: Output): Promise<void> {
  const { path: paths, json: isJson } = options;
  const range = await parseRange(options, recording);
  if (paths === undefined) return list(recording, range, isJson === true, output);
  const asked = { ...range, ...(await stepsOf(options, range, recording)) };
  if (isJson === true) {
    const series = (await usable(() => recording.series(paths, asked))).map(plainSeries);
    return output.line(toJson({ series, findings: damageIn(recording.findings).map(findingToPlain) }));
  }
  // read in pieces: rows of CSV need not be in memory all together
  const batches = recording.seriesBatches(paths, asked);
  let isFirst = true;
  for (;;) {
    const { value: batch, done: isDone } = await usable(() => batches.next());
    if (isFirst) await output.text(SERIES_HEADER);
    isFirst = false;
    if (isDone === true) return;
    await output.text(seriesRows(batch.map(plainSeries)));
  }
}

/** Values of an expression, at the moments of what it is made of. */
async function derive(recording: Recording, expression: string, options: SeriesCommand, output: Output): Promise<void> {
  const { path, every, points, json: isJson } = options;
  if (path !== undefined || every !== undefined || points !== undefined)
    throw new UsageError("an expression has the moments of its paths: it goes with --from and --until only");
  const { ask } = await import("../../ask/ask.ts");
  const question = await ask(recording, expression, await parseRange(options, recording));
  const kind = ({ number: "number", words: "text", boolean: "boolean", instant: "boolean" } as const)[question.type];
  const about = {
    unit: question.unit === "" ? null : question.unit,
    kind,
    interpolation: "hold",
  } as const;
  const all = new Map<string, { readonly time: number[]; readonly value: (number | string | null)[] }>();
  let isFirst = true;
  let count = 0;
  for await (const pieces of piecesOf(question)) {
    const plain = pieces.map(({ path, time, value, texts }) => {
      const found = Array.from(value, (one) => (Number.isNaN(one) ? null : texts === null ? one : texts[one]!));
      return { ...about, path, time, value: found };
    });
    if (isJson === true) {
      for (const { path, time, value } of plain) {
        count += time.length;
        recording.reader.budget?.fit("the values of the expression", 32 * count);
        if (!all.has(path)) all.set(path, { time: [], value: [] });
        const into = all.get(path)!;
        for (const [row, one] of value.entries()) {
          into.time.push(time[row]!);
          into.value.push(one);
        }
      }
      continue;
    }
    if (isFirst) await output.text(SERIES_HEADER);
    isFirst = false;
    await output.text(seriesRows(plain));
  }
  if (isJson !== true) return;
  const series = Array.from(all, ([path, found]) => ({ ...about, path, ...found }));
  await output.line(toJson({ series, findings: damageIn(recording.findings).map(findingToPlain) }));
}

/** Of an expression about each thing there is a series for every one: its path is `vehicles/24: speed`. */
async function* piecesOf(question: Question): AsyncGenerator<readonly (DerivedBatch & { readonly path: string })[]> {
  const { text, isEach } = question;
  if (!isEach) for await (const batch of question.values()) yield [{ path: text, ...batch }];
  else
    for await (const things of question.eachValues())
      yield things.map((values) => ({ path: `${values.thing}: ${text}`, ...values }));
}

/** Throws `UsageError` for steps that are none. */
async function stepsOf(
  { every, points, mode }: SeriesCommand,
  range: TimeRange,
  recording: Recording,
): Promise<SeriesOptions> {
  if (every !== undefined && points !== undefined) throw new UsageError("say --every or --points, not both");
  if (every !== undefined) return { every: await intervalOf(every, range, recording) };
  if (points === undefined) return {};
  if (!/^[1-9]\d{0,8}$/.test(points))
    throw new UsageError(`--points takes a whole number above 0, not ${JSON.stringify(points)}`);
  return { points: Number(points), mode };
}

/** A path that does not exist is wrong usage; the message names the nearest. */
async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PathError ? new UsageError(error.message) : error;
  }
}

async function list(
  recording: Recording,
  range: { readonly start?: number | undefined; readonly end?: number | undefined },
  isJson: boolean,
  output: Output,
): Promise<void> {
  const { start, end } = range;
  const isWhole = start === undefined && end === undefined;
  const paths = await recording.paths(isWhole ? {} : { start, end });
  if (isJson) {
    const plain = paths.map(({ text, unit, kind, interpolation, first, last }) => {
      return { path: text, unit, kind, interpolation, first, last };
    });
    return output.line(toJson({ paths: plain, findings: damageIn(recording.findings).map(findingToPlain) }));
  }
  for (const { text, unit, kind, first, last } of paths) {
    const when = first === null || last === null ? "" : `${clock(first)} to ${clock(last)}  `;
    await output.line(`${when}${text}  ${unit ?? kind}`);
  }
}

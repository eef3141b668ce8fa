import type { Command } from "commander";
import { AskError } from "../../ask/error.ts";
import { RecordingError } from "../../model/error.ts";
import { toJson } from "../../model/values/json.ts";
import type { SqlSource } from "../../sql/source.ts";
import { type Asked, type Found, lookInto } from "../find/look.ts";
import { areHere, lookInThreads } from "../find/threads.ts";
import { failureLine } from "../input/each.ts";
import { usableExpression, wrongExpression } from "../input/asked.ts";
import { budgetOf, type ReadOptions, seeks } from "../input/recordings.ts";
import { sourceCalled, sqlSources } from "../input/sql-sources.ts";
import { clock } from "../input/time.ts";
import { heed } from "../run/ending.ts";
import { UsageError } from "../run/failure.ts";
import { counted, Output, Progress, say } from "../run/terminal.ts";

/** What `simtape find` is given beside the folder. */
export interface FindCommand extends ReadOptions {
  readonly where: string;
  readonly whether?: boolean;
  readonly json?: boolean;
}

/** Recordings that are read at once on one thread. Each has this part of the budget, on several threads, too. */
const AT_ONCE = 4;
const BUDGET = 256 << 20;

/** The command where the package of the server is not installed; its own searches a server, too. */
export function addFind(program: Command): void {
  seeks(program.command("find"))
    .summary("recordings in which an expression is true")
    .description(
      "Lists the recordings of a folder in which an expression is ever true, and how often. What the kept seek index of a recording decides needs no reading.",
    )
    .argument("<folder>", "path of a folder or recording, URL, or s3://BUCKET/PREFIX")
    .requiredOption("--where <expression>", "for instance: any vehicles (speed > 100 km/h)")
    .option("--whether", "only whether it is ever true, not how often: reading stops at the first time")
    .option("--json", "one JSON object")
    .addHelpText(
      "after",
      `\nA recording that does not have what the expression names does not fit. One that cannot be read is left out, and the exit code is 3; it is 1 where that is all.\nExpressions: docs/ask.md.\n\nExamples:\n  $ simtape find runs --where "event(collision)"\n  $ simtape find s3://lab/runs --where "any vehicles (acceleration < -8 m/s²)" --json`,
    )
    .action(findWhere);
}

/** A recording by a name of its own: path or URL. */
export interface NamedPlace {
  readonly name: string;
  readonly place: string;
}

/**
 * `simtape find FOLDER --where EXPRESSION`; also about recordings that something else has found. Throws `UsageError` for an
 * expression that is wrong.
 */
export async function findWhere(within: string | readonly NamedPlace[], options: FindCommand): Promise<void> {
  const { where: expression } = options;
  const { parse } = await import("../../ask/parser.ts");
  await usableExpression(expression, async () => parse(expression));
  const read = { ...options, budget: Math.floor((budgetOf(options) ?? BUDGET) / AT_ONCE) };
  const sources =
    typeof within === "string"
      ? await sqlSources([within], read)
      : within.map(({ name, place }) => sourceCalled(name, place, read));
  const output = new Output();
  const progress = new Progress("recordings");
  const asked: Asked = { expression, isWhether: options.whether === true };
  const decided: ReadonlyMap<string, Found> =
    mayGlance(read) && areHere(sources) ? await decidedIn(sources, expression, read.budget) : new Map<string, Found>();
  const left = sources.filter(({ file }) => !decided.has(file!));
  const threads = lookInThreads(left, asked, read);
  const all: Found[] = [];
  let shown = 0;
  let done = 0;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < sources.length) {
      const index = next++;
      const source = sources[index]!;
      const found =
        decided.get(source.file!) ??
        (threads === null ? await lookInto(() => source.open(), asked) : await threads.look(source));
      all[index] = found;
      progress.show(++done, sources.length, (count) => counted(count, "recording"));
      // in the order of the folder, as far as all before are known
      for (; shown < sources.length && all[shown] !== undefined; shown++) {
        if (options.json !== true) await output.text(lineOf(sources[shown]!, all[shown]!));
      }
    }
  };
  try {
    const atOnce = Math.min(threads?.room ?? AT_ONCE, sources.length);
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await threads?.close();
  }
  progress.end();
  tellFailed(sources, all);
  mustHaveFit(all, expression);
  if (options.json === true) await output.line(toJson(plain(expression, sources, all)));
  await output.flush();
  const fitting = all.filter(isFitting).length;
  if (fitting === 0 && options.json !== true) say(`never, in ${counted(sources.length, "recording")}`);
}

/** Whether the kept indexes of all may be used, as they are. */
function mayGlance({ mayUseIndex, index, given }: ReadOptions): boolean {
  return mayUseIndex === true && index !== false && (given?.size ?? 0) === 0;
}

/** What became of the question in files that need not be opened. */
async function decidedIn(
  sources: readonly SqlSource[],
  expression: string,
  budget: number,
): Promise<ReadonlyMap<string, Found>> {
  const { decidedByIndex } = await import("../find/glance.ts");
  const files = sources.map(({ file }) => file!);
  return decidedByIndex(files, expression, budget);
}

function placeOf({ file, name }: SqlSource): string {
  return file ?? name;
}

function isFitting(found: Found): boolean {
  return found.how === "answered" && found.fits.count !== 0;
}

/** What could not be read is left out; where that is all, the command fails. */
function tellFailed(sources: readonly SqlSource[], all: readonly Found[]): void {
  const failed = all.flatMap((found, i) => (found.how === "failed" ? [{ ...found, place: placeOf(sources[i]!) }] : []));
  const [first] = failed;
  if (first !== undefined && failed.length === all.length)
    throw new RecordingError(first.code, failureLine(first.place, first));
  for (const { place, code, message } of failed)
    heed(place, { findings: [{ code: `find:${code}`, severity: "loss", message }] });
}

/** An expression that fits no recording at all is wrong. */
function mustHaveFit(all: readonly Found[], expression: string): void {
  const [first] = all.flatMap((found) => (found.how === "unfit" ? [found.error] : []));
  if (first !== undefined && !all.some(({ how }) => how === "answered")) {
    const error = wrongExpression(expression, new AskError(first.code, first.message, first));
    throw new UsageError(`it fits no recording: ${error.message}`, error.excerpt);
  }
}

function lineOf({ name }: SqlSource, found: Found): string {
  if (found.how !== "answered" || found.fits.count === 0) return "";
  if (found.fits.count === null) return `${name}\n`;
  const { count, time, first, extreme, at, measure } = found.fits;
  const parts = [name, counted(count, "time"), `${(time / 1e9).toFixed(3)} s in all`, `first ${clock(first ?? 0)}`];
  if (measure !== null && extreme !== null && at !== null) {
    const unit = measure.unit === "" ? "" : ` ${measure.unit}`;
    parts.push(`${measure.how} ${Number(extreme.toPrecision(6))}${unit} at ${clock(at)}`);
  }
  return `${parts.join("  ")}\n`;
}

function plain(expression: string, sources: readonly SqlSource[], all: readonly Found[]): object {
  const recordings = sources.flatMap(({ name, file }, i) => {
    const found = all[i]!;
    if (found.how !== "answered" || found.fits.count === 0) return [];
    const { isDecided: _, ...fits } = found.fits;
    return [fits.count === null ? { name, file } : { name, file, ...fits }];
  });
  const unfit = sources.flatMap(({ name }, i) => {
    const found = all[i]!;
    return found.how === "unfit" ? [{ name, code: found.error.code, message: found.error.message }] : [];
  });
  const failed = sources.filter((_, i) => all[i]!.how === "failed").map(({ name }) => name);
  const decided = all.filter((found) => found.how === "answered" && found.fits.isDecided).length;
  return { expression, asked: sources.length, decided, recordings, unfit, failed };
}

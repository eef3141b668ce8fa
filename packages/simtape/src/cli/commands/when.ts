import type { Command } from "commander";
import type { Answer } from "../../ask/answers.ts";
import type { Question } from "../../ask/ask.ts";
import { toJson } from "../../model/values/json.ts";
import type { Recording } from "../../model/recording.ts";
import type { Operation } from "../../ops/edit/list.ts";
import { usableExpression } from "../input/asked.ts";
import { editing } from "../input/editing.ts";
import { type ReadOptions, seeks } from "../input/recordings.ts";
import { clock, parseRange, TIME_HELP } from "../input/time.ts";
import { withRecording } from "../input/with-recording.ts";
import { findingToPlain } from "../output/findings.ts";
import { targetOf } from "../output/target-of.ts";
import { writeEdits } from "../output/write-edits.ts";
import { damageIn } from "../run/ending.ts";
import { UsageError } from "../run/failure.ts";
import { counted, Output, say } from "../run/terminal.ts";

interface WhenCommand extends ReadOptions {
  readonly from?: string;
  readonly until?: string;
  readonly mark?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Notes that one recording gets. */
const MOST_MARKS = 10_000;

export function addWhen(program: Command): void {
  seeks(program.command("when"))
    .summary("when an expression is true")
    .description(
      "Lists the intervals in which an expression is true, and the extreme inside each. The expression names paths of the recording, with units: see docs/ask.md.",
    )
    .argument("<file>", "path, folder, URL, or - for standard input")
    .argument("<expression>", "for instance: any vehicles (speed > 30 km/h for 200 ms)")
    .option("--from <time>", "first time, inclusive")
    .option("--until <time>", "last time, exclusive")
    .option("--mark <output>", "also write the recording with a note at the beginning of each interval")
    .option("--force", "overwrite an existing file")
    .option("--json", "one JSON object")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\nIntervals are [from, until). Exit code 0, whether there are some or none; 2 for a wrong expression.\n\nExamples:\n  $ simtape when town.log "vehicles[24].brake > 0.5 and speed(vehicles[24]) > 30 km/h for 200 ms"\n  $ simtape when town.log "any vehicles (acceleration < -5 m/s²) within 2 s of event(collision)"\n  $ simtape when flight.fgtape "/position/altitude-agl-ft < 500 ft" --json\n  $ simtape when town.log "each vehicles (still(it, 10 cm) for 30 s)" --mark noted.log`,
    )
    .action(when);
}

async function when(file: string, expression: string, options: WhenCommand): Promise<void> {
  const answers: Answer[] = [];
  const output = new Output();
  await withRecording(file, options, async (recording) => {
    const range = await parseRange(options, recording);
    await usableExpression(expression, async () => {
      const { ask } = await import("../../ask/ask.ts");
      const question = await ask(recording, expression, range);
      // of several things they come in the order of their ends
      const isStreamed = !question.isEach && options.json !== true;
      for await (const some of question.answers()) {
        if (isStreamed) for (const answer of some) await output.line(lineOf(answer, question));
        if (isStreamed && options.mark === undefined && answers.length > 0) continue;
        answers.push(...some);
        recording.reader.budget?.fit("the answers", 96 * answers.length);
      }
      answers.sort((a, b) => a.from - b.from || a.until - b.until);
      if (options.json === true) await output.line(toJson(plain(question, answers, recording)));
      else if (!isStreamed) for (const answer of answers) await output.line(lineOf(answer, question));
    });
  });
  await output.flush();
  if (answers.length === 0 && options.json !== true) say("never");
  if (options.mark !== undefined) await mark(file, options.mark, expression, answers, options);
}

/** `0:06.169 to 0:12.528  6.359 s  max 66.5 km/h at 0:11.964  vehicles/234` */
function lineOf({ from, until, extreme, at, thing }: Answer, { measure, type }: Question): string {
  const parts = type === "instant" ? [clock(from)] : [`${clock(from)} to ${clock(until)}`, duration(until - from)];
  if (measure !== null && extreme !== null && at !== null) {
    const unit = measure.unit === "" ? "" : ` ${measure.unit}`;
    parts.push(`${measure.how} ${Number(extreme.toPrecision(6))}${unit} at ${clock(at)}`);
  }
  if (thing !== null) parts.push(thing);
  return parts.join("  ");
}

function duration(time: number): string {
  return `${(time / 1e9).toFixed(3)} s`;
}

function plain(question: Question, answers: readonly Answer[], recording: Recording): object {
  const { text, type, measure, paths } = question;
  return {
    expression: text,
    type,
    measure,
    paths: paths.slice(0, MOST_PATHS),
    count: answers.length,
    intervals: answers,
    findings: damageIn(recording.findings).map(findingToPlain),
  };
}

/** Paths that JSON names. */
const MOST_PATHS = 100;

async function mark(
  file: string,
  output: string,
  expression: string,
  answers: readonly Answer[],
  options: WhenCommand,
): Promise<void> {
  if (answers.length > MOST_MARKS)
    throw new UsageError(
      `--mark writes at most ${MOST_MARKS} notes, and the expression is true ${answers.length} times`,
    );
  const operations: Operation[] = answers.map(({ from, until, thing }) => {
    const about = thing === null ? "" : ` (${thing})`;
    const how = until > from ? `, for ${duration(until - from)}` : "";
    return { op: "annotate", at: from, text: `${expression}${about}${how}`, kind: "when" };
  });
  if (operations.length === 0) return say(`${output}: not written: there is nothing to mark`);
  const target = await targetOf(output, options, file);
  const edited = await editing(file, { version: 1, operations }, process.cwd(), options);
  const { lost } = await writeEdits(edited, target, options);
  say(`${target.path}: ${counted(answers.length, "note")}${lost.length === 0 ? "" : ", with losses"}`);
  if (lost.length > 0) process.exitCode = 3;
}

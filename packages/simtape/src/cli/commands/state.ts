import type { Command } from "commander";
import type { EntitySet, State } from "../../model/state/state.ts";
import { collected } from "../input/collected.ts";
import { damageIn } from "../run/ending.ts";
import { EXIT } from "../run/failure.ts";
import { findingToPlain } from "../output/findings.ts";
import { preview, stateToJson } from "../output/json.ts";
import { Output, paint } from "../run/terminal.ts";
import { type ReadOptions, seeks } from "../input/recordings.ts";
import { withRecording } from "../input/with-recording.ts";
import { partOf } from "../input/state-part.ts";
import { clock, parseTime, TIME_HELP } from "../input/time.ts";

interface StateOptions extends ReadOptions {
  readonly at: string;
  readonly json?: boolean;
  readonly interpolate?: boolean;
  readonly path?: readonly string[];
}

/** Rows of a set, and values, that are shown to people. */
const MOST_ROWS = 12;
const MOST_VALUES = 40;

export function addState(program: Command): void {
  seeks(program.command("state"))
    .summary("the state at a time")
    .description("Shows the state at a time: values, and sets of entities as columns.")
    .argument("<file>", "path, folder, URL, or - for standard input")
    .requiredOption("--at <time>", "the time")
    .option("--interpolate", "interpolate between two recorded frames")
    .option(
      "--path <glob>",
      "only values, sets, things (vehicles/24) and numbers (vehicles/24/position.x) whose name matches (may be given more than once)",
      collected,
    )
    .option("--json", "one JSON object with everything")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\n\nExamples:\n  $ simtape state town.log --at 12.5s\n  $ simtape state flight.fgtape --at 1m30s --path '/position/*'\n  $ simtape state town.log --at 12.5s --path 'vehicles/*/position.x'\n  $ simtape state race.hcrp --at t1200 --json | jq .sets.players`,
    )
    .action(async (file: string, options: StateOptions) => {
      const output = new Output();
      await withRecording(file, options, async (recording) => {
        const time = await parseTime(options.at, recording);
        const whole = await recording.state(time, { interpolate: options.interpolate });
        const state = options.path === undefined ? whole : partOf(whole, options.path);
        const findings = damageIn(recording.findings).map(findingToPlain);
        if (options.json === true) await output.line(stateToJson(state, findings));
        else await output.lines(tellState(state));
      });
      await output.flush();
      process.exitCode = EXIT.done;
    });
}

/** State for people: sets as small tables, values as lines; what does not fit is counted. */
function tellState(state: State): string[] {
  const lines = [paint.bold(`at ${clock(state.time)}`)];
  for (const [name, set] of state.sets) lines.push("", ...tellSet(name, set));
  if (state.values.size > 0) {
    lines.push("", paint.bold(`values (${state.values.size})`));
    let shown = 0;
    for (const [path, value] of state.values) {
      if (shown++ === MOST_VALUES) {
        lines.push(paint.dim(`  … ${state.values.size - MOST_VALUES} more; --json or --path shows them`));
        break;
      }
      lines.push(`  ${path}  ${paint.dim(preview(value, 100))}`);
    }
  }
  return lines;
}

function tellSet(name: string, set: EntitySet): string[] {
  const lines = [paint.bold(`${name} (${set.ids.length})`)];
  for (let row = 0; row < Math.min(set.ids.length, MOST_ROWS); row++) {
    const cells: string[] = [];
    for (const [column, { data, width, unit }] of set.columns) {
      const values: readonly (number | string)[] = Array.from({ length: width }, (_, k) => data[row * width + k]!);
      if (values.every((value) => value === "" || Number.isNaN(value))) continue;
      const text = values
        .map((value) => (typeof value === "number" ? String(Number(value.toPrecision(7))) : value))
        .join(" ");
      cells.push(`${paint.dim(`${column}=`)}${text}${unit === null ? "" : ` ${unit}`}`);
    }
    lines.push(`  ${set.ids[row]}  ${cells.join("  ")}`);
  }
  if (set.ids.length > MOST_ROWS) lines.push(paint.dim(`  … ${set.ids.length - MOST_ROWS} more; --json shows them`));
  return lines;
}

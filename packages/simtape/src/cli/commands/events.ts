import { type Command, Option } from "commander";
import type { RecordingEvent } from "../../model/query/event.ts";
import type { Recording } from "../../model/recording.ts";
import { csvRow, textCell } from "../../export/csv.ts";
import { collected } from "../input/collected.ts";
import { UsageError } from "../run/failure.ts";
import { toJson } from "../../model/values/json.ts";
import { Output, paint } from "../run/terminal.ts";
import { type ReadOptions, seeks } from "../input/recordings.ts";
import { withRecording } from "../input/with-recording.ts";
import { parseRange, TIME_HELP } from "../input/time.ts";
import { checkKinds } from "../input/event-kinds.ts";

interface EventsOptions extends ReadOptions {
  readonly kind?: readonly string[];
  readonly who?: string;
  readonly from?: string;
  readonly until?: string;
  readonly listed?: boolean;
  readonly limit?: number;
  readonly format?: "text" | "ndjson" | "csv";
  readonly json?: boolean;
}

/** Width of the column of kinds. */
const KIND_WIDTH = 14;

export function addEvents(program: Command): void {
  seeks(program.command("events"))
    .summary("events: collisions, spawns, chat, marks")
    .description("Lists events in time order, one per line: collisions, spawns, resets, chat, marks and others.")
    .argument("<file>", "path, folder, URL, or - for standard input")
    .option("-k, --kind <kind>", "only this kind (may be given more than once)", collected)
    .option("--who <text>", "only about a participant with this text in the name, or with this id")
    .option("--from <time>", "first time, inclusive")
    .option("--until <time>", "last time, exclusive")
    .option("--listed", "only what the file lists beside its messages, such as HCRP's marks: reads no message")
    .option("--limit <count>", "at most this many events", parseCount)
    .addOption(new Option("--format <format>", "how to write them").choices(["text", "ndjson", "csv"]))
    .option("--json", "the same as --format ndjson")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\nWithout --format: text on a terminal, NDJSON otherwise.\n\nExamples:\n  $ simtape events town.log --kind collision --kind removal\n  $ simtape events race.hcrp --kind checkpoint --who elif\n  $ simtape events flight.fgtape --from 10s --until 1m --format csv > events.csv\n  $ simtape events room.nanover.zip --json | jq -r .kind | sort | uniq -c`,
    )
    .action(async (file: string, options: EventsOptions) => {
      await withRecording(file, options, (recording) => list(recording, options));
    });
}

function parseCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--limit takes a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

async function list(recording: Recording, options: EventsOptions): Promise<void> {
  const { kind: kinds, who, listed } = options;
  await checkKinds(recording, kinds);
  const { start, end } = await parseRange(options, recording);
  const format = options.format ?? (options.json !== true && process.stdout.isTTY === true ? "text" : "ndjson");
  const output = new Output();
  if (format === "csv") await output.text("time,kind,text,who,ids,channel,sequence\n");
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  if (left > 0) {
    for await (const events of recording.events({ start, end, kinds, who, listed })) {
      for (const event of events.slice(0, left)) {
        if (format === "csv") await output.text(csvOf(event));
        else await output.line(format === "text" ? textOf(event) : toJson(event));
      }
      left -= events.length;
      if (left <= 0) break;
    }
  }
  await output.flush();
}

function textOf({ time, kind, text }: RecordingEvent): string {
  return `${paint.dim((time / 1e9).toFixed(6).padStart(14))} ${kind.padEnd(KIND_WIDTH)} ${text}`;
}

function csvOf({ time, kind, text, who, channel, sequence }: RecordingEvent): string {
  const names = who.map(({ id, label }) => (label === "" ? String(id) : label)).join("; ");
  const ids = who.map(({ set, id }) => (set === null ? String(id) : `${set}/${id}`)).join("; ");
  const cells = [kind, text, names, ids, channel ?? ""].map(textCell);
  return csvRow([`${time}`, ...cells, sequence === null ? "" : `${sequence}`]);
}

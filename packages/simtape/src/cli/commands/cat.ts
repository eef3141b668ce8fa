import { channelsMatching } from "../input/channels.ts";
import { Rows } from "../output/message-rows.ts";
import { type Command, Option } from "commander";
import type { MessageBatch } from "../../model/messages/batch.ts";
import type { Recording } from "../../model/recording.ts";
import type { Value } from "../../model/values/value.ts";
import { collected } from "../input/collected.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { csvRow, textCell } from "../../export/csv.ts";
import { toJson } from "../../model/values/json.ts";
import { Output, say } from "../run/terminal.ts";
import { type ReadOptions, seeks } from "../input/recordings.ts";
import { withRecording } from "../input/with-recording.ts";
import { parseRange, TIME_HELP } from "../input/time.ts";

interface CatOptions extends ReadOptions {
  readonly channel?: readonly string[];
  readonly from?: string;
  readonly until?: string;
  readonly reverse?: boolean;
  readonly limit?: number;
  readonly format?: "text" | "ndjson" | "csv";
  readonly json?: boolean;
  readonly raw?: boolean;
}

export function addCat(program: Command): void {
  seeks(program.command("cat"))
    .summary("messages of a recording")
    .description("Writes messages in time order, one per line.")
    .argument("<file>", "path, folder, URL, or - for standard input")
    .option("-c, --channel <glob>", "only channels whose name matches (may be given more than once)", collected)
    .option("--from <time>", "first time, inclusive")
    .option("--until <time>", "last time, exclusive")
    .option("--reverse", "latest first")
    .option("--limit <count>", "at most this many messages", parseCount)
    .addOption(new Option("--format <format>", "how to write them").choices(["text", "ndjson", "csv"]))
    .option("--json", "the same as --format ndjson")
    .option("--raw", "payload bytes in base64 instead of decoded values")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\nWithout --format: text on a terminal, NDJSON otherwise.\n\nExamples:\n  $ simtape cat town.log --channel event-add --limit 3\n  $ simtape cat robot.tape -c '/robot/*' --from 10s --until 20s --format ndjson\n  $ simtape cat flight.fgtape -c signals --format csv > flight.csv`,
    )
    .action(async (file: string, options: CatOptions) => {
      process.exitCode = await withRecording(file, options, (recording) => cat(recording, file, options));
    });
}

function parseCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`--limit takes a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

async function cat(recording: Recording, file: string, options: CatOptions): Promise<number> {
  const channels = options.channel === undefined ? undefined : channelsMatching(recording, options.channel);
  const { start, end } = await parseRange(options, recording);
  const format = options.format ?? (options.json !== true && process.stdout.isTTY === true ? "text" : "ndjson");
  const output = new Output();
  const rows = new Rows(recording.channels, format, options.raw === true);
  const isFlat = format === "csv" && (channels ?? recording.channels).length === 1 && options.raw !== true;
  const table = isFlat ? new FlatTable() : null;
  if (format === "csv" && table === null) await output.text("sequence,time,channel,keyframe,value\n");
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  if (left > 0) {
    for await (const batch of recording.batches({ channels, start, end, reverse: options.reverse })) {
      for (let n = 0; n < batch.length && left > 0; n++, left--) {
        const i = options.reverse === true ? batch.length - 1 - n : n;
        if (table === null)
          await (format === "csv" ? output.text(rows.row(batch, i)) : output.line(rows.row(batch, i)));
        else await output.text(table.row(batch, i, rows.value(batch, i)));
      }
      if (left <= 0) break;
    }
  }
  await output.flush();
  if (table !== null && table.left.size > 0) {
    say(
      `simtape: ${table.left.size} fields are not in the first message and have no column: ${[...table.left].slice(0, 5).join(", ")}. Use --format ndjson to have all.`,
    );
    return EXIT.lossy;
  }
  if (rows.undecodable > 0) {
    say(`simtape: ${rows.undecodable} payloads do not decode and are shown as null. See: simtape check ${file}`);
    return EXIT.lossy;
  }
  return EXIT.done;
}

/** CSV of one channel: a column for each field of its first message. */
class FlatTable {
  /** Fields that later messages have and the first had not. */
  readonly left = new Set<string>();
  #columns: string[] | null = null;

  row(batch: MessageBatch, i: number, value: Value): string {
    const fields = new Map<string, string>();
    flatten("", value, fields);
    let head = "";
    if (this.#columns === null) {
      this.#columns = [...fields.keys()];
      head = csvRow(["sequence", "time", ...this.#columns.map(textCell)]);
    }
    const cells = this.#columns.map((name) => fields.get(name) ?? "");
    if (fields.size > 0) for (const name of fields.keys()) if (!this.#columns.includes(name)) this.left.add(name);
    return head + csvRow([`${batch.sequence[i]}`, `${batch.time[i]}`, ...cells]);
  }
}

function flatten(path: string, value: Value, into: Map<string, string>): void {
  const isPlain = typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
  if (isPlain) {
    for (const [key, item] of Object.entries(value)) flatten(path === "" ? key : `${path}.${key}`, item as Value, into);
  } else {
    const isText = typeof value === "string";
    const isWord = typeof value === "number" || typeof value === "bigint";
    into.set(
      path === "" ? "value" : path,
      isText ? textCell(value) : isWord ? String(value) : value === null ? "" : toJson(value),
    );
  }
}

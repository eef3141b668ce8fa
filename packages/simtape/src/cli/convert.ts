import type { Command } from "commander";
import { carryOriginal, type Original, originalsOf } from "../formats/hypercube/originals.ts";
import type { ByteSink } from "../io/sink.ts";
import { type ByteSource, type SourceBundle, SourceError } from "../io/source.ts";
import type { Recording } from "../model/recording.ts";
import type { Writer } from "../model/writer.ts";
import { type ConversionReport, convert } from "../ops/convert.ts";
import { copy, rewrite } from "../ops/copy.ts";
import { siblingName } from "../ops/names.ts";
import { channelsMatching } from "./cat.ts";
import { bringDictionary } from "./dictionary-beside.ts";
import { EXIT } from "./failure.ts";
import { toJson } from "./json.ts";
import { counted, grouped, Output, Progress, paint } from "./output.ts";
import { bundleNamed, openNamed, reads, warnOfDamage } from "./recordings.ts";
import { formatFor, type Target, type TargetOptions, targetOf, writes, writingOf } from "./target.ts";
import { clock, parseTime, TIME_HELP } from "./time.ts";

interface ConvertOptions extends TargetOptions {
  readonly to?: string;
  readonly dialect?: string;
  readonly from?: string;
  readonly until?: string;
  readonly channel?: string[];
  readonly strict?: boolean;
  readonly original?: boolean;
  readonly json?: boolean;
}

export function addConvert(program: Command): void {
  writes(
    reads(program.command("convert"))
      .summary("a recording in another format")
      .description(
        "Converts by way of state, with units and axes turned, and says what was carried and what could not be. Exit 3: something was lost.",
      )
      .argument("<file>", "path, folder or URL")
      .argument("[output]", "where to write; the name tells the format"),
  )
    .option("--to <format>", "the format, when the name does not tell")
    .option("--dialect <name>", "version or dialect of the format (see its README)")
    .option("--from <time>", "first time, inclusive")
    .option("--until <time>", "last time, exclusive")
    .option("-c, --channel <glob...>", "only state that comes from these channels")
    .option("--strict", "write nothing when something would be lost")
    .option("--no-original", "to HCRP: do not carry the original's bytes along")
    .option("--json", "the whole report as one JSON object")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\n\nExamples:\n  $ simtape convert town.log town.hcrp\n  $ simtape convert run.nanover.zip run.traj\n  $ simtape convert flight.fgtape flight.tape --from 1m --until 2m --strict`,
    )
    .action(async (file: string, output: string | undefined, options: ConvertOptions) => {
      const target = await targetOf(output, options, file);
      const format = formatFor(options.to, target.path);
      const recording = await openNamed(file);
      const progress = new Progress("converting");
      try {
        const writing = await writingOf(format);
        const isWhole = options.from === undefined && options.until === undefined && options.channel === undefined;
        const carried = isWhole ? originalsOf(recording.reader) : [];
        const isOwn = format.id === recording.info.format;
        if (isOwn && isWhole) await bringDictionary(recording, target);
        let report: ConversionReport;
        if (!isOwn && carried.length > 0 && formatFor(undefined, carried[0]!.name).id === format.id) {
          report = { exact: true, moments: await giveBack(carried, target), carried: [], lost: [] };
        } else if (isOwn && isWhole && options.dialect === undefined && endingOf(file) === endingOf(target.path)) {
          const { files } = await copy(recording, await bundleNamed(file), target.sink);
          report = { exact: true, moments: files.length, carried: [], lost: [] };
        } else if (isOwn && isWhole) {
          const { messages } = await rewrite(recording, writing, target.sink, { dialect: options.dialect });
          report = { exact: true, moments: messages, carried: [], lost: [] };
        } else {
          const { start, end } = await recording.timeline();
          const bundle = await bundleNamed(file);
          const isCarrying =
            format.id === "hypercube" && !isOwn && isWhole && options.original !== false && file !== "-";
          report = await convert(recording, writing, target.sink, {
            from: options.from === undefined ? undefined : await parseTime(options.from, recording),
            until: options.until === undefined ? undefined : await parseTime(options.until, recording),
            channels: options.channel === undefined ? undefined : channelsMatching(recording, options.channel),
            create: { dialect: options.dialect },
            strict: options.strict,
            carry: isCarrying ? (writer): Promise<void> => carryAll(writer, recording, bundle) : undefined,
            onProgress: (time) => progress.show(time - start, end - start, clock),
          });
        }
        progress.end();
        const out = new Output();
        if (options.json === true) await out.line(toJson(report));
        else await out.lines(tell(report, recording, target.path, format.name));
        await out.flush();
        warnOfDamage(recording, file);
        process.exitCode =
          report.lost.length > 0 && !report.exact ? (options.strict === true ? EXIT.failed : EXIT.lossy) : EXIT.done;
      } finally {
        progress.end();
        await recording.close();
      }
    });
}

function endingOf(name: string): string {
  return name.slice(name.lastIndexOf(".")).toLowerCase();
}

/** All files of the original, byte for byte. */
async function carryAll(writer: Writer, recording: Recording, bundle: SourceBundle): Promise<void> {
  const main = bundle.name ?? `original.${recording.info.format}`;
  for (const name of [null, ...(recording.reader.siblings ?? [])]) {
    const source = await bundle.open(name ?? undefined);
    if (source === null) throw new SourceError("failed", `the file beside is gone: ${name ?? main}`);
    await carryOriginal(writer, name ?? main, piecesOf(source));
    await source.close();
  }
}

async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const bytes = await source.read(at, 1 << 20);
    if (bytes.length === 0) return;
    yield bytes;
    at += bytes.length;
  }
}

/** Writes the files that a recording carries; gives their number. */
async function giveBack(originals: readonly Original[], { sink }: Target): Promise<number> {
  const main = originals[0]!.name;
  const sinks: ByteSink[] = [];
  try {
    for (const original of originals) {
      const out = await sink.open(original.name === main ? undefined : siblingName(original.name, main, sink.name));
      sinks.push(out);
      for await (const bytes of original.bytes()) await out.write(bytes);
    }
    for (const out of sinks) await out.close();
    return originals.length;
  } catch (error) {
    for (const out of sinks) await out.abort();
    throw error;
  }
}

function tell(report: ConversionReport, recording: Recording, path: string, format: string): string[] {
  const lines = [
    `${path}: ${format} from ${recording.info.format}, ${report.exact ? `${counted(report.moments, "message")}, exact` : counted(report.moments, "moment")}`,
  ];
  const most = 20;
  for (const { path: what, count } of report.carried.slice(0, most))
    lines.push(`  ${paint.green("carried")} ${what} (${grouped(count)})`);
  if (report.carried.length > most) lines.push(`  … and ${report.carried.length - most} more`);
  for (const { path: what, count, reason } of report.lost.slice(0, most))
    lines.push(`  ${paint.red("lost")} ${what} (${grouped(count)}): ${reason}`);
  if (report.lost.length > most) lines.push(`  … and ${report.lost.length - most} more; --json has all`);
  return lines;
}

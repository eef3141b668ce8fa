import type { Command } from "commander";
import { HeldFiles } from "../../io/sink/held.ts";
import { type SourceBundle, SourceError } from "../../io/source/source.ts";
import type { Annotation } from "../../model/annotation.ts";
import type { Recording } from "../../model/recording.ts";
import type { Writer, WritingFormat } from "../../model/writer.ts";
import { beginOfResult, type ConversionReport, convert } from "../../ops/convert.ts";
import { moved } from "../../ops/edit/apply.ts";
import { isSound, mustBeSound } from "../../ops/sound.ts";
import { copy, rewrite } from "../../ops/copy.ts";
import { mustBeSame, piecesOf } from "../../ops/same-bytes.ts";
import { channelsMatching } from "../input/channels.ts";
import { collected } from "../input/collected.ts";
import { differences, hasOriginal, reopened } from "../output/conversion-check.ts";
import { bringNeeded } from "../output/needed.ts";
import { damage } from "../run/ending.ts";
import { type Inspect, inspected } from "../output/gated.ts";
import { EXIT } from "../run/failure.ts";
import { ORIGIN_FLAGS, originOf } from "../input/origin.ts";
import { carriedIn } from "../input/original.ts";
import { counted, grouped, Progress, paint, tellLost } from "../run/terminal.ts";
import { bringing, damageOf, keepBeside, madeOf } from "../output/provenance.ts";
import { bundleNamed, openedAs, openNamed, type ReadOptions, reads } from "../input/recordings.ts";
import { report } from "../output/report.ts";
import { inDialect, mustFit, type Target, type TargetOptions, writes } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { endingFor, endingOf, formatCalled, formatFor, formatNamed, formatOf, writingOf } from "../input/format-of.ts";
import { clock, parseRange, TIME_HELP } from "../input/time.ts";

interface ConvertOptions extends TargetOptions, ReadOptions {
  readonly to?: string;
  readonly from?: string;
  readonly until?: string;
  readonly channel?: readonly string[];
  readonly origin?: string;
  readonly strict?: boolean;
  readonly original?: boolean;
  readonly verify?: boolean;
  readonly json?: boolean;
}

export function addConvert(program: Command): void {
  writes(
    reads(program.command("convert"))
      .summary("a recording in another format")
      .description(
        "Converts by way of the state, with its units and axes, and reports what was carried and what was lost. Exit 3: something was lost.",
      )
      .argument("<file>", "path, folder, URL, or - for standard input")
      .argument("[output]", "where to write; the extension names the format"),
  )
    .option("--to <format>", "the format, when the name does not say it")
    .option("--dialect <name>", "version or dialect of the format (see its README)")
    .option("--from <time>", "first time, inclusive")
    .option("--until <time>", "last time, exclusive")
    .option(
      "-c, --channel <glob>",
      "only state that comes from these channels (may be given more than once)",
      collected,
    )
    .option(ORIGIN_FLAGS, "where a local plane touches the earth: degrees, metres, degrees")
    .option("--strict", "write nothing when something would be lost")
    .option("--no-original", "to HCRP: do not store the bytes of the original")
    .option("--no-verify", "do not read the result back and compare it with the source")
    .option("--json", "the whole report as one JSON object")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\n\nExamples:\n  $ simtape convert town.log town.hcrp\n  $ simtape convert run.nanover.zip run.traj\n  $ simtape convert flight.fgtape flight.tape --from 1m --until 2m --strict`,
    )
    .action(async (file: string, output: string | undefined, options: ConvertOptions) => {
      const origin = options.origin === undefined ? undefined : originOf(options.origin);
      const named = options.to === undefined ? undefined : formatCalled(options.to);
      const target = await targetOf(output, options, file, named);
      const isWhole = options.from === undefined && options.until === undefined && options.channel === undefined;
      const opened = await openNamed(file, options);
      let original: Recording | null = null;
      const progress = new Progress("converting");
      const held = new HeldFiles(target.sink, target.written);
      try {
        const carried = isWhole ? await carriedIn(opened) : null;
        const format = named ?? formatNamed(target.main) ?? carried?.format ?? formatFor(undefined, target.path);
        mustFit(target, format);
        const isGivenBack = carried !== null && carried.format === format && format !== formatOf(opened);
        if (isGivenBack) original = await openedAs(`the original in ${file}`, carried.bundle, options);
        const recording = original ?? opened;
        const bundle = isGivenBack ? carried.bundle : await bundleNamed(file, options);
        const writing = await writingOf(format);
        const isOwn = format === formatOf(recording);
        const isCopy = isOwn && isWhole && !isGivenBack;
        const own = isCopy ? await bringing(target, file) : null;
        // Standard output cannot be read again.
        const isVerified = options.verify !== false && !target.isStandardOutput;
        let converted: ConversionReport;
        let isCarrying = false;
        let copied: number | null = null;
        let isDamaged = false;
        const create = { dialect: options.dialect };
        // a recording of the same kind keeps its notes itself, inside or beside
        const isKept = isCopy && isSameKind(recording, bundle, target);
        const notes = async (): Promise<readonly Annotation[]> => {
          const all = isKept ? [] : await opened.annotations();
          if (all.length === 0 || isCopy) return all;
          if (isGivenBack) return moved(all, { op: "shift", by: (await recording.timeline()).start }, 0);
          const { start: from, end: until } = await parseRange(options, recording);
          const begin = await beginOfResult(recording, writing, target.sink, { from, create });
          return moved(all, { op: "trim", from: begin, until }, begin);
        };
        keepBeside(target, async () => {
          const carriedNotes = await notes();
          if (carriedNotes.length > 0) return madeOf(target, file, opened, carriedNotes);
          return (copied === null ? await damageOf(target, file, opened) : null) ?? own;
        });
        if (isOwn && isWhole && options.dialect === undefined && isSameKind(recording, bundle, target)) {
          const { files } = await copy(recording, bundle, held);
          if (isVerified) await mustBeSame(recording, bundle, held.written);
          copied = files.length;
          // a copy is as damaged as its source
          isDamaged = isVerified && !(await isSound(recording));
          const verified = isVerified && !isDamaged;
          converted = { ...kept(files.length, []), exact: true, original: true, verified };
        } else if (isOwn && isWhole) {
          const {
            messages,
            changed,
            lost: left,
            rounding,
          } = await inDialect(options.dialect, rewrite(recording, writing, held, { dialect: options.dialect }));
          const lost = [...left, ...changed.map((of) => ({ ...of, reason: ANOTHER_WAY }))];
          const inspect: Inspect = (written) =>
            mustBeSound(written, [recording], {
              follow: async (batches) => void lost.push(...(await differences(recording, written, batches, rounding))),
            });
          const verified = isVerified && (await inspected(held.written, target, options, inspect));
          converted = { ...kept(messages, lost), verified };
        } else {
          const { start, end } = await recording.timeline();
          const carry = !isOwn && isWhole && options.original !== false ? writing.carry : undefined;
          isCarrying = carry !== undefined;
          const range = await parseRange(options, recording);
          const converting = convert(recording, writing, target.sink, {
            from: range.start,
            until: range.end,
            channels: options.channel === undefined ? undefined : channelsMatching(recording, options.channel),
            create,
            origin,
            strict: options.strict,
            carry: carry === undefined ? undefined : (writer) => carryAll(carry, writer, recording, bundle),
            verify: isVerified
              ? {
                  reopen: (written) => reopened(written, bundle, options),
                  there: target.written,
                  hasOriginal: (result) => hasOriginal(result, recording, bundle),
                }
              : undefined,
            onProgress: (time) => progress.show(time - start, end - start, clock),
          });
          converted = await inDialect(options.dialect, converting);
        }
        progress.end();
        const strays = isGivenBack ? carried.rest().map(({ name }) => ({ path: name, count: 1, reason: STRAY })) : [];
        const lost = [...converted.lost, ...strays];
        const exact = converted.exact && lost.length === 0 && damage().length === 0;
        const all = {
          ...converted,
          exact,
          lost,
          original: converted.original && (isCarrying || (isGivenBack && copied !== null)),
        };
        const isLossy = strays.length > 0 || (converted.lost.length > 0 && !all.original);
        const isRefused = isLossy && options.strict === true;
        if (!isRefused) {
          if (isOwn && isWhole) await bringNeeded(recording, target);
          await held.release();
        }
        const lines = isRefused
          ? tellRefused(lost, target.path, format.name)
          : tell(all, copied, opened.info.format, target.path, format.name);
        await report(target, options, all, lines);
        process.exitCode = isRefused ? EXIT.failed : isLossy || isDamaged ? EXIT.lossy : EXIT.done;
      } finally {
        progress.end();
        // what took its name stays
        await held.abort();
        await original?.close();
        await opened.close();
      }
    });
}

const ANOTHER_WAY = "stored another way here: an integer as a double, for example";
const STRAY = "carried along, but no file of the recording";

/** The report of messages that went over as they are, but for what is lost; nothing is verified yet. */
function kept(moments: number, lost: ConversionReport["lost"]): ConversionReport {
  return { exact: false, original: false, verified: false, moments, carried: [], lost, origin: null, notes: [] };
}

/** Whether the bytes of a recording may stay as they are under the target's name. */
function isSameKind(recording: Recording, bundle: SourceBundle, target: Target): boolean {
  const [own, meant] = [endingFor(recording, bundle.name), endingOf(target.main)];
  return own === "" || meant === "" || own.toLowerCase() === meant.toLowerCase();
}

/** All files of the original, byte for byte. */
async function carryAll(
  carry: NonNullable<WritingFormat["carry"]>,
  writer: Writer,
  recording: Recording,
  bundle: SourceBundle,
): Promise<void> {
  const main = bundle.name ?? `original.${recording.info.format}`;
  for (const name of [null, ...(recording.reader.siblings ?? [])]) {
    const source = await bundle.open(name ?? undefined);
    if (source === null) throw new SourceError("failed", `the other file of the recording is missing: ${name ?? main}`);
    try {
      await carry(writer, name ?? main, piecesOf(source), name === null ? recording.info.format : null);
    } finally {
      await source.close();
    }
  }
}

/** Nothing was written: `--strict` asks for that. */
function tellRefused(lost: ConversionReport["lost"], path: string, format: string): string[] {
  return [
    `${path}: not written, as --strict is given and ${format} cannot hold all of it`,
    ...tellLost(lost, paint.red("would be lost:")),
  ];
}

/** `files`: how many were copied, where the result is a copy. */
function tell(
  report: ConversionReport & { readonly original: boolean },
  files: number | null,
  from: string,
  path: string,
  format: string,
): string[] {
  const { exact, original, moments } = report;
  const how =
    files !== null
      ? `${counted(files, "file")}, byte for byte`
      : exact
        ? `${counted(moments, "message")}, exact`
        : `${counted(moments, "moment")}${original ? "; the original is inside, byte for byte" : ""}`;
  const lines = [`${path}: ${format} from ${from}, ${how}`];
  const most = 20;
  for (const { path: what, count } of report.carried.slice(0, most))
    lines.push(`  ${paint.green("carried")} ${what} (${grouped(count)})`);
  if (report.carried.length > most) lines.push(`  … and ${report.carried.length - most} more are carried`);
  lines.push(...tellLost(report.lost, original && files === null ? paint.dim("in the original only:") : undefined));
  if (report.origin !== null) {
    const { latitude, longitude, altitude, heading } = report.origin;
    const numbers = [latitude, longitude, altitude, heading].map((value) => Number(value.toPrecision(10)));
    lines.push(`  origin of the local plane: ${numbers.join(",")} (--origin puts it elsewhere)`);
  }
  lines.push(...report.notes.map((note) => `  ${note}`));
  return lines;
}

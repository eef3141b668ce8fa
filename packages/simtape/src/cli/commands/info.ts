import { tellFindings } from "../output/findings.ts";
import Table from "cli-table3";
import type { Command } from "commander";
import type { Recording } from "../../model/recording.ts";
import type { Value } from "../../model/values/value.ts";
import { failureLine, forEach } from "../input/each.ts";
import { EXIT } from "../run/failure.ts";
import { describe } from "../output/described.ts";
import { holds } from "../output/holds.ts";
import { toJson } from "../../model/values/json.ts";
import { preview } from "../output/json.ts";
import { byteSize, counted, grouped, Output, paint, say } from "../run/terminal.ts";
import { provenanceOf } from "../input/provenance.ts";
import { type ReadOptions, seeks } from "../input/recordings.ts";
import { withRecording } from "../input/with-recording.ts";
import { clock } from "../input/time.ts";
import { visibleLine } from "../../model/values/visible.ts";
import { NO_LINES } from "../output/no-lines.ts";

/** Channels that are listed for people: laying out a table takes time by the square of its rows. */
const MOST_CHANNELS = 500;

export function addInfo(program: Command): void {
  seeks(program.command("info"))
    .summary("what is inside a recording")
    .description("Shows format, version, length, channels and findings of a recording on disk or behind a URL.")
    .argument("<file...>", "paths, URLs, or - for standard input; a folder stands for the recordings in it")
    .option("--json", "one JSON object per recording, the same shape for every format")
    .addHelpText(
      "after",
      "\nExamples:\n  $ simtape info flight.fgtape\n  $ simtape info https://example.org/run.hcrp --json | jq .timeline",
    )
    .action(async (files: readonly string[], options: ReadOptions & { json?: boolean }) => {
      const output = new Output();
      let isFirst = true;
      const show = async (file: string): Promise<number> => {
        const shown = await withRecording(file, options, async (recording) =>
          options.json === true ? [toJson(await describe(recording, file))] : await tell(recording, file),
        );
        if (!isFirst && options.json !== true) await output.line("");
        isFirst = false;
        await output.lines(shown);
        await output.flush();
        return EXIT.done;
      };
      process.exitCode = await forEach(files, show, async (file, error) => {
        say(`simtape: ${failureLine(file, error)}`);
        if (options.json === true) await output.line(toJson({ file, error }));
        await output.flush();
      });
    });
}

function sideCarText({ sideCar, info }: Recording): string | null {
  if (sideCar === null) return null;
  const holds = [counted(sideCar.states.count, "state"), ...(sideCar.hasEvents ? ["events"] : [])];
  const kind = info.seekIndex === "kept" ? "" : `${info.seekIndex}, and `;
  return `${kind}kept: ${byteSize(sideCar.bytes)} with ${holds.join(" and ")}`;
}

async function tell(recording: Recording, file: string): Promise<string[]> {
  const statistics = await recording.statistics();
  const { start, end, epoch, tick } = await recording.timeline();
  const { format, version, bytes, seekIndex, metadata } = recording.info;
  const lines = [paint.bold(file)];
  const fact = (name: string, text: string): number => lines.push(`  ${paint.dim(name.padEnd(10))} ${text}`);
  fact("format", `${format}, version ${version}`);
  const held = await holds(recording);
  if (held !== "") fact("holds", held);
  if (bytes !== null) fact("size", `${byteSize(bytes)} (${counted(bytes, "byte")})`);
  fact("length", `${clock(end - start)}${start === 0 ? "" : `, from ${clock(start)} to ${clock(end)}`}`);
  if (tick !== null) {
    const step = tick.duration === null ? "" : ` of ${tick.duration / 1e6} ms`;
    fact(`${tick.name}s`, `${grouped(tick.count)}${step}`);
  }
  if (epoch !== null && epoch > -8_640_000_000_000_000_000_000n && epoch < 8_640_000_000_000_000_000_000n) {
    fact("began", new Date(Number(epoch / 1_000_000n)).toISOString());
  }
  if (metadata["finished"] === false) fact("outcome", "open: being recorded, or its recorder ended without closing it");
  fact("seek index", sideCarText(recording) ?? seekIndex);
  const provenance = await provenanceOf(recording, file);
  if (provenance !== null) {
    for (const { name, sha256, findings = [] } of provenance.sources) {
      fact("made from", `${name}${sha256 === null ? "" : `, sha256 ${sha256}`}`);
      const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : "";
      if (findings.length > 0) fact("", `which was damaged: ${findings[0]!.message}${more}`);
    }
    for (const { op, ...how } of provenance.operations) fact("by", `${op} ${preview(how as Value, 100)}`);
    for (const { at, kind, text } of provenance.annotations) fact(kind, `${clock(at)} ${text}`);
  }
  for (const [name, value] of Object.entries(metadata)) fact(inWords(name), preview(value, 110 - name.length));
  const table = new Table({
    head: ["channel", "schema", "messages", "bytes", "first", "last"],
    colAligns: ["left", "left", "right", "right", "right", "right"],
    chars: NO_LINES,
    style: { head: [], border: [], "padding-left": 2, "padding-right": 0 },
  });
  const sounding = recording.channels.filter(({ id }) => statistics[id]!.messages > 0);
  for (const { id, name, schema } of sounding.slice(0, MOST_CHANNELS)) {
    const { messages, bytes: size, first, last } = statistics[id]!;
    const times = first === null || last === null ? ["", ""] : [clock(first), clock(last)];
    table.push([visibleLine(name), visibleLine(schema.name), grouped(messages), byteSize(size), ...times]);
  }
  lines.push("", ...table.toString().replace(/ +$/gm, "").split("\n"));
  const rest = sounding.length - MOST_CHANNELS;
  if (rest > 0) lines.push(`  … and ${counted(rest, "more channel")}; --json has all`);
  const silent = recording.channels.filter(({ id }) => statistics[id]!.messages === 0).map(({ name }) => name);
  const more = silent.length > MOST_CHANNELS ? `, … and ${grouped(silent.length - MOST_CHANNELS)} more` : "";
  const named = silent.slice(0, MOST_CHANNELS).join(", ");
  if (silent.length > 0) lines.push("", `  ${paint.dim("without messages")} ${named}${more}`);
  lines.push("", ...tellFindings(recording.findings));
  return lines;
}

/** A key for people: `startTime` is "start time". */
function inWords(key: string): string {
  return key.replace(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

import type { Command } from "commander";
import type { Operation } from "../../ops/edit/list.ts";
import { collected } from "../input/collected.ts";
import { type Editing, editing } from "../input/editing.ts";
import { writeEdits } from "../output/write-edits.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { counted, grouped, tellLost } from "../run/terminal.ts";
import { type ReadOptions, reads } from "../input/recordings.ts";
import { withRecording } from "../input/with-recording.ts";
import { report } from "../output/report.ts";
import { type Target, type TargetOptions, writes } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { parseDuration, parseRange, parseTime, TIME_HELP } from "../input/time.ts";

interface EditOptions extends TargetOptions, ReadOptions {
  readonly json?: boolean;
}

/** The commands that change a recording without touching it: each is one operation of an edit list. */
export function addEdits(program: Command): void {
  oneOperation(program, "trim", "a range of a recording; it begins with the state at its first time")
    .option("--from <time>", "first time, inclusive")
    .option("--until <time>", "last time, exclusive")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\n\nExample:\n  $ simtape trim flight.fgtape landing.fgtape --from 4m --until 5m30s`,
    )
    .action((file: string, output: string | undefined, options: EditOptions & { from?: string; until?: string }) =>
      run(file, output, options, async () => {
        const { start: from, end: until } = await withRecording(file, options, (recording) =>
          parseRange(options, recording),
        );
        return [{ op: "trim", from, until }];
      }),
    );
  oneOperation(program, "shift", "all messages at earlier or later times; the wall clock stays")
    .requiredOption("--by <time>", "how much later; --by=-2s for earlier")
    .addHelpText("after", "\nExample:\n  $ simtape shift robot.tape later.tape --by 250ms")
    .action((file: string, output: string | undefined, options: EditOptions & { by: string }) =>
      run(file, output, options, async () => {
        const by = parseDuration(options.by);
        if (by === null) throw new UsageError(`--by takes a duration, not ${JSON.stringify(options.by)}`);
        return [{ op: "shift", by }];
      }),
    );
  oneOperation(program, "filter", "the messages of some channels")
    .option("-c, --channel <glob>", "channels to keep (may be given more than once)", collected)
    .option("--exclude <glob>", "channels to leave out (may be given more than once)", collected)
    .addHelpText("after", "\nExample:\n  $ simtape filter robot.tape small.tape --exclude '/camera/**'")
    .action(
      (
        file: string,
        output: string | undefined,
        options: EditOptions & { channel?: readonly string[]; exclude?: readonly string[] },
      ) =>
        run(file, output, options, async () => [{ op: "filter", channels: options.channel, exclude: options.exclude }]),
    );
  oneOperation(program, "rename", "the recording with other channel names")
    .requiredOption("--map <old=new>", "a renaming (may be given more than once)", collected)
    .addHelpText(
      "after",
      "\nExample:\n  $ simtape rename robot.tape renamed.tape --map /robot/Odometry=/replay/Odometry",
    )
    .action((file: string, output: string | undefined, options: EditOptions & { map: readonly string[] }) =>
      run(file, output, options, async () => [{ op: "rename", channels: Object.fromEntries(options.map.map(pairOf)) }]),
    );
  oneOperation(program, "redact", "a copy without what should not be seen")
    .requiredOption("-c, --channel <glob>", "channels to take messages out of (may be given more than once)", collected)
    .option("--from <time>", "only from here")
    .option("--until <time>", "only to here")
    .addHelpText(
      "after",
      `\nWhat was taken out is gone from all of the result, metadata and notes too; if anything of it would be left, nothing is written.\nNothing is put in its place: up to the next message that is kept, the last one before the range holds.\nExit 3: a snapshot in the range says again what was taken out; 2: there is nothing to take out; 1: it cannot be taken out.\n\n${TIME_HELP}\n\nExample:\n  $ simtape redact race.hcrp public.hcrp -c chat --from 10s --until 20s`,
    )
    .action(
      (
        file: string,
        output: string | undefined,
        options: EditOptions & { channel: readonly string[]; from?: string; until?: string },
      ) =>
        run(file, output, options, async () => {
          const { start: from, end: until } = await withRecording(file, options, (recording) =>
            parseRange(options, recording),
          );
          return [{ op: "redact", channels: options.channel, from, until }];
        }),
    );
  oneOperation(program, "annotate", "a note at a moment, kept with the recording")
    .requiredOption("--at <time>", "the moment")
    .requiredOption("--text <text>", "the note")
    .option("--kind <kind>", "kind of the note", "note")
    .addHelpText(
      "after",
      `\n${TIME_HELP}\n\nExample:\n  $ simtape annotate town.log noted.log --at 12.5s --text "brakes too late"`,
    )
    .action(
      (file: string, output: string | undefined, options: EditOptions & { at: string; text: string; kind: string }) =>
        run(file, output, options, async () => {
          const at = await withRecording(file, options, (recording) => parseTime(options.at, recording));
          return [{ op: "annotate", at, text: options.text, kind: options.kind }];
        }),
    );
  writes(
    reads(program.command("join"))
      .summary("recordings of one format, one after the other")
      .description("Joins recordings of one format, one after the other; each begins with its state at its start.")
      .argument("<files...>", "two or more, in order"),
  )
    .option("--gap <time>", "time between them", "0s")
    .option("--json", "one JSON object")
    .addHelpText("after", "\nExample:\n  $ simtape join morning.tape evening.tape -o day.tape")
    .action((files: string[], options: EditOptions & { gap: string }) => {
      const [first, ...rest] = files;
      if (first === undefined || rest.length === 0)
        throw new UsageError("join takes two recordings or more, and -o FILE");
      return run(first, undefined, options, async () => {
        const gap = parseDuration(options.gap);
        if (gap === null) throw new UsageError(`--gap takes a duration, not ${JSON.stringify(options.gap)}`);
        return [{ op: "join", files: rest, gap }];
      });
    });
  writes(
    reads(program.command("edit"))
      .summary("several edits at once, from a list")
      .description(
        "Applies an edit list (docs/edit-list.schema.json). A list can also be opened without an output: simtape info edits.json.",
      )
      .argument("[file]", "the recording; absent: the list's own source"),
  )
    .requiredOption("--list <edits.json>", "the edit list")
    .option("--json", "one JSON object")
    .addHelpText("after", "\nExample:\n  $ simtape edit run.tape --list edits.json -o cut.tape")
    .action((file: string | undefined, options: EditOptions & { list: string }) => edit(file, options));
}

function oneOperation(program: Command, name: string, summary: string): Command {
  return writes(
    reads(program.command(name))
      .summary(summary)
      .description(`Writes ${summary}. Does not change the source. simtape info shows how the result was made.`)
      .argument("<file>", "path, folder, URL, or - for standard input")
      .argument("[output]", "where to write"),
  ).option("--json", "one JSON object");
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new UsageError(`--map takes OLD=NEW, not ${JSON.stringify(text)}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function run(
  file: string,
  output: string | undefined,
  options: EditOptions,
  operations: () => Promise<readonly Operation[]>,
): Promise<void> {
  const target = await targetOf(output, options, file);
  const edited = await editing(file, { version: 1, operations: await operations() }, process.cwd(), options);
  await written(edited, target, options);
}

async function edit(file: string | undefined, options: EditOptions & { list: string }): Promise<void> {
  const target = await targetOf(undefined, options, file);
  await written(await editing(file ?? null, options.list, null, options), target, options);
}

async function written(edited: Editing, target: Target, options: EditOptions): Promise<void> {
  const { messages, lost, again } = await writeEdits(edited, target, options);
  const { path } = target;
  const still = again.map((of) => `  still says it: ${of.path} (${grouped(of.count)}): ${of.reason}`);
  const lines = [`${path}: ${counted(messages, "message")}`, ...tellLost(lost), ...still];
  await report(target, options, { output: path, messages, lost, ...(again.length === 0 ? {} : { again }) }, lines);
  if (lost.length + again.length > 0) process.exitCode = EXIT.lossy;
}

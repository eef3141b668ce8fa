import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { OWN_KEY } from "../../../formats/hcrp/layout/metadata-writing.ts";
import type { SourceBundle } from "../../../io/source/source.ts";
import { isSegment } from "../../../io/store/store-key.ts";
import { JOURNAL } from "../../../record/live/recording-folder.ts";
import { StoreError } from "../../../io/store/store.ts";
import { RecordingError } from "../../../model/error.ts";
import { openBundle } from "../../../model/open.ts";
import type { Recording } from "../../../model/recording.ts";
import { after, type Time } from "../../../model/values/time.ts";
import { Rows } from "../../output/message-rows.ts";
import { collected } from "../../input/collected.ts";
import { ENDING, heed } from "../../run/ending.ts";
import { EXIT } from "../../run/failure.ts";
import { allFormats } from "../../input/formats.ts";
import { matching } from "../../input/glob.ts";
import { Output, say } from "../../run/terminal.ts";
import { folderOf, isInS3, commandPath, under } from "../../input/command-path.ts";
import { budgetOf, bundleNamed, isUrl, type ReadOptions, reads } from "../../input/recordings.ts";
import { stampOf } from "./tail-stamp.ts";
import { withUncommitted } from "./uncommitted.ts";
import { Written } from "./written.ts";
import { instantOf, parseDuration, TIME_HELP } from "../../input/time.ts";

interface TailOptions extends ReadOptions {
  readonly channel?: readonly string[];
  readonly from: string;
  readonly format?: "text" | "ndjson";
  readonly json?: boolean;
  readonly raw?: boolean;
  readonly followInterval?: number;
  readonly idleExit?: number;
}

export function addTail(program: Command): void {
  reads(program.command("tail"))
    .summary("messages of a recording while it is being recorded")
    .description(
      "Writes messages as they come, until the recording is finished. Of a recording in a folder of this machine also what its recorder mirrors and has not committed. A file that never says that it is finished (CARLA, MIRA, FlightGear, NanoVer) is followed until Ctrl-C or --idle-exit.",
    )
    .argument("<recording>", "folder, file or URL; a recording that is finished is printed as cat does")
    .option("-c, --channel <glob>", "only channels whose name matches (may be given more than once)", collected)
    .option("--from <time>", "now: only new messages; start: everything; or a time", "now")
    .addOption(new Option("--format <format>", "how to write them").choices(["text", "ndjson"]))
    .option("--json", "the same as --format ndjson")
    .option("--raw", "payload bytes in base64 instead of decoded values")
    .option("--follow-interval <time>", "how often to look (250ms; over a network 1s)", millisecondsOf)
    .option("--idle-exit <time>", "end when nothing came for this long", millisecondsOf)
    .addHelpText(
      "after",
      `\n${TIME_HELP}\nWithout --format: text on a terminal, NDJSON otherwise.\n\nExamples:\n  $ simtape tail recordings/run-1 -c chat\n  $ simtape tail town.log -c collision --idle-exit 1m\n  $ simtape tail s3://bucket/recordings/run-1 --from start --idle-exit 5m`,
    )
    .action(async (name: string, options: TailOptions) => {
      const stop = new AbortController();
      const onSignal = (): void => stop.abort();
      for (const signal of ENDING) process.on(signal, onSignal);
      const tail = new Tail(options);
      for (let at: string | null = await mainOf(name); at !== null; ) at = await tail.follow(at, stop.signal);
      for (const signal of ENDING) process.off(signal, onSignal);
      process.exitCode = tail.isLossy ? EXIT.lossy : EXIT.done;
    });
}

class Tail {
  /** Payloads did not decode, or the recording goes on where nothing can be. */
  isLossy = false;
  readonly #options: TailOptions;
  readonly #output = new Output();
  readonly #format: "text" | "ndjson";
  readonly #isMatch: (name: string) => boolean;
  /** Everything before is written; null: nothing was looked at. */
  #from: Time | null = null;
  /** Of a file that does not say how far it is whole. */
  #written = new Written();
  /** Files beside the main one that grow with it. */
  #beside: readonly string[] = [JOURNAL];
  /** Recordings that were followed. */
  readonly #followed = new Set<string>();

  constructor(options: TailOptions) {
    this.#options = options;
    this.#format = options.format ?? (options.json !== true && process.stdout.isTTY === true ? "text" : "ndjson");
    this.#isMatch = options.channel === undefined ? () => true : matching(options.channel);
  }

  /** Until it is finished, nothing comes any more, or the signal; the recording that goes on from there, if any. */
  async follow(main: string, signal: AbortSignal): Promise<string | null> {
    const { idleExit = Number.POSITIVE_INFINITY } = this.#options;
    const { followInterval = isUrl(main) || isInS3(main) ? 1000 : 250 } = this.#options;
    let seen: string | null = null;
    // the first commit of a recording that goes on from another comes after the last of that
    const due = this.#followed.size === 0 ? 0 : performance.now() + TIMEOUT;
    for (let changed = performance.now(); !signal.aborted && performance.now() - changed <= idleExit; ) {
      const began = performance.now();
      const stamp = await stampOf(main, this.#beside, seen);
      if (stamp !== seen) {
        const end = await this.#write(main, seen !== null || began < due);
        // standard input has come to its end, whatever it says
        if (end === "finished" || main === "-") return null;
        if (end !== "changing") {
          changed = performance.now();
          seen = stamp;
        }
        if (end !== "changing" && end !== "open") return this.#next(main, end.next);
      }
      // a long file is looked through again at each change: never most of the time
      const pause = Math.max(followInterval, 4 * (performance.now() - began));
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
    return null;
  }

  /** The main file of the recording that goes on from this one; null: the link leads nowhere. */
  #next(main: string, id: string): string | null {
    this.#followed.add(main);
    const problem = isSegment(id) ? null : "no name of a recording";
    const next = problem === null ? nextTo(main, id) : null;
    const isAgain = next !== null && this.#followed.has(next);
    if (next === null || isAgain || this.#followed.size >= MOST_LINKS) {
      say(
        `simtape: it says that it goes on in ${JSON.stringify(id)}, ${problem ?? "where it has been before"}: ${main}`,
      );
      this.isLossy = true;
      return null;
    }
    this.#from = 0;
    this.#written = new Written();
    say(`simtape: it goes on in ${id}`);
    return next;
  }

  async #write(main: string, isAgain: boolean): Promise<"open" | "changing" | "finished" | { readonly next: string }> {
    try {
      const recording = await this.#open(await bundleNamed(main, this.#options));
      heed(main, recording);
      try {
        const { metadata, seekIndex } = recording.info;
        if (seekIndex === "built" && main !== "-") {
          await this.#writeGrown(recording);
          this.#beside = recording.reader.siblings ?? [];
          return "open";
        }
        await this.#writeNew(recording);
        if (metadata["finished"] === false) {
          await this.#writeUncommitted(main);
          return "open";
        }
        const { next } = (metadata["metadata"] as Links | undefined)?.[OWN_KEY] ?? {};
        return typeof next === "string" ? { next } : "finished";
      } finally {
        await recording.close();
      }
    } catch (error) {
      if (isPassing(error, isAgain)) return "changing";
      throw error;
    }
  }

  #open(bundle: SourceBundle): Promise<Recording> {
    return openBundle(bundle, allFormats(), { budget: budgetOf(this.#options) });
  }

  /** What the recorder has mirrored on this machine, and will commit later. */
  async #writeUncommitted(main: string): Promise<void> {
    if (main === "-" || isUrl(main) || isInS3(main)) return;
    try {
      const bundle = await withUncommitted(folderOf(resolve(main)), budgetOf(this.#options));
      if (bundle === null) return;
      const recording = await this.#open(bundle);
      try {
        await this.#writeNew(recording);
      } finally {
        await recording.close();
      }
    } catch (error) {
      // a commit came meanwhile, and has all of it
      if (!RecordingError.is(error) && !(error instanceof StoreError)) throw error;
    }
  }

  async #writeNew(recording: Recording): Promise<void> {
    const { end } = await recording.timeline();
    this.#from ??= await this.#begin(recording);
    await this.#print(recording, this.#from);
    // chunks hold whole ticks: what comes is not before the end of the last one
    this.#from = Math.max(this.#from, end);
  }

  /** The same of a file whose last messages need not be the latest. */
  async #writeGrown(recording: Recording): Promise<void> {
    const written = this.#written;
    const isFirst = this.#from === null;
    this.#from ??= await this.#begin(recording);
    written.begin();
    if (isFirst) {
      for await (const { time, channel, length } of recording.batches({ end: this.#from }))
        for (let i = 0; i < length; i++) written.meet(recording.channels[channel[i]!]!.name, time[i]!);
      written.begin();
    }
    await this.#print(recording, written.from, written);
  }

  async #print(recording: Recording, start: Time, written: Written | null = null): Promise<void> {
    const names = recording.channels.map(({ name }) => name);
    const channels = recording.channels.filter(({ name }) => this.#isMatch(name));
    const rows = new Rows(recording.channels, this.#format, this.#options.raw === true);
    for await (const batch of recording.batches({ channels: written === null ? channels : undefined, start })) {
      for (let i = 0; i < batch.length; i++) {
        const name = names[batch.channel[i]!]!;
        const isNew = written === null || (written.meet(name, batch.time[i]!) && this.#isMatch(name));
        if (isNew) await this.#output.line(rows.row(batch, i));
      }
    }
    await this.#output.flush();
    if (rows.undecodable > 0) this.isLossy = true;
  }

  async #begin(recording: Recording): Promise<Time> {
    const { from } = this.#options;
    if (from === "now") {
      const { end } = await recording.timeline();
      return recording.info.seekIndex === "built" ? after(end) : end;
    }
    return from === "start" ? Number.NEGATIVE_INFINITY : instantOf(from, recording);
  }
}

/** Whether the next look has what this one could not read: the file was written to between two reads. */
function isPassing(error: unknown, isAgain: boolean): boolean {
  const code = RecordingError.is(error) ? error.code : null;
  return code === "source-changed" || (isAgain && code === "source-failed");
}

/** Milliseconds in which a recording must be there that another goes on in. */
const TIMEOUT = 10_000;
/** Recordings followed one from another: each holds a day, or as much as one wants. */
const MOST_LINKS = 10_000;

type Links = Readonly<Record<string, { readonly next?: unknown } | undefined>>;

/** The main file: that of a folder is its metadata file. */
async function mainOf(name: string): Promise<string> {
  if (name === "-" || isUrl(name)) return name;
  return (await commandPath(name).kind()) === "folder" ? under(name, "meta.hcrp") : name;
}

/** The recording `id` beside the one whose main file this is. */
function nextTo(main: string, id: string): string {
  if (isUrl(main)) {
    // what lets us read this one may be in its query
    const next = new URL(`../${id}/meta.hcrp`, main);
    next.search = new URL(main).search;
    return next.href;
  }
  return under(under(folderOf(folderOf(main)), id), "meta.hcrp");
}

function millisecondsOf(text: string): number {
  const time = parseDuration(text);
  if (time === null || time <= 0) throw new InvalidArgumentError("a time such as 500ms or 2s.");
  return time / 1e6;
}

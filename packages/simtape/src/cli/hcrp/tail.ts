import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { OWN_KEY } from "../../formats/hcrp/layout/metadata-writing.ts";
import { withoutCredentials } from "../../io/http.ts";
import { shownUrl } from "../../io/shown-url.ts";
import { SourceError } from "../../io/source.ts";
import { isSegment } from "../../io/store-key.ts";
import { RecordingError } from "../../model/error.ts";
import { openBundle } from "../../model/open.ts";
import type { Recording } from "../../model/recording.ts";
import type { Time } from "../../model/time.ts";
import { Rows } from "../cat.ts";
import { heed } from "../ending.ts";
import { EXIT } from "../failure.ts";
import { allFormats } from "../formats.ts";
import { matching } from "../glob.ts";
import { Output, say } from "../output.ts";
import { folderOf, isInS3, commandPath, storeAt, under } from "../command-path.ts";
import { budgetOf, bundleNamed, isUrl, type ReadOptions, reads, urlOf } from "../recordings.ts";
import { parseDuration, parseTime, TIME_HELP } from "../time.ts";

interface TailOptions extends ReadOptions {
  readonly channel?: string[];
  readonly from: string;
  readonly format?: "text" | "ndjson";
  readonly raw?: boolean;
  readonly followInterval: number;
  readonly idleExit?: number;
}

export function addTail(program: Command): void {
  reads(program.command("tail"))
    .summary("messages of a recording while it is being recorded")
    .description(
      "Writes messages as they are committed, until the recording is finished. While the metadata file is unchanged, it reads only that file.",
    )
    .argument("<recording>", "folder, meta.hcrp, or its URL; prints any other recording as cat does")
    .option("-c, --channel <glob...>", "only channels whose name matches (may be given more than once)")
    .option("--from <time>", "now: only new messages; start: everything; or a time", "now")
    .addOption(new Option("--format <format>", "how to write them").choices(["text", "ndjson"]))
    .option("--raw", "payload bytes in base64 instead of decoded values")
    .option("--follow-interval <time>", "how often to look", millisecondsOf, 1000)
    .option("--idle-exit <time>", "end when nothing was committed for this long", millisecondsOf)
    .addHelpText(
      "after",
      `\n${TIME_HELP}\nWithout --format: text on a terminal, NDJSON otherwise.\n\nExamples:\n  $ simtape tail recordings/run-1 -c chat\n  $ simtape tail s3://bucket/recordings/run-1 --from start --idle-exit 5m`,
    )
    .action(async (name: string, options: TailOptions) => {
      const stop = new AbortController();
      const onSignal = (): void => stop.abort();
      process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
      const tail = new Tail(options);
      for (let at: string | null = await mainOf(name); at !== null; ) at = await tail.follow(at, stop.signal);
      process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
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
  /** Recordings that were followed. */
  readonly #followed = new Set<string>();

  constructor(options: TailOptions) {
    this.#options = options;
    this.#format = options.format ?? (process.stdout.isTTY === true ? "text" : "ndjson");
    this.#isMatch = options.channel === undefined ? () => true : matching(options.channel);
  }

  /** Until it is finished, nothing comes any more, or the signal; the recording that goes on from there, if any. */
  async follow(main: string, signal: AbortSignal): Promise<string | null> {
    const { followInterval, idleExit = Number.POSITIVE_INFINITY } = this.#options;
    let seen: string | null = null;
    // the first commit of a recording that goes on from another comes after the last of that
    const due = this.#followed.size === 0 ? 0 : performance.now() + PATIENCE;
    for (let changed = performance.now(); !signal.aborted && performance.now() - changed <= idleExit; ) {
      const stamp = await stampOf(main, seen);
      if (stamp !== seen) {
        const end = await this.#write(main, seen !== null || performance.now() < due);
        // standard input has come to its end, whatever it says
        if (end === "finished" || main === "-") return null;
        if (end !== "changing") {
          changed = performance.now();
          seen = stamp;
        }
        if (end !== "changing" && end !== "open") return this.#next(main, end.next);
      }
      await sleep(followInterval, undefined, { signal }).catch(() => undefined);
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
    say(`simtape: it goes on in ${id}`);
    return next;
  }

  async #write(main: string, isAgain: boolean): Promise<"open" | "changing" | "finished" | { readonly next: string }> {
    try {
      const recording = await openBundle(await bundleNamed(main, this.#options), allFormats(), {
        budget: budgetOf(this.#options),
      });
      heed(main, recording);
      try {
        await this.#writeNew(recording);
        const { metadata } = recording.info;
        if (metadata["finished"] === false) return "open";
        const { next } = (metadata["metadata"] as Links | undefined)?.[OWN_KEY] ?? {};
        return typeof next === "string" ? { next } : "finished";
      } finally {
        await recording.close();
      }
    } catch (error) {
      // a commit between two reads: the next look has all of it
      const code = RecordingError.is(error) ? error.code : null;
      if (code === "source-changed" || (isAgain && code === "source-failed")) return "changing";
      throw error;
    }
  }

  async #writeNew(recording: Recording): Promise<void> {
    const { end } = await recording.timeline();
    this.#from ??= await this.#begin(recording);
    const channels = recording.channels.filter(({ name }) => this.#isMatch(name));
    const rows = new Rows(recording.channels, this.#format, this.#options.raw === true);
    for await (const batch of recording.batches({ channels, start: this.#from })) {
      for (let i = 0; i < batch.length; i++) await this.#output.line(rows.row(batch, i));
    }
    await this.#output.flush();
    if (rows.undecodable > 0) this.isLossy = true;
    // chunks hold whole ticks: what comes is not before the end of the last one
    this.#from = Math.max(this.#from, end);
  }

  async #begin(recording: Recording): Promise<Time> {
    const { from } = this.#options;
    if (from === "now") return (await recording.timeline()).end;
    return from === "start" ? Number.NEGATIVE_INFINITY : parseTime(from, recording);
  }
}

/** Milliseconds in which a recording must be there that another goes on in. */
const PATIENCE = 10_000;
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

/** Changes whenever the file does; `known` is what it was before. */
async function stampOf(main: string, known: string | null): Promise<string> {
  if (main === "-") return "";
  if (isInS3(main)) return (await storeAt(folderOf(main)).head(main.slice(main.lastIndexOf("/") + 1)))?.etag ?? "";
  if (!isUrl(main)) {
    const found = await stat(main, { bigint: true }).catch(() => null);
    return found === null ? "" : `${found.ino}-${found.mtimeNs}-${found.size}`;
  }
  const condition =
    known?.startsWith('"') === true || known?.startsWith("W/") === true ? { "if-none-match": known } : {};
  const { url, headers: authorization } = withoutCredentials(urlOf(main));
  const response = await fetch(url, { headers: { ...authorization, range: "bytes=0-0", ...condition } }).catch(
    (cause: unknown) => {
      throw new SourceError("failed", `cannot reach the server: ${shownUrl(main)}`, { cause });
    },
  );
  await response.body?.cancel();
  if (response.status === 304) return known ?? "";
  const { headers } = response;
  return headers.get("etag") ?? `${headers.get("last-modified")} ${headers.get("content-range")}`;
}

function millisecondsOf(text: string): number {
  const time = parseDuration(text);
  if (time === null || time <= 0) throw new InvalidArgumentError("a time such as 500ms or 2s.");
  return time / 1e6;
}

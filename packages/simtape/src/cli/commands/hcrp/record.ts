import { rmdir, stat } from "node:fs/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { journalFile } from "../../../io/node/journal-file.ts";
import { writerLock } from "../../../io/node/lock.ts";
import { httpStore } from "../../../io/http/http-store.ts";
import { shownUrl } from "../../../io/source/shown-url.ts";
import { type Store, StoreError } from "../../../io/store/store.ts";
import { isSegment } from "../../../io/store/store-key.ts";
import { type HeaderOptions, LineProtocol } from "../../../record/lines/line-protocol.ts";
import { OVERFLOW_POLICIES, type OverflowPolicy } from "../../../record/live/live-output.ts";
import { JOURNAL, META } from "../../../record/live/recording-folder.ts";
import { RECORDING_PROFILES, type RecordingProfile } from "../../../record/live/profile.ts";
import type { RecorderOptions } from "../../../record/live/recorder-options.ts";
import { type Recorder, record } from "../../../record/live/recorder.ts";
import { collected } from "../../input/collected.ts";
import { ENDING } from "../../run/ending.ts";
import { FEED_KINDS, FEED_USES, type FeedKind } from "../../live/kinds.ts";
import { mustFitUses, type OptionUses } from "../../input/only-for.ts";
import { EXIT, UsageError } from "../../run/failure.ts";
import { toJson } from "../../../model/values/json.ts";
import { byteSize, counted, grouped, Output, say } from "../../run/terminal.ts";
import { folderOf, isInS3, mustBeNamed, storeAt, under } from "../../input/command-path.ts";
import { droppedIn, type Fed, feed, watchStore } from "./record-feed.ts";
import { recordMany } from "./record-hub.ts";
import { inputOf } from "./record-input.ts";
import { budgetOf, budgeted, type ReadOptions } from "../../input/recordings.ts";
import { toServers } from "../../input/timeout.ts";
import { sizeOf } from "../../input/size.ts";
import { clock, parseDuration } from "../../input/time.ts";

interface RecordCommand extends ReadOptions {
  readonly from?: FeedKind;
  readonly output?: string;
  readonly force?: boolean;
  readonly duration?: number;
  readonly flushEvery?: number;
  readonly ring?: number;
  readonly split?: number;
  readonly topic?: readonly string[];
  readonly rate?: number;
  readonly pilots?: number;
  readonly input: string;
  readonly id?: string;
  readonly hub?: string;
  readonly profile: RecordingProfile;
  readonly journal?: string | boolean;
  readonly resume?: boolean;
  readonly takeOver?: boolean;
  readonly lenient?: boolean;
  readonly shared?: boolean;
  readonly token?: string;
  readonly allowOrigin?: readonly string[];
  readonly policy: OverflowPolicy;
  readonly buffer?: number;
  readonly commitEvery?: number;
  readonly commitBytes?: number;
  readonly limitTicks?: number;
  readonly limitBytes?: number;
  readonly tickRate: "input" | "real";
  readonly json?: boolean;
}

/** The use without `--from`, and its options. */
const LINES = "lines";
const USES: OptionUses = {
  ...FEED_USES,
  ...Object.fromEntries(
    (
      "input token allowOrigin hub id profile journal resume takeOver lenient shared policy buffer commitEvery " +
      "commitBytes limitTicks limitBytes tickRate"
    )
      .split(" ")
      .map((name) => [name, [LINES]]),
  ),
};

/** Why a recording is taken for abandoned. */
const UNENDED = '; no line said {"end":"completed"}';
/** Bad lines that are reported one by one. */
const MOST_LINES = 10;

export function addRecord(program: Command): void {
  budgeted(program.command("record"))
    .summary("record a running simulator: what it sends as lines of JSON, or a program with --from")
    .description(
      "Records what a simulator sends, one JSON object per line (docs/line-protocol.md), into a folder, a bucket, or a server (its token in SIMTAPE_SERVER_TOKEN). Committed data can be read at once and survives every crash. Exit 0: done; 3: done, but lines were skipped or events dropped; 1: failed.",
    )
    .argument(
      "[out]",
      "the recording: FOLDER/ID, s3://bucket/prefix/ID or https://SERVER/api/live/ID; with --id what is above it",
    )
    .addOption(
      new Option("--from <program>", "record a running program: [out] is its address, -o the file").choices(FEED_KINDS),
    )
    .option("-o, --output <file>", "with --from: the recording; its ending names the format")
    .option("--force", "with --from: overwrite an existing file")
    .option("--duration <time>", "with --from: end by itself after this time (10m)", nanosecondsOf)
    .option("--flush-every <time>", "with --from: what a crash can lose (1s)", millisecondsOf)
    .option("--ring <time>", "with --from: keep the last minutes in memory, and save them on demand", nanosecondsOf)
    .option("--split <time>", "with --from: begin a new recording after this time, as 1h", nanosecondsOf)
    .option(
      "--topic <glob>",
      "with --from foxglove: only such topics, /camera/** (may be given more than once)",
      collected,
    )
    .option("--rate <hz>", "of FlightGear: packets a second (20)", countOf)
    .option("--pilots <port>", "of FlightGear: record other pilots, whose packets arrive at this port", countOf)
    .option("--hub <folder>", "instead of one recording: many senders and recordings at once, each below this folder")
    .option(
      "-i, --input <from>",
      "-, a file, tcp://host:port, ws://host:port or unix:path (the last three listen)",
      "-",
    )
    .addOption(new Option("--token <token>", 'what a sender must send first, as {"token":"…"}').env("SIMTAPE_TOKEN"))
    .option(
      "--allow-origin <origin>",
      "pages that may connect to ws://, beside those of this machine (may be given more than once)",
      collected,
    )
    .option("--id <id>", "name of the recording below <out>")
    .addOption(
      new Option("--profile <profile>", "what of a world is kept").choices(RECORDING_PROFILES).default("standard"),
    )
    .option("--journal [file]", "mirror twice a second what is not committed; a folder has one of its own by default")
    .option("--no-journal", "keep no journal: a crash loses what is not committed, and tail shows it later")
    .option("--resume", "continue a recording that was left open, with the journal in its folder")
    .option("--take-over", "take the lock of a recorder on another machine, which has ended")
    .option("--lenient", "skip bad lines and count them")
    .option("--shared", "let others read it, as far as the umask allows; by default only this user can")
    .addOption(
      new Option("--policy <policy>", "when the store is too slow: make the sender wait, or drop events")
        .choices(OVERFLOW_POLICIES)
        .default("block"),
    )
    .option("--buffer <size>", "how much may wait for the store (16MiB)", sizeOf)
    .option("--commit-every <time>", "commit at least this often (30s)", millisecondsOf)
    .option("--commit-bytes <size>", "commit at this compressed size (256KiB)", sizeOf)
    .option("--limit-ticks <n>", "end the recording after this many ticks and continue in a new one (a day)", countOf)
    .option("--limit-bytes <size>", "the same by size (2GiB)", sizeOf)
    .addOption(
      new Option("--tick-rate <rate>", "ticks by the lines, or by the clock")
        .choices(["input", "real"])
        .default("input"),
    )
    .option("--json", "the report as one JSON object")
    .addHelpText(
      "after",
      "\nExamples:\n  $ my-simulator | simtape record recordings/run-1\n  $ simtape record recordings --id run-2 --input tcp://127.0.0.1:9100 --journal\n  $ simtape record s3://bucket/recordings/run-3 --input events.ndjson --json\n  $ simtape record --hub recordings --input tcp://127.0.0.1:9100 --token secret    # docs/line-protocol.md, A hub\n  $ simtape record --from nanover ws://127.0.0.1:38801 -o run.nanover.zip\n  $ simtape record --from nanover ws://127.0.0.1:38801 -o run.nanover.zip --ring 5m    # s and Enter saves\n  $ simtape record --from nanover ws://127.0.0.1:38801 -o run.nanover.zip --split 1h\n  $ simtape record --from flightgear http://localhost:5500 -o flight.fgtape\n  $ simtape record --from foxglove ws://robot:8765 -o robot.mcap --topic '/camera/**'",
    )
    .action(async (out: string | undefined, options: RecordCommand, command: Command) => {
      const { from } = options;
      mustFitUses(command, USES, [from ?? LINES], usesInWords);
      if (from !== undefined) {
        const { recordFrom } = await import("../../live/record-from.ts");
        process.exitCode = await recordFrom(out, { ...options, from });
        return;
      }
      process.exitCode = await (options.hub === undefined
        ? recordTo(targetOf(out ?? "", options), options)
        : recordMany(hubFolder(options.hub, out, options), { ...options, recorder: recorderOptions(options) }));
    });
}

function usesInWords(uses: readonly string[]): string {
  if (uses.includes(LINES)) return "a recording of lines";
  return uses.length === FEED_KINDS.length ? "--from" : `--from ${uses.join(" and ")}`;
}

/** Throws `UsageError` for what is for one recording only. */
function hubFolder(folder: string, out: string | undefined, { id, resume, journal, lenient }: RecordCommand): string {
  mustBeNamed(folder);
  if (out !== undefined || id !== undefined)
    throw new UsageError("--hub has the folder of all recordings; their names come with the lines");
  if (resume === true) throw new UsageError("--resume is for one recording; recover what a hub has left open");
  if (typeof journal === "string") throw new UsageError("--journal of a hub takes no file: each recording has its own");
  if (lenient === true) say("simtape: a hub is always lenient");
  return folder;
}

/** What each recording is made with. */
function recorderOptions(options: RecordCommand): Omit<RecorderOptions, "id"> {
  const { profile, policy, buffer, commitEvery, commitBytes, limitTicks, limitBytes } = options;
  return {
    profile,
    budget: budgetOf(options),
    buffer: { bytes: buffer, policy },
    commit: { every: commitEvery, bytes: commitBytes },
    limits: { ticks: limitTicks, bytes: limitBytes },
  };
}

interface Target {
  readonly store: Store;
  readonly id: string;
  readonly name: string;
  /** The recording's own folder; null: it is in a bucket. */
  readonly folder: string | null;
}

function targetOf(out: string, { id, shared = false }: RecordCommand): Target {
  if (out === "") throw new UsageError("say where to record to: FOLDER/ID, or --hub FOLDER for many recordings");
  mustBeNamed(out);
  if (/^https?:\/\//i.test(out)) return targetOnServer(id === undefined ? out : `${out.replace(/\/+$/, "")}/${id}`);
  const above = id === undefined ? folderOf(out.replace(/\/+$/, "")) : out;
  const own = id ?? out.replace(/\/+$/, "").replace(/^.*\//s, "");
  const store = storeAt(above, shared);
  if (!isSegment(own) || (isInS3(out) && !isInS3(`${above}/`)))
    throw new UsageError(`say the recording's name: ${under(out, "ID")}, of letters, digits and . _ -`);
  const name = under(above, own);
  return { store, id: own, name, folder: isInS3(out) ? null : name };
}

/** `https://server/api/live/ID`. */
function targetOnServer(address: string): Target {
  const url = URL.canParse(address) ? new URL(address) : null;
  const [, id = ""] = /\/api\/live\/([^/]+)\/?$/.exec(url?.pathname ?? "") ?? [];
  if (url === null || !isSegment(id) || url.search + url.hash !== "")
    throw new UsageError(`a recording on a server is https://SERVER/api/live/ID, not ${shownUrl(address)}`);
  const { fetch, timeout } = toServers();
  const token = process.env["SIMTAPE_SERVER_TOKEN"] || undefined;
  const store = httpStore(`${url.href.replace(/\/$/, "")}/files`, {
    folder: id,
    token,
    fetch,
    timeout: timeout + 1000,
  });
  return { store, id, name: shownUrl(url), folder: null };
}

async function recordTo(target: Target, options: RecordCommand): Promise<number> {
  const { store, id, folder } = target;
  if (options.journal === true && folder === null)
    throw new UsageError("--journal needs a local file when the recording is in a bucket");
  const lockOptions = { isShared: options.shared, takesOver: options.takeOver };
  const lock = folder === null ? null : await writerLock(under(folder, "writer.lock"), id, lockOptions);
  try {
    if (options.resume !== true && (await store.head(`${id}/${META}`)) !== null)
      throw new StoreError("conflict", `there is a recording already, --resume goes on with it: ${target.name}`, id);
    return await run(target, options);
  } finally {
    await lock?.release();
    // without effect when anything is in it
    if (folder !== null) await rmdir(folder).catch(() => undefined);
  }
}

async function run(target: Target, options: RecordCommand): Promise<number> {
  const stop = new AbortController();
  let skipped = 0;
  const journal = await journalOf(target, options);
  const lines = new LineProtocol({
    open: (header) => open(target, options, journal, header),
    ticks: options.tickRate,
    signal: stop.signal,
    skipped:
      options.lenient === true
        ? ({ message }) => {
            if (++skipped <= MOST_LINES) say(`simtape: skipped: ${message}`);
            else if (skipped === MOST_LINES + 1) say("simtape: more lines are skipped and only counted");
          }
        : undefined,
  });
  const { token, allowOrigin: origins } = options;
  const input = await inputOf(options.input, stop.signal, { token: token || undefined, origins });
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) void giveUp(lines.recorder);
    else {
      say(`simtape: ${signal}: closing the recording; once more gives up what is not committed`);
      stop.abort();
    }
  };
  for (const signal of ENDING) process.on(signal, onSignal);
  const unwatch = watchStore(lines);
  try {
    const fed = await feed(input, lines, stop);
    const { recorder } = lines;
    if (recorder === null) {
      say(`simtape: ${fed.fault?.message ?? "nothing was sent"}; nothing is recorded`);
      return EXIT.failed;
    }
    lines.settle();
    const outcome = lines.ended ?? "abandoned";
    await recorder.close({ outcome });
    return await report(target, lines, recorder, fed, outcome, options.json === true);
  } finally {
    unwatch();
    for (const signal of ENDING) process.off(signal, onSignal);
  }
}

function open(
  { store, id, folder }: Target,
  options: RecordCommand,
  journalPath: string | undefined,
  header: HeaderOptions,
): Promise<Recorder> {
  return record(store, {
    ...recorderOptions(options),
    ...header,
    id,
    resume: options.resume,
    journal: journalPath === undefined ? undefined : journalFile(journalPath),
    keepsPrevious: folder !== null,
  });
}

/** Where the journal is; what the recorder before has left in one is never left out. */
async function journalOf({ folder, name }: Target, { journal, resume }: RecordCommand): Promise<string | undefined> {
  const own = folder === null ? null : under(folder, JOURNAL);
  const isDefault = journal === undefined || journal === true;
  const path = journal === false ? undefined : isDefault ? (own ?? undefined) : journal;
  if (resume !== true || own === null || journal === true || journal === own || !(await isFile(own))) return path;
  if (typeof journal === "string")
    throw new UsageError(`there is a journal of ${name} already: resume with --journal ${own}, or recover it first`);
  say(`simtape: goes on with the journal that is there: ${own}`);
  return own;
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function giveUp(recorder: Recorder | null): Promise<never> {
  say("simtape: given up; what is committed stays");
  await recorder?.abort();
  process.exit(EXIT.failed);
}

async function report(
  { name }: Target,
  lines: LineProtocol,
  recorder: Recorder,
  { last, fault, turnedAway }: Fed,
  outcome: string,
  isJson: boolean,
): Promise<number> {
  const { status } = recorder;
  const { id, tick: ticks, bytes, dropped } = status;
  const counts = { lines: lines.lines, skipped: lines.skipped, turnedAway, refused: lines.refused, dropped };
  const summary = toJson({ recording: name, last: id, outcome, ticks, bytes, ...counts });
  last?.answer(summary);
  last?.close();
  const output = new Output();
  await output.line(
    isJson
      ? summary
      : `${name}: ${outcome}, ${clock(ticks * 50e6)} (${counted(ticks, "tick")}), ${byteSize(bytes)}, ${counted(counts.lines, "line")}${lines.ended === null ? UNENDED : ""}`,
  );
  await output.flush();
  const lost = droppedIn(status);
  if (lost > 0) say(`simtape: ${counted(lost, "event was", "events were")} dropped: ${toJson(dropped)}`);
  if (counts.refused > 0) say(`simtape: ${grouped(counts.refused)} things found no room in the world`);
  if (counts.skipped > 0) say(`simtape: ${counted(counts.skipped, "line was", "lines were")} skipped`);
  if (fault !== null) {
    say(`simtape: ${fault.message}; what was before it is recorded. --lenient skips bad lines`);
    return EXIT.failed;
  }
  return lost + counts.refused + counts.skipped + turnedAway > 0 ? EXIT.lossy : EXIT.done;
}

function millisecondsOf(text: string): number {
  const time = parseDuration(text);
  if (time === null || time < 0) throw new InvalidArgumentError("a time such as 500ms, 30s or 2m.");
  return time / 1e6;
}

function nanosecondsOf(text: string): number {
  const time = parseDuration(text);
  if (time === null || time <= 0) throw new InvalidArgumentError("a time such as 30s, 2m or 1h.");
  return time;
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new InvalidArgumentError("a whole number above 0.");
  return Number(text);
}

import { statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { directoryStore } from "../../io/node/directory-store.ts";
import { both } from "../../live/both.ts";
import type { Feed } from "../../live/feed.ts";
import { JournalWriter } from "../../live/journal.ts";
import { Mirror } from "../../live/mirror.ts";
import { recordInto, type TakeReport, type TakeStatus } from "../../live/take.ts";
import type { Format } from "../../model/format.ts";
import { META } from "../../record/live/recording-folder.ts";
import { type Recorder, record } from "../../record/live/recorder.ts";
import { formatNamed } from "../input/format-of.ts";
import { isInS3 } from "../input/command-path.ts";
import { mustFit, type Target, type TargetOptions } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { whenOver } from "../run/ending.ts";
import { removeFolder, temporaryFolder } from "../run/temporary-folder.ts";
import { say } from "../run/terminal.ts";
import type { ViewEntry } from "../view/entries.ts";
import { Growth } from "../view/growth.ts";
import { type FeedOptions, feedOf } from "../live/feeds.ts";
import { type FeedKind, TAKE } from "../live/kinds.ts";
import { finishInto, journalAt, unlinkEmpty } from "../live/finishing.ts";

/** Options of `simtape view --from`. */
export interface ViewFromOptions extends FeedOptions, Pick<TargetOptions, "force"> {
  readonly from: FeedKind;
  /** Where the recording is kept; absent: nowhere. */
  readonly output?: string;
}

/** A running program that is shown while it is recorded. */
export interface LiveView {
  readonly entry: ViewEntry;
  /** Ends the recording; what is to be kept is written. Gives the exit code. */
  end(): Promise<number>;
}

/** Ticks in a second. */
const RATE = 20;
/** Milliseconds after which what arrived can be seen, and between two looks at how far it is. */
const COMMIT_EVERY = 500;
const LOOK_EVERY = 200;
/** Bytes that may wait for the disk. */
const BUFFER = 16 << 20;
/** Milliseconds between two looks at the disk, and what of it is left to others: so much, or a twentieth of a small one. */
const DISK_EVERY = 5000;
const SPARE = 256 << 20;

/**
 * Records a running program into a temporary live recording, which pages show, and with `output` into a journal, too.
 * Resolves when there is something to see. Rejects with `SourceError` if the program cannot be reached.
 */
export async function viewFrom(address: string, options: ViewFromOptions): Promise<LiveView> {
  const feed = feedOf(options.from, address, options);
  const kept = options.output === undefined ? null : await keptAt(options.output, feed, options);
  const folder = await temporaryFolder("live");
  whenOver(() => removeFolder(folder));
  const id = options.output === undefined ? options.from : nameIn(options.output);
  const growth = new Growth();
  const stop = new AbortController();
  const made: { recorder: Recorder | null } = { recorder: null };
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const mirror = new Mirror(feed.format, async (epoch) => {
    made.recorder = await record(directoryStore(folder), {
      ...{ id, epoch, keepsPrevious: true, metadata: { program: feed.name } },
      commit: { every: COMMIT_EVERY },
      buffer: { bytes: BUFFER, policy: "block" },
    });
    return made.recorder;
  });
  let failure: string | null = null;
  const look = (): void => {
    const seconds = secondsIn(made.recorder);
    if (seconds > 0) begin();
    growth.tell({ state: "live", seconds, failure });
  };
  const looking = setInterval(look, LOOK_EVERY);
  const onStatus = (status: TakeStatus): void => {
    if (status.phase === "reconnecting" && failure === null) say(`simtape: ${status.failure}; connecting again`);
    if (status.phase === "recording" && failure !== null) say("simtape: connected again");
    failure = status.phase === "reconnecting" ? status.failure : null;
  };
  const watching = setInterval(() => void isFull(folder).then((is) => is && stop.abort()), DISK_EVERY);
  const taking = (async (): Promise<number> => {
    let taken: TakeReport;
    try {
      const keeper = kept === null ? mirror : both(kept.journal, mirror);
      taken = await recordInto(feed, keeper, { signal: stop.signal, onStatus });
    } catch (error) {
      await kept?.journal.close();
      if (kept !== null && !(await unlinkEmpty(kept.path)))
        say(`simtape: what was flushed is in ${kept.path}: simtape recover finishes it`);
      throw error;
    } finally {
      clearInterval(watching);
      await mirror.close();
      await made.recorder?.close();
      clearInterval(looking);
      growth.tell({ state: "ended", seconds: secondsIn(made.recorder), failure: null });
      begin();
    }
    await kept?.journal.close();
    if (!stop.signal.aborted) say(`simtape: ${feed.name} has ended; what was recorded can be watched on`);
    return kept === null ? codeOf(taken) : finishInto(kept.target, kept.path, feed.format, kept.format, taken, {});
  })();
  // `end` rejects with it, too
  taking.catch((error: unknown) => say(`simtape: the recording ended: ${String((error as Error).message)}`));
  await Promise.race([begun, taking]);
  if (made.recorder === null) await taking;
  const entry = { name: id, folder: join(folder, id), store: folder, main: META, bytes: 0, growth };
  return {
    entry,
    end: () => {
      stop.abort();
      return taking;
    },
  };
}

function secondsIn(recorder: Recorder | null): number {
  return (recorder?.status.committedTick ?? 0) / RATE;
}

interface Kept {
  readonly target: Target;
  readonly format: Format;
  readonly journal: JournalWriter;
  readonly path: string;
}

async function keptAt(output: string, feed: Feed, { force = false }: ViewFromOptions): Promise<Kept> {
  const target = await targetOf(output, { force });
  const format = formatNamed(target.main) ?? feed.format;
  mustFit(target, format);
  if (target.isStandardOutput || isInS3(target.main))
    throw new UsageError("a running program is recorded into a file of this machine: copy it when it is finished");
  const path = target.main + TAKE;
  const head = { version: 1, format: feed.format.id, feed: feed.name } as const;
  const journal = await JournalWriter.begin(await journalAt(path), head, BigInt(Date.now()) * 1_000_000n);
  return { target, format, journal, path };
}

function codeOf({ gaps, lost, failure }: TakeReport): number {
  return gaps.length + lost.length > 0 || failure !== null ? EXIT.lossy : EXIT.done;
}

/** `runs/run.nanover.zip` as `run`: letters, digits and `. _ -`. */
function nameIn(path: string): string {
  const name = basename(path)
    .replace(/\..*$/s, "")
    .replaceAll(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, 60);
  return name === "" ? "live" : name;
}

/** Whether the disk has no more room for temporary files. */
async function isFull(folder: string): Promise<boolean> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const is = bavail * bsize <= Math.min(SPARE, (blocks * bsize) / 20);
  if (is) say(`simtape: the disk is nearly full, the recording ends: ${folder}`);
  return is;
}

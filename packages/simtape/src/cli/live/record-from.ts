import { recordTake, type TakeReport, type TakeStatus } from "../../live/take.ts";
import { formatNamed } from "../input/format-of.ts";
import { isInS3 } from "../input/command-path.ts";
import { clock } from "../input/time.ts";
import { mustFit, type TargetOptions } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { ENDING } from "../run/ending.ts";
import { UsageError } from "../run/failure.ts";
import { byteSize, counted, say, sayForNow } from "../run/terminal.ts";
import { type FeedOptions, feedOf } from "./feeds.ts";
import { type FeedKind, TAKE } from "./kinds.ts";
import { recordRing } from "./record-ring.ts";
import { recordSplit } from "./record-split.ts";
import { finishInto, journalAt, unlinkEmpty } from "./finishing.ts";

/** Options of `simtape record --from`. */
export interface RecordFromOptions extends TargetOptions, FeedOptions {
  readonly from: FeedKind;
  /** Nanoseconds after which it ends by itself. */
  readonly duration?: number;
  /** Milliseconds between two flushes of the journal. */
  readonly flushEvery?: number;
  /** Nanoseconds that are kept in memory; nothing is written until that is asked for. */
  readonly ring?: number;
  /** Nanoseconds after which a new recording is begun. */
  readonly split?: number;
  readonly json?: boolean;
}

/** Records a running program into a file, until Ctrl+C or its end. Gives the exit code. */
export async function recordFrom(address: string | undefined, options: RecordFromOptions): Promise<number> {
  if (address === undefined)
    throw new UsageError(`say the address of the program: simtape record --from ${options.from} ADDRESS -o OUT`);
  const feed = feedOf(options.from, address, options);
  const target = await targetOf(options.output, { force: options.force === true });
  const format = formatNamed(target.main) ?? feed.format;
  mustFit(target, format);
  if (target.isStandardOutput || isInS3(target.main))
    throw new UsageError("a running program is recorded into a file of this machine: copy it when it is finished");
  const journal = target.main + TAKE;
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!stop.signal.aborted) say(`simtape: ${signal}: finishing the recording`);
    stop.abort();
  };
  for (const signal of ENDING) process.on(signal, onSignal);
  // the time counts from the start of the command: connecting is a part of it
  const { duration } = options;
  const timer = duration === undefined ? undefined : setTimeout(() => stop.abort(), duration / 1e6);
  let taken: TakeReport;
  try {
    const { ring, split, flushEvery } = options;
    const { signal } = stop;
    if (ring !== undefined || split !== undefined) {
      if (ring !== undefined && split !== undefined) throw new UsageError("--ring keeps nothing that could be split");
      if (format.id !== feed.format.id)
        throw new UsageError(
          `a ${ring === undefined ? "piece" : "ring"} is saved as ${feed.format.name} (${feed.format.extensions.join(", ")}): convert it then`,
        );
      const { json = false } = options;
      const common = { output: target.main, json, signal, onStatus: show };
      return ring === undefined
        ? await recordSplit(feed, { ...common, flushEvery, split: split! })
        : await recordRing(feed, { ...common, ring });
    }
    say(`simtape: recording ${feed.name}; Ctrl+C finishes`);
    taken = await recordTake(feed, await journalAt(journal), { signal, onStatus: show, flushEvery }).catch(
      async (error: unknown) => {
        if (!(await unlinkEmpty(journal)))
          say(`simtape: what was flushed is in ${journal}: simtape recover finishes it`);
        throw error;
      },
    );
  } finally {
    clearTimeout(timer);
    sayForNow("");
    for (const signal of ENDING) process.off(signal, onSignal);
  }
  return finishInto(target, journal, feed.format, format, taken, options);
}

function show({ phase, failure, messages, bytes, time }: TakeStatus): void {
  if (process.stderr.isTTY !== true) return;
  const why = failure === null ? "" : ` (${failure})`;
  sayForNow(`${phase}${why}: ${clock(time)}, ${counted(messages, "message")}, ${byteSize(bytes)}`);
}

import { existsSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { HeldFiles } from "../../io/held.ts";
import { fromFile } from "../../io/node/file.ts";
import { fileSource } from "../../io/node/file-source.ts";
import { toGrowingFile } from "../../io/node/growing-file.ts";
import { toFile } from "../../io/node/file-sink.ts";
import type { ByteSink } from "../../io/sink.ts";
import { JournalReader } from "../../live/journal.ts";
import { type FinishReport, finishTake } from "../../live/finish.ts";
import { recordTake, type TakeReport, type TakeStatus } from "../../live/take.ts";
import type { Format } from "../../model/format.ts";
import { openBundle } from "../../model/open.ts";
import { convert } from "../../ops/convert.ts";
import { mustBeSound, readBack } from "../../ops/sound.ts";
import { formatNamed, writingOf } from "../input/format-of.ts";
import { allFormats } from "../input/formats.ts";
import { isInS3 } from "../input/command-path.ts";
import { clock } from "../input/time.ts";
import { mustFit, type Target, type TargetOptions } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { report } from "../output/report.ts";
import { ENDING } from "../run/ending.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { byteSize, counted, say, sayForNow } from "../run/terminal.ts";
import { type FeedOptions, feedOf } from "./feeds.ts";
import { type FeedKind, TAKE } from "./kinds.ts";
import { recordRing } from "./record-ring.ts";

/** Options of `simtape record --from`. */
export interface RecordFromOptions extends TargetOptions, FeedOptions {
  readonly from: FeedKind;
  /** Nanoseconds after which it ends by itself. */
  readonly duration?: number;
  /** Milliseconds between two flushes of the journal. */
  readonly flushEvery?: number;
  /** Nanoseconds that are kept in memory; nothing is written until that is asked for. */
  readonly ring?: number;
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
    if (options.ring !== undefined) {
      if (format.id !== feed.format.id)
        throw new UsageError(
          `a ring is saved as ${feed.format.name} (${feed.format.extensions.join(", ")}): convert it then`,
        );
      const { ring, json = false } = options;
      return await recordRing(feed, { output: target.main, ring, json, signal: stop.signal, onStatus: show });
    }
    say(`simtape: recording ${feed.name}; Ctrl+C finishes`);
    const { flushEvery } = options;
    taken = await recordTake(feed, await journalAt(journal), { signal: stop.signal, onStatus: show, flushEvery }).catch(
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

/** Makes the recording of a journal, reads it back, and removes the journal. */
export async function finishInto(
  target: Target,
  journal: string,
  native: Format,
  format: Format,
  taken: TakeReport | null,
  options: { readonly json?: boolean },
): Promise<number> {
  const held = new HeldFiles(target.sink, target.written);
  let finished: FinishReport;
  const isNative = native.id === format.id;
  const between = `${journal}.${native.extensions[0]!}`;
  const reader = await JournalReader.open(fileSource(journal));
  let lost: readonly { readonly path: string; readonly count: number; readonly reason: string }[];
  try {
    finished = await finishTake(reader, native, isNative ? held : toFile(between));
    lost = finished.lost;
    if (isNative) {
      await using written = await readBack(openBundle(held.written, allFormats(), { seekIndex: false }));
      await mustBeSound(written, []);
    } else {
      await using recording = await openBundle(fromFile(between), allFormats(), { seekIndex: false });
      const converted = await convert(recording, await writingOf(format), held, {
        verify: { reopen: (written) => openBundle(written, allFormats(), { seekIndex: false }), there: target.written },
      });
      lost = [...lost, ...converted.lost];
    }
    await held.release();
  } catch (error) {
    await held.abort();
    say(`simtape: what arrived is in ${journal}: simtape recover finishes it`);
    throw error;
  } finally {
    await reader.close();
    await unlink(between).catch(() => undefined);
  }
  await unlink(journal);
  const { gaps, messages } = finished;
  const did = { recording: target.main, messages, gaps, lost, ...(taken === null ? {} : { take: taken }) };
  const length = taken === null ? "" : `, ${clock(taken.duration)}`;
  await report(target, options, did, [`${target.main}: ${counted(messages, "message")}${length}`]);
  for (const { from, until, reason } of gaps) say(`simtape: nothing from ${clock(from)} to ${clock(until)}: ${reason}`);
  for (const { path, count, reason } of lost) say(`simtape: ${counted(count, "message")} of ${path} lost: ${reason}`);
  if (taken?.failure != null) say(`simtape: the recording ended: ${taken.failure}`);
  return gaps.length + lost.length > 0 || taken?.failure != null ? EXIT.lossy : EXIT.done;
}

function show({ phase, failure, messages, bytes, time }: TakeStatus): void {
  if (process.stderr.isTTY !== true) return;
  const why = failure === null ? "" : ` (${failure})`;
  sayForNow(`${phase}${why}: ${clock(time)}, ${counted(messages, "message")}, ${byteSize(bytes)}`);
}

/** Throws `UsageError` where one is: another recorder writes it, or has crashed. */
export async function journalAt(path: string): Promise<ByteSink> {
  return toGrowingFile(path).catch((error: unknown) => {
    if (existsSync(path))
      throw new UsageError(
        `another recorder writes ${path}, or has left it: choose another name, or finish it with simtape recover`,
      );
    throw error;
  });
}

/** A journal without a message is of no use. Gives whether it is gone. */
export async function unlinkEmpty(journal: string): Promise<boolean> {
  const reader = await JournalReader.open(fileSource(journal)).catch(() => null);
  if (reader === null) return false;
  let messages = 0;
  await reader.visit({ message: () => void messages++ });
  await reader.close();
  if (messages === 0) await unlink(journal);
  return messages === 0;
}

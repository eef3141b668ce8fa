import { existsSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HeldFiles } from "../../io/sink/held.ts";
import { fromFile } from "../../io/node/file.ts";
import { fileSource } from "../../io/node/file-source.ts";
import { toGrowingFile } from "../../io/node/growing-file.ts";
import { toFile } from "../../io/node/file-sink.ts";
import type { ByteSink } from "../../io/sink/sink.ts";
import { JournalReader } from "../../live/journal.ts";
import { type FinishReport, finishTake, openingFrom } from "../../live/finish.ts";
import type { TakeReport } from "../../live/take.ts";
import type { Format } from "../../model/format.ts";
import { openBundle } from "../../model/open.ts";
import type { MadeMessage } from "../../model/writer.ts";
import { convert } from "../../ops/convert.ts";
import { mustBeSound, readBack } from "../../ops/sound.ts";
import { writingOf } from "../input/format-of.ts";
import { allFormats } from "../input/formats.ts";
import { clock } from "../input/time.ts";
import type { Target } from "../output/target.ts";
import { report } from "../output/report.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { counted, say } from "../run/terminal.ts";
import { TAKE } from "./kinds.ts";

/** Makes the recording of a journal, reads it back, says what it holds, and removes the journal. */
export async function finishInto(
  target: Target,
  journal: string,
  native: Format,
  format: Format,
  taken: TakeReport | null,
  options: { readonly json?: boolean },
): Promise<number> {
  const { messages, gaps, lost } = await makeRecording(target, journal, native, format);
  const did = { recording: target.main, messages, gaps, lost, ...(taken === null ? {} : { take: taken }) };
  const length = taken === null ? "" : `, ${clock(taken.duration)}`;
  await report(target, options, did, [`${target.main}: ${counted(messages, "message")}${length}`]);
  sayLosses({ gaps, lost });
  if (taken?.failure != null) say(`simtape: the recording ended: ${taken.failure}`);
  return gaps.length + lost.length > 0 || taken?.failure != null ? EXIT.lossy : EXIT.done;
}

/**
 * Makes the recording of a journal, reads it back, and removes the journal. A piece of a take begins with what holds at
 * the end of the piece before, which must be there.
 */
export async function makeRecording(
  target: Target,
  journal: string,
  native: Format,
  format: Format,
): Promise<FinishReport> {
  const held = new HeldFiles(target.sink, target.written);
  let finished: FinishReport;
  const isNative = native.id === format.id;
  const between = `${journal}.${native.extensions[0]!}`;
  const reader = await JournalReader.open(fileSource(journal));
  try {
    const opening = await openingOf(reader, journal, native);
    finished = await finishTake(reader, native, isNative ? held : toFile(between), opening);
    if (isNative) {
      await using written = await readBack(openBundle(held.written, allFormats(), { seekIndex: false }));
      await mustBeSound(written, []);
    } else {
      await using recording = await openBundle(fromFile(between), allFormats(), { seekIndex: false });
      const { lost } = await convert(recording, await writingOf(format), held, {
        verify: { reopen: (written) => openBundle(written, allFormats(), { seekIndex: false }), there: target.written },
      });
      finished = { ...finished, lost: [...finished.lost, ...lost] };
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
  return finished;
}

/** Says when nothing came, and what was lost. */
export function sayLosses({ gaps, lost }: Pick<FinishReport, "gaps" | "lost">): void {
  for (const { from, until, reason } of gaps) say(`simtape: nothing from ${clock(from)} to ${clock(until)}: ${reason}`);
  for (const { path, count, reason } of lost) say(`simtape: ${counted(count, "message")} of ${path} lost: ${reason}`);
}

async function openingOf(reader: JournalReader, journal: string, native: Format): Promise<readonly MadeMessage[]> {
  const { after } = reader.head;
  if (after === undefined) return [];
  const path = join(dirname(journal), basename(after));
  if (!existsSync(path)) {
    const isWaiting = existsSync(path + TAKE);
    const what = isWaiting ? `finish that piece first: simtape recover ${path + TAKE}` : "put it back beside it";
    throw new UsageError(`${journal} goes on from ${path}, which is not there: ${what}`);
  }
  await using before = await openBundle(fromFile(path), allFormats(), { seekIndex: false });
  return await openingFrom(before, native);
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

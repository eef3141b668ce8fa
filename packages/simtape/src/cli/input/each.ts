import { SinkError } from "../../io/sink/sink.ts";
import { RecordingError } from "../../model/error.ts";
import { EXIT, type Failure, failureOf } from "../run/failure.ts";
import { recordingsAt } from "./folders.ts";

/**
 * Does `work` for every recording that is named, one after the other: one that fails keeps none of the others from its
 * turn. A folder stands for the recordings in it. Gives the exit code: that of the worst; of a single one its own. A
 * recording of a folder that cannot be read is left out of many: see `exitAmong`. `named`: what it was found by, and
 * with it `among` recordings.
 */
export async function forEach(
  names: readonly string[],
  work: (name: string, named: string, among: number) => Promise<number>,
  failed: (name: string, failure: Failure) => Promise<void>,
): Promise<number> {
  const exits = new Set<number>();
  let [done, leftOut] = [0, 0];
  for (const named of names) {
    await attempt(named, false, async () => {
      const found = await recordingsAt(named);
      for (const name of found)
        await attempt(name, name !== named, async () => {
          exits.add(await work(name, named, found.length));
          done++;
        });
    });
  }
  if (leftOut > 0) exits.add(exitAmong(done, leftOut));
  return [EXIT.failed, EXIT.usage, EXIT.lossy].find((exit) => exits.has(exit)) ?? EXIT.done;

  async function attempt(name: string, isInFolder: boolean, what: () => Promise<void>): Promise<void> {
    try {
      await what();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.code === "internal") throw error;
      if (isInFolder && isOfRecording(error)) leftOut++;
      else exits.add(names.length === 1 ? failure.exit : EXIT.failed);
      await failed(name, failure);
    }
  }
}

/** Of a command about many recordings: what cannot be read is left out, which is a loss; where that is all, it fails. */
export function exitAmong(done: number, leftOut: number): number {
  if (leftOut === 0) return EXIT.done;
  return done === 0 ? EXIT.failed : EXIT.lossy;
}

/** Whether an error is that of one recording, and not of where something is written. */
export function isOfRecording(error: unknown): boolean {
  const cause = RecordingError.is(error) ? error.cause : error;
  return !(cause instanceof SinkError) && RecordingError.is(RecordingError.from(error, "recording"));
}

/** A line that names the recording that failed, once; a wrong option or setting has nothing to do with it. */
export function failureLine(name: string, { message, exit }: Pick<Failure, "message"> & Partial<Failure>): string {
  return exit === EXIT.usage || message.includes(name) ? message : `${name}: ${message}`;
}

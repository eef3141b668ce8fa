import { createInterface } from "node:readline";
import type { Feed } from "../../live/feed.ts";
import { LiveRing } from "../../live/ring.ts";
import { recordInto, type TakeStatus } from "../../live/take.ts";
import { toJson } from "../../model/values/json.ts";
import { targetOf } from "../output/target-of.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { counted, Output, say, sayForNow } from "../run/terminal.ts";
import { timed } from "./timed.ts";

/** Options of `simtape record --from --ring`. */
export interface RecordRingOptions {
  readonly output: string;
  /** Nanoseconds. */
  readonly ring: number;
  readonly json?: boolean;
  readonly signal: AbortSignal;
  readonly onStatus: (status: TakeStatus) => void;
}

/**
 * Keeps the last minutes of a program in memory. SIGUSR2, or `s` and Enter at a terminal, saves them beside `output`,
 * with the time in the name. Gives the exit code.
 */
export async function recordRing(feed: Feed, options: RecordRingOptions): Promise<number> {
  if (feed.format.writing === undefined) throw new UsageError(`${feed.format.name} cannot be written`);
  const epoch = BigInt(Date.now()) * 1_000_000n;
  const ring = new LiveRing(feed.format, { length: options.ring });
  const output = new Output();
  let saving: Promise<void> = Promise.resolve();
  let failures = 0;
  const save = (): void => {
    saving = saving.then(async () => {
      const name = timed(options.output, new Date());
      try {
        const target = await targetOf(name, {});
        const { messages, start } = await ring.save(target.sink, epoch);
        sayForNow("");
        await output.line(
          options.json === true ? toJson({ clip: name, messages, start }) : `${name}: ${counted(messages, "message")}`,
        );
        await output.flush();
      } catch (error) {
        failures++;
        say(`simtape: not saved: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  };
  const keys = process.stdin.isTTY === true ? createInterface({ input: process.stdin }) : null;
  keys?.on("line", (line) => {
    if (line.trim() === "s") save();
  });
  process.on("SIGUSR2", save);
  try {
    say(
      `simtape: keeping ${feed.name} in memory; ${keys === null ? "" : "s and Enter, or "}SIGUSR2 to process ${process.pid} saves; Ctrl+C ends`,
    );
    const { failure } = await recordInto(feed, ring, { signal: options.signal, onStatus: options.onStatus });
    await saving;
    if (failure !== null) say(`simtape: the recording ended: ${failure}`);
    return failures > 0 ? EXIT.failed : failure === null ? EXIT.done : EXIT.lossy;
  } finally {
    sayForNow("");
    process.off("SIGUSR2", save);
    keys?.close();
  }
}

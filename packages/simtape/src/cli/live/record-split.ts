import { existsSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Feed } from "../../live/feed.ts";
import { JournalWriter } from "../../live/journal.ts";
import { Pieces } from "../../live/pieces.ts";
import { recordInto, type TakeStatus } from "../../live/take.ts";
import { toJson } from "../../model/values/json.ts";
import type { Target } from "../output/target.ts";
import { targetOf } from "../output/target-of.ts";
import { EXIT, UsageError } from "../run/failure.ts";
import { counted, Output, say, sayForNow } from "../run/terminal.ts";
import { TAKE } from "./kinds.ts";
import { timed } from "./timed.ts";
import { journalAt, makeRecording, sayLosses, unlinkEmpty } from "./finishing.ts";

/** Options of `simtape record --from --split`. */
export interface RecordSplitOptions {
  /** The pieces are beside it, with the time in their names. */
  readonly output: string;
  /** Nanoseconds of a piece. */
  readonly split: number;
  readonly flushEvery?: number | undefined;
  readonly json: boolean;
  readonly signal: AbortSignal;
  readonly onStatus: (status: TakeStatus) => void;
}

/** Nanoseconds of the shortest piece: names of pieces have seconds. */
const SHORTEST = 1e9;

interface Piece {
  readonly target: Target;
  readonly path: string;
}

/**
 * Records a running program into a recording for each hour, or so: each is finished while the next one is recorded, and
 * opens alone. Gives the exit code.
 */
export async function recordSplit(feed: Feed, options: RecordSplitOptions): Promise<number> {
  if (options.split < SHORTEST) throw new UsageError("--split takes 1s at least");
  const epoch = BigInt(Date.now()) * 1_000_000n;
  const output = new Output();
  const pieces = new Map<JournalWriter, Piece>();
  let before: string | undefined;
  let worst: number = EXIT.done;
  let finishing: Promise<void> = Promise.resolve();
  const next = async (): Promise<JournalWriter> => {
    const target = await targetOf(await freeName(options.output), { force: false });
    const path = target.main + TAKE;
    const head = { version: 1, format: feed.format.id, feed: feed.name, after: before } as const;
    const journal = await JournalWriter.begin(await journalAt(path), head, BigInt(Date.now()) * 1_000_000n);
    pieces.set(journal, { target, path });
    before = basename(target.main);
    return journal;
  };
  const finish = async ({ target, path }: Piece): Promise<void> => {
    if (await unlinkEmpty(path)) return;
    const made = await makeRecording(target, path, feed.format, feed.format);
    sayForNow("");
    const { messages, gaps, lost } = made;
    const piece = target.main;
    await output.line(
      options.json ? toJson({ piece, messages, gaps, lost }) : `${piece}: ${counted(messages, "message")}`,
    );
    await output.flush();
    sayLosses(made);
    if (gaps.length + lost.length > 0 && worst === EXIT.done) worst = EXIT.lossy;
  };
  const onEnd = (journal: JournalWriter): void => {
    const piece = pieces.get(journal)!;
    pieces.delete(journal);
    finishing = finishing
      .then(() => finish(piece))
      .catch((error: unknown) => {
        worst = EXIT.failed;
        say(`simtape: ${piece.path} is not finished: ${error instanceof Error ? error.message : String(error)}`);
      });
  };
  const keeper = new Pieces(await next(), { length: options.split, epoch, next, onEnd });
  say(`simtape: recording ${feed.name}, a piece each ${options.split / 1e9} s; Ctrl+C finishes`);
  const { signal, onStatus, flushEvery } = options;
  try {
    const { failure } = await recordInto(feed, keeper, { signal, onStatus, flushEvery });
    if (failure !== null) {
      say(`simtape: the recording ended: ${failure}`);
      if (worst === EXIT.done) worst = EXIT.lossy;
    }
  } finally {
    await keeper.close();
    await finishing;
    sayForNow("");
  }
  return worst;
}

/** The name of a piece that begins now; a clock that was set back may have given it before. */
async function freeName(output: string): Promise<string> {
  for (;;) {
    const name = timed(output, new Date());
    if (!existsSync(name) && !existsSync(name + TAKE)) return name;
    await sleep(250);
  }
}

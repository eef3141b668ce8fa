import type { ByteSink } from "../io/sink/sink.ts";
import { SourceError } from "../io/source/source.ts";
import type { Time } from "../model/values/time.ts";
import type { Feed } from "./feed.ts";
import { type Gap, JournalWriter } from "./journal.ts";
import { type Keeper, Session } from "./session.ts";

/** How a take is recorded. Everything is optional. */
export interface TakeOptions {
  /** Ends the take: what has arrived is kept. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between two flushes: what a crash can lose; default 1000. */
  readonly flushEvery?: number | undefined;
  /** Whether to connect again when a connection breaks; default true. The first connection must succeed. */
  readonly reconnects?: boolean | undefined;
  /** Called when something has changed that people want to see, a few times a second at most. */
  readonly onStatus?: ((status: TakeStatus) => void) | undefined;
}

/** A take while it is recorded. */
export interface TakeStatus {
  readonly phase: "connecting" | "recording" | "reconnecting" | "ended";
  /** Why the connection is gone, while it is. */
  readonly failure: string | null;
  readonly messages: number;
  readonly bytes: number;
  /** Nanoseconds since the take began. */
  readonly time: Time;
}

/** What a take holds. */
export interface TakeReport {
  readonly feed: string;
  readonly messages: number;
  readonly bytes: number;
  readonly duration: Time;
  readonly gaps: readonly Gap[];
  /** What arrived and could not be kept, by reason. */
  readonly lost: readonly { readonly reason: string; readonly count: number }[];
  /** How much later than the source's clock says messages arrived, nanoseconds; null where the source has no clock. */
  readonly lateness: { readonly least: Time; readonly most: Time } | null;
  /** How often the source's clock fell back by more than a second while it was connected. */
  readonly clockFalls: number;
  /** Why it ended before the signal, when the source failed for good; null: it did not. */
  readonly failure: string | null;
}

/** Milliseconds until the next attempt to connect: doubled each time, up to the second. */
const RETRY = [250, 5000] as const;
const STATUS_EVERY = 250;

/**
 * Records a feed into a journal until the signal comes or the source ends. The sink is closed in any case, and what was
 * flushed is there after a crash; `finishTake` makes a recording of it. Rejects with `SourceError` if the source cannot
 * be reached at all, or the sink fails.
 */
export async function recordTake(feed: Feed, sink: ByteSink, options: TakeOptions = {}): Promise<TakeReport> {
  const epoch = BigInt(Date.now()) * 1_000_000n;
  const head = { version: 1, format: feed.format.id, feed: feed.name } as const;
  const journal = await JournalWriter.begin(sink, head, epoch);
  try {
    const report = await recordInto(feed, journal, options);
    await journal.close();
    return report;
  } catch (error) {
    await journal.close().catch(() => undefined);
    throw error;
  }
}

/** Records a feed into any keeper; as `recordTake`. */
export async function recordInto(
  feed: Feed,
  keeper: Keeper & { flush(): Promise<void> },
  { signal = new AbortController().signal, flushEvery = 1000, reconnects = true, onStatus }: TakeOptions = {},
): Promise<TakeReport> {
  const start = performance.now();
  const session = new Session(keeper, () => Math.round((performance.now() - start) * 1e6), feed.keepsTimes);
  const inner = new AbortController();
  let phase: TakeStatus["phase"] = "connecting";
  let failure: string | null = null;
  let broken: { readonly cause: unknown } | null = null;
  // messages when the present connection was begun
  let before = 0;
  const show = (): void => {
    if (phase !== "ended" && session.messages > before) phase = "recording";
    onStatus?.({
      ...{ phase, failure, messages: session.messages, bytes: session.bytes },
      time: Math.round((performance.now() - start) * 1e6),
    });
  };
  const end = (): void => inner.abort();
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  let flushing: Promise<void> = Promise.resolve();
  const flusher = setInterval(() => {
    flushing = flushing
      .then(() => keeper.flush())
      .catch((cause: unknown) => {
        broken ??= { cause };
        end();
      });
  }, flushEvery);
  const shower = setInterval(show, STATUS_EVERY);
  try {
    for (let wait: number = RETRY[0]; !inner.signal.aborted; ) {
      before = session.messages;
      try {
        show();
        await feed.run(session, inner.signal);
        failure = null;
        break;
      } catch (error) {
        if (inner.signal.aborted) break;
        if (!(error instanceof SourceError)) throw error;
        failure = error.message;
        if (session.messages === 0) throw error;
        if (!reconnects) break;
        if (session.messages > before) wait = RETRY[0];
        before = session.messages;
        phase = "reconnecting";
        session.cut(error.message);
        show();
        await pause(wait, inner.signal);
        wait = Math.min(wait * 2, RETRY[1]);
      }
    }
  } finally {
    clearInterval(flusher);
    clearInterval(shower);
    signal.removeEventListener("abort", end);
    await flushing;
  }
  if (broken !== null) throw (broken as { readonly cause: unknown }).cause;
  phase = "ended";
  show();
  return {
    ...{ feed: feed.name, messages: session.messages, bytes: session.bytes, duration: session.end },
    ...{
      gaps: session.gaps,
      lateness: session.lateness,
      clockFalls: session.clockFalls,
      failure: signal.aborted ? null : failure,
    },
    lost: [...session.losses].map(([reason, count]) => ({ reason, count })),
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done);
  });
}

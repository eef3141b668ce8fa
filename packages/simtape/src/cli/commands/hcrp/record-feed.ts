import { LineError, type LineProtocol } from "../../../record/lines/line-protocol.ts";
import type { RecorderStatus } from "../../../record/live/recorder-options.ts";
import { byteSize, counted, grouped, say, sayForNow } from "../../run/terminal.ts";
import type { Input } from "./record-input.ts";
import type { Sender } from "./sender.ts";

/** Milliseconds between two looks at what is due. */
const POLL_EVERY = 250;
/** Milliseconds that a put may take before that is reported. */
const SLOW_PUT = 2000;
/** Senders that are turned away and named one by one. */
const MOST_LINES = 10;

/** What came of an input. */
export interface Fed {
  /** Who has ended the recording, and may be waiting for an answer. */
  readonly last: Sender | null;
  /** The bad line that ended it; null: none did. */
  readonly fault: LineError | null;
  /** Senders that were turned away because of a bad line. */
  readonly turnedAway: number;
}

/** Takes lines from an input until it is over, a line says so, or `stop` comes. Throws what the recorder fails with. */
export async function feed(input: Input, lines: LineProtocol, stop: AbortController): Promise<Fed> {
  let turnedAway = 0;
  const timer = setInterval(() => {
    lines.poll();
    const status = lines.recorder?.status ?? null;
    if (status === null) return;
    show(status);
    if (status.failure !== null) stop.abort();
  }, POLL_EVERY);
  try {
    for await (const sender of input.senders) {
      lines.recorder?.session("rejoin");
      try {
        await take(sender, lines);
        // perhaps for long
        if (input.isServer && lines.recorder !== null) lines.commit();
      } catch (error) {
        if (!(error instanceof LineError)) throw error;
        if (!input.isServer) return { last: null, fault: error, turnedAway };
        turnedAway++;
        lines.turnAway();
        if (turnedAway <= MOST_LINES) say(`simtape: ${sender.name} is turned away: ${error.message}`);
        else if (turnedAway === MOST_LINES + 1) say("simtape: more senders are turned away and only counted");
        sender.answer(JSON.stringify({ error: error.message }));
      }
      const failure = lines.recorder?.status.failure ?? null;
      if (failure !== null) throw failure;
      if (lines.ended !== null) return { last: sender, fault: null, turnedAway };
    }
    return { last: null, fault: null, turnedAway };
  } finally {
    clearInterval(timer);
    wipe();
    input.close();
  }
}

async function take(sender: Sender, lines: LineProtocol): Promise<void> {
  for await (const bytes of sender.bytes) {
    await lines.feed(bytes);
    if (lines.ended !== null || (lines.recorder?.status.failure ?? null) !== null) return;
  }
  await lines.finish();
}

/**
 * Says when the store has not taken anything for a while, and when it does again; until the function given back is
 * called.
 */
export function watchStore(lines: LineProtocol): () => void {
  let since: number | null = null;
  let isReported = false;
  const look = (): void => {
    const trouble = lines.recorder?.status.trouble ?? null;
    if (trouble === null) {
      if (isReported) say("simtape: the store takes what is recorded again");
      since = null;
      isReported = false;
      return;
    }
    since ??= performance.now();
    if (isReported || performance.now() - since < SLOW_PUT) return;
    isReported = true;
    wipe();
    say(
      `simtape: ${trouble.message}; what is recorded waits and is tried again until the store takes it, or Ctrl+C twice gives it up`,
    );
  };
  const timer = setInterval(look, POLL_EVERY);
  return () => {
    clearInterval(timer);
    look();
  };
}

/** Events that had to go. */
export function droppedIn({ dropped }: RecorderStatus): number {
  return Object.values(dropped).reduce((sum, count) => sum + count, 0);
}

/** One line on a terminal. */
function show(status: RecorderStatus): void {
  if (process.stderr.isTTY !== true) return;
  const { tick, committedTick, bytes, waiting } = status;
  const dropped = droppedIn(status);
  const lost = dropped === 0 ? "" : `, ${counted(dropped, "event")} dropped`;
  const text = `${counted(tick, "tick")}, ${grouped(committedTick)} committed (${byteSize(bytes)}), ${byteSize(waiting)} waiting${lost}`;
  sayForNow(`${status.id}: ${text}`);
}

function wipe(): void {
  sayForNow("");
}

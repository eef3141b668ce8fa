import type { Deck } from "../../live/deck.ts";
import { after } from "../../model/values/time.ts";
import type { Frame } from "../../play/frame.ts";
import { Rows } from "../output/message-rows.ts";
import { Output } from "../run/terminal.ts";

/**
 * Writes the messages of the recording that a deck has loaded, one NDJSON line for each, when the player passes them;
 * backwards in reverse. Resolves at the end of the recording, or with the signal, to the number of payloads that do not
 * decode.
 */
export async function playOut(deck: Deck, signal: AbortSignal): Promise<number> {
  const { recording, player } = deck.loaded!;
  const rows = new Rows(recording.channels, "ndjson", false);
  const output = new Output();
  /** Everything up to here is written; null: nothing. */
  let at: number | null = null;
  const pass = async ({ time, since, cause }: Frame): Promise<void> => {
    const from = at;
    at = time;
    const isBack = player.status.rate < 0;
    // the first frame has the messages of its own time, and a frame behind a jump those too
    const isJump = from === null || (since === null && cause !== "step");
    const range = isJump
      ? { start: time, end: after(time) }
      : isBack
        ? { start: time, end: from }
        : { start: after(from), end: after(time) };
    if (!(range.start < range.end)) return;
    for await (const batch of recording.batches({ ...range, reverse: isBack, signal })) {
      for (let n = 0; n < batch.length; n++) await output.line(rows.row(batch, isBack ? batch.length - 1 - n : n));
    }
    await output.flush();
  };
  let work: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const done = (): void => void work.then(resolve, reject);
    signal.addEventListener("abort", done);
    player.subscribe((frame) => {
      work = work.then(() => pass(frame));
      work.catch(reject);
      return work;
    });
    player.onStatus(({ phase, error }) => {
      if (phase === "ended") done();
      else if (phase === "failed") reject(new Error(error?.message));
    });
    player.play();
  });
  return rows.undecodable;
}

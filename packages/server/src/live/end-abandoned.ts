import { StoreError } from "simtape";
import { recover } from "simtape/record";
import type { Context } from "../context.ts";
import { newId } from "../ids.ts";
import { FOLDER, Leases } from "./leases.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Milliseconds between two checks. */
export const LOOK_EVERY = 3000;

/**
 * Ends live recordings whose sender, recorder or node has been gone for a long time: the committed part becomes a
 * normal recording. Several nodes may do this at once. Returns the ids of the ended recordings.
 */
export function abandonedEnder(context: Context): () => Promise<{ readonly ended: readonly string[] }> {
  const silence = context.settings.liveSilence * 1000;
  const began = performance.now();
  return async () => {
    // first wait for senders to connect again after the server itself was away
    if (performance.now() - began < silence) return { ended: [] };
    return endAbandoned(context, silence);
  };
}

async function endAbandoned(context: Context, silence: number): Promise<{ readonly ended: readonly string[] }> {
  const { query, jobs, bus, library, log } = context;
  const leases = new Leases(query, jobs, bus, `end-${newId()}`);
  const ended: string[] = [];
  for (const { recording, via } of await leases.abandoned(silence)) {
    try {
      // a recorder on another machine may connect again: its recording stays open
      if (via === "lines") await recover(library.store(FOLDER), recording);
    } catch (error) {
      const isNothing = error instanceof StoreError && error.code === "not-found";
      // otherwise the next try comes when this lease is over
      if (!isNothing && !isUnreadable(error)) {
        log.warn({ recording, error: String(error) }, "a live recording cannot be ended yet");
        continue;
      }
    }
    await leases.end(recording);
    ended.push(recording);
  }
  return { ended };
}

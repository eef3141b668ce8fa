import { StoreError } from "simtape";
import { recover } from "simtape/record";
import type { Context } from "../context.ts";
import { newId } from "../ids.ts";
import { FOLDER, Leases } from "./leases.ts";
import { isUnreadable } from "../library/unreadable.ts";

/** Milliseconds between two looks. */
export const LOOK_EVERY = 3000;

/**
 * What ends live recordings whose sender, recorder or node is gone for long: what was committed becomes a recording like
 * any other. May be done by several at once. Gives their ids.
 */
export function abandonedEnder(context: Context): () => Promise<{ readonly ended: readonly string[] }> {
  const silence = context.settings.liveSilence * 1000;
  const began = performance.now();
  return async () => {
    // senders that could not reach a server that was away come again first
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
      // a recorder elsewhere may come again: what is open stays so
      if (via === "lines") await recover(library.store(FOLDER), recording);
    } catch (error) {
      const isNothing = error instanceof StoreError && error.code === "not-found";
      // else it is tried again when this lease is over
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

import type { Deck, Session } from "../session.ts";

/** What plays, when all of it is there and not its head alone; undefined: nothing plays. Rejects when `signal` aborts. */
export async function wholeOf(session: Session, signal: AbortSignal): Promise<Deck | undefined> {
  const { state } = session;
  const isHead = (): boolean => state.value.decks[0]?.opened.isHead === true;
  if (isHead()) {
    let stop = (): void => undefined;
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      stop = state.subscribe(() => {
        if (!isHead()) resolve();
      });
    }).finally(() => stop());
  }
  return state.value.decks[0];
}

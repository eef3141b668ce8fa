import type { Locator } from "../protocol.ts";
import { startWorker } from "../start-worker.ts";
import address from "./worker.ts?worker&url";
import type { Session } from "../session.ts";
import { type Companion, NOTHING, refused, type Scenery } from "./companion.ts";
import { kindOf } from "./registry.ts";
import type { ReadAsk } from "./worker.ts";

/** Milliseconds after which a file that does not come to an end is given up. */
const TIMEOUT = 120_000;

/**
 * Reads companions, each in a worker of its own, and says what is wrong with them; what is no companion is left out. `onRead`
 * gets those that are read, whenever there is one more.
 */
export async function readCompanions(
  session: Session,
  places: readonly Locator[],
  signal: AbortSignal,
  onRead: (found: readonly Companion[]) => void,
): Promise<void> {
  const found = new Map<number, Companion>();
  await Promise.all(
    places.map(async (place, index) => {
      const companion = await readOne(session, place, signal);
      if (companion === null || signal.aborted) return;
      found.set(index, companion);
      onRead([...found].toSorted(([one], [other]) => one - other).map(([, each]) => each));
      const error = companion.scenery.findings.find(({ severity }) => severity === "damage");
      if (error !== undefined) session.tell(`${companion.name} is not shown: ${error.message}`);
    }),
  );
}

async function readOne(session: Session, place: Locator, signal: AbortSignal): Promise<Companion | null> {
  const kind = kindOf(place.name);
  if (kind === undefined) return null;
  const isRead = kind.whole !== null || kind.stream !== undefined;
  // asked of the recording, which may still be loading
  const around = kind.stream === undefined ? [] : await (await import("./around.ts")).placesAround(session, signal);
  const reading = isRead ? sceneryAt({ kind: kind.id, place, around }, signal) : NOTHING;
  const [read, paints] = await Promise.all([reading, kind.paints()]);
  const isFitted = read.molecules !== undefined;
  const scenery = isFitted ? await (await import("./pdb/fit.ts")).fitting(session, read, signal) : read;
  return { name: place.name, place, kind, scenery, paints };
}

function sceneryAt(ask: ReadAsk, signal: AbortSignal): Promise<Scenery> {
  const worker = startWorker(address);
  return new Promise<Scenery>((resolve, reject) => {
    const timer = setTimeout(() => resolve(refused("too-slow", `it was not read within ${TIMEOUT / 1000} s`)), TIMEOUT);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    worker.addEventListener("message", ({ data }: MessageEvent<Scenery>) => resolve(data), { once: true });
    worker.addEventListener("error", ({ message }) => resolve(refused("not-read", message)), { once: true });
    worker.postMessage(ask);
  }).finally(() => worker.terminate());
}

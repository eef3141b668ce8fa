import type { Locator } from "../protocol.ts";
import type { Session } from "../session.ts";
import type { AskChunk } from "./backdrop.ts";
import { followWorld } from "./follow-world.ts";

/** Problems that are listed; of more, the rest is left out. */
const LISTED = 50;

/**
 * Calls `onBlocks` with what is asked for chunks of the world of what plays, its own or that of companions, now and whenever
 * that is another one, until the function given back is called; null: there is none.
 */
export function followBlocks(
  session: Session,
  recording: () => number,
  onBlocks: (ask: AskChunk | null) => void,
): () => void {
  let base: string | null = null;
  let regions: number | null = null;
  let shown: readonly Locator[] = [];
  let controller = new AbortController();
  const show = (): void => {
    const from = { base, regions };
    if (base === null && regions === null) {
      onBlocks(null);
      return;
    }
    onBlocks(async (ask, signal) => {
      // The same recording has another number when it has grown.
      const { mesh, problem } = await session.query("chunk", { recording: recording(), ...from, ...ask }, { signal });
      if (problem !== null) tell(session, problem);
      return mesh;
    });
  };
  const accompany = (): void => {
    const places = placesOf(session);
    if (places.length === shown.length && places.every((place, i) => place === shown[i])) return;
    shown = places;
    controller.abort();
    controller = new AbortController();
    session.blockProblems.set([]);
    regions = null;
    show();
    if (places.length === 0) return;
    const { signal } = controller;
    session
      .query("regions", { places }, { signal })
      .then((number) => {
        if (signal.aborted) return;
        regions = number;
        show();
      })
      .catch(() => undefined);
  };
  const stops = [
    followWorld(session, (world) => {
      base = world?.base ?? null;
      show();
    }),
    session.companions.subscribe(accompany),
    () => controller.abort(),
  ];
  accompany();
  return () => {
    for (const stop of stops) stop();
  };
}

/** Folders of region files. */
function placesOf(session: Session): readonly Locator[] {
  return session.companions.value.flatMap(({ kind, place }) => (kind.id === "regions" ? [place] : []));
}

/** Each problem once. */
function tell(session: Session, problem: string): void {
  const { value } = session.blockProblems;
  if (value.length < LISTED && !value.includes(problem)) session.blockProblems.set([...value, problem]);
}

import type { Ask } from "../../protocol.ts";
import type { Session } from "../../session.ts";
import type { Companion, Scenery } from "../../world/companion.ts";
import type { AskChunk } from "./backdrop.ts";
import { followWorld } from "./follow-world.ts";

/** Problems that are listed; of more, the rest is left out. */
const LISTED = 50;

/**
 * Calls `onBlocks` with what is asked for chunks of the world of what plays, its own or that of companions, now and whenever
 * that is another one, until the function given back is called; null: there is none.
 */
export function followBlocks(session: Session, onBlocks: (ask: AskChunk | null) => void): () => void {
  let base: string | null = null;
  let beside: number | null = null;
  let shown = NONE;
  let controller = new AbortController();
  const show = (): void => {
    const from = { base, beside };
    if (base === null && (beside === null || shown.places.length === 0)) {
      onBlocks(null);
      return;
    }
    onBlocks(async (ask, signal) => {
      // The same recording has another number when it has grown.
      const recording = session.state.value.decks[0]?.opened.recording ?? -1;
      const { mesh, problem } = await session.query("chunk", { recording, ...from, ...ask }, { signal });
      if (problem !== null) tell(session, problem);
      return mesh;
    });
  };
  const accompany = (): void => {
    const found = besideOf(session);
    if (isSame(found, shown)) return;
    shown = found;
    controller.abort();
    controller = new AbortController();
    session.blockProblems.set([]);
    beside = null;
    show();
    if (isSame(found, NONE)) return;
    const { signal } = controller;
    session
      .query("accompany", found, { signal })
      .then((number) => {
        if (signal.aborted) return;
        beside = number;
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

/** Folders of region files, and textures. */
type Beside = Ask<"accompany">;

const NONE: Beside = { places: [], skins: null };

function besideOf(session: Session): Beside {
  const all = session.companions.value;
  return {
    places: all.flatMap(({ kind, place }) => (kind.id === "regions" ? [place] : [])),
    skins: skinsIn(all)?.blocks ?? null,
  };
}

function isSame({ places, skins }: Beside, other: Beside): boolean {
  const arePlaces = places.length === other.places.length && places.every((place, i) => place === other.places[i]);
  return arePlaces && skins === other.skins;
}

/** Textures of blocks; of several packs the last counts. */
export function skinsIn(companions: readonly Companion[]): Scenery["skins"] {
  return companions.findLast(({ scenery }) => scenery.skins !== undefined)?.scenery.skins;
}

/** Each problem once. */
function tell(session: Session, problem: string): void {
  const { value } = session.blockProblems;
  if (value.length < LISTED && !value.includes(problem)) session.blockProblems.set([...value, problem]);
}

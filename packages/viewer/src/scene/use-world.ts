import { useEffect, useState } from "react";
import { useSession, useViewer } from "../hooks.ts";
import { worldsBeside } from "../open/files.ts";
import type { Locator } from "../protocol.ts";

/** The world that a recording names. */
export interface NamedWorld {
  /** What the keys of its chunks are relative to; null: it is not found beside the recording, or that is not known yet. */
  readonly base: string | null;
}

const ABSENT: NamedWorld = { base: null };

/** The world that what plays was made in; null: it names none. */
export function useWorld(): NamedWorld | null {
  const session = useSession();
  const main = useViewer(({ decks }) => decks[0]);
  const [found, setFound] = useState<{ readonly place: Locator; readonly world: NamedWorld } | null>(null);
  const place = main?.place;
  const id = main?.opened.info.metadata["worldId"];
  // only zeros are no name
  const isNamed = typeof id === "string" && /[1-9a-f]/i.test(id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each place, also where what is there grows
  useEffect(() => {
    const base = place === undefined || !isNamed ? null : worldsBeside(place);
    if (base === null) return;
    const { recording, placed, timeline } = main!.opened;
    const controller = new AbortController();
    session
      .query("world", { recording, base, time: placed ?? timeline.start }, { signal: controller.signal })
      .then((answer) => setFound(answer === null ? null : { place: place!, world: answer.isThere ? { base } : ABSENT }))
      .catch(() => undefined);
    return () => controller.abort();
  }, [session, place, isNamed]);
  if (!isNamed) return null;
  return found !== null && found.place === place ? found.world : ABSENT;
}

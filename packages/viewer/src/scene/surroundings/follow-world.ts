import { isOffered } from "../../open/files.ts";
import type { Locator } from "../../protocol.ts";
import type { Deck, Session } from "../../session.ts";

/** The world that a recording names. */
export interface NamedWorld {
  /** What the keys of its chunks are relative to; null: it is not found beside the recording, or that is not known yet. */
  readonly base: string | null;
}

const ABSENT: NamedWorld = { base: null };

/**
 * Calls `onWorld` with the world that what plays was made in, now and whenever that is another one or is found, until the
 * function given back is called; null: it names none.
 */
export function followWorld(session: Session, onWorld: (world: NamedWorld | null) => void): () => void {
  let shown: { readonly place: Locator | undefined; readonly isNamed: boolean } | null = null;
  let controller = new AbortController();
  const look = (): void => {
    const [main] = session.state.value.decks;
    const place = main?.place;
    const isNamed = isWorldNamed(main);
    // Once for each place, also where what is there grows.
    if (shown?.place === place && shown?.isNamed === isNamed) return;
    shown = { place, isNamed };
    controller.abort();
    controller = new AbortController();
    onWorld(isNamed ? ABSENT : null);
    const base = main === undefined || !isNamed ? null : worldsBeside(main.place);
    if (base === null) return;
    const { recording, placed, timeline } = main!.opened;
    session
      .query("world", { recording, base, time: placed ?? timeline.start }, { signal: controller.signal })
      .then((answer) => answer !== null && onWorld(answer.isThere ? { base } : ABSENT))
      .catch(() => undefined);
  };
  look();
  const unsubscribe = session.state.subscribe(look);
  return () => {
    unsubscribe();
    controller.abort();
  };
}

function isWorldNamed(deck: Deck | undefined): boolean {
  const id = deck?.opened.info.metadata["worldId"];
  // only zeros are no name
  return typeof id === "string" && /[1-9a-f]/i.test(id);
}

/** The address that the keys of a world are relative to, which is beside what this server offers; null: there is none. */
function worldsBeside(place: Locator): string | null {
  if (place.kind !== "url" || !isOffered(place)) return null;
  const url = new URL(place.url);
  url.search = url.hash = "";
  url.pathname = url.pathname.replace(/\/files(\/\d+)?(\/[^/]*){1,2}$/, "/world$1/");
  return url.href;
}

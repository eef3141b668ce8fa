import { isOffered, isViewed, locatorAt } from "../open/files.ts";
import type { Locator } from "../protocol.ts";
import type { Session } from "../session.ts";
import { KINDS, kindOf } from "./registry.ts";
import { wholeOf } from "./whole.ts";

/** Milliseconds that a recording has for itself when all of it is there: a seek is not slowed down by its world. */
const OWN = 500;
/** Milliseconds after which its world is read while the recording still is. */
const LONGEST = 2500;

/**
 * Reads the companions of what plays into `Session.companions`, until the function given back is called: those that were
 * given with it, else those that lie beside it under its name or its map's. `onReading` gets what settles when all have been
 * read, whenever there are others. They are read after the recording, unless `isAtOnce`.
 */
export function followCompanions(
  session: Session,
  onReading: (reading: Promise<void>) => void = () => undefined,
  isAtOnce = false,
): () => void {
  let [given, place, map]: [readonly Locator[], Locator | undefined, unknown] = [[], undefined, undefined];
  let controller = new AbortController();
  const look = (): void => {
    const [main] = session.state.value.decks;
    const now = { given: session.given.value, place: main?.place, map: main?.opened.info.metadata["map"] };
    if (now.given === given && now.place === place && now.map === map) return;
    const waits = !isAtOnce && now.place !== place;
    ({ given, place, map } = now);
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    session.companions.set([]);
    const before = waits ? opened(session, signal) : Promise.resolve();
    onReading(before.then(() => read(session, given, place, map, signal)).catch(() => undefined));
  };
  look();
  const stops = [session.state.subscribe(look), session.given.subscribe(look)];
  return () => {
    for (const stop of stops) stop();
    controller.abort();
    session.companions.set([]);
  };
}

/** Settles when all of what plays has been there for some time, or that takes long; rejects with the signal's reason. */
async function opened(session: Session, signal: AbortSignal): Promise<void> {
  await Promise.race([wholeOf(session, signal).then(() => elapsed(OWN)), elapsed(LONGEST)]);
  signal.throwIfAborted();
}

function elapsed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function read(
  session: Session,
  given: readonly Locator[],
  place: Locator | undefined,
  map: unknown,
  signal: AbortSignal,
): Promise<void> {
  // textures show no world of their own
  const isWorld = given.some(({ name }) => kindOf(name)?.id !== "textures");
  const places = isWorld ? given : [...given, ...(await besideOf(place, map, signal))];
  if (places.length === 0) return;
  const { readCompanions } = await import("./companions.ts");
  signal.throwIfAborted();
  await readCompanions(session, places, signal, (found) => session.companions.set(found));
}

/**
 * What lies beside a recording under its name, or under that of its map: one of each kind. Servers of others are asked only
 * for a recording that names a map: what is not there is an error in the console of the page.
 */
async function besideOf(place: Locator | undefined, map: unknown, signal: AbortSignal): Promise<Locator[]> {
  if (place?.kind !== "url") return [];
  const offered = isOffered(place);
  const hasMap = typeof map === "string" && map !== "";
  // who has a link to a recording has it alone
  if (!offered && (place.page !== undefined || !hasMap)) return [];
  const own = decodeURIComponent(
    new URL(place.url).pathname
      .split("/")
      .at(-1)!
      .replace(/\.[^.]*$/, ""),
  );
  // a library has what is called as the recording is
  const ofMap = hasMap && place.page === undefined ? [map.split("/").at(-1)!] : [];
  const there = async (name: string): Promise<Locator | "unanswered" | null> => {
    const url = new URL(name.split("/").map(encodeURIComponent).join("/"), place.url);
    url.search = new URL(place.url).search;
    const answer = await fetch(url, { method: "HEAD", signal }).catch(() => null);
    if (answer === null) return "unanswered";
    return answer.status === 200 ? locatorAt(url.href) : null;
  };
  const found = await Promise.all(
    KINDS.filter(({ id }) => id !== "textures")
      .filter(({ isOfMaps, folders }) => offered || (folders === undefined && isOfMaps === true))
      .map(async ({ endings, folders = endings, isOfMaps }) => {
        const stems = hasMap && isOfMaps === true ? [own, ...ofMap] : [own];
        // a library has files alone
        const besides = folders.filter((ending) => isViewed(place) || !ending.endsWith("/"));
        const names = stems.flatMap((stem) => besides.map((ending) => stem + ending));
        for (const name of new Set(names)) {
          const place = await there(name);
          // a server that answers no page of this origin answers none of them
          if (place === "unanswered") return null;
          if (place !== null) return place;
        }
        return null;
      }),
  );
  return found.filter((each) => each !== null);
}

import { useEffect } from "react";
import { useSession, useViewer } from "../hooks.ts";
import { useObservable } from "../observable.ts";
import { isOffered, locatorAt } from "../open/files.ts";
import type { Locator } from "../protocol.ts";
import type { Companion } from "./companion.ts";
import { KINDS } from "./registry.ts";

/** The companions of what plays, read: those that were given with it, else those that lie beside it under its name or its map's. */
export function useCompanions(): readonly Companion[] {
  const session = useSession();
  const given = useObservable(session.given, (places) => places);
  const place = useViewer(({ decks }) => decks[0]?.place);
  const map = useViewer(({ decks }) => decks[0]?.opened.info.metadata["map"]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const show = async (): Promise<void> => {
      const places = given.length > 0 ? given : await besideOf(place, map, signal);
      if (places.length === 0) return;
      const { readCompanions } = await import("./companions.ts");
      const found = await readCompanions(session, places, signal);
      if (!signal.aborted) session.companions.set(found);
    };
    show().catch(() => undefined);
    return () => {
      controller.abort();
      session.companions.set([]);
    };
  }, [session, given, place, map]);
  return useObservable(session.companions, (companions) => companions);
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
  const there = async (name: string): Promise<Locator | null> => {
    const url = new URL(encodeURIComponent(name), place.url);
    url.search = new URL(place.url).search;
    const answer = await fetch(url, { method: "HEAD", signal }).catch(() => null);
    return answer?.status === 200 ? locatorAt(url.href) : null;
  };
  const found = await Promise.all(
    KINDS.filter(({ isOfMaps }) => offered || isOfMaps === true).map(async ({ endings, isOfMaps }) => {
      const stems = hasMap && isOfMaps === true ? [own, ...ofMap] : [own];
      const names = stems.flatMap((stem) => endings.map((ending) => stem + ending));
      for (const name of new Set(names)) {
        const place = await there(name);
        if (place !== null) return place;
      }
      return null;
    }),
  );
  return found.filter((each) => each !== null);
}

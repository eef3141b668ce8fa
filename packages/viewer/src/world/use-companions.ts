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

/** A recording that names a map may have that map beside it. */
async function besideOf(place: Locator | undefined, map: unknown, signal: AbortSignal): Promise<Locator[]> {
  if (place?.kind !== "url" || typeof map !== "string" || map === "") return [];
  // who has a link to a recording has it alone
  if (place.page !== undefined && !isOffered(place)) return [];
  const stem = new URL(place.url).pathname
    .split("/")
    .at(-1)!
    .replace(/\.[^.]*$/, "");
  // a library has what is called as the recording is
  const names = new Set([decodeURIComponent(stem), ...(place.page === undefined ? [map.split("/").at(-1)!] : [])]);
  for (const { endings } of KINDS) {
    for (const name of [...names].flatMap((stem) => endings.map((ending) => stem + ending))) {
      const url = new URL(encodeURIComponent(name), place.url);
      url.search = new URL(place.url).search;
      const answer = await fetch(url, { method: "HEAD", signal }).catch(() => null);
      if (answer?.status === 200) return [locatorAt(url.href)];
    }
  }
  return [];
}

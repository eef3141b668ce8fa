import { useEffect } from "react";
import { useSession, useViewer } from "../hooks.ts";
import { useObservable } from "../observable.ts";
import { locatorAt } from "../open/files.ts";
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
  if (place?.kind !== "url" || place.page !== undefined || typeof map !== "string" || map === "") return [];
  const names = new Set([place.name.replace(/\.[^.]*$/, ""), map.split("/").at(-1)!]);
  for (const { endings } of KINDS) {
    for (const name of [...names].flatMap((stem) => endings.map((ending) => stem + ending))) {
      const url = new URL(encodeURIComponent(name), place.url);
      const answer = await fetch(url, { method: "HEAD", signal }).catch(() => null);
      if (answer?.status === 200) return [locatorAt(url.href)];
    }
  }
  return [];
}

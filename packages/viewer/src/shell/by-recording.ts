import type { Deck } from "../session.ts";

/** What is kept of one recording. */
export type Kept = readonly [recording: string, value: unknown];

/** What is kept under a key of this browser's storage; those that were changed last come first. */
export function allKept(key: string): readonly Kept[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key)!);
    return Array.isArray(kept) ? kept.filter((one): one is Kept => Array.isArray(one)) : [];
  } catch {
    return [];
  }
}

/** What is kept of a recording; undefined: nothing. */
export function keptOf(key: string, deck: Deck | undefined): unknown {
  return deck && allKept(key).find(([recording]) => recording === nameOf(deck))?.[1];
}

/** What a recording is known by: the same while it grows, and for its head. */
export function nameOf({ place, opened: { info, timeline } }: Deck): string {
  return `${info.format} ${timeline.epoch} ${place.name}`;
}

/** Six numbers: where a camera is, and what it looks at. */
export type Gaze = readonly [number, number, number, number, number, number];

/** Where a viewer points, in the recording: metres with z up, or degrees and metres where it is geodetic. */
export interface Pointing {
  /** Null: at nothing. */
  readonly at: readonly [number, number, number] | null;
  readonly camera: Gaze | null;
}

/** One of those who watch the same recording elsewhere, as the scene shows them. */
export interface Watcher {
  readonly id: string;
  readonly name: string;
  /** Of CSS, the same on every page. */
  readonly color: string;
  readonly at: Pointing["at"];
  /** What it has selected, `set/id`. */
  readonly thing: string | null;
  /** Null: its camera is not shown. */
  readonly camera: Gaze | null;
}

/** Shown at once, at most. */
export const MOST_WATCHERS = 32;

/** Hues that are easily distinguished, and how much lighter they are when all are taken. */
const HUES = 15;
const SHADES = ["44%", "58%"];

/**
 * A colour for each, the same on every page: its id says which, and where one who came earlier has it, the next that
 * is free.
 */
export function watcherColors(
  members: readonly { readonly id: string; readonly since: number }[],
): ReadonlyMap<string, string> {
  const colors = new Map<string, string>();
  const taken = new Set<number>();
  const count = HUES * SHADES.length;
  for (const { id } of members.toSorted((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1))) {
    let slot = hashOf(id) % count;
    while (taken.has(slot) && taken.size < count) slot = (slot + 7) % count;
    taken.add(slot);
    colors.set(id, `hsl(${((slot % HUES) * 360) / HUES} 72% ${SHADES[Math.floor(slot / HUES)]!})`);
  }
  return colors;
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

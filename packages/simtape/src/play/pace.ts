import type { Column } from "../model/column.ts";
import type { EntitySet, State } from "../model/state.ts";
import { metresPer } from "../model/units.ts";

/** The column that `paced` adds. */
const PACE = "pace";

/**
 * `shown`, which lies between two moments of motion, with one more column in every set of things that look somewhere:
 * `pace`, how fast each goes over the ground from the one to the other, metres a second. 0: it is not in both.
 */
export function paced(shown: State, from: State, since: number, next: State): State {
  const seconds = (next.time - since) / 1e9;
  const sets = new Map<string, EntitySet>();
  for (const [name, set] of shown.sets) {
    const pace = seconds > 0 ? paceOf(from.sets.get(name), next.sets.get(name), seconds) : null;
    sets.set(name, pace === null ? set : { ...set, columns: new Map(set.columns).set(PACE, pace) });
  }
  return { ...shown, sets };
}

function paceOf(a: EntitySet | undefined, b: EntitySet | undefined, seconds: number): Column | null {
  if (a === undefined || b === undefined || !(a.columns.has("rotation") || a.columns.has("orientation"))) return null;
  const [from, to] = [a.columns.get("position"), b.columns.get("position")];
  const metres = metresPer(from?.unit ?? null);
  if (from?.width !== 3 || to?.width !== 3 || metres === null) return null;
  const across = a.axes?.up === "y" ? 2 : 1;
  const data = new Float32Array(a.ids.length);
  for (let row = 0; row < data.length; row++) {
    const other = b.ids[row] === a.ids[row] ? row : b.ids.indexOf(a.ids[row]!);
    if (other < 0) continue;
    const way = Math.hypot(step(from, row, to, other, 0), step(from, row, to, other, across));
    if (Number.isFinite(way)) data[row] = (way * metres) / seconds;
  }
  return { data, width: 1, unit: "m/s", interpolation: "hold" };
}

function step(from: Column, row: number, to: Column, other: number, k: number): number {
  return Number(to.data[3 * other + k]) - Number(from.data[3 * row + k]);
}

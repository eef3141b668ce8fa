import { rowsOf } from "../model/state/interpolate.ts";
import { posesOf } from "../model/poses/pose-columns.ts";
import type { EntitySet, State } from "../model/state/state.ts";
import { teleportsAfter } from "../model/state/teleports.ts";
import type { Time } from "../model/values/time.ts";

/** A state for pictures: what moves is between two moments of motion. */
export interface MovingState extends State {
  /**
   * Metres per second over the ground of each thing of the sets that `PlayOptions.speeds` names, in the order of its
   * ids: from the moment of motion at or before the time to the next. Absent: no thing of these sets is known to move.
   */
  readonly speeds?: ReadonlyMap<string, Float32Array>;
}

/** How fast the things of some sets go over the ground between two moments; computed once for each two. */
export class GroundSpeeds {
  readonly #names: readonly string[];
  #from: State["sets"] | null = null;
  #to: State["sets"] | null = null;
  #speeds: ReadonlyMap<string, Float32Array> = new Map();

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** Whether the state has things that may move. */
  concern({ sets }: State): boolean {
    return this.#names.some((name) => (sets.get(name)?.ids.length ?? 0) > 0);
  }

  between({ sets: from }: State, { sets: to, time }: State, span: Time): ReadonlyMap<string, Float32Array> {
    if (from === this.#from && to === this.#to) return this.#speeds;
    const speeds = new Map<string, Float32Array>();
    for (const name of this.#names) {
      const [set, later] = [from.get(name), to.get(name)];
      if (set !== undefined && later !== undefined)
        speeds.set(name, speedsOf(set, later, teleportsAfter(later, time - span), span / 1e9));
    }
    this.#from = from;
    this.#to = to;
    this.#speeds = speeds;
    return speeds;
  }
}

/** 0 where a thing is not known at both moments, or was put elsewhere between them. */
function speedsOf(
  set: EntitySet,
  later: EntitySet,
  isTeleport: (row: number) => boolean,
  seconds: number,
): Float32Array {
  const speeds = new Float32Array(set.ids.length);
  const [from, to] = [posesOf(set), posesOf(later)];
  if (from === null || to === null) return speeds;
  const rows = rowsOf(set.ids, later.ids);
  for (let row = 0; row < speeds.length; row++) {
    const then = rows[row]!;
    if (then < 0 || isTeleport(then) || !from.position(row, HERE, 0) || !to.position(then, THERE, 0)) continue;
    speeds[row] = Math.hypot(THERE[0]! - HERE[0]!, THERE[1]! - HERE[1]!) / seconds;
  }
  return speeds;
}

const HERE = new Float64Array(3);
const THERE = new Float64Array(3);

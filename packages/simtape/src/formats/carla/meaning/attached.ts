import type { MutableColumn } from "../../../model/state/column.ts";
import type { MutableEntitySet, MutableState } from "../../../model/state/state.ts";
import { column } from "./columns.ts";
import { Destinations } from "./destinations.ts";
import { attach } from "./rotation.ts";

/** Longest chain of actors that are attached to each other. */
const CHAIN = 16;

/** Place and rotation: of the parent, of the actor in the parent's frame, and of the actor in the world. */
const PARENT = new Float64Array(6);
const RELATIVE = new Float64Array(6);
const WORLD = new Float64Array(6);

/** Takes attached actors along with what they are attached to. */
export class Attached {
  readonly #bodies = new Destinations(["position", "rotation"], 0);

  carryAll(state: MutableState): void {
    const attached = state.set(".attached");
    if (attached.size === 0) return;
    this.#bodies.begin(state);
    const [parents, relative] = [column(attached, "parent"), column(attached, "relative")];
    for (let place = 0; place < attached.size; place++) {
      this.#carry(state, attached.ids[place] as number, place, parents, relative, 0);
    }
  }

  /** One that was attached just now. */
  carry(state: MutableState, id: number, place: number): void {
    const attached = state.set(".attached");
    this.#bodies.begin(state);
    this.#carry(state, id, place, column(attached, "parent"), column(attached, "relative"), 0);
  }

  /** Puts an attached actor where its parent has taken it, after the parent itself if that is attached, too. */
  #carry(
    state: MutableState,
    id: number,
    place: number,
    parents: MutableColumn,
    relative: MutableColumn,
    depth: number,
  ): void {
    const bodies = this.#bodies;
    const parent = parents.number(place);
    const above = state.set(".attached").find(parent);
    if (above >= 0 && depth < CHAIN) this.#carry(state, parent, above, parents, relative, depth + 1);
    const from = bodies.find(parent);
    if (from < 0) return;
    take(PARENT, 0, bodies.columns[0]!, from, 0);
    take(PARENT, 3, bodies.columns[1]!, from, 0);
    const row = bodies.find(id);
    if (row < 0) return;
    take(RELATIVE, 0, relative, place, 0);
    take(RELATIVE, 3, relative, place, 3);
    attach(PARENT, RELATIVE, WORLD);
    bodies.columns[0]!.put3(row, WORLD[0]!, WORLD[1]!, WORLD[2]!);
    bodies.columns[1]!.put3(row, WORLD[3]!, WORLD[4]!, WORLD[5]!);
  }
}

/** Copies three cells of a row, from cell `k` on. */
function take(to: Float64Array, at: number, from: MutableColumn, row: number, k: number): void {
  for (let i = 0; i < 3; i++) to[at + i] = from.number(row, k + i);
}

/** Whether anything is attached to itself by way of others, or over so many that where it comes to be takes several packets. */
export function areTangled(attached: MutableEntitySet): boolean {
  const parents = column(attached, "parent");
  return attached.ids.some((id) => {
    let above = attached.find(id);
    for (let depth = 0; above >= 0; depth++) {
      if (depth === CHAIN) return true;
      above = attached.find(parents.number(above));
    }
    return false;
  });
}

import { LayoutError } from "../../bytes/error.ts";
import { listOf, textIn } from "../kept/shapes.ts";
import type { MutableState } from "../state/state.ts";
import type { Value } from "../values/value.ts";

/** Ids of the things of each set, at whatever time they were there. */
export type ThingIds = ReadonlyMap<string, ReadonlySet<number | string>>;

/** Collects the ids of all things while a state is folded that notes what is touched. */
export class ThingTap {
  readonly #most: number;
  #found: Map<string, Set<number | string>> | null = new Map();
  #count = 0;

  /** More than `most` are not collected. */
  constructor(most: number) {
    this.#most = most;
  }

  /** To be called before what was touched is forgotten. */
  note(state: MutableState): void {
    if (this.#found === null) return;
    const { byOwner } = state.touch();
    if (byOwner.size === 0) return;
    for (const [name, set] of state.sets) {
      const touched = name.startsWith(".") ? undefined : byOwner.get(set);
      if (touched === undefined) continue;
      const ids = this.#found.get(name) ?? new Set();
      this.#found.set(name, ids);
      this.#count -= ids.size;
      for (const id of touched) ids.add(id);
      this.#count += ids.size;
    }
    if (this.#count > this.#most) this.#found = null;
  }

  /** Null: they are too many. */
  get found(): ThingIds | null {
    return this.#found;
  }
}

/** As a side-car keeps them: pairs of a set and its ids. */
export function plainThings(things: ThingIds): Value {
  return [...things].map(([name, ids]) => [name, [...ids]]);
}

/** Throws `LayoutError`. */
export function thingsIn(value: Value): ThingIds {
  return new Map(
    listOf(value).map((item) => {
      const [name, ids] = listOf(item);
      return [textIn(name), new Set(listOf(ids).map(idIn))] as const;
    }),
  );
}

function idIn(value: Value): number | string {
  if (typeof value === "number" || typeof value === "string") return value;
  throw new LayoutError("malformed", "an id that is neither number nor text", 0);
}

import { expect } from "vitest";
import type { State } from "../../src/index.ts";

/** Both states have the same values and things; where a format counts its frames from its own start, the count may differ. */
export function compareStates(one: State, other: State): void {
  expect([...one.values.keys()].toSorted()).toEqual([...other.values.keys()].toSorted());
  for (const [name, set] of other.sets) {
    const found = one.sets.get(name);
    expect(found?.ids.length ?? 0, name).toBe(set.ids.length);
    if (found === undefined || set.ids.length === 0) continue;
    expect([...found.ids].map(String).toSorted()).toEqual([...set.ids].map(String).toSorted());
    const position = set.columns.get("position");
    if (position !== undefined)
      expect([...(found.columns.get("position")!.data as Float32Array)].toSorted((a, b) => a - b)).toEqual(
        [...(position.data as Float32Array)].toSorted((a, b) => a - b),
      );
  }
}

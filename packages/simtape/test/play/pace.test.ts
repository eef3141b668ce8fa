import { describe, expect, test } from "vitest";
import type { Column, EntitySet } from "simtape";
import { paced } from "../../src/play/pace.ts";

function setOf(places: readonly number[][], unit: string, more: Partial<EntitySet> = {}): EntitySet {
  const column = (data: readonly number[], width: number): Column => ({
    data: Float64Array.from(data),
    width,
    unit,
    interpolation: "linear",
  });
  const columns = new Map([
    ["position", column(places.flat(), 3)],
    [
      "rotation",
      column(
        places.flatMap(() => [0, 0, 0]),
        3,
      ),
    ],
  ]);
  return { ids: places.map((_, i) => i), columns, axes: null, ...more };
}

const stateOf = (time: number, set: EntitySet) => ({ time, values: new Map(), sets: new Map([["people", set]]) });

describe("how fast things go between two moments", () => {
  test("is over the ground, by what each of them is, in metres a second", () => {
    const from = stateOf(
      0,
      setOf(
        [
          [0, 0, 0],
          [5, 5, 5],
          [1, 1, 1],
        ],
        "cm",
      ),
    );
    const next = stateOf(
      5e8,
      setOf(
        [
          [300, 400, 900],
          [5, 5, 80],
        ],
        "cm",
      ),
    );
    const { data, unit } = paced(from, from, 0, next).sets.get("people")!.columns.get("pace")!;
    expect([...(data as Float32Array)]).toEqual([10, 0, 0]);
    expect(unit).toBe("m/s");
    expect(from.sets.get("people")!.columns.has("pace")).toBe(false);
  });

  test("is not of what looks nowhere, as atoms do", () => {
    const { columns, ...rest } = setOf([[0, 0, 0]], "nm");
    const atoms = { ...rest, columns: new Map([["position", columns.get("position")!]]) };
    const shown = paced(stateOf(0, atoms), stateOf(0, atoms), 0, stateOf(1e9, atoms));
    expect([...shown.sets.get("people")!.columns.keys()]).toEqual(["position"]);
  });
});

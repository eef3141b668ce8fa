import { describe, expect, test } from "vitest";
import { interpolateStates } from "../../src/model/interpolate.ts";
import type { Column } from "../../src/model/column.ts";
import type { State } from "../../src/model/state.ts";

function stateOf(time: number, places: readonly number[][], turns: boolean): State {
  const column = (data: readonly number[]): Column => ({
    data: Float64Array.from(data),
    width: 3,
    unit: "cm",
    interpolation: "linear",
  });
  const columns = new Map([["position", column(places.flat())]]);
  if (turns) columns.set("rotation", column(places.flatMap(() => [0, 0, 0])));
  return {
    time,
    values: new Map(),
    sets: new Map([["people", { ids: places.map((_, i) => i), columns, axes: null }]]),
  };
}

const HERE = [
  [0, 0, 0],
  [5, 5, 5],
  [1, 1, 1],
];
const THERE = [
  [300, 400, 900],
  [5, 5, 80],
];

describe("how fast things go between two moments", () => {
  test.each([0, 2e8])("is over the ground, in metres a second, at any time between: %i", (time) => {
    const [a, b] = [stateOf(0, HERE, true), stateOf(5e8, THERE, true)];
    const { data, unit } = interpolateStates(a, b, time, () => "hold", true)
      .sets.get("people")!
      .columns.get("pace")!;
    expect([...(data as Float32Array)]).toEqual([10, 0, 0]);
    expect(unit).toBe("m/s");
    expect(a.sets.get("people")!.columns.has("pace")).toBe(false);
  });

  test("leaves everything else at a recorded moment as it is", () => {
    const [a, b] = [stateOf(0, HERE, true), stateOf(5e8, THERE, true)];
    const at = interpolateStates(a, b, 0, () => "hold", true);
    const columns = new Map(at.sets.get("people")!.columns);
    columns.delete("pace");
    expect(columns).toEqual(a.sets.get("people")!.columns);
    expect(columns.get("position")).toBe(a.sets.get("people")!.columns.get("position"));
    expect(at.values).toBe(a.values);
  });

  test.each([
    ["where nobody asks", true, false],
    ["of atoms, which are not turned", false, true],
  ])("is not known %s", (_, turns, isPaced) => {
    const [a, b] = [stateOf(0, HERE, turns), stateOf(5e8, THERE, turns)];
    expect(
      interpolateStates(a, b, 2e8, () => "hold", isPaced)
        .sets.get("people")!
        .columns.has("pace"),
    ).toBe(false);
  });
});

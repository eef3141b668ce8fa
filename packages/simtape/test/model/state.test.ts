import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ColumnData, ColumnKind, ColumnSpec } from "../../src/model/state/column.ts";
import { MutableState, type State } from "../../src/model/state/state.ts";

const SPECS: Readonly<Record<string, ColumnSpec>> = {
  position: { kind: "f64", width: 3, unit: "m", interpolation: "linear" },
  speed: { kind: "f32", width: 1, unit: null },
  level: { kind: "i32", width: 2, unit: null },
  flags: { kind: "u32", width: 1, unit: null },
  door: { kind: "u8", width: 1, unit: null },
  label: { kind: "string", width: 1, unit: null },
};

const cell = fc.oneof(fc.integer({ min: -300, max: 300 }), fc.double({ noNaN: false }), fc.constant(Number.NaN));
const id = fc.oneof(fc.integer({ min: -2, max: 9 }), fc.constantFrom("a", "b", "zz"));
const setName = fc.constantFrom("cars", "people", ".hidden");
const columnName = fc.constantFrom(...Object.keys(SPECS));

type Operation = (state: MutableState) => void;

function columnData(
  kind: ColumnKind,
  length: number,
  seed: number,
): Float64Array | Uint8Array | Float32Array | string[] {
  if (kind === "string") return Array.from({ length }, (_, i) => `${seed}/${i}`);
  const data =
    kind === "f32" ? new Float32Array(length) : kind === "u8" ? new Uint8Array(length) : new Float64Array(length);
  return data.map((_: number, i: number) => seed + i);
}

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.tuple(fc.constantFrom("map", "rain", ".own"), fc.oneof(cell, fc.string(), fc.constant(null))).map(
    ([path, value]): Operation =>
      (state) =>
        state.setValue(path, value),
  ),
  fc.constantFrom("map", "rain", ".own", "none").map(
    (path): Operation =>
      (state) =>
        state.deleteValue(path),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(setName, id).map(
      ([name, of]): Operation =>
        (state) =>
          void state.set(name).row(of),
    ),
  },
  fc.tuple(setName, id).map(
    ([name, of]): Operation =>
      (state) =>
        state.set(name).remove(of),
  ),
  {
    weight: 4,
    arbitrary: fc
      .tuple(setName, id, columnName, cell)
      .map(([name, of, column, value]) => write(name, of, column, value)),
  },
  fc.tuple(setName, fc.integer({ min: 0, max: 6 })).map(
    ([name, count]): Operation =>
      (state) =>
        state.set(name).dense(count),
  ),
  fc.tuple(setName, columnName, fc.nat(100), fc.integer({ min: -1, max: 1 })).map(
    ([name, column, seed, extra]): Operation =>
      (state) => {
        const set = state.set(name);
        const spec = SPECS[column]!;
        const rows = Math.max(0, set.size + (seed === 0 ? extra : 0));
        set.column(column, spec).replace(columnData(spec.kind, rows * spec.width, seed));
      },
  ),
  fc.tuple(setName, columnName).map(
    ([name, column]): Operation =>
      (state) =>
        state.set(name).deleteColumn(column),
  ),
  setName.map(
    (name): Operation =>
      (state) =>
        state.set(name).clear(),
  ),
  fc.constant<Operation>((state) => state.clear()),
  fc.nat(1000).map(
    (time): Operation =>
      (state) => {
        state.time = time;
      },
  ),
);

function write(name: string, of: number | string, column: string, value: number): Operation {
  return (state) => {
    const set = state.set(name);
    const row = set.find(of);
    if (row < 0) return;
    const spec = SPECS[column]!;
    const target = set.column(column, spec);
    if (spec.kind === "string") target.putText(row, String(value));
    else if (spec.width === 3 && value > 0) target.put3(row, value, value + 1, value + 2);
    else target.put(row, value, spec.width - 1);
  };
}

/** Everything a state says: what it shows, what it keeps to itself, and where each thing is found. */
function whole(state: MutableState): unknown {
  const sets = [...state.sets].map(([name, set]) => [
    name,
    {
      frozen: plain(set.freeze()),
      size: set.size,
      found: set.ids.map((of) => set.ids[set.find(of)]),
      absent: [-5, 99, "absent", 0.5].map((of) => set.find(of)),
      known: [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "a", "b", "zz"].filter((of) => set.find(of) >= 0),
    },
  ]);
  return { time: state.time, values: Object.fromEntries(state.values), sets: Object.fromEntries(sets) };
}

function plain(set: State["sets"] extends ReadonlyMap<string, infer S> ? S : never): unknown {
  const columns = [...set.columns].map(([name, column]) => [name, { ...column, data: cells(column.data) }]);
  return { ids: set.ids, axes: set.axes, columns: Object.fromEntries(columns) };
}

function cells(data: ColumnData): (number | string)[] {
  return Array.from<number | string>(data);
}

describe("undo", () => {
  test("restores exactly what was there at the mark, whatever was done since", () => {
    fc.assert(
      fc.property(
        fc.array(operation, { maxLength: 30 }),
        fc.array(fc.array(operation, { maxLength: 15 }), { minLength: 1, maxLength: 5 }),
        fc.infiniteStream(fc.nat(4)),
        (before, steps, picks) => {
          const state = new MutableState();
          for (const apply of before) apply(state);
          const marks: { mark: number; holds: unknown }[] = [];
          for (const step of steps) {
            marks.push({ mark: state.savepoint(), holds: whole(state) });
            for (const apply of step) apply(state);
          }
          const { mark, holds } = marks[picks.next().value! % marks.length]!;
          state.undo(mark);
          expect(whole(state)).toEqual(holds);
          // The mark is still there: what is done now can be taken back to the same place.
          for (const apply of steps[0]!) apply(state);
          state.undo(mark);
          expect(whole(state)).toEqual(holds);
          state.undo(marks[0]!.mark);
          expect(whole(state)).toEqual(marks[0]!.holds);
        },
      ),
      { numRuns: 400 },
    );
  });

  test("finds nothing in a set that was made dense and taken back, even when a row was added meanwhile", () => {
    const state = new MutableState();
    state.set("cars");
    const mark = state.savepoint();
    state.set("cars").dense(3);
    state.set("cars").row("new");
    state.undo(mark);
    expect(state.set("cars").find(1)).toBe(-1);
    expect(state.set("cars").row(1)).toBe(0);
  });

  test("takes texts back to their rows when the undo log had to grow for one of them", () => {
    for (const before of [1022, 1023, 1024]) {
      const state = new MutableState();
      const column = state.set("signs").column("label", SPECS["label"]!);
      for (const id of ["a", "b"]) column.putText(state.set("signs").row(id), id);
      const mark = state.savepoint();
      for (let i = 0; i < before; i++) state.setValue("map", i);
      column.putText(1, "changed");
      state.undo(mark);
      expect(state.freeze().sets.get("signs")!.columns.get("label")!.data).toEqual(["a", "b"]);
    }
  });

  test("takes what was written into rows that were added back with them", () => {
    const state = new MutableState();
    const cars = state.set("cars");
    const speed = cars.column("speed", { kind: "f64", width: 1, unit: null });
    cars.row(7);
    speed.put(0, 1);
    const mark = state.savepoint();
    for (const speeds of [
      [2, 3],
      [4, 5],
    ]) {
      cars.add([8, 9]);
      const cells = speed.added();
      for (const [i, value] of speeds.entries()) cells[1 + i] = value;
      expect(cells.slice(0, 3)).toEqual(Float64Array.of(1, ...speeds));
      state.undo(mark);
      expect(state.freeze().sets.get("cars")!.columns.get("speed")!.data).toEqual(Float64Array.of(1));
    }
    cars.row(8);
    expect(speed.number(1)).toBeNaN();
  });

  test("takes many cells back, more than the undo log first has room for", () => {
    const state = new MutableState();
    const cars = state.set("cars");
    cars.dense(5000);
    const column = cars.column("position", SPECS["position"]!);
    for (let row = 0; row < 5000; row++) column.put3(row, row, -row, 0.5);
    const mark = state.savepoint();
    for (let row = 0; row < 5000; row++) column.put3(row, 0, 0, 0);
    state.undo(mark);
    expect([column.number(4999), column.number(4999, 1), column.number(0, 2)]).toEqual([4999, -4999, 0.5]);
  });

  test("refuses marks that were never set, are gone, or were forgotten", () => {
    const state = new MutableState();
    expect(() => state.undo(0)).toThrow(RangeError);
    const first = state.savepoint();
    state.setValue("map", 1);
    const second = state.savepoint();
    expect(() => state.undo(first + 1)).toThrow(RangeError);
    expect(() => state.undo(-1)).toThrow(RangeError);
    expect(() => state.undo(Number.NaN)).toThrow(RangeError);
    state.undo(first);
    expect(() => state.undo(second)).toThrow(RangeError);
    state.forget();
    expect(() => state.undo(first)).toThrow(RangeError);
    state.setValue("map", 2);
    expect(state.value("map")).toBe(2);
  });
});

describe("a clone", () => {
  test("shares nothing mutable: changes to either never show in the other", () => {
    fc.assert(
      fc.property(
        fc.array(operation, { maxLength: 30 }),
        fc.array(operation, { maxLength: 20 }),
        fc.array(operation, { maxLength: 20 }),
        (before, there, here) => {
          const state = new MutableState();
          for (const apply of before) apply(state);
          const copy = state.clone();
          const holds = whole(state);
          expect(whole(copy)).toEqual(holds);
          for (const apply of there) apply(copy);
          expect(whole(state)).toEqual(holds);
          const held = whole(copy);
          for (const apply of here) apply(state);
          expect(whole(copy)).toEqual(held);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("what freeze gives", () => {
  test("never changes afterwards", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 30 }), fc.array(operation, { maxLength: 20 }), (before, later) => {
        const state = new MutableState();
        for (const apply of before) apply(state);
        const frozen = state.freeze();
        const copy = structuredClone({ ...frozen });
        for (const apply of later) apply(state);
        expect({ ...frozen }).toEqual(copy);
      }),
      { numRuns: 300 },
    );
  });

  test("is what a copy that never showed anything gives, whatever was shown, done and undone before", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(operation, fc.constantFrom("show", "mark", "undo", "go on")), { maxLength: 50 }),
        (steps) => {
          const state = new MutableState();
          const marks: number[] = [];
          for (const [apply, what] of steps) {
            apply(state);
            if (what === "mark") marks.push(state.savepoint());
            if (what === "undo" && marks.length > 0) state.undo(marks.pop()!);
            if (what !== "go on") expect({ ...state.freeze() }).toEqual({ ...state.clone().freeze() });
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  test("has rows ascending by id, numbers before text, and full columns", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const state = new MutableState();
        for (const apply of operations) apply(state);
        for (const [name, { ids, columns }] of state.freeze().sets) {
          const numbers = ids.filter((of) => typeof of === "number");
          const texts = ids.filter((of) => typeof of === "string");
          expect(ids).toEqual([...numbers.toSorted((a, b) => a - b), ...texts.toSorted()]);
          const set = state.sets.get(name)!;
          for (const [column, { data, width }] of columns) {
            expect(data.length).toBe(ids.length * width);
            const live = set.columns.get(column)!;
            for (const [row, of] of ids.entries()) {
              const at = set.find(of);
              const is = live.spec.kind === "string" ? live.text(at) : live.number(at, width - 1);
              expect(data[row * width + width - 1]).toBe(is);
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test("hides values, sets and columns whose name begins with a dot", () => {
    const state = new MutableState();
    state.setValue(".parents", 1);
    state.setValue("map", "Town01");
    state.set(".doors").row(1);
    const cars = state.set("cars", { handed: "left", up: "z", kind: "local" });
    cars.row(7);
    cars.column(".relative", SPECS["speed"]!).put(0, 4);
    cars.column("speed", SPECS["speed"]!).put(0, 5);
    const { values, sets } = state.freeze();
    expect([...values]).toEqual([["map", "Town01"]]);
    expect([...sets.keys()]).toEqual(["cars"]);
    expect(sets.get("cars")!.axes).toMatchObject({ handed: "left", up: "z", kind: "local" });
    expect([...sets.get("cars")!.columns]).toEqual([
      ["speed", { data: new Float32Array([5]), width: 1, unit: null, interpolation: "hold" }],
    ]);
  });

  test("shows cells that nothing was said about as NaN, 0 or empty text", () => {
    const state = new MutableState();
    const cars = state.set("cars");
    for (const [name, spec] of Object.entries(SPECS)) cars.column(name, spec);
    cars.row(3);
    const { columns } = state.freeze().sets.get("cars")!;
    expect(Object.fromEntries([...columns].map(([name, { data }]) => [name, cells(data)]))).toEqual({
      position: [Number.NaN, Number.NaN, Number.NaN],
      speed: [Number.NaN],
      level: [0, 0],
      flags: [0],
      door: [0],
      label: [""],
    });
  });

  test("does not show what stood in a row that was removed when another takes its place", () => {
    const state = new MutableState();
    const cars = state.set("cars");
    const speed = cars.column("speed", SPECS["speed"]!);
    speed.put(cars.row(1), 10);
    speed.put(cars.row(2), 20);
    cars.remove(1);
    expect(cells(speed.freeze(1, null).data)).toEqual([20]);
    expect(speed.number(cars.row(3))).toBeNaN();
  });

  test("fills up a column that was replaced by one with too few rows, and cuts one with too many", () => {
    const state = new MutableState();
    state.set("cars").dense(3);
    state
      .set("cars")
      .column("speed", SPECS["speed"]!)
      .replace(new Float32Array([1]));
    state.set("cars").column("label", SPECS["label"]!).replace(["a", "b", "c", "d"]);
    const { columns } = state.freeze().sets.get("cars")!;
    expect(cells(columns.get("speed")!.data)).toEqual([1, Number.NaN, Number.NaN]);
    expect(columns.get("label")!.data).toEqual(["a", "b", "c"]);
  });
});

test("a column that was taken over is copied before it is written to", () => {
  const given = new Float32Array([1, 2]);
  const state = new MutableState();
  const cars = state.set("cars");
  cars.dense(2);
  const speed = cars.column("speed", SPECS["speed"]!);
  speed.replace(given);
  expect(speed.freeze(2, null).data).toBe(given);
  const mark = state.savepoint();
  speed.put(0, 9);
  expect([speed.number(0), given[0]]).toEqual([9, 1]);
  state.undo(mark);
  expect(speed.number(0)).toBe(1);
});

test("a set keeps its ids in order of arrival until one is removed, whose place the last one takes", () => {
  const cars = new MutableState().set("cars");
  for (const of of ["c", "a", "b"]) cars.row(of);
  cars.remove("c");
  expect(cars.ids).toEqual(["b", "a"]);
  cars.remove("absent");
  expect([cars.find("b"), cars.find("a"), cars.find("c")]).toEqual([0, 1, -1]);
});

test("bytes held grow with what is held", () => {
  const state = new MutableState();
  const empty = state.byteLength;
  state.set("cars").dense(1000);
  state.set("cars").column("position", SPECS["position"]!);
  expect(state.byteLength).toBeGreaterThan(empty + 24_000);
});

test("what has not changed is shown as the very same, so that it need not be looked through again", () => {
  const state = new MutableState();
  for (const name of ["cars", "people"]) {
    for (const of of ["b", "a"]) {
      const set = state.set(name);
      set.column("speed", SPECS["speed"]!).put(set.row(of), 1);
    }
    state.set(name).column("label", SPECS["label"]!).putText(0, name);
  }
  const before = state.freeze();
  const mark = state.savepoint();
  state.set("cars").column("speed", SPECS["speed"]!).put(0, 2);
  const after = state.freeze();
  const column = (of: State, set: string, name: string): unknown => of.sets.get(set)!.columns.get(name);
  expect(after.sets.get("people")!.ids).toBe(before.sets.get("people")!.ids);
  expect(column(after, "people", "speed")).toBe(column(before, "people", "speed"));
  expect(column(after, "cars", "label")).toBe(column(before, "cars", "label"));
  expect(column(after, "cars", "speed")).not.toEqual(column(before, "cars", "speed"));
  state.undo(mark);
  expect({ ...state.freeze() }).toEqual({ ...before });
});

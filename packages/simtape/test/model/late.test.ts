import { describe, expect, test } from "vitest";
import { interpolateStates } from "../../src/model/state/interpolate.ts";
import { Late, LateValues } from "../../src/model/state/late.ts";
import { MutableState } from "../../src/model/state/state.ts";
import type { Value } from "../../src/model/values/value.ts";
import { Patcher, patched } from "../../src/play/patch.ts";

/** How often a value was made. */
let made = 0;

function late(...bytes: number[]): Late {
  return new Late(Uint8Array.from(bytes), 1, (all, at) => {
    made++;
    return [...all.subarray(at)];
  });
}

/** `a` is there, `b` is late and holds 2 and 3. */
function mixed(): MutableState {
  const state = new MutableState();
  state.setValue("a", 1);
  state.setLate("b", late(1, 2, 3));
  return state;
}

describe("a late value", () => {
  test("is made once, of the bytes behind its place, when it is looked at", () => {
    made = 0;
    const one = late(7, 8, 9);
    expect(made).toBe(0);
    expect(one.value).toEqual([8, 9]);
    expect(one.value).toBe(one.value);
    expect(made).toBe(1);
  });

  test("that is null is made once, too", () => {
    let count = 0;
    const none = new Late(new Uint8Array(0), 0, () => {
      count++;
      return null;
    });
    expect([none.value, none.value, count]).toEqual([null, null, 1]);
  });

  test("is one of the state's like any other", () => {
    made = 0;
    const state = mixed();
    const frozen = state.freeze();
    expect([...frozen.values.keys()]).toEqual(["a", "b"]);
    expect([frozen.values.size, frozen.values.has("b"), frozen.values.has("c")]).toEqual([2, true, false]);
    expect(made).toBe(0);
    expect(frozen.values.get("a")).toBe(1);
    expect(frozen.values.get("c")).toBeUndefined();
    expect(made).toBe(0);
    const plain = new Map<string, Value>([
      ["a", 1],
      ["b", [2, 3]],
    ]);
    expect(new Map(frozen.values)).toEqual(plain);
    expect([...frozen.values.values()]).toEqual([1, [2, 3]]);
    const reported: [string, Value][] = [];
    frozen.values.forEach((value, path) => void reported.push([path, value]));
    expect(reported).toEqual([...plain]);
    expect(state.value("b")).toBe(frozen.values.get("b"));
    expect(new Map(state.values)).toEqual(plain);
    expect(made).toBe(1);
  });

  test("is shared by copies of the state, and put back by undoing", () => {
    const state = mixed();
    const copy = state.clone();
    const mark = state.savepoint();
    state.setValue("b", "other");
    state.setLate("a", late(0, 5));
    state.deleteValue("b");
    expect(new Map(state.freeze().values)).toEqual(new Map([["a", [5]]]));
    state.undo(mark);
    made = 0;
    expect(state.value("b")).toBe(copy.value("b"));
    expect(copy.freeze().values.get("a")).toBe(1);
    expect(made).toBe(1);
  });

  test("is made neither between two moments nor where it is spared", () => {
    made = 0;
    const state = mixed();
    const a = state.freeze();
    state.setValue("a", 3);
    state.time = 10;
    const between = interpolateStates(a, state.freeze(), 5, () => "linear");
    expect(between.values.get("a")).toBe(2);
    const patcher = new Patcher();
    patcher.omitValues(["b"]);
    expect(patcher.next(between, []).values.put).toEqual([
      ["a", 2],
      ["b", undefined],
    ]);
    expect(made).toBe(0);
    patcher.omitValues([]);
    expect(patched(null, patcher.next(between, [])).values.get("b")).toEqual([2, 3]);
    expect(made).toBe(1);
  });
});

describe("values", () => {
  test("stay the same map as long as none is written", () => {
    const state = mixed();
    const first = state.freeze().values;
    state.set("cars").row(1);
    expect(state.freeze().values).toBe(first);
    const mark = state.savepoint();
    state.setValue("a", 2);
    const second = state.freeze().values;
    expect(second).not.toBe(first);
    expect([first.get("a"), second.get("a")]).toEqual([1, 2]);
    state.undo(mark);
    expect(state.freeze().values.get("a")).toBe(1);
    state.deleteValue("a");
    expect(state.freeze().values.has("a")).toBe(false);
    expect(first.get("a")).toBe(1);
  });

  test("between two moments are those of the first when none moves", () => {
    const state = mixed();
    const a = state.freeze();
    state.setValue("c", 4);
    state.time = 10;
    const b = state.freeze();
    expect(interpolateStates(a, b, 5, () => "linear").values).toBe(a.values);
    expect(interpolateStates(b, { ...a, time: 20 }, 15, () => "linear").values).toBe(b.values);
  });

  test("without a late one are a plain map", () => {
    const state = new MutableState();
    state.setValue("a", 1);
    expect(state.freeze().values).not.toBeInstanceOf(LateValues);
    expect(structuredClone(state.freeze())).toEqual(state.freeze());
  });
});

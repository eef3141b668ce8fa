import { describe, expect, test } from "vitest";
import {
  boolean,
  dictionary,
  filled,
  list,
  maybe,
  number,
  object,
  oneOf,
  orNull,
  problemIn,
  type Shape,
  tell,
  text,
  union,
  whole,
} from "../../src/model/shape.ts";

const THING = object({
  name: text,
  size: maybe(whole(1, 9)),
  kinds: maybe(filled(oneOf("a", "b"))),
  parts: maybe(dictionary(orNull(number))),
  kept: maybe(union(boolean, object({ days: number }))),
});

function reported(shape: Shape<unknown>, value: unknown): string | null {
  const problem = problemIn(shape, value);
  return problem === null ? null : `${problem.path}: ${tell(problem)}`;
}

describe("a document that does not fit", () => {
  test.each([
    [null, ": expected an object, found null"],
    [[], ": expected an object, found []"],
    [{}, "name: expected text, found nothing"],
    [{ name: 1 }, "name: expected text, found 1"],
    [{ name: "x", other: 1 }, ': expected only name, size, kinds, parts, kept, found "other"'],
    [{ name: "x", size: 10 }, "size: expected a whole number from 1 to 9, found 10"],
    [{ name: "x", size: Number.POSITIVE_INFINITY }, "size: expected a whole number from 1 to 9, found Infinity"],
    [{ name: "x", kinds: [] }, "kinds: expected a list of one or more, found []"],
    [{ name: "x", kinds: ["a", "c"] }, 'kinds[1]: expected one of "a", "b", found "c"'],
    [{ name: "x", parts: [] }, "parts: expected an object, found []"],
    [{ name: "x", parts: { a: 1, b: "" } }, 'parts.b: expected a number or null, found ""'],
    [{ name: "x", kept: 1 }, "kept: expected true or false or an object, found 1"],
    [{ name: "x", kept: {} }, "kept.days: expected a number, found nothing"],
    [{ name: "x", kept: { days: 1, daze: 2 } }, 'kept: expected only days, found "daze"'],
    [{ name: { long: "x".repeat(99) } }, `name: expected text, found {"long":"${"x".repeat(48)}…`],
  ])("is reported by its first fault: %j", (value, message) => {
    expect(reported(THING, value)).toBe(message);
    expect(reported(list(THING), [{ name: "sound" }, value])).toBe(`[1]${message?.replace(/^(?=\w)/, ".")}`);
  });

  test("may have keys that every object has", () => {
    const keys = ["constructor", "prototype", "__proto__", "toString"];
    for (const key of keys) {
      const parts = (value: unknown): unknown => JSON.parse(`{"name":"x","parts":{"${key}":${JSON.stringify(value)}}}`);
      expect(reported(THING, parts(1))).toBeNull();
      expect(reported(THING, parts("1"))).toBe(`parts.${key}: expected a number or null, found "1"`);
      expect(reported(THING, JSON.parse(`{"name":"x","${key}":1}`))).toContain(`expected only name, `);
    }
  });
});

import type { Comparison, PathDifference } from "simtape/compare";
import { expect, test } from "vitest";
import { partsApart, shownPath, wantedIn } from "../../src/compare/comparing.ts";
import { errorText, numberText, valueText } from "../../src/compare/text.ts";
import { LongQuery } from "../../src/long-query.ts";

const path = (name: string, differs: boolean, curve: readonly number[], tolerance = 0): PathDifference =>
  ({ path: name, differs, curve, first: differs ? { time: 12, tolerance } : null }) as unknown as PathDifference;
const comparison = (...paths: PathDifference[]): Comparison =>
  ({ paths, range: { start: 10, end: 50 } }) as unknown as Comparison;

test("the path that is shown is the wanted one, else the first that differs", () => {
  const all = comparison(path("a", false, []), path("b", true, []), path("c", true, []));
  expect(["c", "", "gone"].map((wanted) => shownPath(all, wanted)?.path)).toEqual(["c", "b", "b"]);
  expect(shownPath(comparison(path("a", false, [])), "")).toBe(null);
});

test("parts that differ begin with the first difference, and those that touch are one", () => {
  const differing = path("a", true, [1, 2, 0, 3], 0);
  expect(partsApart(comparison(differing), differing)).toEqual([
    { start: 12, end: 30, error: 2 },
    { start: 40, end: 50, error: 3 },
  ]);
  const tolerant = path("a", true, [1, 2, 0, 3], 2);
  expect(partsApart(comparison(tolerant), tolerant)).toEqual([{ start: 40, end: 50, error: 3 }]);
});

test("what an address keeps of how to compare is checked", () => {
  expect(wantedIn({})).toEqual({ ghost: 0, align: "start", rules: "", path: "" });
  expect(wantedIn({ compare: { ghost: -1, align: 4, rules: "a: 1", path: null } })).toEqual({
    ghost: 0,
    align: "start",
    rules: "a: 1",
    path: "",
  });
});

test("numbers and values are short", () => {
  expect(numberText(1234.5678, "m")).toBe("1235 m");
  expect(numberText(0.00001234, null)).toBe("1.23e-5");
  expect(numberText(0, "")).toBe("0");
  expect(valueText(new Float64Array([1.23456789012, 2]))).toBe("[1.234568,2]");
  expect(valueText(12n)).toBe('"12"');
  expect(valueText(null)).toBe("nothing");
  expect(valueText("x".repeat(100))).toHaveLength(80);
  expect(errorText({ ...path("a", true, []), max: { error: null, time: 0, path: "" }, moments: 1 })).toBe(
    "differs at 1 moment",
  );
});

test("of long queries the newest counts, and what is asked twice is asked once", async () => {
  const query = new LongQuery<string>();
  const answers: ((text: string) => void)[] = [];
  const ask = (key: string): Promise<void> =>
    query.ask(key, ({ signal }) => {
      return new Promise((answer, fail) => {
        signal!.addEventListener("abort", () => fail(new Error("called off")));
        answers.push(answer);
      });
    });
  const [one, same, other] = [ask("one"), ask("one"), ask("other")];
  expect(answers).toHaveLength(2);
  answers[1]!("of the other");
  await Promise.all([one, same, other]);
  expect(query.run.value).toEqual({ phase: "done", part: 1, answer: "of the other", message: null });
  const stopped = ask("third");
  expect(query.run.value).toMatchObject({ phase: "running", answer: "of the other" });
  query.stop();
  await stopped;
  expect(query.run.value).toMatchObject({ phase: "done", answer: "of the other" });
});

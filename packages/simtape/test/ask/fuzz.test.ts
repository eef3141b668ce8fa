import fc from "fast-check";
import { expect, test } from "vitest";
import { ask, AskError } from "../../src/ask/index.ts";
import { parse } from "../../src/ask/parser.ts";
import { open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { example } from "./support.ts";

/** `SIMTAPE_RUNS=100000` runs as many. */
const RUNS = Number(process.env["SIMTAPE_RUNS"] ?? 300);
const WORDS = [
  ...[
    "vehicles",
    "walkers",
    "vehicles[24]",
    "vehicles[*]",
    "vehicles/24/brake",
    "frame",
    "it",
    "speed",
    "position",
    "brake",
    "kind",
    "x",
  ],
  ...[
    "any",
    "all",
    "each",
    "count",
    "min",
    "max",
    "sum",
    "and",
    "or",
    "not",
    "for",
    "within",
    "of",
    "after",
    "before",
    "in",
    "as",
    "a",
  ],
  ...["(", ")", "[", "]", ".", ",", "+", "-", "*", "/", "<", "<=", ">", ">=", "=", "!=", "~", "true", "false"],
  ...[
    "1",
    "0.5",
    "30 km/h",
    "200 ms",
    "2 s",
    "3 m",
    "1e300",
    '"vehicle.*"',
    "'a'",
    "`frame`",
    "km/h",
    "event(collision)",
  ],
  ...[
    "distance(",
    "angle(",
    "derivative(",
    "rising(",
    "falling(",
    "changed(",
    "known(",
    "present(",
    "still(",
    "abs(",
    "length(",
  ],
];

const soup = fc.array(fc.constantFrom(...WORDS), { maxLength: 24 }).map((words) => words.join(" "));
const noise = fc.string({ unit: "binary", maxLength: 200 });
const mixed = fc.tuple(soup, noise, soup).map((parts) => parts.join(""));

test("every text is an expression or one typed error", async () => {
  const recording = await open(fromFile(example("town.log")));
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: soup }, noise, mixed), async (text) => {
      try {
        parse(text);
        const question = await ask(recording, text, { start: 0, end: 5e8 });
        const isValue = question.type === "number" || question.type === "words";
        if (isValue && !question.isEach)
          for await (const { time, value } of question.values()) expect(value.length).toBe(time.length);
        else
          for await (const answers of question.answers())
            for (const { from, until } of answers) expect(until).toBeGreaterThanOrEqual(from);
        answered++;
      } catch (error) {
        if (!AskError.is(error)) throw error;
        expect(error.offset).toBeGreaterThanOrEqual(0);
        expect(error.offset).toBeLessThanOrEqual(text.length);
        expect(error.message.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: RUNS, seed: 11, endOnFailure: true },
  );
  expect(answered).toBeGreaterThan(0);
  await recording.close();
}, 3_600_000);

test.each([
  ["parentheses", "(".repeat(5000)],
  ["closed parentheses", `${"(".repeat(2000)}1${")".repeat(2000)}`],
  ["not", `${"not ".repeat(900)}true`],
  ["minus", `1 < ${"- ".repeat(900)}1`],
  ["a sum", `${"1 + ".repeat(500)}1 > 0`],
  ["a long text", `"${"a".repeat(10_000)}"`],
  ["quantifiers", `${"any vehicles (".repeat(40)}true${")".repeat(40)}`],
  ["members", `vehicles[24]${".x".repeat(500)}`],
  ["pattern", `vehicles[24].kind ~ "${"*a".repeat(200)}b"`],
])("%s within each other are limited", async (_, text) => {
  const recording = await open(fromFile(example("town.log")));
  const done = await ask(recording, text, { start: 0, end: 1e8 }).then(
    () => true,
    (error: unknown) => AskError.is(error),
  );
  expect(done).toBe(true);
  await recording.close();
});

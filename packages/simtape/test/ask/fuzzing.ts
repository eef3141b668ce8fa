import fc from "fast-check";
import { ask, AskError } from "../../src/ask/index.ts";
import { parse } from "../../src/ask/parser.ts";
import { open } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { example } from "./support.ts";

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
  ...["constructor", "__proto__", "prototype", "toString", "eval", "process", "this"],
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

/** Sentences that the grammar has, of names that the recording has: many of them fit together. */
const { sentence } = fc.letrec<{ number: string; truth: string; sentence: string }>((tie) => {
  const [number, truth] = [tie("number"), tie("truth")];
  const put = (form: string, ...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.tuple(...parts).map((found) => found.reduce((so, part) => so.replace("%", () => part), form));
  const oneOf = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
  const set = oneOf("vehicles", "walkers", "vehicles[24, 25]", "vehicles[*]", "sensors");
  const thing = oneOf("vehicles[24]", "vehicles[25]", "it", "vehicles/24", "walkers[26]", "a");
  const span = oneOf("0 s", "50 ms", "0.1 s", "1 h");
  return {
    number: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      oneOf(
        "frame",
        "1",
        "0.5",
        "30 km/h",
        "2 m",
        "0",
        "it.brake",
        "vehicles[24].position.x",
        "speed",
        "gear",
        "brake",
      ),
      put("speed(%)", thing),
      put("distance(%, %)", thing, thing),
      put("(% % %)", number, oneOf("+", "-", "*", "/"), number),
      put("abs(%)", number),
      put("min(%, %)", number, number),
      put("derivative(%)", number),
      put("-%", number),
      put("(% in %)", number, oneOf("m", "km/h", "s", "deg", "m/s²")),
      put("count % (%)", set, truth),
      put("% % (%)", oneOf("min", "max", "sum"), set, number),
    ),
    truth: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      put("% % %", number, oneOf("<", "<=", ">", ">=", "=", "!="), number),
      oneOf("event(collision)", "true", "kind ~ 'vehicle.*'", "vehicles[24].handbrake", "present(it)"),
      put("(% % %)", truth, oneOf("and", "or"), truth),
      put("not (%)", truth),
      put("%(%)", oneOf("rising", "falling", "changed", "known"), truth),
      put("% % (%)", oneOf("any", "all"), set, truth),
      put("any % as a (%)", set, truth),
      put("(% for %)", truth, span),
      put("(% within % % %)", truth, span, oneOf("of", "after", "before"), truth),
      put("still(%, 10 cm)", thing),
    ),
    sentence: fc.oneof(
      { weight: 4, arbitrary: truth },
      number,
      put("each % (%)", set, truth),
      put("each % (%)", set, number),
    ),
  };
});

/** What one expression may take, milliseconds: far more than any takes on a busy machine. */
const BUDGET = 60_000;

/** What became of random texts. */
export interface Fuzzed {
  readonly answered: number;
  /** How many were refused with each code. */
  readonly refused: ReadonlyMap<string, number>;
}

/**
 * Asks random texts about a recording: each must have answers or values that are in order and in the range, or be refused
 * with one `AskError` that points into the text. Rejects with what went otherwise, and the shortest text for it.
 */
export async function fuzz(runs: number, seed: number): Promise<Fuzzed> {
  const recording = await open(fromFile(example("town.log")));
  const range = { start: 0, end: 1.2e8 };
  const refused = new Map<string, number>();
  let answered = 0;
  const one = async (text: string): Promise<void> => {
    const signal = AbortSignal.timeout(BUDGET);
    try {
      parse(text);
      const question = await ask(recording, text, { ...range, signal });
      const isBoolean = question.type === "boolean" || question.type === "instant";
      if (isBoolean)
        for await (const answers of question.answers())
          for (const { from, until } of answers)
            if (!(from >= 0 && until >= from && until <= range.end)) throw new Error(`${from} to ${until}: ${text}`);
      if (!question.isEach) for await (const { time, value } of question.values()) mustBe(time, value, text);
      for await (const things of question.eachValues()) for (const { time, value } of things) mustBe(time, value, text);
      answered++;
    } catch (error) {
      if (!AskError.is(error)) throw error;
      const { code, offset, message } = error;
      if (!(offset >= 0 && offset <= text.length && message.length > 0)) throw new Error(`points outside: ${text}`);
      refused.set(code, (refused.get(code) ?? 0) + 1);
    }
  };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 8, arbitrary: sentence }, { weight: 2, arbitrary: soup }, noise, mixed, cut),
      one,
    ),
    { numRuns: runs, seed, endOnFailure: runs > 10_000 },
  );
  await recording.close();
  return { answered, refused };
}

/** A sentence that ends too early. */
const cut = fc
  .tuple(sentence, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([text, part]) => text.slice(0, text.length * part));

function mustBe(time: Float64Array, value: Float64Array, text: string): void {
  if (value.length !== time.length) throw new Error(`${value.length} values at ${time.length} times: ${text}`);
  for (let i = 1; i < time.length; i++) if (!(time[i]! > time[i - 1]!)) throw new Error(`times out of order: ${text}`);
}

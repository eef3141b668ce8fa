import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../../src/ask/index.ts";
import { open, type Recording } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { after } from "../../src/kit.ts";
import { example } from "./support.ts";
import { type Claim, Naive, type Term } from "./naive.ts";

/** A column or value that expressions of the test name. */
interface Leaf {
  readonly set: string | null;
  readonly id: number | string | null;
  readonly name: string;
  readonly item: number;
  readonly text: string;
  readonly unit: string;
  /** Numbers that it has, to compare with. */
  readonly some: readonly number[];
}

/** Nanoseconds of the recording that are asked about: states are kept for all of them. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  "town.log": [0, 4e9],
  "race.hcrp": [1e9, 4e9],
  "flight.fgtape": [0, 8e9],
  "patrol.tape": [0, 4e9],
};
const RUNS = Number(process.env["SIMTAPE_RUNS"] ?? 40);

describe.each(Object.keys(RANGES))("expressions about %s", (file) => {
  let recording: Recording;
  let naive: Naive;
  let leaves: readonly Leaf[];
  let sets: readonly string[];
  let range: { readonly start: number; readonly end: number };

  beforeAll(async () => {
    recording = await open(fromFile(example(file)));
    const { start, end } = await recording.timeline();
    range = { start: Math.max(start, RANGES[file]![0]), end: Math.min(RANGES[file]![1], after(end)) };
    naive = await Naive.of(recording, range.start, range.end);
    ({ leaves, sets } = await leavesOf(recording, range));
  });
  afterAll(() => recording.close());

  test("are true exactly when a naive look at every state says so", async () => {
    expect(leaves.length).toBeGreaterThan(0);
    const moments = new Map<string, readonly number[]>();
    for (const leaf of leaves) {
      if (leaf.set !== null && leaf.id === null) continue;
      const [series] = await recording.series(
        [leaf.text.replace(/^(\w[\w-]*)\[(.*?)\]\./, "$1/$2/").replaceAll('"', "")],
        { ...range },
      );
      moments.set(leaf.text, [...series!.time]);
    }
    let found = 0;
    await fc.assert(
      fc.asyncProperty(claims(leaves, sets, moments), async (claim) => {
        const wanted = naive.intervals(claim).map(([from, until]) => [from, until]);
        const question = await ask(recording, claim.text, range);
        const { end } = await recording.timeline();
        const last = Math.min(range.end, end);
        const got: number[][] = [];
        for await (const answers of question.answers()) for (const { from, until } of answers) got.push([from, until]);
        expect(got, claim.text).toEqual(wanted.map(([from, until]) => [from, Math.min(until!, last)]));
        found += got.length;
      }),
      { numRuns: RUNS, seed: 7 },
    );
    expect(found).toBeGreaterThan(0);
  }, 120_000);
});

async function leavesOf(
  recording: Recording,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<{ readonly leaves: readonly Leaf[]; readonly sets: readonly string[] }> {
  const state = await recording.state((start + end) / 2);
  const leaves: Leaf[] = [];
  const known = new Set([
    "cm",
    "m",
    "deg",
    "m/s",
    "deg/s",
    "rad",
    "rad/s",
    "ft",
    "kt",
    "ft/s",
    "nm",
    "block",
    "s",
    "cm/s",
  ]);
  for (const [name, set] of state.sets) {
    for (const [column, { data, width, unit }] of set.columns) {
      if (Array.isArray(data) || width > 3 || !/^[A-Za-z][\w-]*$/.test(column)) continue;
      if (unit !== null && !known.has(unit)) continue;
      const some = [...new Set([...(data as Float64Array)].map(Number).filter(Number.isFinite))].slice(0, 5);
      for (let item = 0; item < width; item++) {
        const part = width === 1 ? "" : `.${"xyz"[item]}`;
        const of = { set: name, name: column, item, unit: unit ?? "", some };
        leaves.push({ ...of, id: null, text: `${column}${part}` });
        for (const id of set.ids.slice(0, 2)) {
          const quoted = typeof id === "number" ? `${id}` : JSON.stringify(id);
          leaves.push({ ...of, id, text: `${name}[${quoted}].${column}${part}` });
        }
      }
    }
  }
  const { unitOf } = await recording.traits();
  for (const [path, value] of state.values) {
    if ((typeof value !== "number" && typeof value !== "boolean") || !/^\/?[A-Za-z][\w/-]*$/.test(path)) continue;
    const unit = unitOf?.(path) ?? "";
    if (unit !== "" && !known.has(unit)) continue;
    leaves.push({ set: null, id: null, name: path, item: 0, text: path, unit, some: [Number(value)] });
  }
  return { leaves, sets: [...new Set(leaves.flatMap(({ set }) => set ?? []))] };
}

function claims(
  leaves: readonly Leaf[],
  sets: readonly string[],
  moments: ReadonlyMap<string, readonly number[]>,
): fc.Arbitrary<Claim> {
  const termOf = ({ set, id, name, item, text }: Leaf): Term =>
    set === null ? { op: "value", text, path: name } : { op: "cell", text, set, id, column: name, item };
  /** Within the parentheses of a quantifier over `set`; null: outside. */
  const comparison = (set: string | null): fc.Arbitrary<Claim> => {
    const own = leaves.filter(
      (leaf) => (set !== null && leaf.set === set && leaf.id === null) || leaf.set === null || leaf.id !== null,
    );
    if (own.length === 0)
      return fc.constant({ op: "<", text: "1 < 2", a: numberOf(1, ""), b: numberOf(2, "") } as Claim);
    return fc
      .record({
        leaf: fc.constantFrom(...own),
        pick: fc.nat(4),
        shift: fc.constantFrom(0, 0, 1, -1, 10),
        how: fc.constantFrom("plain", "plain", "abs", "negative", "+", "*", "min", "derivative"),
        op: fc.constantFrom("<", "<=", ">", ">=", "=", "!="),
        other: fc.constantFrom(...own),
        isPaired: fc.boolean(),
      })
      .map(({ leaf, pick, shift, how, op, other, isPaired }): Claim => {
        const term = termOf(leaf);
        const number = numberOf((leaf.some[pick % Math.max(1, leaf.some.length)] ?? 0) + shift, leaf.unit);
        const [a, unit] = made(term, leaf, how, number);
        const b = isPaired && other.unit === unit && how === "plain" ? termOf(other) : numberOf(number.value, unit);
        return { op, text: `${a.text} ${op} ${b.text}`, a, b } as Claim;
      });
  };
  const made = (term: Term, leaf: Leaf, how: string, number: Term & { op: "number" }): [Term, string] => {
    const { text } = term;
    switch (how) {
      case "abs":
        return [{ op: "abs", text: `abs(${text})`, of: term }, leaf.unit];
      case "negative":
        return [{ op: "negative", text: `-${text}`, of: term }, leaf.unit];
      case "+":
        return [{ op: "+", text: `(${text} + ${number.text})`, a: term, b: number }, leaf.unit];
      case "*":
        return [{ op: "*", text: `${text} * 2`, a: term, b: numberOf(2, "") }, leaf.unit];
      case "min":
        return [{ op: "min", text: `min(${text}, ${number.text})`, a: term, b: number }, leaf.unit];
      case "derivative": {
        const times = moments.get(text);
        if (times === undefined) return [term, leaf.unit];
        const unit = leaf.unit === "" ? "/s" : leaf.unit.endsWith("/s") ? `${leaf.unit}²` : `${leaf.unit}/s`;
        if (unit === "/s") return [term, leaf.unit];
        return [{ op: "derivative", text: `derivative(${text})`, of: term, moments: times }, unit];
      }
      default:
        return [term, leaf.unit];
    }
  };
  const time = fc.constantFrom(0.05, 0.3, 1);
  const claim = (depth: number, set: string | null): fc.Arbitrary<Claim> => {
    if (depth === 0) return comparison(set);
    const inner = claim(depth - 1, set);
    const crowd = sets.length === 0 || set !== null ? [] : [fc.constantFrom(...sets)];
    return fc.oneof(
      comparison(set),
      fc.tuple(fc.constantFrom("and", "or"), inner, inner).map(([op, a, b]): Claim => {
        return { op: op as "and", text: `(${a.text}) ${op} (${b.text})`, a, b };
      }),
      inner.map((of): Claim => ({ op: "not", text: `not (${of.text})`, of })),
      fc
        .tuple(inner, time)
        .map(([of, s]): Claim => ({ op: "for", text: `((${of.text}) for ${s} s)`, of, time: s * 1e9 })),
      fc.tuple(inner, fc.constantFrom("rising", "falling"), inner, time).map(([of, edge, other, s]): Claim => {
        const text = `((${of.text}) within ${s} s of ${edge}(${other.text}))`;
        return { op: "within", text, of, edge: edge as "rising", other, time: s * 1e9 };
      }),
      ...crowd.map((sets) =>
        sets.chain((name) =>
          fc.tuple(fc.constantFrom("any", "all", "count"), claim(depth - 1, name)).map(([op, body]): Claim => {
            const text = `${op} ${name} (${body.text})`;
            if (op !== "count") return { op: op as "any", text, set: name, body };
            return { op: ">", text: `${text} > 0`, a: { op: "count", text, set: name, body }, b: numberOf(0, "") };
          }),
        ),
      ),
    );
  };
  return claim(2, null);
}

function numberOf(value: number, unit: string): Term & { op: "number" } {
  const size = String(Math.abs(value)).replace(/e\+/, "e");
  const text = `${value < 0 ? "-" : ""}${size}${unit === "" ? "" : ` ${unit}`}`;
  return { op: "number", text, value };
}

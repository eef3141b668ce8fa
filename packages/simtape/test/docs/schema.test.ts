import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GENERATED } from "../../../../scripts/generated.ts";
import { problemIn, type Shape } from "../../src/model/shape.ts";
import { EDIT_LIST } from "../../src/ops/edit/list.ts";
import { LINE, LINES } from "../../src/record/lines/commands.ts";
import { RETENTION_POLICY } from "../../src/record/retain/schema.ts";
import { tries } from "../soak.ts";
import { EDIT_LISTS, JUNK, type Json, LINES_OF_EACH_KIND, POLICIES } from "./documents.ts";

const docs = new URL("../../../../docs/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, docs), "utf8");

/** What an independent reader of JSON Schema says by the published file. */
function judge(name: string): (document: unknown) => boolean {
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(read(name)) as object);
  return (document) => validate(document);
}

describe.each<[string, Shape<unknown>, readonly Json[]]>([
  ["edit-list.schema.json", EDIT_LIST, EDIT_LISTS],
  ["retention.schema.json", RETENTION_POLICY, POLICIES],
  ["line-protocol.schema.json", LINE, LINES_OF_EACH_KIND],
])("%s", (name, shape, documents) => {
  const isValid = judge(name);

  test("and the code accept the same documents", () => {
    for (const document of documents) {
      expect(problemIn(shape, document)).toBeNull();
      expect(isValid(document)).toBe(true);
    }
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(changed(documents), (document) => {
        const fits = problemIn(shape, document) === null;
        expect(isValid(document)).toBe(fits);
        seen[`${fits}`]++;
      }),
      { numRuns: tries(3000, 100_000), seed: 15 },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(100);
  });
});

test.each(Object.entries(GENERATED))("%s is what `npm run schemas` makes", (path, make) => {
  // the formatter decides on layout
  const plain = (text: string): string => (/\.(ts|json)$/.test(path) ? text.replaceAll(/[\s|,;]/g, "") : text);
  expect(plain(read(`../${path}`))).toBe(plain(make()));
});

test("examples in docs are as the schemas say", () => {
  expect(judge("retention.schema.json")(JSON.parse(read("retention.example.json")))).toBe(true);
  const [policy] = /^```json\n([\s\S]*?)^```$/m.exec(read("retention.md"))!.slice(1);
  expect(judge("retention.schema.json")(JSON.parse(policy!))).toBe(true);
  const isLine = judge("line-protocol.schema.json");
  const blocks = [...read("line-protocol.md").matchAll(/^```ndjson\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  const lines = blocks.flatMap((block) => block.trim().split("\n"));
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) expect(isLine(JSON.parse(line)), line).toBe(true);
});

test("the documents of this test have every kind of line", () => {
  expect(new Set(LINES_OF_EACH_KIND.map((line) => Object.keys(line!)[0]))).toEqual(new Set(LINES.keys()));
});

/** One of `documents`, with one to three places in it replaced, removed or added. */
function changed(documents: readonly Json[]): fc.Arbitrary<Json> {
  const keys = fc.constantFrom<string[]>("id", "at", "name", "days", "op", "from", "constructor", "prototype", "0", "");
  const change = fc.record({ place: fc.nat(), how: fc.nat(3), key: keys, value: fc.constantFrom(...JUNK) });
  return fc
    .tuple(fc.constantFrom(...documents), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([document, changes]) => {
      const root: Json = { document: structuredClone(document) };
      for (const { place, how, key, value } of changes) {
        const all = placesIn(root);
        const [parent, own] = all[place % all.length]!;
        const item = parent[own]!;
        if (how === 0 && parent !== root) {
          if (Array.isArray(parent)) parent.splice(Number(own), 1);
          else delete parent[own];
        } else if (how === 1 && Array.isArray(item)) item.push(structuredClone(value));
        else if (how === 1 && typeof item === "object" && item !== null) (item as Parent)[key] = structuredClone(value);
        else parent[own] = structuredClone(value);
      }
      return root["document"]!;
    });
}

type Parent = { [key: string]: Json };

function placesIn(parent: Json, found: [Parent, string][] = []): [Parent, string][] {
  if (typeof parent !== "object" || parent === null) return found;
  for (const [key, item] of Object.entries(parent)) {
    found.push([parent as Parent, key]);
    placesIn(item, found);
  }
  return found;
}

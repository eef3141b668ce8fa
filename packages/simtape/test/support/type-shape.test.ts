import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { open, type Value } from "../../src/index.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { tries } from "../soak.ts";
import type { Samples } from "./shape-samples.ts";
import { type Members, misfit, shapesOf } from "./type-shape.ts";

const SHAPES = shapesOf({
  Samples: "packages/simtape/test/support/shape-samples.ts",
  CarlaChannels: "packages/simtape/src/formats/carla/format.ts",
});

const SAMPLE: Samples = {
  text: "a",
  count: 7n,
  isOn: true,
  nothing: null,
  mode: "slow",
  place: [1, 2, 3],
  bytes: Uint8Array.of(1),
  cells: ["a"],
  list: [{ id: 1 }, { id: 2, name: "b" }],
  either: { kind: "a", id: 1 },
  open: { a: [1, { b: 2 }] },
  keyed: { known: "", section12: 1 },
  both: { a: 1, b: "c" },
};

describe("a checker made from types", () => {
  test.each<[Partial<Record<keyof Samples, unknown>>]>([
    [{}],
    [{ maybe: 1 }],
    [{ count: Number.NaN }],
    [{ mode: 7 }],
    [{ mode: true }],
    [{ mode: null }],
    [{ cells: new Float64Array(2) }],
    [{ list: [] }],
    [{ either: { name: "a" } }],
    [{ open: 1 }],
    [{ keyed: { known: "a" } }],
  ])("takes what they allow: %j", (change) => {
    expect(misfit({ ...SAMPLE, ...change }, SHAPES.Samples)).toBeNull();
  });

  test.each<[Record<string, unknown>, string]>([
    [{ text: 1 }, "value.text is number, not string"],
    [{ text: null }, "value.text is null, not string"],
    [{ text: undefined }, "value.text is undefined, not string"],
    [{ count: "1" }, "value.count is string, not"],
    [{ isOn: 1 }, "value.isOn is number, not boolean"],
    [{ nothing: 0 }, "value.nothing is number, not null"],
    [{ mode: "fats" }, "value.mode is string, not"],
    [{ mode: 8 }, "value.mode is number, not"],
    [{ mode: false }, "value.mode is boolean, not"],
    [{ place: [1, 2] }, "value.place is a list of 2, not a list of 3"],
    [{ place: [1, 2, 3, 4] }, "value.place is a list of 4, not a list of 3"],
    [{ place: [1, 2, "3"] }, "value.place[2] is string, not number"],
    [{ place: Float64Array.of(1, 2, 3) }, "value.place is Float64Array, not a list of 3"],
    [{ bytes: [1] }, "value.bytes is a list of 1, not Uint8Array"],
    [{ bytes: Uint16Array.of(1) }, "value.bytes is Uint16Array, not Uint8Array"],
    [{ cells: new Float32Array(2) }, "value.cells is Float32Array, not"],
    [{ maybe: undefined }, "value.maybe is undefined"],
    [{ maybe: "1" }, "value.maybe is string, not number"],
    [{ list: { 0: { id: 1 } } }, "value.list is an object, not a list"],
    [{ list: [{ id: 1 }, { name: "b" }] }, "value.list[1].id is missing"],
    [{ list: [{ id: 1, name: 2 }] }, "value.list[0].name is number, not string"],
    [{ list: [{ id: 1, more: 2 }] }, "value.list[0].more is not in the type"],
    [{ either: { kind: "a" } }, "value.either.id is missing"],
    [{ either: { kind: "a", id: 1, name: "b" } }, "value.either.name is not in the type"],
    [{ open: { a: [1, { b: "2" }] } }, "value.open.a[1].b is string, not"],
    [{ keyed: { known: "", section12: "1" } }, "value.keyed.section12 is string, not number"],
    [{ keyed: { known: "", sections: 1 } }, "value.keyed.sections is not in the type"],
    [{ both: { b: "c" } }, "value.both.a is missing"],
    [{ both: { a: 1, b: null } }, "value.both.b is null, not"],
    [{ more: 1 }, "value.more is not in the type"],
  ])("rejects what they do not: %j", (change, message) => {
    expect(misfit({ ...SAMPLE, ...change }, SHAPES.Samples)).toContain(message);
  });

  test.each(Object.keys(SAMPLE))("misses %s", (name) => {
    const { [name as keyof Samples]: _, ...rest } = SAMPLE;
    expect(misfit(rest, SHAPES.Samples)).toBe(`value.${name} is missing`);
  });

  test("finds any member of a message that is gone or of another kind", async () => {
    await using recording = await open(makeTown(RELEASES.at(-1)!, 30));
    const { members } = SHAPES.CarlaChannels as Members;
    const values: { readonly name: string; readonly value: Value }[] = [];
    for await (const { channel, value } of recording.messages()) {
      if (members.has(channel.name)) values.push({ name: channel.name, value });
    }
    fc.assert(
      fc.property(fc.nat(), fc.infiniteStream(fc.nat()), fc.boolean(), (n, path, isGone) => {
        const { name, value } = values[n % values.length]!;
        const { shape } = members.get(name)!;
        const spoilt = spoil(value, path, isGone);
        expect(misfit(value, shape)).toBeNull();
        expect(misfit(spoilt, shape), `${name}: ${JSON.stringify(spoilt, (_, each) => shown(each))}`).not.toBeNull();
      }),
      { numRuns: tries(300, 10_000), seed: 15 },
    );
  });
});

/** The value with one thing in it, found by a path of picks, gone or of another kind. An empty list is replaced. */
function spoil(value: unknown, path: Iterator<number>, isGone: boolean): unknown {
  const pick = (count: number): number => path.next().value! % count;
  if (Array.isArray(value) && value.length > 0) {
    const at = pick(value.length);
    return value.map((item, i) => (i === at ? spoil(item, path, isGone) : item));
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)) {
    const entries = Object.entries(value);
    const at = pick(entries.length);
    if (isGone) return Object.fromEntries(entries.filter((_, i) => i !== at));
    return Object.fromEntries(entries.map(([key, item], i) => [key, i === at ? spoil(item, path, isGone) : item]));
  }
  return typeof value === "string" ? 1 : "text";
}

function shown(value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

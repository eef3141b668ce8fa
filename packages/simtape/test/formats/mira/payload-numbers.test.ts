import fc from "fast-check";
import { expect, test } from "vitest";
import { isReadable, PayloadNumbers } from "../../../src/formats/mira/meaning/payload-numbers.ts";
import { decodePayload, type Encoding } from "../../../src/formats/mira/meaning/payload.ts";
import type { Scalar, TypeLayout } from "../../../src/formats/mira/meaning/types.ts";
import { LayoutError, type Value } from "../../../src/index.ts";
import { isLeaf } from "../../../src/model/state/path.ts";
import { tries } from "../../soak.ts";

const WIDTHS: Readonly<Record<Scalar, number>> = {
  ...{ bool: 1, int8: 1, uint8: 1, int16: 2, uint16: 2, int32: 4, uint32: 4, int64: 8, uint64: 8, float: 4, double: 8 },
};

const scalar = fc
  .constantFrom(...(Object.keys(WIDTHS) as Scalar[]))
  .map((name): TypeLayout => ({ kind: "scalar", scalar: name }));

const { layout } = fc.letrec<{ layout: TypeLayout; item: TypeLayout; object: TypeLayout }>((tie) => ({
  layout: fc.oneof({ maxDepth: 3, depthIdentifier: "layout" }, tie("item"), tie("object")),
  // what lists hold takes at least a byte
  item: fc.oneof(
    { maxDepth: 3, depthIdentifier: "layout" },
    scalar,
    fc.constant<TypeLayout>({ kind: "string" }),
    fc.constant<TypeLayout>({ kind: "buffer" }),
    fc.integer({ min: 1, max: 5 }).map((length): TypeLayout => ({ kind: "raw", length })),
    tie("item").map((item): TypeLayout => ({ kind: "vector", item })),
    fc
      .tuple(tie("item"), fc.integer({ min: 1, max: 4 }))
      .map(([item, length]): TypeLayout => ({ kind: "array", item, length })),
    fc.tuple(tie("item"), tie("item")).map(([key, value]): TypeLayout => ({ kind: "map", key, value })),
    fc.tuple(tie("item"), tie("object")).map(
      ([first, second]): TypeLayout => ({
        kind: "object",
        name: "pair",
        isVersioned: false,
        fields: [
          { name: "first", type: first },
          { name: "second", type: second },
        ],
      }),
    ),
  ),
  object: fc
    .tuple(
      fc.boolean(),
      fc.array(fc.tuple(tie("layout"), fc.constantFrom(undefined, undefined, 1, 2)), { maxLength: 4 }),
    )
    .map(
      ([isVersioned, fields]): TypeLayout => ({
        ...{ kind: "object", name: "thing", isVersioned },
        fields: fields.map(([type, since], k) => ({ name: `m${k}`, type, ...(since === undefined ? {} : { since }) })),
      }),
    ),
}));

const encoding: fc.Arbitrary<Encoding> = fc.record({
  isLittle: fc.boolean(),
  prefix: fc.constantFrom(0, 0, 3),
  slotBytes: fc.constantFrom(0 as const, 1 as const, 2 as const, 4 as const),
  slots: fc.constantFrom("versioned" as const, "all" as const),
  countBytes: fc.constantFrom(4 as const, 8 as const),
  isLatest: fc.boolean(),
});

/** Bytes of some value of a type, by numbers drawn from `draw`: below the one it is given. */
function write(type: TypeLayout, coding: Encoding, draw: (below: number) => number): number[] {
  const whole = (value: number, width: number): number[] => {
    const bytes = Array.from({ length: width }, (_, k) => (k < 4 ? (value >>> (8 * k)) & 0xff : 0));
    return coding.isLittle ? bytes : bytes.reverse();
  };
  const some = (count: number): number[] => Array.from({ length: count }, () => draw(256));
  const counted = (count: number): number[] => whole(count, coding.countBytes);
  const of = (inner: TypeLayout): number[] => write(inner, coding, draw);
  const times = (count: number, inner: () => number[]): number[] => Array.from({ length: count }, inner).flat();
  switch (type.kind) {
    case "scalar":
      return type.scalar === "bool" ? [draw(2)] : some(WIDTHS[type.scalar]);
    case "string": {
      const bytes = [...new TextEncoder().encode("plainé".slice(0, draw(7)))];
      return [...counted(bytes.length), ...bytes];
    }
    case "buffer": {
      const length = draw(4);
      return [...whole(length, 8), ...some(length)];
    }
    case "raw":
      return some(type.length);
    case "vector": {
      const count = draw(4);
      return [...counted(count), ...times(count, () => of(type.item))];
    }
    case "array":
      return times(type.length, () => of(type.item));
    case "map": {
      const count = draw(3);
      return [...counted(count), ...times(count, () => [...of(type.key), ...of(type.value)])];
    }
    case "object": {
      const { slotBytes, slots, isLatest } = coding;
      const hasSlot = slotBytes !== 0 && (type.isVersioned || slots === "all");
      const version = hasSlot ? draw(4) : isLatest ? 9 : 0;
      const fields = type.fields.filter(({ since = 0 }) => version >= since);
      return [...(hasSlot ? whole(version, slotBytes) : []), ...fields.flatMap((field) => of(field.type))];
    }
    default:
      return type satisfies never;
  }
}

type Keys = readonly (string | number)[];

/** Keys of everything in a value, of what is not there, and of what is in nothing. */
function* keysIn(value: Value, keys: Keys = []): Generator<Keys> {
  yield keys;
  if (typeof value !== "object" || value === null) {
    yield [...keys, "x"];
    return;
  }
  yield [...keys, 7];
  yield [...keys, "none"];
  const entries = ArrayBuffer.isView(value) ? (value as Uint8Array).entries() : Object.entries(value as object);
  for (const [key, part] of entries) yield* keysIn(part as Value, [...keys, key]);
}

function partAt(value: Value, keys: Keys): unknown {
  return keys.reduce<unknown>(
    (part, key) =>
      typeof part === "object" && part !== null && Object.hasOwn(part, key)
        ? (part as Record<string, unknown>)[key]
        : undefined,
    value,
  );
}

function decoded(payload: Uint8Array, type: TypeLayout, coding: Encoding): Value | undefined {
  try {
    return decodePayload(payload, type, coding);
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

/** What `decodePayload` gives is what is read; gives whether it was read. */
function compare(
  numbers: PayloadNumbers,
  leaves: readonly Keys[],
  payload: Uint8Array,
  type: TypeLayout,
  coding: Encoding,
): boolean {
  const padded = new Uint8Array([1, 2, ...payload, 3]);
  const isRead = numbers.read(padded, new DataView(padded.buffer), 2, 2 + payload.length);
  const value = decoded(payload, type, coding);
  if (!isRead) return false;
  expect(value).toBeDefined();
  for (const [place, keys] of leaves.entries()) {
    const found = partAt(value!, keys);
    expect([keys, numbers.has(place)]).toEqual([keys, isLeaf(found as Value)]);
    if (isLeaf(found as Value)) expect(numbers.numbers[place]).toBe(Number(found));
  }
  return true;
}

test("numbers are read from payloads as from their values, also from damaged ones", () => {
  let [read, spoiled] = [0, 0];
  fc.assert(
    fc.property(
      layout,
      encoding,
      fc.infiniteStream(fc.nat()),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 }),
      (type, coding, stream, flips) => {
        const draw = (below: number): number => (stream.next().value as number) % below;
        const payload = Uint8Array.from([...Array<number>(coding.prefix).fill(9), ...write(type, coding, draw)]);
        const value = decoded(payload, type, coding);
        expect(value).toBeDefined();
        const leaves = [...keysIn(value!)].filter((keys) => isReadable(type, keys));
        const numbers = new PayloadNumbers(
          type,
          coding,
          leaves.map((keys, place) => ({ keys, place })),
          leaves.length,
        );
        const isAscii = !payload.includes(0xc3);
        if (compare(numbers, leaves, payload, type, coding)) read++;
        else expect(isAscii).toBe(false);
        for (const [at, byte] of flips) {
          if (payload.length === 0) break;
          const other = payload.slice(0, at % 3 === 0 ? at % payload.length : payload.length);
          if (other.length > 0) other[at % other.length] = byte % 5;
          if (compare(numbers, leaves, other, type, coding)) spoiled++;
        }
      },
    ),
    { numRuns: tries(400, 20_000), seed: 3 },
  );
  expect(read).toBeGreaterThan(300);
  expect(spoiled).toBeGreaterThan(100);
});

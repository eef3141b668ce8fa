import { describe, expect, test } from "vitest";
import { LayoutError } from "../../src/bytes/error.ts";
import {
  as,
  bits,
  f32le,
  items,
  list,
  noted,
  numbers,
  oneOf,
  sizedText,
  struct,
  u16le,
  u32le,
  u64le,
  u8,
} from "../../src/bytes/field-parts.ts";
import { type Field, type Fields, fieldsIn, MORE_FIELDS, NOT_UNDERSTOOD } from "../../src/bytes/fields.ts";

function plain(fields: readonly Field[]): unknown[] {
  return fields.map(({ name, start, end, role, value, note }) => [name, start, end, role, value, note]);
}

describe("fields", () => {
  test("are named by the way to them, with roles, units and words", () => {
    const bytes = Uint8Array.of(2, 0, 1, 2, 104, 105, 0, 0, 128, 63, 0, 0, 0, 0, 0, 0);
    const name = sizedText(u8);
    const item = struct({ kind: oneOf(u8, ["none", "some"]), name, size: noted(f32le, "m") });
    const fields = fieldsIn(bytes, (into) => into.as("value", () => list(u16le, item)(into, "things")));
    expect(plain(fields)).toEqual([
      ["things.count", 0, 2, "frame", 2, null],
      ["things[0].kind", 2, 3, "value", 1, "some"],
      ["things[0].name.length", 3, 4, "frame", 2, null],
      ["things[0].name", 4, 6, "value", "hi", null],
      ["things[0].size", 6, 10, "value", 1, "m"],
      ["things[1].kind", 10, 11, "value", 0, "none"],
      ["things[1].name.length", 11, 12, "frame", 0, null],
      ["things[1].size", 12, 16, "value", 0, "m"],
    ]);
  });

  test("that run out of bytes end with what is not understood", () => {
    const fields = fieldsIn(Uint8Array.of(1, 2, 3), (into) => struct({ a: u8, b: u32le })(into, ""));
    expect(plain(fields)).toEqual([
      ["a", 0, 1, "frame", 1, null],
      [NOT_UNDERSTOOD, 1, 3, "unknown", Uint8Array.of(2, 3), "u32 needs 4 bytes, 2 are left at 0x1"],
    ]);
  });

  test("go on behind a part whose length is known, whatever is in it", () => {
    const read = (into: Fields): void => {
      into.within(3, () => u32le(into, "too long"));
      into.within(2, () => u8(into, "short"));
      u8(into, "last");
    };
    expect(fieldsIn(Uint8Array.of(1, 2, 3, 4, 5, 6), read).map(({ name }) => name)).toEqual([
      ...[NOT_UNDERSTOOD, "short", NOT_UNDERSTOOD, "last"],
    ]);
  });

  test("are as many as asked for, then one for the rest", () => {
    const fields = fieldsIn(new Uint8Array(1000), (into) => items(into, "byte", 1000, u8), 3);
    expect(fields.map(({ name }) => name)).toEqual(["byte[0]", "byte[1]", "byte[2]", MORE_FIELDS]);
    expect(fields[3]).toMatchObject({ start: 3, end: 1000 });
  });

  test("of nothing are none", () => {
    expect(fieldsIn(new Uint8Array(0), (into) => u8(into, "a"))).toEqual([]);
  });

  test("do not count items that take no bytes", () => {
    const nothing = (): void => undefined;
    const fields = fieldsIn(Uint8Array.of(1), (into) => items(into, "item", 1e9, nothing));
    expect(fields[0]).toMatchObject({ name: NOT_UNDERSTOOD, start: 0, end: 1 });
  });

  test("tell bits by name, and numbers beyond a double exactly", () => {
    const bytes = Uint8Array.of(5, 255, 255, 255, 255, 255, 255, 255, 255);
    const read = struct({ flags: as("value", bits(u8, ["a", "b", "c"])), big: u64le });
    const fields = fieldsIn(bytes, (into) => read(into, ""));
    expect(fields[0]!.note).toBe("a, c");
    expect(fields[1]!.value).toBe(2n ** 64n - 1n);
  });

  test("of many numbers have them as an array of their own", () => {
    const bytes = Uint8Array.of(0, 1, 0, 2);
    const [field] = fieldsIn(bytes, (into) => numbers("u16", 2, false)(into, "values"));
    expect(field!.value).toEqual(Uint16Array.of(1, 2));
  });

  test("let faults of the program through", () => {
    const fault = (): never => {
      throw new TypeError("a fault");
    };
    expect(() => fieldsIn(Uint8Array.of(1), fault)).toThrow(TypeError);
    const damage = (): never => {
      throw new LayoutError("malformed", "damage", 0);
    };
    expect(fieldsIn(Uint8Array.of(1), damage)[0]!.note).toBe("damage at 0x0");
  });
});

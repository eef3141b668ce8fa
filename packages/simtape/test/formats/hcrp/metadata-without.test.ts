import { expect, test } from "vitest";
import { withoutTexts } from "../../../src/formats/hcrp/layout/metadata-without.ts";
import { NBT, nbtCompound, type NbtTag, nbtText } from "../../../src/kit.ts";

const UUID = "00000001-ffff-fffe-0000-0003fffffffc";
const ints = (...value: number[]): NbtTag => ({ type: NBT.intArray, value: Int32Array.of(...value) });
const list = (itemType: number, ...items: NbtTag[]): NbtTag => ({ type: NBT.list, itemType, items });

test("metadata lose each entry that holds a removed text: as a name, in a text, as a UUID of four integers", () => {
  const kept = {
    other: ints(1, -2, 3, 4),
    short: ints(1, -2, 3),
    long: ints(1, -2, 3, -4, 5),
    text: nbtText("a calm race"),
    list: list(NBT.string, nbtText("Dov")),
  };
  const root = nbtCompound({
    ...kept,
    uuid: ints(1, -2, 3, -4),
    Amaya: nbtText("best of all"),
    winner: nbtText("and the winner is Amaya"),
    list: list(NBT.string, nbtText("Amaya"), nbtText("Dov")),
  });
  const without = withoutTexts(root, { said: new Set(), gone: new Set(["Amaya", UUID]) });
  expect(without).toEqual(nbtCompound(kept));
});

test("a short text that is removed leaves longer texts that contain it", () => {
  const root = nbtCompound({ a: nbtText("Al"), b: nbtText("Alps") });
  expect(withoutTexts(root, { said: new Set(), gone: new Set(["Al"]) })).toEqual(nbtCompound({ b: nbtText("Alps") }));
});

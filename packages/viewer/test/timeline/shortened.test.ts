import { expect, test } from "vitest";
import { GUTTER } from "../../src/timeline/measures.ts";
import { shortened } from "../../src/timeline/shortened.ts";

/** Ten letters have room, and each is as wide as the others. */
const context = {
  measureText: (text: string) => ({ width: (Array.from(text).length * (GUTTER - 12)) / 10 }),
} as CanvasRenderingContext2D;

test.each([
  ["town.log", "town.log"],
  ["0123456789", "0123456789"],
  ["0123456789a", "012345678…"],
  ["ghost: c172p-continuous-full.fgtape", "ghost: c1…"],
  ["𝒂𝒃𝒄𝒅𝒆𝒇𝒈𝒉𝒊𝒋𝒌", "𝒂𝒃𝒄𝒅𝒆𝒇𝒈𝒉𝒊…"],
  ["", ""],
])("%j is %j", (name, shown) => {
  expect(shortened(context, name)).toBe(shown);
  expect(shortened(context, name)).toBe(shown);
});

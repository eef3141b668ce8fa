import { expect, test } from "vitest";
import { cameraIn, loopIn, rateIn } from "../../src/player/wishes.ts";

test("six numbers are the place of the camera and the point it looks at", () => {
  expect(cameraIn("1,2,3,-4,5.5,6")).toEqual({ camera: { position: [1, 2, 3], target: [-4, 5.5, 6] } });
});

test("the name of a mode is that mode", () => {
  expect(cameraIn("first-person")).toEqual({ mode: "first-person" });
});

test.each([null, "", "sideways", "1,2,3", "1,2,3,4,5,6,7", "1,2,3,4,5,up"])("%j is no camera", (text) => {
  expect(cameraIn(text)).toEqual({});
});

test.each([
  ["2", 2],
  ["-64", -64],
  ["64.5", null],
  ["0", null],
  [" ", null],
  [null, null],
])("the rate %j is %j", (text, rate) => {
  expect(rateIn(text)).toBe(rate);
});

test.each([
  ["10,20.5", { start: 10e9, end: 20.5e9 }],
  ["20,10", "whole"],
  ["10,10", "whole"],
  ["", "whole"],
  [null, null],
])("the loop %j is %j", (text, loop) => {
  expect(loopIn(text)).toEqual(loop);
});

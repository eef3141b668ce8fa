import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, type AskError, completeExpression } from "../../src/ask/index.ts";
import { open, type Recording } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";
import { example } from "./support.ts";

describe("completeExpression", () => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await open(fromFile(example("town.log")));
  });
  afterAll(() => recording.close());

  test.each([
    ["veh", 0, "vehicles"],
    ["vehicles[", 9, "24"],
    ["vehicles[24].br", 13, "brake"],
    ["any ve", 4, "vehicles"],
    ["any vehicles (spe", 14, "speed"],
    ["any vehicles (it.thr", 17, "throttle"],
    ["vehicles[24].speed > 30 km", 24, "km"],
    ["vehicles[24].speed > 30 k", 24, "km/h"],
    ["vehicles[24].speed > 30 km/", 24, "km/h"],
    ["frame > 3 an", 10, "and"],
    ["event(coll", 6, "collision"],
    ["frame > dis", 8, "distance("],
    ["frame-d", 0, "frame-duration"],
  ])("%s", async (text, from, word) => {
    const found = await completeExpression(recording, text);
    expect(found.from).toBe(from);
    if (word !== text.slice(from)) expect(found.words).toContain(word);
    for (const one of found.words) expect(one.startsWith(text.slice(from))).toBe(true);
  });

  test("gives nothing behind what is no expression", async () => {
    expect((await completeExpression(recording, "frame # ")).words).toEqual([]);
  });

  test("units that it proposes are understood", async () => {
    const { words } = await completeExpression(recording, "vehicles[24].speed > 30 m");
    expect(words).toContain("m/s²");
    for (const word of words.filter((one) => one !== "min")) {
      const { type } = await ask(recording, `1 ${word} > 0 ${word}`);
      expect(type, word).toBe("boolean");
    }
  });

  test("what it proposes is understood", async () => {
    const { words } = await completeExpression(recording, "vehicles[24].");
    expect(words.length).toBeGreaterThan(10);
    for (const word of words) {
      const problem = await ask(recording, `known(vehicles[24].${word})`).then(
        () => null,
        (error: unknown) => error as AskError,
      );
      // a vector is none of one number, but it is found
      expect(problem?.code ?? "type", word).toBe("type");
    }
  });
});

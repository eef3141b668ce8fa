import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { filesBundle, open, type Recording } from "simtape";
import { ask } from "simtape/ask";
import { describe, expect, test } from "vitest";
import { angleAt, dihedral, expressionsOf, Gauge } from "../../src/measure/numbers.ts";
import type { Measure } from "../../src/measure/measuring.ts";
import { closingText, numberText } from "../../src/measure/words.ts";
import { example } from "../support/viewer.ts";

const SAMPLES = fileURLToPath(new URL("../../../../../shared/samples/nanover/", import.meta.url));
const FILES = [
  [example("buckyball.nanover.zip"), "particles", [0, 12, 31], 1e-9],
  [example("town.log"), "vehicles", [24, 25], 0.01],
  [`${SAMPLES}17-ala-multiple.nanover.zip`, "particles", [1, 60, 100], 1e-9],
] as const;

async function opened(file: string): Promise<Recording> {
  return open(filesBundle(new Map([[file.split("/").at(-1)!, new Uint8Array(readFileSync(file))]])));
}

async function series(recording: Recording, text: string): Promise<{ time: number; value: number }[]> {
  const question = await ask(recording, text);
  const rows: { time: number; value: number }[] = [];
  for await (const { time, value } of question.values())
    for (let i = 0; i < time.length; i++) rows.push({ time: time[i]!, value: value[i]! });
  return rows;
}

describe("what is measured", () => {
  for (const [file, set, ids, metres] of FILES) {
    const name = file.split("/").at(-1)!;
    test.skipIf(!existsSync(file))(`in ${name} is what \`simtape series\` writes`, async () => {
      await using recording = await opened(file);
      const gauge = new Gauge();
      const counts = ids.length === 3 ? ([2, 3] as const) : ([2] as const);
      for (const count of counts) {
        const measure: Measure = { things: ids.slice(0, count).map((id) => ({ set, id })) };
        const rows = await series(recording, expressionsOf(measure)!.main);
        expect(rows.length).toBeGreaterThan(5);
        for (let i = 0; i < rows.length; i += Math.ceil(rows.length / 9)) {
          const { time, value } = rows[i]!;
          if (!Number.isFinite(value)) continue;
          const { distance, angle } = gauge.numbers(measure, await recording.state(time))!;
          const found = count === 2 ? distance! / metres : angle!;
          expect(Math.abs(found - value)).toBeLessThan(1e-5 * Math.max(1, Math.abs(value)));
        }
      }
    });
  }

  test("angles and dihedrals are those of known places", () => {
    expect(angleAt([0, 0, 0], [1, 0, 0], [0, 2, 0])).toBeCloseTo(90, 9);
    expect(angleAt([0, 0, 0], [1, 0, 0], [-3, 0, 0])).toBeCloseTo(180, 9);
    // Seen along the way from the second to the third, the last is a quarter turn clockwise from the first.
    expect(dihedral([0, 1, 0], [0, 0, 0], [1, 0, 0], [1, 0, 1])).toBeCloseTo(90, 9);
    expect(dihedral([0, 1, 0], [0, 0, 0], [1, 0, 0], [1, 0, -1])).toBeCloseTo(-90, 9);
    expect(dihedral([0, 1, 0], [0, 0, 0], [1, 0, 0], [1, 5, 0])).toBeCloseTo(0, 9);
  });

  test("two things that come nearer meet, and those that part do not", async () => {
    await using recording = await opened(example("town.log"));
    const state = await recording.state(3.4e9);
    const measure: Measure = { things: [24, 25].map((id) => ({ set: "vehicles", id })) };
    const numbers = (closing: number) => closingText({ distance: 20, closing }, measure, state, "everyday");
    expect(numbers(5)).toBe("closing at 5.0 m/s, collision in 4.0 s");
    expect(numbers(-5)).toBe("closing at −5.0 m/s");
    expect(numberText(new Gauge().numbers(measure, state), measure, state, "everyday")).toMatch(/^4\d\.\d\d m$/);
    const gone: Measure = { things: [24, 99].map((id) => ({ set: "vehicles", id })) };
    expect(numberText(new Gauge().numbers(gone, state), gone, state, "everyday")).toBe("not there");
  });

  test("what nears by its recorded velocity closes at that speed", () => {
    const column = (data: number[], unit: string) =>
      ({ data: Float64Array.from(data), width: 3, unit, interpolation: "hold" }) as const;
    const set = {
      ids: [1, 2],
      axes: { handed: "right", up: "z", kind: "local" },
      columns: new Map([
        ["position", column([0, 0, 0, 30, 40, 0], "m")],
        ["velocity", column([3, 4, 0, 0, 0, 7], "m/s")],
      ]),
    } as const;
    const state = { time: 0, values: new Map(), sets: new Map([["things", set]]) };
    const measure: Measure = { things: [1, 2].map((id) => ({ set: "things", id })) };
    const numbers = new Gauge().numbers(measure, state);
    expect(numbers).toEqual({ distance: 50, closing: expect.closeTo(5, 9) });
  });
});

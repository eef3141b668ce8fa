import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Beside } from "../../src/world/companion.ts";
import { read as readGltf } from "../../src/world/gltf/read.ts";
import { solidsOf } from "../../src/world/gltf/solids.ts";
import { documentOf } from "../../src/world/models/document.ts";
import { read } from "../../src/world/models/read.ts";
import { smallGlb } from "../support/small-glb.ts";

const box = smallGlb({ size: [2, 1, 4], color: [1, 0.5, 0.25, 1], translation: [10, 0, 0] });
const text = new TextEncoder();

function besideOf(files: Readonly<Record<string, Uint8Array>>): Beside {
  return (name) => {
    const found = files[name];
    return found === undefined
      ? Promise.reject(new Error(`${name}: it was not given with it`))
      : Promise.resolve(found);
  };
}

describe("solids of a glTF file", () => {
  test("have the corners, the normals and the colour that its bytes say, where its nodes put them", async () => {
    const { solids, triangles, left } = await solidsOf(box);
    expect([solids.length, triangles, left]).toEqual([1, 12, []]);
    const { positions, normals, index, color, opacity, picture } = solids[0]!;
    const along = (axis: number): number[] => positions.filter((_, i) => i % 3 === axis) as unknown as number[];
    expect([0, 1, 2].map((axis) => [Math.min(...along(axis)), Math.max(...along(axis))])).toEqual([
      [9, 11],
      [0, 1],
      [-2, 2],
    ]);
    expect([positions.length, normals.length, index.length]).toEqual([72, 72, 36]);
    expect([color, opacity, picture]).toEqual([[1, 0.5, 0.25], 1, null]);
    // each face looks the way that its normal says
    for (let i = 0; i < index.length; i += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => [...positions.subarray(3 * index[i + k]!, 3 * index[i + k]! + 3)]);
      const [u, v] = [b, c].map((corner) => corner!.map((value, axis) => value - a![axis]!)) as [number[], number[]];
      const cross = [u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!];
      const normal = normals.subarray(3 * index[i]!, 3 * index[i]! + 3);
      expect(cross.reduce((sum, value, axis) => sum + value * normal[axis]!, 0)).toBeGreaterThan(0);
    }
  });

  test("of cut and changed bytes are an error in words, or are read", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: box.length - 1 }),
        fc.integer({ min: 0, max: 255 }),
        async (at, value) => {
          const changed = box.slice();
          changed[at] = value;
          for (const bytes of [changed, box.slice(0, at)])
            await solidsOf(bytes).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
        },
      ),
      { numRuns: 150 },
    );
  });

  test("a file stands at the zero of the world", async () => {
    const scenery = await readGltf(box, besideOf({}));
    expect(scenery).toMatchObject({ description: "a scene of 12 triangles", findings: [] });
    expect(scenery.bodies).toMatchObject([{ at: [0, 0, 0], isGeodetic: false, turn: 0, scale: 1 }]);
  });
});

describe("a file of models", () => {
  const document = {
    models: [{ things: "vehicles/*", file: "car.glb", scale: 2, turn: 90, offset: [1, 2, 3] }],
    scenery: [{ file: "airport.glb", geodetic: [47.26, 11.34, 580], turn: 10 }, { file: "gone.glb" }],
  };

  test("gives models and scenery, and says which files it has not found", async () => {
    const files = { "car.glb": box, "airport.glb": box };
    const scenery = await read(text.encode(JSON.stringify(document)), besideOf(files));
    expect(scenery.models).toMatchObject([{ things: "vehicles/*", scale: 2, turn: 90, offset: [1, 2, 3] }]);
    expect(scenery.bodies).toMatchObject([{ at: [47.26, 11.34, 580], isGeodetic: true, turn: 10, scale: 1 }]);
    expect(scenery.findings).toEqual([
      { severity: "warning", code: "not-read", message: "gone.glb: it was not given with it" },
    ]);
    expect(scenery.facts).toContainEqual(["files", "2 of 3 read"]);
  });

  test.each([
    ["{", "it is no JSON"],
    ["[]", "it is to be an object, not []"],
    ["{}", "it has neither models nor scenery"],
    ['{"model":[]}', 'it has "model"; known are models, scenery'],
    ['{"models":{}}', "models is to be a list, not {}"],
    ['{"models":[{"file":"a.glb"}]}', "models[0].things is to be a text, not nothing"],
    ['{"models":[{"things":"a","file":"a.glb","scale":0}]}', "models[0].scale is to be a number above 0, not 0"],
    ['{"models":[{"things":"a","file":"a.glb","offset":[1,2]}]}', "models[0].offset is to be three numbers, not [1,2]"],
    ['{"scenery":[{"file":"a.glb","at":[0,0,0],"geodetic":[0,0,0]}]}', "scenery[0] has at and geodetic"],
    ['{"scenery":[{"file":"a.glb","at":[0,0,"up"]}]}', 'scenery[0].at[2] is to be a number, not "up"'],
  ])("%s is refused in words", (wrong, message) => {
    expect(() => documentOf(wrong)).toThrow(message);
  });
});

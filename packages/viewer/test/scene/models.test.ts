import { type InstancedMesh, Matrix4, Quaternion, Vector3 } from "three";
import { FORMATS, open } from "simtape";
import { fromFile } from "simtape/node";
import { describe, expect, test } from "vitest";
import { Cast } from "../../src/scene/cast.ts";
import { Look } from "../../src/scene/drawing/look.ts";
import { Models } from "../../src/scene/surroundings/models.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import type { ThingModel } from "../../src/world/companion.ts";
import { solidsOf } from "../../src/world/gltf/solids.ts";
import { example } from "../support/viewer.ts";
import { smallGlb } from "../support/small-glb.ts";

const { solids } = await solidsOf(smallGlb({ size: [2, 1.5, 4], color: [1, 0, 1, 1] }));

function modelOf(things: string, more: Partial<ThingModel> = {}): ThingModel {
  return { things, solids, scale: 1, turn: 0, offset: [0, 0, 0], ...more };
}

/** What a recording shows with models, and the matrices of what was drawn of them. */
async function shown(name: string, seconds: number, models: readonly ThingModel[]) {
  const recording = await open(fromFile(example(name)), { formats: FORMATS, seekIndex: false });
  const state = await recording.state(seconds * 1e9);
  const showing = (await recording.traits()).showing;
  await recording.close();
  const cast = new Cast(new Origin(), -1, showing);
  cast.show(state);
  const made = new Models(models, new Look(-1));
  cast.models = made;
  cast.hide(null, null);
  const matrices: Matrix4[] = [];
  for (const mesh of made.object.children as InstancedMesh[])
    for (let i = 0; i < mesh.count; i++) {
      const matrix = new Matrix4();
      mesh.getMatrixAt(i, matrix);
      matrices.push(matrix);
    }
  return { cast, matrices, made };
}

describe("models of things", () => {
  test.each([
    ["by id", "vehicles/24", 1],
    ["by label", "vehicles/hero", 1],
    ["by kind", "vehicles/*tesla*", 1],
    ["all of a set", "vehicles/*", 2],
    ["of no set that is there", "boats/*", 0],
    ["nothing", "vehicles/bus", 0],
  ])("fit %s", async (_, things, count) => {
    const { cast, matrices } = await shown("town.log", 2, [modelOf(things)]);
    expect(matrices).toHaveLength(count);
    const vehicles = cast.crowds.find(({ set }) => set === "vehicles")!;
    // what is drawn as a model is not drawn by its presenter, and is there to be picked
    const rows = [...vehicles.poses.ids.keys()];
    expect(rows.filter((row) => !vehicles.poses.isDrawn(row))).toHaveLength(count);
    expect(rows.every((row) => vehicles.poses.isKnown(row))).toBe(true);
  });

  test.each([
    ["town.log", "vehicles/*", "vehicles"],
    ["flight.fgtape", "aircraft/*", "aircraft"],
    ["race.hcrp", "players/*", "players"],
    ["patrol.tape", "**", "poses"],
  ])("of %s stand where their things are, and look where they go", async (name, things, set) => {
    const { cast, matrices } = await shown(name, 3, [modelOf(things)]);
    const crowd = cast.crowds.find((one) => one.set === set)!;
    expect(matrices.length).toBeGreaterThan(0);
    expect(matrices).toHaveLength(crowd.poses.count);
    for (const [row, matrix] of matrices.entries()) {
      const place = new Vector3().setFromMatrixPosition(matrix);
      expect(place.distanceTo(new Vector3().fromArray(crowd.poses.positions, 3 * row))).toBeLessThan(1e-4);
      const turn = new Quaternion().fromArray(crowd.poses.orientations, 4 * row);
      const ahead = (crowd.ahead === "x" ? new Vector3(1, 0, 0) : new Vector3(0, 0, -1)).applyQuaternion(turn);
      const own = new Vector3(0, 0, 1).transformDirection(matrix);
      expect(own.distanceTo(ahead)).toBeLessThan(1e-4);
    }
  });

  test("are scaled, turned and moved as they say", async () => {
    const [plain] = (await shown("town.log", 2, [modelOf("vehicles/24")])).matrices;
    const more = modelOf("vehicles/24", { scale: 2, turn: 90, offset: [3, 2, 1] });
    const [other] = (await shown("town.log", 2, [more])).matrices;
    const inner = plain!.clone().invert().multiply(other!);
    // in the axes of its file, whose +z is ahead, whose +x is to the left
    expect(new Vector3().setFromMatrixPosition(inner).toArray().map(rounded)).toEqual([2, 1, 3]);
    expect(
      new Vector3(0, 0, 1)
        .applyMatrix4(inner)
        .sub(new Vector3(2, 1, 3))
        .toArray()
        .map(rounded),
    ).toEqual([2, 0, 0]);
  });

  test("the first that fits is drawn", async () => {
    const { matrices } = await shown("town.log", 2, [
      modelOf("vehicles/hero", { scale: 3 }),
      modelOf("vehicles/*", { scale: 1 }),
    ]);
    expect(matrices.map((matrix) => rounded(matrix.getMaxScaleOnAxis())).sort((a, b) => a - b)).toEqual([1, 3]);
  });

  test("go with the models that were before them", async () => {
    const { cast, made } = await shown("town.log", 2, [modelOf("vehicles/*")]);
    cast.models = null;
    cast.hide(null, null);
    expect(made.object.parent).toBeNull();
    const { poses } = cast.crowds.find(({ set }) => set === "vehicles")!;
    expect([...poses.ids.keys()].every((row) => poses.isDrawn(row))).toBe(true);
  });
});

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4 + 0;
}

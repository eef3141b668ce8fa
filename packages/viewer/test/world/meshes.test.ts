import { type Group, Matrix4, type Mesh, Vector3 } from "three";
import type { State, Value } from "simtape";
import { describe, expect, test } from "vitest";
import { Look } from "../../src/scene/drawing/look.ts";
import type { Crowd } from "../../src/scene/presenters/presenter.ts";
import { RobotFigures } from "../../src/scene/surroundings/robot-figures.ts";
import type { Beside, Scenery, Solid } from "../../src/world/companion.ts";
import { inDegrees } from "../../src/world/urdf/positions.ts";
import { read } from "../../src/world/urdf/read.ts";
import { ARM } from "./small-robot.ts";

const text = new TextEncoder();

/** A square of 2 × 1, a triangle beside it, and the materials of both. */
const OBJ = `mtllib paint.mtl
o plate
v 0 0 0
v 2 0 0
v 2 1 0
v 0 1 0
v 3 0 4
vn 0 0 1
usemtl red
f 1//1 2//1 3//1 4//1
usemtl glass
f 2 5 3
`;
const MTL = "newmtl red\nKd 1 0 0\nnewmtl glass\nKd 0 0 1\nd 0.25\n";

/** A square in centimetres that a node turns about z, moves and makes larger; its parent moves it along x. */
const dae = (more = "", faces = FACES): string => `<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong>
    <diffuse><color>0 1 0 0.5</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
  <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="12">0 0 0  100 0 0  100 50 0  0 50 0</float_array>
      <technique_common><accessor source="#pa" count="4" stride="3"/></technique_common></source>
    <source id="n"><float_array id="na" count="3">0 0 1</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    ${faces}
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><translate>1000 0 0</translate>
    <node><translate>0 0 200</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>
      <instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="paint" target="#m"/>
      </technique_common></bind_material></instance_geometry>${more}</node></node></visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>`;
const INPUTS = '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>';
const FACES = `<polylist material="paint" count="1">${INPUTS}<vcount>4</vcount><p>0 0 1 0 2 0 3 0</p></polylist>`;

const besideOf =
  (files: Readonly<Record<string, string>>): Beside =>
  (name) =>
    name in files ? Promise.resolve(text.encode(files[name])) : Promise.reject(new Error(`${name}: it is not there`));

async function drawn(
  file: string,
  files: Readonly<Record<string, string>>,
  paint = "",
): Promise<Scenery & { readonly solids: readonly Solid[] }> {
  const material = paint === "" ? "" : `<material name="own"><color rgba="${paint}"/></material>`;
  const urdf = `<robot name="r"><link name="a"><visual><geometry><mesh filename="package://r/${file}"/></geometry>${material}</visual></link></robot>`;
  const scenery = await read(text.encode(urdf), besideOf(files));
  return { ...scenery, solids: scenery.robots?.[0]?.links[0]?.solids ?? [] };
}

/** Corners of all triangles, rounded. */
function cornersOf(solids: readonly Solid[]): string[] {
  return solids.flatMap(({ positions, index }) =>
    Array.from(index, (at) => [0, 1, 2].map((k) => Math.round(100 * positions[3 * at + k]!) / 100 + 0).join(" ")),
  );
}

describe("meshes of OBJ", () => {
  test("have the colours of their materials, one solid each, and normals of their own or of their faces", async () => {
    const { solids, findings, facts } = await drawn("plate.obj", { "plate.obj": OBJ, "paint.mtl": MTL });
    expect(findings).toEqual([]);
    expect(Object.fromEntries(facts)["triangles"]).toBe("3");
    expect(solids.map(({ color, opacity }) => [color, opacity])).toEqual([
      [[1, 0, 0], 1],
      [[0, 0, 1], 0.25],
    ]);
    expect(cornersOf(solids)).toEqual([
      ...["0 0 0", "2 0 0", "2 1 0", "0 0 0", "2 1 0", "0 1 0"],
      ...["2 0 0", "3 0 4", "2 1 0"],
    ]);
    expect([...solids[0]!.normals.slice(0, 3)]).toEqual([0, 0, 1]);
    for (const { normals } of solids)
      for (let at = 0; at < normals.length; at += 3) expect(Math.hypot(...normals.slice(at, at + 3))).toBeCloseTo(1, 5);
  });

  test("have the colour of the description where it has one, or where their materials are not there", async () => {
    const painted = await drawn("plate.obj", { "plate.obj": OBJ, "paint.mtl": MTL }, "0 1 0 1");
    expect(painted.solids.map(({ color }) => color)).toEqual([[0, 1, 0]]);
    const bare = await drawn("plate.obj", { "plate.obj": OBJ });
    expect(bare.findings).toEqual([]);
    expect(bare.solids).toHaveLength(1);
  });

  test.each([
    ["no faces", "v 0 0 0\n", "plate.obj: it is no OBJ: it has no faces"],
    ["corners that are no numbers", OBJ.replace("v 3 0 4", "v 3 x 4"), "plate.obj: a corner of it is no number"],
    ["corners that are not there", OBJ.replace("f 2 5 3", "f 2 9 3"), "plate.obj: a corner of it is no number"],
  ])("with %s are a finding", async (_, obj, message) => {
    const { findings } = await drawn("plate.obj", { "plate.obj": obj });
    expect(findings[0]).toEqual({ severity: "warning", code: "not-read", message });
  });
});

describe("meshes of COLLADA", () => {
  const WANTED = ["10 0 2", "10 2 2", "9.5 2 2", "10 0 2", "9.5 2 2", "9.5 0 2"];

  test("stand where their scene places them, in metres, with the colours of their materials", async () => {
    const { solids, findings } = await drawn("plate.dae", { "plate.dae": dae() });
    expect(findings).toEqual([]);
    expect(solids.map(({ color, opacity }) => [color, opacity])).toEqual([[[0, 1, 0], 0.5]]);
    expect(cornersOf(solids)).toEqual(WANTED);
    for (const k of [0, 1]) expect(solids[0]!.normals[k]).toBeCloseTo(0, 5);
    expect(solids[0]!.normals[2]).toBeCloseTo(1, 5);
  });

  test.each([
    ["triangles", `<triangles material="paint" count="2">${INPUTS}<p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles>`],
    ["polygons", `<polygons material="paint" count="1">${INPUTS}<p>0 0 1 0 2 0 3 0</p></polygons>`],
    [
      "without normals",
      '<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>',
    ],
  ])("of %s are the same", async (_, faces) => {
    const { solids, findings } = await drawn("plate.dae", { "plate.dae": dae("", faces) });
    expect(findings).toEqual([]);
    expect(cornersOf(solids)).toEqual(WANTED);
    expect(solids[0]!.normals[2]).toBeCloseTo(1, 5);
  });

  test.each([
    ["another root", "<robot/>", "plate.dae: it is no COLLADA"],
    [
      "corners that are not there",
      dae("", FACES.replace("3 0</p>", "9 0</p>")),
      "plate.dae: it names a corner that it does not have",
    ],
    [
      "nodes that contain themselves",
      dae('<node id="loop"><instance_node url="#loop"/></node>'),
      "plate.dae: its nodes are more than 64 deep",
    ],
    ["a step of too few numbers", dae("<translate>1 2</translate>"), "plate.dae: a translate of it has 2 numbers"],
    ["no faces", dae("", ""), "plate.dae: it has no triangles"],
  ])("with %s are a finding", async (_, file, message) => {
    const { findings } = await drawn("plate.dae", { "plate.dae": file });
    expect(findings[0]).toEqual({ severity: "warning", code: "not-read", message });
  });

  test("cut anywhere are a finding", async () => {
    const whole = dae();
    for (let length = 0; length < whole.length; length += 97) {
      const { findings } = await drawn("plate.dae", { "plate.dae": whole.slice(0, length) });
      expect(findings[0]).toMatchObject({ severity: "warning", code: "not-read" });
    }
  });
});

test("joints that are recorded in degrees turn by as much", async () => {
  const robot = (await read(text.encode(ARM), besideOf({}))).robots![0]!;
  const channels = [
    { name: "/arm/turret_joint", schema: "Angle<float>" },
    { name: "/arm/boom_joint", schema: "SignedRadian<float>" },
  ];
  expect([...inDegrees([...channels, { name: "a", schema: "mira::SignedDegree<double>" }])]).toEqual([
    "/arm/turret_joint",
    "a",
  ]);
  const crowd = {
    set: "poses",
    metres: null,
    poses: { ids: ["/arm"], count: 1, isKnown: () => true, positions: [0, 0, 0], orientations: [0, 0, 0, 1] },
  } as unknown as Crowd;
  const placesFor = (turret: number, degrees: ReadonlySet<string>): readonly number[] => {
    const figures = new RobotFigures(robot, new Look(-1), degrees);
    const values = new Map<string, Value>([
      ["/arm/turret_joint", turret],
      ["/arm/boom_joint", 0.4],
    ]);
    figures.stand([crowd], { values } as unknown as State);
    figures.draw(new Map());
    const meshes = (figures.object.children[0] as Group).children as Mesh[];
    const places = meshes.flatMap(({ matrix }) => new Vector3().applyMatrix4(new Matrix4().copy(matrix)).toArray());
    figures.dispose();
    return places;
  };
  const wanted = placesFor(Math.PI / 3, new Set());
  for (const [i, value] of placesFor(60, inDegrees(channels)).entries()) expect(value).toBeCloseTo(wanted[i]!, 6);
  expect(placesFor(60, new Set())).not.toEqual(wanted);
});

import { Matrix4, Vector3 } from "three";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linksAt } from "../../src/scene/surroundings/robot-figures.ts";
import type { Beside, Robot, Scenery, Solid } from "../../src/world/companion.ts";
import { KINDS, kindOf } from "../../src/world/registry.ts";
import { read } from "../../src/world/urdf/read.ts";
import { jointsIn, positionsOf } from "../../src/world/urdf/positions.ts";
import { readStl } from "../../src/world/urdf/stl.ts";
import { smallGlb } from "../support/small-glb.ts";
import { ARM, armAt, stlOf, TETRAHEDRON } from "./small-robot.ts";

const text = new TextEncoder();
const NOTHING: Beside = (name) => Promise.reject(new Error(`${name}: it was not given with it`));

async function robotOf(urdf: string, beside = NOTHING): Promise<Scenery & { readonly robot: Robot }> {
  const scenery = (await read(text.encode(urdf), beside)) as Scenery;
  return { ...scenery, robot: scenery.robots![0]! };
}

function link(robot: Robot, name: string): Robot["links"][number] {
  return robot.links.find((one) => one.name === name)!;
}

/** Least and most along x, y and z. */
function extent(solids: readonly Solid[]): number[][] {
  return [0, 1, 2].map((axis) => {
    const along = solids.flatMap(({ positions }) => [...positions].filter((_, i) => i % 3 === axis));
    return [Math.min(...along), Math.max(...along)].map((value) => Math.round(value * 1e4) / 1e4 + 0);
  });
}

function shapeOf(geometry: string, more = ""): string {
  return `<robot name="r"><link name="a"><visual>${more}<geometry>${geometry}</geometry></visual></link></robot>`;
}

const ANY = fc.double({ min: -3, max: 3, noNaN: true });
const ANY_FOUR = [ANY, ANY, ANY, ANY] as const;

describe("the description of a robot", () => {
  test("is a kind of companion, with its meshes beside it", () => {
    expect(kindOf("Arm.URDF")?.id).toBe("urdf");
    expect(KINDS.find(({ id }) => id === "urdf")!.whole!.recognizes(text.encode('<?xml version="1.0"?><robot/>'))).toBe(
      true,
    );
    expect(KINDS.find(({ id }) => id === "urdf")!.whole!.recognizes(text.encode("robot: 1"))).toBe(false);
  });

  test("has links, parents before their children, whatever their order in the file", async () => {
    const { robot, findings, facts } = await robotOf(ARM);
    expect(findings).toEqual([]);
    expect(robot.links.map(({ name, joint }) => [name, joint?.kind])).toEqual([
      ["base_link", undefined],
      ["turret", "turning"],
      ["boom", "turning"],
      ["slider", "sliding"],
      ["camera", "fixed"],
      ["left_finger", "turning"],
      ["right_finger", "turning"],
    ]);
    for (const [row, { joint }] of robot.links.entries()) if (joint !== null) expect(joint.parent).toBeLessThan(row);
    expect(Object.fromEntries(facts)).toMatchObject({ robot: "arm", links: "7", "joints that move": "5" });
  });

  test("puts each link where an independent calculation has it, for any positions", async () => {
    const { robot } = await robotOf(ARM);
    fc.assert(
      fc.property(...ANY_FOUR, (turret, boom, slider, finger) => {
        const known = new Map(
          Object.entries({ turret_joint: turret, boom_joint: boom, slider_joint: slider, finger_joint: finger }),
        );
        const positions = positionsOf(robot, (joint) => known.get(joint));
        const places = linksAt(robot, positions, new Map([[0, new Matrix4()]]));
        const wanted = armAt(turret, boom, slider, finger);
        for (const [row, { name }] of robot.links.entries())
          for (const [k, own] of [
            [0, 0, 0],
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
          ].entries()) {
            const there = new Vector3(...own).applyMatrix4(places[row]!).toArray();
            expect(there, `${name} ${k}`).toEqual(wanted[name]!(own).map((each) => expect.closeTo(each, 5)));
          }
      }),
      { numRuns: 50 },
    );
  });

  test("stands by any of its links, and those with a frame of their own are there", async () => {
    const { robot } = await robotOf(ARM);
    const positions = positionsOf(robot, () => 0.4);
    const root = new Matrix4().makeRotationZ(1).setPosition(3, 4, 5);
    const whole = linksAt(robot, positions, new Map([[0, root]]));
    for (const row of robot.links.keys()) {
      const again = linksAt(robot, positions, new Map([[row, whole[row]!]]));
      for (const [k, place] of again.entries())
        expect(place.elements, robot.links[k]!.name).toEqual(whole[k]!.elements.map((each) => expect.closeTo(each, 6)));
    }
    const elsewhere = new Matrix4().setPosition(9, 9, 9);
    const two = linksAt(
      robot,
      positions,
      new Map([
        [0, root],
        [2, elsewhere],
      ]),
    );
    expect(two[2]).toEqual(elsewhere);
    expect(two[1]!.elements).toEqual(whole[1]!.elements);
    // what hangs on it goes along
    const moved = elsewhere.clone().multiply(whole[2]!.clone().invert()).multiply(whole[3]!);
    expect(two[3]!.elements).toEqual(moved.elements.map((each) => expect.closeTo(each, 6)));
  });

  test("has boxes, cylinders along z and spheres, where their origin is", async () => {
    const turned = '<origin xyz="1 2 3" rpy="0 1.5707963267948966 0"/>';
    const box = await robotOf(shapeOf('<box size="2 4 6"/>', turned));
    expect(extent(link(box.robot, "a").solids)).toEqual([
      [-2, 4],
      [0, 4],
      [2, 4],
    ]);
    const cylinder = await robotOf(shapeOf('<cylinder radius="0.5" length="3"/>'));
    expect(extent(link(cylinder.robot, "a").solids)).toEqual([
      [-0.5, 0.5],
      [-0.5, 0.5],
      [-1.5, 1.5],
    ]);
    expect(extent(link((await robotOf(shapeOf('<sphere radius="2"/>'))).robot, "a").solids)[2]).toEqual([-2, 2]);
  });

  test("has its colours: of a visual, of the robot, of another visual; as linear light", async () => {
    const visual = (material: string): string => `<visual><geometry><box size="1 1 1"/></geometry>${material}</visual>`;
    const { robot } = await robotOf(
      `<robot name="r"><material name="blue"><color rgba="0 0 1 1"/></material><link name="a">${visual(
        '<material name="blue"/>',
      )}${visual('<material name="late"/>')}</link><link name="b">${visual(
        '<material name="late"><color rgba="1 0.5 0 0.5"/></material>',
      )}</link><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>`,
    );
    expect(link(robot, "a").solids.map(({ color }) => color)).toEqual([
      [0, 0, 1],
      [1, expect.closeTo(0.2140411, 5), 0],
    ]);
    expect(link(robot, "b").solids[0]!.opacity).toBe(0.5);
  });

  test("names meshes by paths of other machines: they lie beside it under their plain names", async () => {
    const asked: string[] = [];
    const beside: Beside = async (name) => {
      asked.push(name);
      return name.endsWith("stl") ? stlOf(TETRAHEDRON) : smallGlb({ size: [2, 3, 4], color: [1, 0, 0, 1] });
    };
    const mesh = (file: string, more = ""): string => `<mesh filename="${file}" ${more}/>`;
    const stl = await robotOf(shapeOf(mesh("package://arm/meshes/base.stl", 'scale="1 -2 0.5"')), beside);
    expect(extent(link(stl.robot, "a").solids)).toEqual([
      [0, 1],
      [-2, 0],
      [0, 0.5],
    ]);
    // what is up in glTF is up in the link
    const glb = await robotOf(shapeOf(mesh("file:///home/me/base.glb")), beside);
    expect(extent(link(glb.robot, "a").solids)).toEqual([
      [-1, 1],
      [-2, 2],
      [0, 3],
    ]);
    expect(link(glb.robot, "a").solids[0]!.color).toEqual([1, 0, 0]);
    expect(asked).toEqual(["base.stl", "base.glb"]);
  });

  test("faces outwards where a scale mirrors it", async () => {
    const beside: Beside = async () => stlOf(TETRAHEDRON);
    for (const scale of ["1 1 1", "-1 1 1", "-1 -2 -3"]) {
      const { robot } = await robotOf(shapeOf(`<mesh filename="a.stl" scale="${scale}"/>`), beside);
      const [{ positions, normals, index }] = link(robot, "a").solids as [Solid];
      const middle = new Vector3();
      for (let i = 0; i < positions.length; i += 3) middle.add(new Vector3().fromArray(positions, i));
      middle.divideScalar(positions.length / 3);
      for (let i = 0; i < index.length; i += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => new Vector3().fromArray(positions, 3 * index[i + k]!)) as [
          Vector3,
          Vector3,
          Vector3,
        ];
        const faced = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
        expect(faced.dot(a.clone().sub(middle))).toBeGreaterThan(0);
        expect(faced.dot(new Vector3().fromArray(normals, 3 * index[i]!))).toBeCloseTo(1, 5);
      }
    }
  });

  test("says which meshes are not there or not read, and shows what collides in their place", async () => {
    const body = '<collision><geometry><box size="1 2 3"/></geometry></collision>';
    const { robot, findings } = await robotOf(
      `<robot name="r"><link name="a"><visual><geometry><mesh filename="package://r/gone.stl"/></geometry></visual>${body}</link>
       <link name="b"><visual><geometry><mesh filename="b.ply"/></geometry></visual></link>
       <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>`,
    );
    expect(findings.map(({ severity, message }) => [severity, message])).toEqual([
      ["warning", "gone.stl: it was not given with it"],
      ["warning", "b.ply: meshes are read from .stl, .obj, .dae and .glb: convert it"],
    ]);
    expect(extent(link(robot, "a").solids)[2]).toEqual([-1.5, 1.5]);
    expect(link(robot, "a").solids[0]!.opacity).toBeLessThan(1);
    expect(link(robot, "b").solids).toEqual([]);
  });

  const box = '<visual><geometry><box size="1 1 1"/></geometry></visual>';
  const joint = (name: string, from: string, to: string, more = "", type = "fixed"): string =>
    `<joint name="${name}" type="${type}"><parent link="${from}"/><child link="${to}"/>${more}</joint>`;
  const links = (...names: readonly string[]): string =>
    names.map((name) => `<link name="${name}">${box}</link>`).join("");

  test.each([
    ["a circle", links("a", "b") + joint("j", "a", "b") + joint("k", "b", "a"), "its joints go in circles", null],
    [
      "a circle beside it",
      links("a", "b", "c") + joint("j", "b", "c") + joint("k", "c", "b"),
      'link "b" is not held by "a"',
      1,
    ],
    [
      "a link that two joints hold",
      links("a", "b") + joint("j", "a", "b") + joint("k", "a", "b"),
      '"j" holds "b" already',
      2,
    ],
    ["a joint to nowhere", links("a") + joint("j", "a", "z"), 'there is no link "z"', 1],
    [
      "an axis without a length",
      links("a", "b") + joint("j", "a", "b", '<axis xyz="0 0 0"/>', "revolute"),
      "its axis has no length",
      2,
    ],
    ["what floats", links("a", "b") + joint("j", "a", "b", "", "floating"), "what is floating is held fast", 2],
    [
      "a mimic of nothing",
      links("a", "b") + joint("j", "a", "b", '<mimic joint="z"/>'),
      'there is no joint "z" to follow',
      2,
    ],
    [
      "numbers that are none",
      links("a", "b") + joint("j", "a", "b", '<origin xyz="NaN 0 1e99" rpy="0 0"/>'),
      "xyz is to be three numbers",
      2,
    ],
    [
      "a box without a size",
      `<link name="a">${box}<visual><geometry><box size="1 -1 1"/></geometry></visual></link>`,
      "is none that can be drawn",
      1,
    ],
    ["a name twice", links("a", "a"), 'link "a" is there twice', 1],
    ["macros", `${links("a")}<xacro:wheel/>`, "convert it with xacro first", 1],
    [
      "thousands of links",
      links(...Array.from({ length: 2500 }, (_, i) => `l${i}`)),
      "2500 links; 2000 of them are read",
      1,
    ],
    ["nothing to draw", '<link name="a"/>', "nothing of it can be drawn", null],
    ["no links", "", "it has no links", null],
  ])("%s is a finding", async (_, inside, message, count) => {
    const scenery = (await read(text.encode(`<robot name="r" xmlns:xacro="x">${inside}</robot>`), NOTHING)) as Scenery;
    expect(scenery.findings.map((finding) => finding.message).join("\n")).toContain(message);
    expect(scenery.robots![0]?.links.length ?? null).toBe(count);
    if (count === null) expect(scenery.findings.some(({ severity }) => severity === "damage")).toBe(true);
  });

  test("mimics that follow each other in circles are at 0", async () => {
    const { robot } = await robotOf(
      `<robot name="r">${links("a", "b", "c")}${joint("j", "a", "b", '<mimic joint="k" multiplier="2"/>', "revolute")}${joint(
        "k",
        "a",
        "c",
        '<mimic joint="j" offset="0"/>',
        "revolute",
      )}</robot>`,
    );
    expect(positionsOf(robot, () => undefined)).toEqual([0, 0, 0]);
  });

  test("entities of its own are refused before they grow", async () => {
    const bomb = `<!DOCTYPE robot [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><robot name="&b;">${links("a")}</robot>`;
    await expect(Promise.resolve().then(() => read(text.encode(bomb), NOTHING))).rejects.toThrow();
  });

  test("cut anywhere, or with any byte changed, it is read or refused in words", async () => {
    const whole = text.encode(ARM);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, byte, isCut) => {
        const bytes = isCut ? whole.slice(0, at) : whole.map((each, i) => (i === at ? byte : each));
        const scenery = await Promise.resolve()
          .then(() => read(bytes, NOTHING))
          .catch((error: unknown) => error);
        if (scenery instanceof Error) {
          expect(scenery.message).not.toBe("");
          return;
        }
        for (const robot of (scenery as Scenery).robots ?? [])
          for (const place of linksAt(
            robot,
            positionsOf(robot, () => 0.3),
            new Map([[0, new Matrix4()]]),
          ))
            expect(place.elements.every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe("an STL file", () => {
  const corners = (bytes: Uint8Array): number[] => [...readStl(bytes, 100).positions];

  test("is read as bytes and as text, also where bytes begin as a text does", () => {
    const wanted = TETRAHEDRON.flat(2);
    expect(corners(stlOf(TETRAHEDRON))).toEqual(wanted);
    expect(corners(stlOf(TETRAHEDRON, "solid as many programs write it"))).toEqual(wanted);
    const facets = TETRAHEDRON.map(
      (three) =>
        `facet normal 0 0 0\nouter loop\n${three.map((at) => `vertex ${at.join(" ")}`).join("\n")}\nendloop\nendfacet\n`,
    );
    expect(corners(text.encode(`solid a\n${facets.join("")}endsolid a\n`))).toEqual(wanted);
  });

  test.each([
    ["cut", stlOf(TETRAHEDRON).slice(0, 200), "it is cut: 284 bytes are wanted, 200 are there"],
    ["short", Uint8Array.of(1, 2, 3), "it is too short"],
    ["a cut text", text.encode("solid a\nvertex 0 0 0\n"), "it has no endsolid"],
    ["odd corners", text.encode("solid a\nvertex 0 0 0\nendsolid"), "it has 1 corners, which are no triangles"],
    ["no numbers", text.encode("solid a\nvertex 0 0 x\nvertex 0 0 0\nvertex 1 1 1\nendsolid"), "is no number"],
    ["too many triangles", stlOf(Array.from({ length: 101 }, () => TETRAHEDRON[0]!)), "at most 100 are read"],
    ["none", stlOf([]), "it has no triangles"],
  ])("%s is refused in words", (_, bytes, message) => {
    expect(() => readStl(bytes, 100)).toThrow(message);
  });
});

describe("positions of joints", () => {
  test("are those of JointState and JointStates", () => {
    const ros = { header: {}, name: ["a", "b", "c"], position: Float64Array.of(1, 2), velocity: [] };
    expect([...jointsIn(ros as never)!]).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    const foxglove = { joints: [{ name: "a", position: 3 }, { name: "b" }] };
    expect([...jointsIn(foxglove as never)!]).toEqual([["a", 3]]);
  });

  test.each([[3], ["a"], [null], [[1, 2]], [{ name: "a", position: [1] }], [{ joints: [1] }], [{ joints: [] }]])(
    "are not in %j",
    (value) => {
      expect(jointsIn(value as never)).toBeNull();
    },
  );
});

import {
  BoxGeometry,
  type BufferAttribute,
  type BufferGeometry,
  Color,
  type Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  Matrix4,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { describe, expect, test } from "vitest";
import { Copies } from "../../src/scene/drawing/copies.ts";
import { posingOf } from "../../src/scene/presenters/far-figures.ts";
import { BLOCKY, ROUND } from "../../src/scene/presenters/figure-shapes.ts";
import { FINE, QUICK } from "../../src/scene/drawing/quick.ts";
import { Ribbon } from "../../src/scene/ways/ribbon.ts";

const WHITE = new Color("#ffffff");

/** Turned and stretched, each in its own way. */
function matricesOf(count: number): { readonly list: readonly Matrix4[]; readonly numbers: Float32Array } {
  const list = Array.from({ length: count }, (_, i) =>
    new Matrix4().compose(
      new Vector3(i, -2 * i, 0.5 * i),
      new Quaternion().setFromAxisAngle(new Vector3(1, 2, 3).normalize(), 0.7 * i),
      new Vector3(1 + i, 2, 0.5),
    ),
  );
  return { list, numbers: Float32Array.from(list.flatMap(({ elements }) => elements)) };
}

function geometryOf(copies: Copies): BufferGeometry {
  return (copies.object.children[0] as Mesh).geometry;
}

function vector(geometry: BufferGeometry, name: string, i: number): Vector3 {
  return new Vector3().fromBufferAttribute(geometry.getAttribute(name) as BufferAttribute, i);
}

describe("copies of a shape", () => {
  test.for([1, 5, 40])("of %i, every corner is where an instance has it, and has its colour", (count) => {
    const shape = new BoxGeometry(1, 1, 1);
    const copies = Copies.of(shape, new MeshLambertMaterial())!;
    const { list, numbers } = matricesOf(count);
    const colors = Float32Array.from({ length: 3 * count }, (_, i) => i / (3 * count));
    copies.fill(1, numbers, colors);
    copies.fill(count, numbers, colors);
    const geometry = geometryOf(copies);
    expect(geometry.drawRange).toEqual({ start: 0, count: 36 * count });
    for (const [copy, matrix] of list.entries()) {
      for (let i = 0; i < 24; i++) {
        const expected = vector(shape, "position", i).applyMatrix4(matrix);
        expect(vector(geometry, "position", 24 * copy + i).distanceTo(expected)).toBeLessThan(1e-4);
        expect(vector(geometry, "color", 24 * copy + i).toArray()).toEqual([...colors.slice(3 * copy, 3 * copy + 3)]);
      }
      for (let i = 0; i < 36; i++) expect(geometry.index!.getX(36 * copy + i)).toBe(24 * copy + shape.index!.getX(i));
    }
  });

  test("a face of what is stretched looks across its edges, and outwards", () => {
    const copies = Copies.of(new SphereGeometry(1, 8, 6), new MeshLambertMaterial({ flatShading: true }))!;
    const { list, numbers } = matricesOf(3);
    copies.fill(3, numbers, new Float32Array(9).fill(1));
    const geometry = geometryOf(copies);
    const { index, drawRange } = geometry;
    expect(drawRange.count).toBe(3 * 3 * 8 * 10);
    const share = drawRange.count / 3;
    for (let at = 0; at < drawRange.count; at += 3) {
      const corners = [0, 1, 2].map((k) => index!.getX(at + k));
      const [a, b, c] = corners.map((corner) => vector(geometry, "position", corner));
      const across = b!.clone().sub(a!).cross(c!.clone().sub(a!)).normalize();
      const middle = new Vector3().setFromMatrixPosition(list[Math.floor(at / share)]!);
      for (const corner of corners) {
        const looks = vector(geometry, "normal", corner).normalize();
        expect(looks.dot(across)).toBeGreaterThan(0.999);
        expect(looks.dot(a!.clone().sub(middle))).toBeGreaterThan(0);
      }
    }
  });

  test("the colours of a shape are multiplied with those of its copies", () => {
    const copies = Copies.of(BLOCKY.trunk(), new MeshLambertMaterial({ vertexColors: true, flatShading: true }))!;
    copies.fill(1, new Float32Array(new Matrix4().elements), Float32Array.of(1, 0.5, 0));
    const geometry = geometryOf(copies);
    const { count } = geometry.getAttribute("color");
    const shades = Array.from({ length: count }, (_, i) => vector(geometry, "color", i).toArray());
    expect(new Set(shades.map(([red]) => red!.toFixed(2)))).toEqual(new Set(["1.00", "0.20"]));
    for (const [red, green, blue] of shades) expect([green, blue]).toEqual([red! / 2, 0]);
  });

  test("lit ones are drawn fine or quick, as the camera asks for; lamps always", () => {
    const lit = Copies.of(new BoxGeometry(), new MeshLambertMaterial())!;
    expect(lit.object.children.map(({ layers }) => layers.mask)).toEqual([1 << FINE, 1 << QUICK]);
    expect(lit.object.children.map(({ castShadow }) => castShadow)).toEqual([true, false]);
    const lamp = Copies.of(new BoxGeometry(), new MeshBasicMaterial())!;
    expect(lamp.object.children.map(({ layers }) => layers.mask)).toEqual([1]);
    expect(lamp.object.children[0]!.castShadow).toBe(false);
  });

  test("none are not drawn, and shapes of many corners are left to instances", () => {
    const copies = Copies.of(new BoxGeometry(), new MeshLambertMaterial())!;
    copies.fill(0, new Float32Array(0), new Float32Array(0));
    expect(copies.object.visible).toBe(false);
    expect(copies.suits(10_000)).toBe(true);
    expect(copies.suits(100_000)).toBe(false);
    expect(Copies.of(new SphereGeometry(1, 32, 24), new MeshLambertMaterial())).toBeNull();
  });

  test.for([
    ["of boxes", BLOCKY],
    ["round", ROUND],
  ] as const)("figures %s swing their limbs about their joints, and lean", ([, build]) => {
    const shape = build.far();
    const [swing, lean] = [0.8, 0.3];
    const poses = Float32Array.of(0, 0, swing, lean);
    const posing = posingOf(shape, WHITE, () => poses);
    const { count } = shape.getAttribute("position");
    const [places, directions] = [new Float32Array(3 * count), new Float32Array(3 * count)];
    for (const [name, into] of [
      ["position", places],
      ["normal", directions],
    ] as const) {
      for (let i = 0; i < count; i++) vector(shape, name, i).toArray(into, 3 * i);
    }
    const before = places.slice();
    posing.pose(0, places, directions);
    for (let i = 0; i < 3 * count; i++) expect(places[i]).toBeCloseTo(before[i]!, 6);
    posing.pose(1, places, directions);
    const limbs = shape.getAttribute("limb");
    let moved = 0;
    for (let i = 0; i < count; i++) {
      const [joint, side, neck] = [limbs.getX(i), limbs.getY(i), limbs.getZ(i)];
      const turn = new Matrix4().makeRotationZ(side * swing);
      const expected = vector(shape, "position", i);
      expected.y -= joint;
      expected.applyMatrix4(turn);
      expected.add(new Vector3(neck * lean, joint, 0));
      expect(new Vector3().fromArray(places, 3 * i).distanceTo(expected)).toBeLessThan(1e-6);
      const looks = vector(shape, "normal", i).transformDirection(turn);
      expect(new Vector3().fromArray(directions, 3 * i).distanceTo(looks)).toBeLessThan(1e-6);
      if (side !== 0) moved++;
    }
    expect(moved).toBeGreaterThan(20);
    expect(new Set(posing.isTinted)).toEqual(new Set([true, false]));
  });
});

describe("a ribbon", () => {
  const style = { color: WHITE, width: 2, opacity: 1, isFading: false };

  test("has each piece's two ends at all its four corners", () => {
    const places = Float32Array.from({ length: 15 }, (_, i) => i);
    const { geometry } = new Ribbon(places, style).object;
    expect(geometry.index!.count).toBe(4 * 6);
    for (let i = 0; i < geometry.index!.count; i++) {
      const corner = geometry.index!.getX(i);
      const piece = Math.floor(i / 6);
      expect(corner >> 2).toBe(piece);
      for (const [name, point] of [
        ["start", piece],
        ["end", piece + 1],
      ] as const) {
        expect(vector(geometry, name, corner).toArray()).toEqual([0, 1, 2].map((k) => 3 * point + k));
      }
    }
  });

  test("shows what is reported, with points as they are then, and nothing without a piece", () => {
    const places = new Float32Array(12);
    const ribbon = new Ribbon(places, style);
    places.fill(7);
    ribbon.touch(2);
    expect(ribbon.object.geometry.drawRange).toEqual({ start: 12, count: 6 });
    expect(vector(ribbon.object.geometry, "end", 8).toArray()).toEqual([7, 7, 7]);
    ribbon.touch(4);
    expect(ribbon.object.visible).toBe(false);
    expect(new Ribbon(new Float32Array(3), style).object.visible).toBe(false);
  });
});

import { existsSync, readFileSync } from "node:fs";
import { type Axes, filesBundle, open, placesOf, type State, transformOf, unsetOrigin } from "simtape";
import { passing } from "simtape/race";
import {
  Box3,
  Color,
  InstancedMesh,
  Matrix4,
  Object3D,
  PerspectiveCamera,
  Points,
  Quaternion,
  Ray,
  Vector3,
} from "three";
import { describe, expect, test } from "vitest";
import { distanceFor } from "../../src/scene/camera/camera-rig.ts";
import { blockLook } from "../../src/blocks/block-look.ts";
import { Engine } from "../../src/engine/engine.ts";
import { passings } from "../../src/engine/passings.ts";
import type { Passing } from "../../src/protocol.ts";
import { Cast } from "../../src/scene/cast.ts";
import { compose, composeRod, rotate } from "../../src/scene/drawing/compose.ts";
import { courseOf, runsOf } from "../../src/scene/ways/course.ts";
import { gapText, gapTo } from "../../src/scene/ways/gap.ts";
import { stepFor } from "../../src/scene/surroundings/ground.ts";
import { Look } from "../../src/scene/drawing/look.ts";
import { Ways } from "../../src/scene/ways/ways.ts";
import { find, pick, placeOf, principal, type Spot } from "../../src/scene/things/pick.ts";
import { Poses } from "../../src/scene/things/poses.ts";
import { playerName } from "../../src/scene/presenters/blocks.ts";
import { BLOCKY, ROUND } from "../../src/scene/presenters/figure-shapes.ts";
import { Figures, LOW } from "../../src/scene/presenters/figures.ts";
import { boxEdges } from "../../src/scene/presenters/molecules/box.ts";
import { readingText } from "../../src/scene/presenters/readings.ts";
import { roomPose } from "../../src/scene/presenters/room.ts";
import { scanOf, scanPoints } from "../../src/scene/presenters/scan.ts";
import { rowOf } from "../../src/scene/presenters/scans.ts";
import { loft } from "../../src/scene/presenters/shapes.ts";
import { VEHICLE_CLASSES, vehicleKind } from "../../src/scene/presenters/vehicle-class.ts";
import { farVehicleGeometry } from "../../src/scene/presenters/vehicle-far.ts";
import { vehicleGeometry } from "../../src/scene/presenters/vehicles.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { turnVectorUp } from "../../src/scene/drawing/y-up.ts";
import { example } from "../support/viewer.ts";

const EXAMPLES = ["buckyball.nanover.zip", "flight.fgtape", "patrol.tape", "race.hcrp", "town.log"];

async function stateOf(name: string, part = 0.5): Promise<State> {
  await using recording = await open(filesBundle(new Map([[name, new Uint8Array(readFileSync(example(name)))]])));
  const { start, end } = await recording.timeline();
  return await recording.state(start + part * (end - start));
}

function entities(axes: State["sets"] extends ReadonlyMap<string, infer S> ? S : never): typeof axes {
  return axes;
}

function oneSet(
  ids: number[],
  places: number[],
  more: Record<string, { data: Float64Array | string[]; width: number }> = {},
) {
  const column = (data: Float64Array | string[], width: number, unit: string | null) =>
    ({ data, width, unit, interpolation: "hold" }) as const;
  return entities({
    ids,
    axes: { handed: "right", up: "y", kind: "local" },
    columns: new Map([
      ["position", column(Float64Array.from(places), 3, "m")],
      ...Object.entries(more).map(([name, { data, width }]) => [name, column(data, width, null)] as const),
    ]),
  });
}

function stateWith(sets: Record<string, ReturnType<typeof oneSet>>, values: Record<string, unknown> = {}): State {
  return { time: 0, values: new Map(Object.entries(values)) as State["values"], sets: new Map(Object.entries(sets)) };
}

describe("axes and units", () => {
  test.each(EXAMPLES)("things of %s are where the library says, with y up", async (name) => {
    const state = await stateOf(name);
    const origin = unsetOrigin();
    const places = placesOf(state, origin);
    expect(places.length).toBeGreaterThan(0);
    const metres = new Map([
      ["particles", 1e-9],
      ["interactions", 1e-9],
    ]);
    const shared = new Origin();
    const all = new Map(
      [...state.sets].map(([set, of]) => {
        const poses = new Poses(shared, metres.get(set) ?? 1);
        poses.update(of);
        return [set, poses] as const;
      }),
    );
    for (const { set, id, x, y, z, orientation } of places) {
      const poses = all.get(set)!;
      const row = poses.find(id);
      const unit = metres.get(set) ?? 1;
      // The library's plane touches the first thing met, the scene's the sea below it.
      const lift = origin.isSet ? origin.altitude : 0;
      const [sx, sy, sz] = poses.positions.subarray(3 * row, 3 * row + 3);
      const slack = origin.isSet ? 20 : 1e-3;
      expect(Math.abs(sx! - x / unit)).toBeLessThan(slack);
      expect(Math.abs(sy! - z / unit - lift)).toBeLessThan(slack);
      expect(Math.abs(sz! + y / unit)).toBeLessThan(slack);
      if (orientation === null) continue;
      const [qx, qy, qz, qw] = orientation;
      const shown = new Quaternion().fromArray(poses.orientations, 4 * row);
      expect(shown.angleTo(new Quaternion(qx, qz, -qy, qw).normalize())).toBeLessThan(1e-3);
    }
  });

  test.each<Axes>([
    { handed: "left", up: "y", kind: "local", own: { forward: "z", up: "y" } },
    { handed: "right", up: "-z", kind: "local", own: { forward: "x", up: "-z" } },
    { handed: "right", up: "x", kind: "local", own: { forward: "-y", up: "z" } },
  ])("things are where the library says whatever their axes mean: %j", (axes) => {
    const turn = new Quaternion(0.1, -0.5, 0.3, 0.8).normalize().toArray();
    const set = { ...oneSet([1], [1, 2, 3], { orientation: { data: Float64Array.from(turn), width: 4 } }), axes };
    const poses = new Poses(new Origin());
    poses.update(set);
    const [place] = placesOf(stateWith({ things: set }), unsetOrigin());
    const { x, y, z, orientation } = place!;
    expect([...poses.positions.subarray(0, 3)]).toEqual([x, z, -y]);
    const [qx, qy, qz, qw] = orientation!;
    expect(new Quaternion().fromArray(poses.orientations, 0).angleTo(new Quaternion(qx, qz, -qy, qw))).toBeLessThan(
      1e-3,
    );
  });

  test("what is far from zero is laid to an origin of its own, and keeps its millimetres", () => {
    const origin = new Origin();
    const poses = new Poses(origin);
    poses.update(oneSet([1, 2], [4_000_123.001, 64, -2_000_456.5, 4_000_123.002, 64, -2_000_456.5]));
    expect(poses.positions[3]! - poses.positions[0]!).toBeCloseTo(0.001, 4);
    expect(Math.abs(poses.positions[0]!)).toBeLessThan(1000);
  });

  test("a degree north is 111 km along -z, and height stays height", () => {
    const origin = new Origin();
    const out = new Float64Array(3);
    origin.geodetic(37, -122, 0, out, 0);
    expect([...out]).toEqual([0, 0, 0].map((value) => expect.closeTo(value, 6)));
    origin.geodetic(37.01, -122, 304.8, out, 0);
    expect(out[0]).toBeCloseTo(0, 3);
    expect(out[1]).toBeCloseTo(304.8, 0);
    expect(out[2]).toBeCloseTo(-1110, -1);
  });

  test("a mirrored vector keeps its length, and right stays right", () => {
    const out = new Float64Array(3);
    const inScene = (handed: Axes["handed"], up: Axes["up"]): number[] => {
      transformOf({ handed, up, kind: "local" }).vector(1, 2, 3, out, 0);
      turnVectorUp(out, 0);
      return [...out];
    };
    // CARLA: x ahead, y to the right, z up.
    expect(inScene("left", "z")).toEqual([1, 3, 2]);
    expect(inScene("right", "z")).toEqual([1, 3, -2]);
    expect(inScene("left", "y")).toEqual([1, 2, -3]);
    expect(inScene("right", "y")).toEqual([1, 2, 3]);
  });

  test("unchanged columns are not read again", () => {
    const poses = new Poses(new Origin());
    const set = oneSet([1], [1, 2, 3]);
    expect(poses.update(set)).toBe(true);
    expect(poses.update({ ...set })).toBe(false);
    expect(poses.update(undefined)).toBe(true);
    expect(poses.count).toBe(0);
  });

  test("where several scenes have one zero, places and turns are computed once, and each may seat things for itself", () => {
    const origin = new Origin();
    const turns = Float64Array.from([0, 0, 0, 1, 0, 0, 1, 0]);
    const set = oneSet([1, 2], [1, 2, 3, 4, 5, 6], { orientation: { data: turns, width: 4 } });
    const first = new Poses(origin);
    first.update(set);
    // were it read again, it would be another
    const { data } = set.columns.get("position")!;
    (data as Float64Array)[0] = 100;
    turns[3] = -0.5;
    const second = new Poses(origin);
    second.update(set);
    expect(second.positions.subarray(0, 6)).toEqual(first.positions.subarray(0, 6));
    expect(second.orientations.subarray(0, 8)).toEqual(first.orientations.subarray(0, 8));
    second.seat(1, 7, 8, 9);
    expect([...first.positions.subarray(3, 6)]).toEqual([4, 5, 6]);
    // it has seated one: that is no place of the set
    const third = new Poses(origin);
    third.update(set);
    expect(third.positions[0]).toBe(100);
    const elsewhere = new Poses(new Origin());
    elsewhere.update(set);
    expect(elsewhere.positions[0]).toBe(100);
  });
});

describe("matrices of instances", () => {
  const turn = new Quaternion(0.1, -0.5, 0.3, 0.8).normalize();

  test("are those of three", () => {
    const out = new Float32Array(32);
    compose(1, 2, 3, turn.x, turn.y, turn.z, turn.w, 4, 5, 6, out, 16);
    const expected = new Matrix4().compose(new Vector3(1, 2, 3), turn, new Vector3(4, 5, 6));
    for (let i = 0; i < 16; i++) expect(out[16 + i]).toBeCloseTo(expected.elements[i]!, 5);
  });

  test.each([
    [
      [0, 0, 0],
      [0, 3, 0],
    ],
    [
      [0, 3, 0],
      [0, 0, 0],
    ],
    [
      [1, 2, 3],
      [-4, 0.5, 9],
    ],
  ] as const)("a rod goes from %j to %j", ([ax, ay, az], [bx, by, bz]) => {
    const out = new Float32Array(16);
    composeRod(ax, ay, az, bx, by, bz, 0.1, out, 0);
    const matrix = new Matrix4().fromArray(out);
    const ends = [-0.5, 0.5].map((y) => new Vector3(0, y, 0).applyMatrix4(matrix));
    expect(ends[0]!.distanceTo(new Vector3(ax, ay, az))).toBeLessThan(1e-5);
    expect(ends[1]!.distanceTo(new Vector3(bx, by, bz))).toBeLessThan(1e-5);
    expect(matrix.determinant()).toBeGreaterThan(0);
  });

  test("a vector turns as three turns it", () => {
    const out = new Float64Array(3);
    rotate(Float32Array.from(turn.toArray()), 0, 1, 2, 3, out, 0);
    const expected = new Vector3(1, 2, 3).applyQuaternion(turn);
    expect(new Vector3().fromArray(out).distanceTo(expected)).toBeLessThan(1e-5);
  });
});

describe("presenters", () => {
  test.each([
    ["buckyball.nanover.zip", "60 atoms, 90 bonds, 1 person"],
    ["flight.fgtape", "3 aircraft"],
    ["patrol.tape", "1 robot, 1 laser scanner"],
    ["race.hcrp", "5 players, 1 entity, 180 edited blocks"],
    ["town.log", "2 vehicles, 1 walker, 1 traffic light"],
  ])("%s is drawn by its own: %s", async (name, description) => {
    const cast = new Cast(new Origin(), -1);
    cast.show(await stateOf(name));
    // scans come when what draws them is loaded
    await expect.poll(() => cast.describe()).toBe(description);
    const box = new Box3();
    cast.frame(box);
    expect(box.isEmpty()).toBe(false);
    expect(box.getSize(new Vector3()).toArray().every(Number.isFinite)).toBe(true);
    expect(principal(cast.crowds)).not.toBeNull();
    cast.dispose();
  });

  test("are those that the format names, and by names and columns where it names none that there is", async () => {
    const state = await stateOf("patrol.tape");
    const described = (named: Record<string, string>): string => {
      const cast = new Cast(new Origin(), -1, { presenters: named });
      cast.show(state);
      cast.dispose();
      return cast.describe();
    };
    const usual = described({});
    expect(described({ poses: "no such presenter" })).toBe(usual);
    expect(described({ poses: "points" })).not.toBe(usual);
  });

  test("vehicles are simple from afar, and keep their lights", async () => {
    const cast = new Cast(new Origin(), -1);
    cast.show(await stateOf("town.log"));
    const { positions } = cast.crowds.find(({ set }) => set === "vehicles")!.poses;
    /** Corners that are drawn in all, and points of light. */
    const drawn = (distance: number): [number, number] => {
      cast.see({
        position: new Vector3(positions[0]!, positions[1]! + distance, positions[2]!),
        pixels: 600,
        seen: 600,
      });
      let [corners, lights] = [0, 0];
      cast.object.traverse((part) => {
        if (!part.visible) return;
        if (part instanceof InstancedMesh) corners += part.geometry.getAttribute("position").count * part.count;
        if (part instanceof Points) lights += part.geometry.drawRange.count;
      });
      return [corners, lights];
    };
    const [near, lit] = drawn(10);
    const [far, stillLit] = drawn(1000);
    expect(far).toBeLessThan(near / 3);
    expect(lit).toBeGreaterThan(0);
    expect(stillLit).toBe(lit);
    // Only the camera has moved.
    expect(drawn(10)).toEqual([near, lit]);
    cast.dispose();
  });

  test("an unknown set is points with names", () => {
    const cast = new Cast(new Origin(), -1);
    cast.show(stateWith({ drones: oneSet([7, 9], [0, 0, 0, 1, 1, 1], { label: { data: ["", "Bee"], width: 1 } }) }));
    expect(cast.describe()).toBe("2 things of drones");
    expect([cast.crowds[0]!.label(0), cast.crowds[0]!.label(1)]).toEqual(["drones 7", "Bee"]);
    cast.dispose();
  });

  test("a scan goes counterclockwise from its start, and shows only what was hit", () => {
    const scan = scanOf({ startAngle: 0, deltaAngle: 90, maximumRange: 8, range: [1, 2, 8] } as never)!;
    const corners = new Float32Array(12);
    const hits = new Float32Array(9);
    scanPoints(scan, corners, hits);
    // Ahead is x, to the left is -z.
    expect([...corners.subarray(3, 9)].map((value) => Math.round(value) + 0)).toEqual([1, 0, 0, 0, 0, -2]);
    expect(corners[9]).toBeCloseTo(-8, 5);
    expect([...hits.subarray(6)].map((value) => value + 0)).toEqual([0, 0, 0]);
    expect(scanOf({ pose: 1 } as never)).toBeNull();
    expect(rowOf("/b/RangeFinder/Front", ["/a/Odometry", "/b/Odometry"])).toBe(1);
  });

  test("the simulation stands in the room as its users see it", () => {
    const pose = new Matrix4();
    expect(roomPose([1, 1, -0.5, 0, 0, 0, 1, 0.5, 0.5, 0.5], pose)).toBe(true);
    // Simulation (2, 4, 6) is room (1 - 1, 1 + 2, -0.5 + 3); the room's z is turned round. It comes in with y up.
    const place = new Vector3(2, 6, -4).applyMatrix4(pose);
    expect(place.toArray()).toEqual([0, 3, -2.5].map((value) => expect.closeTo(value, 6)));
    expect(pose.determinant()).toBeGreaterThan(0);
    expect(roomPose([1, 2, 3], pose)).toBe(false);
  });

  test("a box has twelve edges, each along one of its vectors", () => {
    const edges = new Float32Array(72);
    expect(boxEdges(Float32Array.of(3, 0, 0, 0, 4, 0, 0, 0, 5), edges)).toBe(true);
    const lengths = Array.from({ length: 12 }, (_, i) =>
      new Vector3().fromArray(edges, 6 * i).distanceTo(new Vector3().fromArray(edges, 6 * i + 3)),
    );
    expect(lengths).toEqual([3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5]);
    expect(boxEdges(new Float32Array(0), edges)).toBe(false);
  });

  test("blocks look like what they are called", () => {
    expect(blockLook("minecraft:air")).toBeNull();
    expect(blockLook("minecraft:short_grass")).toBeNull();
    expect(blockLook("minecraft:oak_slab[type=top]")).toMatchObject({ from: 0.5, height: 0.5 });
    expect(blockLook("minecraft:oak_slab[type=double]")).toMatchObject({ from: 0, height: 1 });
    expect(blockLook("minecraft:snow[layers=2]")).toMatchObject({ from: 0, height: 0.25 });
    expect(blockLook("minecraft:snow_block")).toMatchObject({ height: 1 });
    expect(blockLook("minecraft:oak_trapdoor[half=top]")).toMatchObject({ from: 13 / 16, height: 3 / 16 });
    expect(blockLook("minecraft:oak_fence[east=true]")).toMatchObject({ height: 1, inset: 6 / 16 });
    expect(blockLook("minecraft:red_stained_glass")).toMatchObject({ isClear: true, height: 1, inset: 0 });
    expect(blockLook("minecraft:crimson_stem[axis=y]")).toMatchObject({ isClear: false, inset: 0 });
    expect(new Color(...blockLook("minecraft:gold_block")!.color).getHexString()).toBe("f5cd2f");
    expect(blockLook("other:odd")).toBe(blockLook("other:odd"));
  });

  test("players are named with what they wear", () => {
    const set = oneSet([3], [0, 0, 0], { label: { data: ["Amaya"], width: 1 } });
    const values = new Map([["players/3/items/5", "minecraft:leather_boots"]]);
    expect(playerName(set, 0, values)).toBe("Amaya · leather boots");
  });

  test("ten thousand things fit, come and go", () => {
    const cast = new Cast(new Origin(), -1);
    const count = 10_000;
    const ids = Array.from({ length: count }, (_, i) => i);
    cast.show(
      stateWith({
        swarm: oneSet(
          ids,
          ids.flatMap((i) => [i % 100, 0, Math.floor(i / 100)]),
        ),
      }),
    );
    expect(cast.crowds[0]!.poses.count).toBe(count);
    cast.show(stateWith({ swarm: oneSet([5], [1, 2, 3]) }));
    expect(find(cast.crowds, "swarm", 5)).toMatchObject({ row: 0 });
    expect(find(cast.crowds, "swarm", 6)).toBeNull();
    cast.dispose();
  });
});

describe("figures and machines", () => {
  test.each([
    ["vehicle.tesla.model3", {}, "car", null],
    ["vehicle.carlamotors.firetruck", {}, "truck", "bar"],
    ["vehicle.carlamotors.european_hgv", {}, "truck", null],
    ["vehicle.ford.ambulance", {}, "van", "bar"],
    ["vehicle.mercedes.sprinter", {}, "van", null],
    ["vehicle.volkswagen.t2_2021", {}, "van", null],
    ["vehicle.mitsubishi.fusorosa", {}, "bus", null],
    ["vehicle.tesla.cybertruck", { base_type: "truck" }, "pickup", null],
    ["vehicle.dodge.charger_police_2020", {}, "car", "bar"],
    ["vehicle.new.thing", { base_type: "car", special_type: "taxi" }, "car", "sign"],
    ["vehicle.gazelle.omafiets", {}, "bicycle", null],
    ["vehicle.kawasaki.ninja", { number_of_wheels: "2" }, "motorcycle", null],
    ["vehicle.new.thing", { base_type: "truck", number_of_wheels: "4" }, "truck", null],
    ["vehicle.new.thing", { number_of_wheels: "2" }, "motorcycle", null],
  ])("%s with %o is a %s", (blueprint, attributes, shape, roof) => {
    expect(vehicleKind(blueprint, attributes as never)).toEqual({ shape, roof });
  });

  const VEHICLES = VEHICLE_CLASSES.flatMap((kind) => [
    ["near", kind, vehicleGeometry] as const,
    ["far", kind, farVehicleGeometry] as const,
  ]);

  test.each(VEHICLES)("%s, a %s fills its bounding box", (distance, kind, geometryOf) => {
    const geometry = geometryOf(kind);
    if (distance === "far") expect(geometry.getAttribute("position").count).toBeLessThanOrEqual(150);
    geometry.computeBoundingBox();
    const { min, max } = geometry.boundingBox!;
    for (const side of ["x", "y"] as const) {
      expect(min[side]).toBeGreaterThan(-0.56);
      expect(min[side]).toBeLessThan(-0.44);
      expect(max[side]).toBeGreaterThan(0.44);
      expect(max[side]).toBeLessThan(0.66);
    }
    expect(max.z).toBeCloseTo(-min.z, 5);
    expect(max.z).toBeLessThan(0.52);
  });

  test.each([
    [-1, 1],
    [1, -1],
  ])("faces of a body from %d to %d look outwards", (from, to) => {
    const body = loft([
      [from, -1, 0, 1, 1, 1.2, 1],
      [to, -1, 0, 1, 1, 1.2, 1],
    ]);
    const places = body.getAttribute("position");
    const normals = body.getAttribute("normal");
    for (let i = 0; i < places.count; i++) {
      const outwards = new Vector3().fromBufferAttribute(places, i).dot(new Vector3().fromBufferAttribute(normals, i));
      expect(outwards).toBeGreaterThan(0);
    }
  });

  test.each([
    ["swims", 16],
    ["glides", 128],
  ])("who %s lies along the way they look, around the middle of the body", async (_, flag) => {
    const state = await stateOf("race.hcrp");
    const players = state.sets.get("players")!;
    const [looks, flags] = [players.columns.get("rotation")!, players.columns.get("flags")!];
    // from up to down, each of them another way
    const dives = Float64Array.from(looks.data as ArrayLike<number>, (angle, i) => (i % 3 === 1 ? 12 * i - 80 : angle));
    const lying = new Map(players.columns);
    lying.set("flags", { ...flags, data: Uint8Array.from(players.ids, () => flag) });
    lying.set("rotation", { ...looks, data: dives });
    const cast = new Cast(new Origin(), -1);
    cast.show({ ...state, sets: new Map([["players", { ...players, columns: lying }]]) });
    const { poses } = cast.crowds.find(({ set }) => set === "players")!;
    cast.see({ position: new Vector3(...poses.positions.subarray(0, 3)), pixels: 1e6, seen: 1e6 });
    const heads: InstancedMesh[] = [];
    cast.object.traverse(({ children }) => {
      // trunks, heads, arms, legs, and those who are far
      if (children.length === 5) heads.push(children[1]!.children[0] as InstancedMesh);
    });
    const matrix = new Matrix4();
    for (let row = 0; row < poses.count; row++) {
      heads.at(-1)!.getMatrixAt(row, matrix);
      const neck = new Vector3().setFromMatrixPosition(matrix);
      const [pitch, yaw] = [1, 2].map((k) => (Number(lying.get("rotation")!.data[3 * row + k]) * Math.PI) / 180);
      // of the game: yaw 0 looks along +z and grows clockwise seen from above, pitch is positive downwards
      const look = new Vector3(
        -Math.sin(yaw!) * Math.cos(pitch!),
        -Math.sin(pitch!),
        Math.cos(yaw!) * Math.cos(pitch!),
      );
      const [x, y, z] = poses.positions.subarray(3 * row, 3 * row + 3);
      const middle = new Vector3(x, y! + 0.3, z);
      expect(neck.distanceTo(middle.addScaledVector(look, 0.25 * 1.8))).toBeLessThan(1e-3);
    }
    cast.dispose();
  });

  test("a figure stands where it is, as high as it is, with a leg ahead and the arm of that side behind", () => {
    const figures = new Figures(new Look(-1), BLOCKY);
    figures.begin();
    const straight = Float32Array.of(0, 0, 0, 1);
    figures.put(5, 10, -3, straight, 0, straight, 0, 1.8, 0.5, 0, new Color("#ffffff"));
    figures.end();
    figures.see({ position: new Vector3(5, 12, 0), pixels: 600, seen: 600 });
    figures.object.updateMatrixWorld(true);
    const [trunk, head, arms, legs] = figures.object.children.map((part) => part.children[0] as InstancedMesh);
    expect([trunk!.count, head!.count, arms!.count, legs!.count]).toEqual([1, 1, 2, 2]);
    const at = (mesh: InstancedMesh, i: number, point: Vector3): Vector3 => {
      const matrix = new Matrix4();
      mesh.getMatrixAt(i, matrix);
      return point.applyMatrix4(matrix);
    };
    expect(at(head!, 0, new Vector3(0, 8 / 32, 0)).toArray()).toEqual([5, 11.8, -3].map((n) => expect.closeTo(n, 5)));
    const foot = at(legs!, 0, new Vector3(0, -12 / 32, 0));
    const hand = at(arms!, 0, new Vector3(0, -12 / 32, 0));
    expect(foot.z).toBeLessThan(-3);
    expect(foot.x).toBeGreaterThan(5.1);
    expect(hand.x).toBeLessThan(4.9);
    figures.dispose();
  });

  test.each([
    ["blocky", BLOCKY],
    ["round", ROUND],
  ])("a %s figure is one shape of few corners from afar, and only as the camera tells", (_, build) => {
    const figures = new Figures(new Look(-1), build);
    const straight = Float32Array.of(0, 0, 0, 1);
    const counts = (): number[] => figures.object.children.map((part) => (part.children[0] as InstancedMesh).count);
    const put = (): void => {
      figures.begin();
      for (let i = 0; i < 40; i++) {
        figures.put(10 * i, 0, 0, straight, 0, straight, 0, 2, 0.5, 0, new Color("#ffffff"));
      }
      figures.end();
    };
    put();
    const pixels = 600;
    const eye = { position: new Vector3(0, 0, 0), pixels, seen: pixels };
    figures.see(eye);
    const near = Math.floor((2 * pixels) / LOW / 10) + 1;
    expect(counts()).toEqual([near, near, 2 * near, 2 * near, 40 - near]);
    // Only the camera has moved.
    figures.see({ position: new Vector3(-1000, 0, 0), pixels, seen: pixels });
    expect(counts()).toEqual([0, 0, 0, 0, 40]);
    put();
    figures.see({ position: new Vector3(-1000, 0, 0), pixels, seen: pixels });
    expect(counts()).toEqual([0, 0, 0, 0, 40]);
    figures.see({ position: new Vector3(200, 0, 0), pixels: 1e6, seen: 1e6 });
    expect(counts()).toEqual([40, 40, 80, 80, 0]);

    const far = (figures.object.children[4]!.children[0] as InstancedMesh).geometry;
    expect(far.getAttribute("position").count).toBeLessThanOrEqual(120);
    expect(far.getAttribute("limb").count).toBe(far.getAttribute("position").count);
    far.computeBoundingBox();
    const { min, max } = far.boundingBox!;
    expect(min.y).toBeCloseTo(0, 1);
    expect(max.y).toBeCloseTo(1, 1);
    figures.dispose();
  });
});

describe("checkpoints", () => {
  const RACE = new Uint8Array(readFileSync(example("race.hcrp")));
  const { signal } = new AbortController();
  const passingsOf = async (isReading: boolean): Promise<readonly Passing[]> => {
    const engine = new Engine();
    const place = { kind: "files", name: "race.hcrp", files: [new File([RACE], "race.hcrp")] } as const;
    const { recording } = await engine.open(place, signal, () => undefined);
    return passings(engine, { recording, isReading }, signal, () => undefined);
  };

  test("are where they are passed first, and known without reading what happened", async () => {
    const found = await passingsOf(false);
    expect(found.length).toBe(20);
    expect(found[0]).toMatchObject({ time: 11.75e9, entity: 5, checkpoint: "checkpoint 1" });
    const firsts = found.filter(({ place }) => place !== null);
    expect(firsts.map(({ checkpoint }) => checkpoint)).toEqual([
      "checkpoint 1",
      "checkpoint 2",
      "checkpoint 3",
      "finish",
    ]);
    await using recording = await open(RACE);
    for (const { time, entity, place } of firsts) {
      const { ids, columns } = (await recording.state(time)).sets.get("players")!;
      const at = 3 * ids.indexOf(entity);
      expect(place).toEqual([...columns.get("position")!.data.slice(at, at + 3)]);
    }
  });

  test("are all seen from the start; those that were passed are of another colour", async () => {
    await using recording = await open(RACE);
    const cast = new Cast(new Origin(), -1);
    cast.mark(await passingsOf(true));
    const flags = (): { count: number; colors: number } => {
      const found: InstancedMesh[] = [];
      cast.object.traverse((object) => {
        if ("isInstancedMesh" in object) found.push(object as InstancedMesh);
      });
      // Poles come before flags, both as many as there are checkpoints.
      const mesh = found.filter(({ count }) => count === 4).at(-1)!;
      const { array } = mesh.instanceColor!;
      return { count: mesh.count, colors: new Set([0, 1, 2, 3].map((i) => array.slice(3 * i, 3 * i + 3).join())).size };
    };
    const splits: string[] = [];
    for (const [seconds, colors] of [
      [0, 1],
      [21, 2],
      [44, 1],
      [0, 1],
    ] as const) {
      const state = await recording.state(seconds * 1e9);
      cast.show(state);
      expect(flags()).toEqual({ count: 4, colors });
      const { crowd, row } = principal(cast.crowds)!;
      splits.push(...crowd.readings(row, state).flatMap(({ label, unit }) => (unit === "s" ? [label] : [])));
    }
    expect(splits).toEqual(["checkpoint 2", "finish"]);
    cast.dispose();
  });
});

describe("readings", () => {
  const readingsOf = async (name: string): Promise<Record<string, string>> => {
    const state = await stateOf(name);
    const cast = new Cast(new Origin(), -1);
    cast.show(state);
    const { crowd, row } = principal(cast.crowds)!;
    const reported = crowd
      .readings(row, state)
      .map((reading) => [`${reading.label} ${reading.unit}`.trim(), readingText(reading)]);
    cast.dispose();
    return Object.fromEntries(reported) as Record<string, string>;
  };
  const column = (state: State, set: string, id: number | string, name: string, item = 0): number => {
    const { ids, columns } = state.sets.get(set)!;
    const { data, width } = columns.get(name)!;
    return data[ids.indexOf(id) * width + item] as number;
  };

  test("of an aircraft are its instruments", async () => {
    const state = await stateOf("flight.fgtape");
    const value = (name: string): number => state.values.get(name) as number;
    expect(await readingsOf("flight.fgtape")).toEqual({
      "airspeed kt": value("/velocities/airspeed-kt").toFixed(0),
      "altitude ft": column(state, "aircraft", "self", "geodetic", 2).toFixed(0),
      "heading °": value("/orientation/heading-deg").toFixed(0),
      "vertical speed ft/min": (60 * value("/velocities/vertical-speed-fps")).toFixed(0).replace("-", "−"),
    });
  });

  test("of a vehicle are in km/h", async () => {
    const state = await stateOf("town.log");
    const [hero] = state.sets.get("vehicles")!.ids;
    const speed = Math.hypot(...[0, 1, 2].map((item) => column(state, "vehicles", hero!, "velocity", item)));
    expect(await readingsOf("town.log")).toMatchObject({ "speed km/h": (speed * 3.6).toFixed(0) });
  });

  test("of a simulation are its energies, of a robot its battery, of a player the height", async () => {
    const { values } = await stateOf("buckyball.nanover.zip");
    expect(await readingsOf("buckyball.nanover.zip")).toMatchObject({
      "kinetic kJ/mol": (values.get("energy.kinetic") as number).toFixed(1),
      "potential kJ/mol": (values.get("energy.potential") as number).toFixed(1),
    });
    expect(await readingsOf("patrol.tape")).toMatchObject({ "battery %": "92" });
    const race = await stateOf("race.hcrp");
    const [first] = race.sets.get("players")!.ids;
    const height = column(race, "players", first!, "position", 1).toFixed(1);
    expect(await readingsOf("race.hcrp")).toMatchObject({ "height blocks": height });
  });

  test("are reported without a sign where there is nothing", () => {
    const text = (value: number): string => readingText({ label: "", value, unit: "", digits: 1 });
    expect([text(-0.01), text(-2.25), text(1204)]).toEqual(["0.0", "−2.3", "1204.0"]);
  });
});

describe("picking and cameras", () => {
  test.each(EXAMPLES)("what %s is about fills the first view", async (name) => {
    const cast = new Cast(new Origin(), -1);
    cast.show(await stateOf(name));
    const box = new Box3();
    cast.frame(box);
    const spot = principal(cast.crowds)!;
    const inside = placeOf(spot.crowd, spot.row, new Vector3());
    // Those who look at a molecule may stand beside it.
    if (name.startsWith("buckyball")) {
      const atoms = cast.crowds.find(({ set }) => set === "particles")!;
      for (let row = 0; row < atoms.poses.count; row++) {
        expect(box.containsPoint(placeOf(atoms, row, new Vector3()))).toBe(true);
      }
      expect(box.getSize(new Vector3()).length()).toBeLessThan(2);
    } else {
      expect(box.containsPoint(inside)).toBe(true);
    }
    cast.dispose();
  });

  test("it is about what goes far, before what stands still; sets that are foremost come first", () => {
    const cast = new Cast(new Origin(), -1);
    cast.show(
      stateWith({
        posts: oneSet([1, 2], [0, 0, 0, 5, 0, 0]),
        drones: oneSet([7, 8, 9], [0, 0, -10, 0, 0, -20, 3, 0, -10]),
      }),
    );
    cast.object.updateMatrixWorld();
    const ways = new Ways();
    const about = (foremost: readonly string[] = []): string => {
      const { crowd, row } = principal(cast.crowds, foremost, (spot) => ways.moves(spot))!;
      return `${crowd.set} ${crowd.poses.ids[row]}`;
    };
    expect([about(), about(["drones"])]).toEqual(["posts 1", "drones 7"]);
    const go = (set: string, id: number, length: number): void => {
      const places = Float32Array.of(0, 0, 0, length / 2, 0, 0, length, 0, 0);
      ways.set(0, cast, set, id, { times: Float64Array.of(0, 1e9, 2e9), places }, 0);
    };
    go("posts", 1, 0);
    // of the others nothing is known
    expect(about()).toBe("drones 7");
    go("drones", 8, 0.01);
    expect(about()).toBe("posts 1");
    go("drones", 9, 80);
    expect([about(), about(["posts"])]).toEqual(["drones 9", "drones 9"]);
    go("posts", 2, 80);
    expect([about(["posts"]), about(["drones"])]).toEqual(["posts 2", "drones 9"]);
    ways.clear();
    cast.dispose();
  });

  test("a ray takes the nearest thing, and small ones within some pixels", () => {
    const cast = new Cast(new Origin(), -1);
    cast.show(stateWith({ drones: oneSet([1, 2, 3], [0, 0, -10, 0, 0, -20, 3, 0, -10]) }));
    cast.object.updateMatrixWorld();
    const ray = new Ray(new Vector3(), new Vector3(0, 0, -1));
    expect(pick(ray, cast.crowds, 0.001)?.row).toBe(0);
    expect(pick(new Ray(new Vector3(), new Vector3(0.31, 0, -1).normalize()), cast.crowds, 0.001)?.row).toBe(2);
    expect(pick(new Ray(new Vector3(), new Vector3(0, 1, 0)), cast.crowds, 0.001)).toBeNull();
    cast.dispose();
  });

  test.each([0.5, 1, 4])("a box is seen as a whole in a view of aspect %d", (aspect) => {
    const camera = new PerspectiveCamera(45, aspect, 0.1, 1e4);
    const box = new Box3(new Vector3(-20, 0, -5), new Vector3(20, 3, 5));
    const from = new Vector3(0.62, 0.5, 0.75).normalize();
    const middle = box.getCenter(new Vector3());
    camera.position.copy(middle).addScaledVector(from, distanceFor(box, from, camera));
    camera.lookAt(middle);
    camera.updateMatrixWorld();
    for (const x of [-20, 20]) {
      for (const y of [0, 3]) {
        for (const z of [-5, 5]) {
          const seen = new Vector3(x, y, z).project(camera);
          expect(Math.max(Math.abs(seen.x), Math.abs(seen.y))).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  test("lines of the ground are as wide apart as the view asks for", () => {
    expect([1, 10, 30, 400].map((distance) => stepFor(distance))).toEqual([0.1, 1, 1, 100]);
  });
});

describe("ways and gaps", () => {
  const line = (item: number, value: number[]) => ({
    path: { set: "cars", id: 1, column: "position", item },
    unit: "cm",
    text: `cars/1/position.${"xyz"[item]}`,
    kind: "number" as const,
    interpolation: "linear" as const,
    time: Float64Array.from(value.keys()).map((second) => second * 1e9),
    value: Float64Array.from(value),
    valid: new Uint8Array(value.length).fill(1),
    texts: null,
    moments: value.length,
  });
  const course = courseOf(
    [line(0, [0, 1000, 2000]), line(1, [0, 0, 0]), line(2, [0, 0, 0])],
    { handed: "left", up: "z", kind: "local" },
    new Origin(),
  )!;

  test("a course is in metres, and tells when it passed a place", () => {
    expect(course.places.at(-3)).toBeCloseTo(20, 3);
    expect(passing(course, 5, 0, 0, 10, 0) / 1e9).toBeCloseTo(0.5, 3);
    expect(passing(course, 5, 50, 0, 10, 0)).toBeNaN();
  });

  test.each([
    ["m", 46.5],
    ["ft", 46.5 / 0.3048],
  ])("a course on the earth is as high as its heights in %s say", (unit, height) => {
    const lineOf = (item: number, value: number[], of: string) => {
      const path = { set: "cars", id: 1, column: "geodetic", item };
      return { ...line(item, value), path, unit: of };
    };
    const lines = [
      lineOf(0, [54, 54.001], "deg"),
      lineOf(1, [10, 10], "deg"),
      lineOf(2, [height, height], unit),
    ] as const;
    const { places } = courseOf(lines, { handed: "right", up: "z", kind: "geodetic" }, new Origin())!;
    expect(places[1]).toBeCloseTo(46.5, 3);
  });

  test("of laps the one that is now counts, and who waits where another waits is level", () => {
    // There, back beside it, there again; then it stays for two seconds.
    const laps = {
      times: Float64Array.of(0, 10, 11, 21, 22, 32, 33, 34),
      places: Float32Array.of(0, 0, 0, 100, 0, 0, 100, 0, 60, 0, 0, 60, 0, 0, 1, 100, 0, 1, 100, 0, 1, 100, 0, 1),
    };
    expect(passing(laps, 30, 0, 0, 25, 1)).toBeCloseTo(3, 1);
    expect(passing(laps, 30, 0, 0, 25, 26)).toBeCloseTo(25, 1);
    expect(passing(laps, 100, 0, 1, 25, 33.25)).toBeCloseTo(33.25, 6);
    expect(passing(laps, 50, 30, -30, 25, 0)).toBeNaN();
  });

  test("a gap is in seconds of what plays, whatever the ghost's own rate", () => {
    const spotAt = (x: number): Spot =>
      ({ crowd: { poses: { positions: Float32Array.of(x, 0, 0) }, frame: new Object3D() }, row: 0 }) as unknown as Spot;
    for (const [rate, seconds] of [
      [1, 0.5],
      [2, 0.25],
      [0.5, 1],
    ] as const) {
      const gap = gapTo(spotAt(5), spotAt(10), { time: 1e9, rate }, course);
      expect(gap.metres).toBe(5);
      expect(gap.seconds).toBeCloseTo(seconds, 3);
    }
  });

  test("no thing is drawn along a leap", () => {
    const leap = {
      times: Float64Array.of(0, 1, 2, 3),
      places: Float32Array.of(0, 0, 0, 1, 0, 0, 100, 0, 0, 101, 0, 0),
    };
    expect(runsOf(leap)).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  test.each([
    [{ metres: 8.25, seconds: 1.24 }, "1.24 s ahead · 8.25 m"],
    [{ metres: 83.31, seconds: -3 }, "3.00 s behind · 83.3 m"],
    [{ metres: 0, seconds: 0.001 }, "level · 0.00 m"],
    [{ metres: 2500, seconds: Number.NaN }, "2.50 km"],
  ])("%j is reported as %s", (gap, text) => {
    expect(gapText(gap)).toBe(text);
  });
});

test("the examples are there", () => {
  for (const name of EXAMPLES) expect(existsSync(example(name))).toBe(true);
});

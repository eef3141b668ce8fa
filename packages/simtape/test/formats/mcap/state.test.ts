import { parse } from "@foxglove/rosmsg";
import { MessageWriter as CdrWriter } from "@foxglove/rosmsg2-serialization";
import { MessageWriter as Ros1Writer } from "@foxglove/rosmsg-serialization";
import { expect, test } from "vitest";
import { mcap } from "../../../src/formats/mcap/format.ts";
import { strayFrames } from "../../../src/formats/mcap/meaning/stray-frames.ts";
import { check, FORMATS, MemoryFiles, type Recording, type State } from "../../../src/index.ts";
import { openFiles } from "../../../src/testing/observe.ts";
import { type Content, makeMcap } from "../../fixtures/mcap/make.ts";
import { patrol } from "../../fixtures/mcap/patrol.ts";

const formats = [...FORMATS.filter(({ id }) => id !== "mcap"), mcap];
const TEXT = new TextEncoder();

async function opened(content: Content): Promise<Recording> {
  return openFiles({ "a.mcap": await makeMcap(content, { chunk: 20 }) }, formats);
}

/** Cells of a thing, by column. */
function thing(state: State, set: string, id: string): Record<string, unknown> {
  const { ids, columns } = state.sets.get(set)!;
  const row = ids.indexOf(id);
  return Object.fromEntries(
    [...columns]
      .filter(([name]) => !name.startsWith("."))
      .map(([name, { data, width }]) => [
        name,
        width === 1 ? data[row] : [...data].slice(row * width, (row + 1) * width),
      ]),
  );
}

test("schemas of Foxglove become poses, frames, entities and places", async () => {
  await using recording = await opened(patrol());
  const { end } = await recording.timeline();
  const state = await recording.state(end);
  const i = 29;
  const position = [i / 10, Math.sin(i / 5), 0.5];
  const [s, c] = [Math.sin(i / 40), Math.cos(i / 40)];
  expect(thing(state, "poses", "/pose")).toMatchObject({ position, orientation: [0, 0, s, c], frame: "map" });
  expect(thing(state, "frames", "base")).toMatchObject({ position, parent: "map" });
  // the laser stands 0.2 m before the base and 0.1 m above it, and is turned twice
  const laser = thing(state, "frames", "laser");
  const angle = 2 * Math.atan2(s, c);
  const expected = [position[0]! + 0.2 * Math.cos(angle), position[1]! + 0.2 * Math.sin(angle), 0.6];
  for (let k = 0; k < 3; k++) expect((laser["position"] as number[])[k]).toBeCloseTo(expected[k]!, 12);
  expect((laser["orientation"] as number[])[2]).toBeCloseTo(Math.sin(angle), 12);
  expect(state.sets.get("scene")!.ids).toEqual(["box 0", "box 1", "box 2"]);
  expect(thing(state, "scene", "box 2")).toMatchObject({ kind: "cube", size: [1, 2, 3], frame: "map" });
  expect(thing(state, "fixes", "/fix")).toMatchObject({ geodetic: [51 + 25 / 1e5, 7.5, 120], frame: "gps" });
  expect(state.sets.get("poses")!.ids).toEqual(["/path[0]", "/path[1]", "/pose"]);
  expect(state.values.get("/battery")).toEqual({ volts: 24 - 28 / 100, isCharging: false });
  expect(state.values.get("/scan")).toMatchObject({ ranges: [1, 2, 28] });
  expect(state.values.has("/raw")).toBe(false);
});

test("a deletion takes an entity away, and going back brings it again", async () => {
  await using recording = await opened(patrol());
  const at = async (seconds: number): Promise<readonly (string | number)[]> => {
    const { start } = await recording.timeline();
    return (await recording.state(start + seconds * 1e9)).sets.get("scene")?.ids ?? [];
  };
  // time 0 is the first message, 50 ms before the robot starts
  expect(await at(1.4)).toEqual(["box 0", "box 1", "box 2"]);
  expect(await at(1.6)).toEqual(["box 0", "box 2"]);
  expect(await at(1.4)).toEqual(["box 0", "box 1", "box 2"]);
  expect(await at(0.3)).toEqual(["box 0"]);
});

test("lines of logs are events, by how grave they are", async () => {
  await using recording = await opened(patrol());
  const events = [];
  for await (const some of recording.events()) for (const { kind, text } of some) events.push([kind, text]);
  expect(events).toEqual([
    ["error", "driver: line 3"],
    ["error", "driver: line 13"],
    ["error", "driver: line 23"],
  ]);
});

const POSE = `std_msgs/Header header
geometry_msgs/Pose pose
================================================================================
MSG: std_msgs/Header
STAMP
string frame_id
================================================================================
MSG: geometry_msgs/Pose
geometry_msgs/Point position
geometry_msgs/Quaternion orientation
================================================================================
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
================================================================================
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
`;

test("poses of ROS 1 and ROS 2 become the same state", async () => {
  const pose = { position: { x: 1, y: 2, z: 3 }, orientation: { x: 0, y: 0, z: 0, w: 1 } };
  const ros1 = POSE.replace("STAMP", "uint32 seq\ntime stamp");
  const ros2 = POSE.replace("STAMP", "builtin_interfaces/Time stamp");
  const time =
    "================================================================================\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";
  const stamp = { sec: 1, nsec: 2 };
  const data1 = new Ros1Writer(parse(ros1)).writeMessage({ header: { seq: 1, stamp, frame_id: "odom" }, pose });
  const data2 = new CdrWriter(parse(ros2 + time, { ros2: true })).writeMessage({
    header: { stamp, frame_id: "odom" },
    pose,
  });
  await using recording = await opened({
    channels: [
      { id: 0, topic: "/one", encoding: "ros1", schema: ["geometry_msgs/PoseStamped", "ros1msg", TEXT.encode(ros1)] },
      {
        id: 1,
        topic: "/two",
        encoding: "cdr",
        schema: ["geometry_msgs/msg/PoseStamped", "ros2msg", TEXT.encode(ros2)],
      },
    ],
    messages: [
      { channel: 0, time: 5n, data: data1 },
      { channel: 1, time: 6n, data: data2 },
    ],
  });
  // times that are not since 1970 are taken as they are
  expect(await recording.timeline()).toMatchObject({ start: 5, end: 6, epoch: null });
  const state = await recording.state(6);
  const expected = { position: [1, 2, 3], orientation: [0, 0, 0, 1], frame: "odom" };
  expect(thing(state, "poses", "/one")).toEqual(expected);
  expect(thing(state, "poses", "/two")).toEqual(expected);
});

test("what a cut begins with gives the state at its beginning", async () => {
  await using recording = await opened(patrol());
  const { start, end } = await recording.timeline();
  const writing = await mcap.writing();
  for (const part of [0.1, 0.45, 0.56, 0.9]) {
    const time = Math.round(start + (end - start) * part);
    const messages = await writing.restate(recording.reader, time);
    const to = new MemoryFiles("cut.mcap");
    const writer = await writing.create(to, { like: recording.reader });
    for (const { channel, payload } of messages) {
      writer.write(writer.channel({ ...channel, schema: recording.channels[channel.id]!.schema.name }), time, payload);
    }
    await writer.close();
    await using cut = await openFiles({ "cut.mcap": to.bytes }, formats);
    const [before, after] = [await recording.state(time), await cut.state((await cut.timeline()).end)];
    expect(Object.fromEntries(after.values)).toEqual(Object.fromEntries(before.values));
    const sets = (state: State): unknown =>
      Object.fromEntries(
        [...state.sets].map(([name, { ids, columns }]) => [name, { ids, columns: Object.fromEntries(columns) }]),
      );
    expect(sets(after)).toEqual(sets(before));
    expect(messages.length).toBeLessThan(20);
  }
});

test("a pose is where the transforms put its frame, also when they change behind it and backwards", async () => {
  const json = (value: unknown): Uint8Array => TEXT.encode(JSON.stringify(value));
  const schema = (name: string): [string, string, Uint8Array] => [`foxglove.${name}`, "jsonschema", TEXT.encode("{}")];
  const turn = (angle: number): object => ({ x: 0, y: 0, z: Math.sin(angle / 2), w: Math.cos(angle / 2) });
  const moved = (parent: string, child: string, x: number, angle = 0): object => ({
    parent_frame_id: parent,
    child_frame_id: child,
    translation: { x, y: 0, z: 0 },
    rotation: turn(angle),
  });
  const pose = (frame: string): Uint8Array =>
    json({ frame_id: frame, pose: { position: { x: 1, y: 0, z: 0 }, orientation: turn(0) } });
  const box = { pose: { position: { x: 1, y: 0, z: 0 }, orientation: turn(0) }, size: { x: 1, y: 1, z: 1 } };
  const content: Content = {
    channels: [
      { id: 1, topic: "/tf_static", encoding: "json", schema: schema("FrameTransform") },
      { id: 2, topic: "/tf", encoding: "json", schema: schema("FrameTransforms") },
      { id: 3, topic: "/lidar", encoding: "json", schema: schema("PoseInFrame") },
      { id: 4, topic: "/stray", encoding: "json", schema: schema("PoseInFrame") },
      { id: 5, topic: "/rooted", encoding: "json", schema: schema("PoseInFrame") },
      { id: 6, topic: "/boxes", encoding: "json", schema: schema("SceneUpdate") },
    ],
    messages: [
      { channel: 3, time: 1n, data: pose("lidar") },
      { channel: 4, time: 1n, data: pose("nowhere") },
      { channel: 5, time: 1n, data: pose("map") },
      { channel: 6, time: 1n, data: json({ entities: [{ id: "box", frame_id: "lidar", cubes: [box] }] }) },
      { channel: 1, time: 2n, data: json(moved("base", "lidar", 10)) },
      { channel: 2, time: 3n, data: json({ transforms: [moved("map", "base", 100)] }) },
      { channel: 2, time: 4n, data: json({ transforms: [moved("map", "base", 200, Math.PI)] }) },
      { channel: 3, time: 5n, data: pose("lidar") },
    ],
  };
  await using recording = await opened(content);
  const expected = [1, 11, 111, 189, 189];
  for (const time of [5, 4, 3, 2, 1, 2, 3, 4, 5]) {
    const state = await recording.state(time);
    const at = thing(state, "poses", "/lidar")["position"] as number[];
    expect(at[0]).toBeCloseTo(expected[time - 1]!, 9);
    expect(at[1]).toBeCloseTo(0, 9);
    expect(thing(state, "poses", "/lidar")["frame"]).toBe("lidar");
    expect(thing(state, "scene", "box")).toMatchObject({ position: at, frame: "lidar" });
    expect(thing(state, "poses", "/stray")["position"]).toEqual([1, 0, 0]);
    expect(thing(state, "poses", "/rooted")["position"]).toEqual([1, 0, 0]);
  }
  const turned = thing(await recording.state(5), "poses", "/lidar")["orientation"] as number[];
  expect(Math.abs(turned[2]!)).toBeCloseTo(1, 9);
  const { status, findings } = await check(recording);
  expect(status).toBe("sound");
  expect(findings).toMatchObject([{ code: "missing-frame", severity: "warning" }]);
  expect(findings[0]!.message).toContain('"nowhere"');
});

test("of frames that no transform names, ten thousand are reported", async () => {
  const json = (value: unknown): Uint8Array => TEXT.encode(JSON.stringify(value));
  const schema = (name: string): [string, string, Uint8Array] => [`foxglove.${name}`, "jsonschema", TEXT.encode("{}")];
  const frames = Array.from({ length: 10_001 }, (_, i) => ({ frame_id: `frame ${i}` }));
  await using recording = await opened({
    channels: [
      { id: 1, topic: "/tf", encoding: "json", schema: schema("FrameTransform") },
      { id: 2, topic: "/path", encoding: "json", schema: schema("PosesInFrame") },
    ],
    messages: [
      { channel: 1, time: 1n, data: json({ parent_frame_id: "map", child_frame_id: "base" }) },
      { channel: 2, time: 2n, data: json({ poses: frames }) },
    ],
  });
  const stray = await strayFrames(recording.channels, (query) => recording.batches(query), undefined);
  expect(stray).toEqual(frames.slice(0, -1).map(({ frame_id: frame }) => ({ frame, channel: "/path" })));
});

test("an entity is gone when its lifetime has ended, and there again backwards", async () => {
  const json = (value: unknown): Uint8Array => TEXT.encode(JSON.stringify(value));
  const entity = (id: string, lifetime: object): object => ({ id, frame_id: "map", lifetime, cubes: [] });
  const update = (...entities: object[]): Uint8Array => json({ deletions: [], entities });
  const tf = json({ parent_frame_id: "map", child_frame_id: "base", translation: { x: 0, y: 0, z: 0 } });
  const second = 1_000_000_000n;
  const content: Content = {
    channels: [
      { id: 1, topic: "/scene", encoding: "json", schema: ["foxglove.SceneUpdate", "jsonschema", TEXT.encode("{}")] },
      { id: 2, topic: "/tf", encoding: "json", schema: ["foxglove.FrameTransform", "jsonschema", TEXT.encode("{}")] },
    ],
    messages: [
      { channel: 1, time: 0n, data: update(entity("stays", { sec: 0, nsec: 0 })) },
      {
        channel: 1,
        time: second,
        data: update(entity("brief", { sec: 1, nsec: 500_000_000 }), entity("long", { sec: 9, nsec: 0 })),
      },
      ...[2n, 3n, 4n].map((time) => ({ channel: 2, time: time * second, data: tf })),
      // said again, it begins again
      { channel: 1, time: 5n * second, data: update(entity("brief", { seconds: 2, nanos: 0 })) },
      ...[6n, 7n, 8n].map((time) => ({ channel: 2, time: time * second, data: tf })),
    ],
  };
  await using recording = await opened(content);
  const expected = [
    ["stays"],
    ["brief", "long", "stays"],
    ["brief", "long", "stays"],
    ["long", "stays"],
    ["long", "stays"],
    ["brief", "long", "stays"],
    ["brief", "long", "stays"],
    ["long", "stays"],
    ["long", "stays"],
  ];
  for (const at of [8, 7, 6, 5, 4, 3, 2, 1, 0, 3, 5, 7]) {
    const { ids } = (await recording.state(at * 1e9)).sets.get("scene")!;
    expect([...ids].map(String).sort(), `at ${at} s`).toEqual(expected[at]);
  }
  const writing = await mcap.writing();
  const messages = await writing.restate(recording.reader, 4e9);
  // the update that is all there is of "long" says "brief", too
  expect(messages).toHaveLength(3);
});

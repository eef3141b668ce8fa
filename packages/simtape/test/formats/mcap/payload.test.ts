import { create, createFileRegistry, type DescMessage, fromJson, toBinary } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { parse } from "@foxglove/rosmsg";
import { MessageWriter as Ros1Writer } from "@foxglove/rosmsg-serialization";
import { MessageWriter as CdrWriter } from "@foxglove/rosmsg2-serialization";
import { describe, expect, test } from "vitest";
import { decoderOf } from "../../../src/formats/mcap/meaning/payload.ts";
import { protobufDecoder } from "../../../src/formats/mcap/meaning/protobuf.ts";
import { cdrDecoder, ros1Decoder } from "../../../src/formats/mcap/meaning/ros.ts";
import { LayoutError } from "../../../src/index.ts";

// The payloads are made by other libraries.

const LINE = "=".repeat(80);

const POSE = `# a comment
Header header
uint8 MODE_FAST=1
string NAME=a # b
geometry_msgs/Pose pose
float64[3] offsets
float32[] ranges
string[] names
geometry_msgs/Point[] path
bool is_sound
bool[] flags
int8 small
int64 large
uint64[] counts
uint8[] data
TIMES
${LINE}
MSG: std_msgs/Header
HEADER
string frame_id
${LINE}
MSG: geometry_msgs/Pose
Point position
Quaternion orientation
${LINE}
MSG: geometry_msgs/Point
float64 x
float64 y
float64 z
${LINE}
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
`;

const content = {
  pose: { position: { x: 1, y: -2.5, z: 1e300 }, orientation: { x: 0, y: 0, z: 0.5, w: 0.25 } },
  offsets: Float64Array.of(1, 2, 3),
  ranges: Float32Array.of(0.5, 7),
  names: ["", "ä", "long enough to need a gap"],
  path: [
    { x: 1, y: 2, z: 3 },
    { x: 4, y: 5, z: 6 },
  ],
  is_sound: true,
  flags: [true, false, true],
  small: -3,
  large: -5n,
  counts: BigUint64Array.of(1n, 2n ** 60n),
  data: Uint8Array.of(1, 2, 3),
};
const read = { ...content, large: -5, counts: [1, 2n ** 60n] };

describe("ROS 1", () => {
  const text = POSE.replace("HEADER", "uint32 seq\ntime stamp").replace("TIMES", "time at\nduration took");
  const definition = new TextEncoder().encode(text);
  const value = {
    header: { seq: 7, stamp: { sec: 1, nsec: 2 }, frame_id: "map" },
    at: { sec: 3, nsec: 4 },
    took: { sec: -1, nsec: 5 },
  };

  test("payloads of another library have the values that it was given", () => {
    const payload = new Ros1Writer(parse(text)).writeMessage({ ...content, ...value });
    expect(ros1Decoder(definition, "a/Robot")!(payload)).toEqual({ ...read, ...value });
  });

  test("cut payloads are refused", () => {
    const payload = new Ros1Writer(parse(text)).writeMessage({ ...content, ...value });
    for (let end = 0; end < payload.length; end++) {
      expect(() => ros1Decoder(definition, "a/Robot")!(payload.subarray(0, end))).toThrow(LayoutError);
    }
  });
});

describe("ROS 2", () => {
  const text = POSE.replace("Header header", "std_msgs/Header header")
    .replace("HEADER", "builtin_interfaces/Time stamp")
    .replace("TIMES", "builtin_interfaces/Duration took\nstring<=5 short_name\nint32[<=3] few\nint32 usual 5")
    .replace("NAME=a # b", "NAME='a'");
  const definition = new TextEncoder().encode(text);
  const header = { stamp: { sec: 1, nanosec: 2 }, frame_id: "map" };
  // the writer of the library counts the letters of a text instead of its bytes
  const ascii = ["", "a", "long enough to need a gap"];
  const value = {
    header,
    names: ascii,
    took: { sec: -1, nanosec: 5 },
    short_name: "abc",
    few: Int32Array.of(1, -2),
    usual: 9,
  };
  // the writer of the library wants times with other names
  const written = {
    ...value,
    header: { ...header, stamp: { sec: 1, nsec: 2 } },
    took: { sec: -1, nsec: 5 },
  };
  const whole = `${text}${LINE}\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n${LINE}\nMSG: builtin_interfaces/Duration\nint32 sec\nuint32 nanosec\n`;

  test("payloads of another library have the values that it was given", () => {
    const payload = new CdrWriter(parse(whole, { ros2: true })).writeMessage({ ...content, ...written });
    expect(cdrDecoder(definition, "a/msg/Robot")!(payload)).toEqual({ ...read, ...value });
    expect(cdrDecoder(new TextEncoder().encode(whole), "a/msg/Robot")!(payload)).toEqual({ ...read, ...value });
  });

  test("a length that the payload does not have is refused before memory is taken", () => {
    const decode = cdrDecoder(new TextEncoder().encode("float64[] all"), "a/B")!;
    const payload = Uint8Array.of(0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
    expect(() => decode(payload)).toThrow(LayoutError);
    const empty = cdrDecoder(new TextEncoder().encode(`b/E[] all\n${LINE}\nMSG: b/E\n`), "a/B")!;
    expect(() => empty(payload)).toThrow(LayoutError);
  });

  test("what is no definition, or a type inside itself, is not decoded", () => {
    for (const wrong of ["wstring name", "???", `b/E e\n${LINE}\nMSG: b/E\nb/E e\n`, "Unknown one"]) {
      expect(cdrDecoder(new TextEncoder().encode(wrong), "a/B"), wrong).toBeNull();
    }
  });
});

describe("protobuf", () => {
  const { DOUBLE, FLOAT, INT32, INT64, UINT64, SINT32, SINT64, FIXED32, FIXED64, SFIXED64, BOOL, STRING, BYTES } = Type;
  const scalars = {
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    UINT64,
    SINT32,
    SINT64,
    FIXED32,
    FIXED64,
    SFIXED64,
    BOOL,
    STRING,
    BYTES,
  };
  const one = Object.entries(scalars).map(([name, type], i) => ({
    name: name.toLowerCase(),
    number: i + 1,
    type,
    label: Label.OPTIONAL,
  }));
  const many = one.map(({ name, number, type }) => ({
    name: `${name}s`,
    number: number + 100,
    type,
    label: Label.REPEATED,
  }));
  const file = create(FileDescriptorProtoSchema, {
    name: "a.proto",
    package: "a.b",
    syntax: "proto3",
    enumType: [
      {
        name: "Mode",
        value: [
          { name: "SLOW", number: 0 },
          { name: "FAST", number: 3 },
        ],
      },
    ],
    messageType: [
      {
        name: "All",
        field: [
          ...one,
          ...many,
          { name: "mode", number: 300, type: Type.ENUM, typeName: ".a.b.Mode", label: Label.OPTIONAL },
          { name: "inner", number: 301, type: Type.MESSAGE, typeName: ".a.b.All.Inner", label: Label.OPTIONAL },
          { name: "inners", number: 302, type: Type.MESSAGE, typeName: ".a.b.All.Inner", label: Label.REPEATED },
          { name: "map", number: 303, type: Type.MESSAGE, typeName: ".a.b.All.MapEntry", label: Label.REPEATED },
        ],
        nestedType: [
          { name: "Inner", field: [{ name: "x", number: 1, type: DOUBLE, label: Label.OPTIONAL }] },
          {
            name: "MapEntry",
            options: { mapEntry: true },
            field: [
              { name: "key", number: 1, type: STRING, label: Label.OPTIONAL },
              { name: "value", number: 2, type: INT32, label: Label.OPTIONAL },
            ],
          },
        ],
      },
    ],
  });
  const set = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [file] }));
  const type = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getMessage(
    "a.b.All",
  ) as DescMessage;
  const decode = protobufDecoder(set, "a.b.All")!;
  const some = {
    ...{ double: 1.5, float: 0.25, int32: -7, int64: "-9007199254740993", uint64: "18446744073709551615" },
    ...{ sint32: -2147483648, sint64: "-9223372036854775808", fixed32: 4294967295, fixed64: "5", sfixed64: "-6" },
    ...{ bool: true, string: "ä", bytes: "AQI=" },
  };

  test("payloads of another library have the values that it was given", () => {
    const lists = Object.fromEntries(Object.entries(some).map(([name, value]) => [`${name}s`, [value, value]]));
    const json = { ...some, ...lists, mode: "FAST", inner: { x: 2 }, inners: [{ x: 1 }, {}], map: { a: 1, b: 0 } };
    const payload = toBinary(type, fromJson(type, json));
    const exact = {
      ...{ double: 1.5, float: 0.25, int32: -7, int64: -9007199254740993n, uint64: 18446744073709551615n },
      ...{ sint32: -2147483648, sint64: -9223372036854775808n, fixed32: 4294967295, fixed64: 5, sfixed64: -6 },
      ...{ bool: true, string: "ä", bytes: Uint8Array.of(1, 2) },
    };
    expect(decode(payload)).toEqual({
      ...exact,
      ...Object.fromEntries(Object.entries(exact).map(([name, value]) => [`${name}s`, [value, value]])),
      mode: 3,
      inner: { x: 2 },
      inners: [{ x: 1 }, { x: 0 }],
      map: { a: 1, b: 0 },
    });
  });

  test("what an empty message does not say is zero", () => {
    const value = decode(new Uint8Array(0)) as Record<string, unknown>;
    expect(value).toMatchObject({ double: 0, int64: 0, bool: false, string: "", doubles: [], mode: 0 });
    expect("inner" in value).toBe(false);
  });

  test("cut payloads are refused, or are shorter", () => {
    const payload = toBinary(type, fromJson(type, { ...some, inners: [{ x: 1 }] }));
    for (let end = 0; end < payload.length; end++) {
      try {
        decode(payload.subarray(0, end));
      } catch (error) {
        expect(error).toBeInstanceOf(LayoutError);
      }
    }
  });

  test("a set without the type, or what is no set, is not decoded", () => {
    expect(protobufDecoder(set, "a.b.Other")).toBeNull();
    expect(() => protobufDecoder(Uint8Array.of(0x0a, 0x7f), "a")).toThrow(LayoutError);
  });
});

describe("payloads that need no schema", () => {
  const utf8 = new TextEncoder();
  const nested = {
    json: (depth: number) => utf8.encode(`${"[".repeat(depth)}1${"]".repeat(depth)}`),
    cbor: (depth: number) => Uint8Array.from({ length: depth + 1 }, (_, i) => (i < depth ? 0x81 : 1)),
    msgpack: (depth: number) => Uint8Array.from({ length: depth + 1 }, (_, i) => (i < depth ? 0x91 : 1)),
  };

  const decode = async (encoding: string, payload: Uint8Array): Promise<unknown> => {
    const channel = { id: 1, schema: 0, topic: "/a", encoding, metadata: [] };
    return (await decoderOf({ channel, schema: null } as never))!(payload);
  };

  test.each(Object.entries(nested))(
    "%s nests no deeper than what shows and compares it can follow",
    async (name, of) => {
      expect(await decode(name, of(100))).toBeInstanceOf(Array);
      for (const depth of [200, 20_000, 2_000_000]) await expect(decode(name, of(depth))).rejects.toThrow(LayoutError);
    },
  );

  test("brackets in texts, and one beside the other, are not depth", async () => {
    for (const value of [
      Array.from({ length: 500 }, () => [{}]),
      `${"[{".repeat(400)}"\\`,
      { '["': ["[".repeat(300)] },
    ])
      expect(await decode("json", utf8.encode(JSON.stringify(value)))).toEqual(value);
  });
});

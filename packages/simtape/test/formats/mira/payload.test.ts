import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMira, type PayloadSchema } from "../../../src/formats/mira/format.ts";
import { settleEncodings } from "../../../src/formats/mira/meaning/encoding.ts";
import { fitsPayload } from "../../../src/formats/mira/meaning/fits.ts";
import { decodePayload, type Encoding } from "../../../src/formats/mira/meaning/payload.ts";
import { TypeRegistry } from "../../../src/formats/mira/meaning/types.ts";
import { LayoutError, open as openRecording, type Recording, type Value } from "../../../src/index.ts";
import { ByteBuilder } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";
import { patrol } from "../../fixtures/mira/make.ts";
import { makeTape } from "../../fixtures/mira/tape.ts";

const PLAIN: Encoding = { isLittle: true, prefix: 0, slotBytes: 0, slots: "versioned", countBytes: 4, isLatest: true };
const registry = new TypeRegistry();

function decode(type: string, payload: Uint8Array, encoding: Partial<Encoding> = {}): Value {
  return decodePayload(payload, registry.layouts(type)[0]!, { ...PLAIN, ...encoding });
}

const bytes = (build: (builder: ByteBuilder) => void): Uint8Array => {
  const builder = new ByteBuilder();
  build(builder);
  return builder.take();
};

describe("types", () => {
  test.each<[string, (builder: ByteBuilder) => void, Value]>([
    ["bool", (b) => b.u8(1), true],
    ["char", (b) => b.i8(-3), -3],
    ["uint8", (b) => b.u8(200), 200],
    ["short", (b) => b.i16le(-300), -300],
    ["unsigned short", (b) => b.u16le(60_000), 60_000],
    ["int", (b) => b.i32le(-70_000), -70_000],
    ["unsigned int", (b) => b.u32le(4_000_000_000), 4_000_000_000],
    ["int64", (b) => b.i64le(-5_000_000_000), -5_000_000_000],
    ["uint64", (b) => b.bigI64le(-1n), 0xffff_ffff_ffff_ffffn],
    ["float", (b) => b.f32le(0.5), 0.5],
    ["double", (b) => b.f64le(0.1), 0.1],
    ["std::string", (b) => b.u32le(3).utf8("abc"), "abc"],
    ["std::vector<float>", (b) => b.u32le(2).f32le(1).f32le(2), Float32Array.of(1, 2)],
    ["std::vector<unsigned short, std::allocator<unsigned short> >", (b) => b.u32le(1).u16le(9), Uint16Array.of(9)],
    ["std::vector<std::string>", (b) => b.u32le(2).u32le(1).utf8("a").u32le(0), ["a", ""]],
    ["std::vector<int64>", (b) => b.u32le(1).i64le(-2), [-2]],
    ["std::list<std::vector<int>>", (b) => b.u32le(1).u32le(1).i32le(-2), [Int32Array.of(-2)]],
    ["std::map<std::string, double>", (b) => b.u32le(1).u32le(1).utf8("k").f64le(2), [["k", 2]]],
    ["std::pair<bool, int>", (b) => b.u8(0).i32le(4), { first: false, second: 4 }],
    ["mira::Buffer<uint8>", (b) => b.i64le(2).u8(1).u8(2), Uint8Array.of(1, 2)],
    ["double[3]", (b) => b.f64le(1).f64le(2).f64le(3), Float64Array.of(1, 2, 3)],
    ["mira::Point3f", (b) => b.f32le(1).f32le(2).f32le(3), { x: 1, y: 2, z: 3 }],
    ["mira::Point< double, 2 >", (b) => b.f64le(1).f64le(2), { x: 1, y: 2 }],
    ["mira::SignedAngle<float>", (b) => b.f32le(-90), -90],
    ["mira::Pose2", (b) => b.f32le(1).f32le(2).f32le(3), { x: 1, y: 2, phi: 3 }],
  ])("%s", (type, build, value) => {
    const payload = bytes(build);
    expect(decode(type, payload)).toEqual(value);
    expect(() => decode(type, payload.subarray(0, -1))).toThrow(LayoutError);
    expect(() => decode(type, new Uint8Array(Buffer.concat([payload, Buffer.alloc(1)])))).toThrow(LayoutError);
  });

  test("unknown ones have no layout, whatever their names", () => {
    for (const name of [
      "",
      "constructor",
      "__proto__",
      "toString",
      "Foo",
      "vector<>",
      "vector<Foo>",
      "<",
      ">",
      "vector<",
      "a<b",
    ]) {
      expect(registry.layouts(name), name).toEqual([]);
    }
    expect(registry.layouts(`${"vector<".repeat(5000)}int${">".repeat(5000)}`)).toEqual([]);
    expect(registry.layouts("vector<raw(0)>")).toEqual([]);
    expect(registry.layouts("raw(0)[999999999]")).toEqual([]);
  });

  test("a rotation in space is four numbers or three, whichever fits", () => {
    expect(registry.layouts("mira::Pose3")).toHaveLength(2);
    const [quaternion, angles] = registry.layouts("mira::Pose3");
    expect(fitsPayload(new Uint8Array(28), quaternion!, PLAIN)).toBe(true);
    expect(fitsPayload(new Uint8Array(28), angles!, PLAIN)).toBe(false);
    expect(fitsPayload(new Uint8Array(24), angles!, PLAIN)).toBe(true);
  });

  test("what fits decodes; what decodes fits, where no value can be implausible", () => {
    const types = ["map<string,vector<uint16>>", "vector<vector<int64>>", "pair<bool,string>", "mira::Buffer<uint8>"];
    const parts = fc.array(fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 0x41, 0xc3, 0xa9, 0xff), { maxLength: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...types), parts, fc.nat(2), fc.boolean(), (type, content, prefix, isLittle) => {
        const [layout] = registry.layouts(type);
        for (const countBytes of [4, 8] as const) {
          const encoding = { ...PLAIN, countBytes, prefix, isLittle };
          const payload = Uint8Array.from(content);
          let isDecoded = true;
          try {
            decodePayload(payload, layout!, encoding);
          } catch {
            isDecoded = false;
          }
          expect(fitsPayload(payload, layout!, encoding)).toBe(isDecoded);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("random bytes decode to a value or to a typed error, and a claimed count asks for no memory", () => {
    const types = [
      "vector<vector<uint8>>",
      "map<string,vector<double>>",
      "mira::robot::RangeScan",
      "vector<string>",
      "Pose3",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.uint8Array({ maxLength: 200 }), fc.nat(6), (type, payload, prefix) => {
        for (const countBytes of [4, 8] as const) {
          try {
            decode(type, payload, { countBytes, prefix });
          } catch (error) {
            expect(error).toBeInstanceOf(LayoutError);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("the encoding is found by exact consumption", () => {
  const scanLayouts = registry.layouts("mira::robot::RangeScan");
  const scan = (encoding: Partial<Encoding>, version: number | null): Uint8Array =>
    bytes((b) => {
      b.zeros(encoding.prefix ?? 0);
      if (encoding.slotBytes === 1) b.u8(version ?? 0);
      if (encoding.slotBytes === 4) b.u32le(version ?? 0);
      for (let i = 1; i <= 7; i++) b.f32le(i);
      if (version === null || version >= 2) b.i64le(40_000_000);
      b.u32le(2).f32le(1.5).f32le(2.5).u32le(2).u16le(0).u16le(2).u32le(0).u32le(0);
    });

  test.each<[string, Partial<Encoding>, number | null]>([
    ["plain", {}, null],
    ["with a prefix", { prefix: 1 }, null],
    ["with class versions of one byte", { slotBytes: 1 }, 2],
    ["with class versions of four bytes and a prefix", { slotBytes: 4, prefix: 1 }, 2],
    ["of an older class", { slotBytes: 4 }, 1],
  ])("of a scan %s", (_name, encoding, version) => {
    const payload = scan(encoding, version);
    const { channels } = settleEncodings([{ layouts: scanLayouts, payloads: [payload] }], true);
    const { layout, encoding: found } = channels[0]!;
    const value = decodePayload(payload, layout, found) as { readonly [key: string]: Value };
    expect(value).toMatchObject({ startAngle: 1, maximumRange: 7, range: Float32Array.of(1.5, 2.5) });
    expect(value["scanTime"]).toBe(version === 1 ? undefined : 40_000_000);
    expect(value["valid"]).toEqual(Uint16Array.of(0, 2));
  });

  test("a channel of one number tells the prefix that other channels share", () => {
    const number = bytes((b) => b.u8(2).f32le(1.5));
    // One character zero, or a prefix and no character.
    const text = { layouts: registry.layouts("string"), payloads: [Uint8Array.of(1, 0, 0, 0, 0)] };
    const alone = settleEncodings([text], true);
    expect(alone.tape?.prefix).toBe(0);
    const { tape, channels } = settleEncodings(
      [text, { layouts: registry.layouts("float"), payloads: [number] }],
      true,
    );
    expect(tape).toMatchObject({ prefix: 1, isLittle: true, countBytes: 4 });
    expect(channels.map((channel) => channel?.encoding.prefix)).toEqual([1, 1]);
  });

  test("counts of eight bytes and the other byte order are reported", () => {
    const payloads = [bytes((b) => b.zeros(7).u8(2).f64be(1.5).f64be(-2))];
    const { tape } = settleEncodings([{ layouts: registry.layouts("vector<double>"), payloads }], true);
    expect(tape).toMatchObject({ countBytes: 8, isLittle: false, prefix: 0 });
  });

  test("nothing fits what has another layout", () => {
    const { tape, channels } = settleEncodings(
      [{ layouts: registry.layouts("float"), payloads: [new Uint8Array(100)] }],
      true,
    );
    expect(tape).toBe(null);
    expect(channels).toEqual([null]);
  });
});

describe("a tape", () => {
  const open = (tape: Uint8Array, schemas: readonly PayloadSchema[] = []): Promise<Recording> =>
    openRecording(bundleOfFiles({ "a.tape": tape }), { formats: [createMira({ schemas })] });
  const valuesOf = async (recording: Recording, channel: string): Promise<Value[]> => {
    const values: Value[] = [];
    for await (const { value } of recording.messages(recording.channel(channel))) values.push(value);
    return values;
  };
  const start = { start: 1_777_883_400_000_000_000n, zoneOffset: 0n };

  test("is decoded by schemas of the user, which may refer to each other", async () => {
    const data = bytes((b) => b.u16le(3).u32le(1).f32le(1).f32le(2).raw(Uint8Array.of(7, 8)));
    const tape = makeTape({
      ...start,
      channels: { "/x": { type: "my::Status" } },
      messages: [{ channel: "/x", time: 0, data }],
    });
    await using unknown = await open(tape);
    expect(await valuesOf(unknown, "/x")).toEqual([{ type: "my::Status", hex: Buffer.from(data).toString("hex") }]);
    await using known = await open(tape, [
      {
        name: "my::Point",
        fields: [
          { name: "a", type: "float" },
          { name: "b", type: "float" },
        ],
      },
      {
        name: "my::Status",
        fields: [
          { name: "code", type: "uint16" },
          { name: "path", type: "vector<my::Point>" },
          { name: "rest", type: "raw(2)" },
        ],
      },
    ]);
    expect(known.channel("/x").schema.name).toBe("my::Status");
    expect(await valuesOf(known, "/x")).toEqual([{ code: 3, path: [{ a: 1, b: 2 }], rest: Uint8Array.of(7, 8) }]);
  });

  test("with one payload that does not fit gives it as hex and the others as values", async () => {
    const messages = [1, 2, 3, 4].map((n) => ({
      channel: "/s",
      time: n,
      data: n === 3 ? Uint8Array.of(9, 0, 0) : bytes((b) => b.u32le(1).utf8(String(n))),
    }));
    const tape = makeTape({ ...start, channels: { "/s": { type: "std::string" } }, messages });
    await using recording = await open(tape);
    expect(await valuesOf(recording, "/s")).toEqual(["1", "2", { type: "std::string", hex: "090000" }, "4"]);
    const state = await recording.state(3);
    expect(state.values.get("/s")).toEqual({ type: "std::string", bytes: Uint8Array.of(9, 0, 0) });
    expect((await recording.state(2)).values.get("/s")).toBe("2");
  });
});

describe("state", () => {
  const open = (tape: Uint8Array): Promise<Recording> =>
    openRecording(bundleOfFiles({ "a.tape": tape }), { formats: [createMira()] });
  const cells = (state: Awaited<ReturnType<Recording["state"]>>, column: string): number[] =>
    Array.from(state.sets.get("poses")!.columns.get(column)!.data as Float64Array);

  test("has a row for each channel that is a pose", async () => {
    const pose = (...values: number[]): Uint8Array => bytes((b) => values.forEach((value) => void b.f32le(value)));
    const messages = [
      { channel: "/goal", time: 0, data: pose(1, 2, 0.5) },
      { channel: "/arm", time: 1, data: pose(1, 2, 3, 0.1, 0.2, 0.3) },
      { channel: "/base", time: 2, data: pose(4, 5, 0.25, 1, 0, 2) },
      { channel: "/camera", time: 3, data: pose(7, 8, 9, 0.5, 0.5, 0.5, 0.5) },
      { channel: "/speed", time: 3, data: pose(1, 1, 1) },
      { channel: "/goal", time: 4, data: Uint8Array.of(1, 2) },
      { channel: "/goal", time: 5, data: pose(3, 2, 0.5) },
    ];
    const channels = {
      "/goal": { type: "mira::Pose2" },
      "/arm": { type: "mira::Pose3" },
      "/base": { type: "mira::robot::Odometry2" },
      "/camera": { type: "mira::Pose3" },
      "/speed": { type: "mira::Velocity2" },
    };
    await using recording = await open(makeTape({ start: 1n, zoneOffset: 0n, channels, messages }));
    const state = await recording.state(5);
    const poses = state.sets.get("poses")!;
    expect(poses.ids).toEqual(["/arm", "/base", "/camera", "/goal"]);
    expect(poses.axes).toMatchObject({ handed: "right", up: "z", kind: "local" });
    expect(cells(state, "position")).toEqual([1, 2, 3, 4, 5, 0, 7, 8, 9, 3, 2, 0]);
    const f = Math.fround;
    const { NaN: no } = Number;
    expect(cells(state, "rotation")).toEqual([f(0.3), f(0.2), f(0.1), 0, 0, 0.25, no, no, no, 0, 0, 0.5]);
    expect(cells(state, "velocity")).toEqual([no, no, no, 1, 0, 0, no, no, no, no, no, no]);
    expect(cells(state, "angular-velocity").slice(3, 6)).toEqual([0, 0, 2]);
    expect(poses.columns.get("kind")!.data).toContain("mira::robot::Odometry2");
    expect(poses.columns.get("position")).toMatchObject({ unit: "m", width: 3, interpolation: "linear" });
    expect((await recording.state(4)).sets.get("poses")!.ids).toEqual(["/arm", "/base", "/camera"]);
    expect(recording.motion).toBe(null);
  });

  test("with one moving thing, between two messages is interpolated", async () => {
    await using recording = await open(makeTape(patrol(), { maxBlock: 8192 }));
    expect(recording.motion?.name).toBe("/robot/Odometry");
    const step = 50_000_000;
    const [before, between, after] = await Promise.all(
      [2, 2.5, 3].map(async (n) => cells(await recording.state(n * step, { interpolate: true }), "position")),
    );
    for (const k of [0, 1]) expect(between![k]).toBeCloseTo((before![k]! + after![k]!) / 2, 6);
    expect(await recording.state(2.5 * step).then((state) => cells(state, "position"))).toEqual(before);
  });

  test("metadata tell times, types and what meta data holds", async () => {
    await using recording = await open(makeTape(patrol(), { maxBlock: 8192 }));
    expect(recording.info).toMatchObject({ format: "mira", version: "1", seekIndex: "built" });
    expect(recording.info.metadata).toMatchObject({
      start: "2026-05-04T08:30:00.000000000Z",
      localStart: "2026-05-04T10:30:00.000000000",
      zoneOffsetNs: 7_200_000_000_000,
    });
    const { metadata, schema } = recording.channel("/robot/Odometry");
    expect(schema.name).toBe("mira::robot::Odometry2");
    expect(metadata).toMatchObject({ type: "mira::robot::Odometry2", metaBytes: "63" });
    expect(metadata["metaText"]).toContain('"members":["pose","velocity"]');
  });
});

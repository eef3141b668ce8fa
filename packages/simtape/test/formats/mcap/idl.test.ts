import { CdrWriter } from "@foxglove/cdr";
import { MessageReader, MessageWriter } from "@foxglove/omgidl-serialization";
import { parseIDL } from "@foxglove/omgidl-parser";
import { encode as encodeCbor } from "cbor-x";
import { describe, expect, test } from "vitest";
import { mcap } from "../../../src/formats/mcap/format.ts";
import { cborDecoder } from "../../../src/formats/mcap/meaning/cbor.ts";
import { idlDecoder } from "../../../src/formats/mcap/meaning/idl.ts";
import { check, FORMATS, LayoutError } from "../../../src/index.ts";
import { openFiles } from "../../../src/testing/observe.ts";
import { makeMcap } from "../../fixtures/mcap/make.ts";
import { otherContent } from "../../fixtures/mcap/payloads.ts";

// The payloads are made by other libraries.

const formats = [...FORMATS.filter(({ id }) => id !== "mcap"), mcap];
const TEXT = new TextEncoder();

const robot = (kind: string): string => `
module sim {
  enum Mode { SLOW, QUICK };
  typedef double Three[3];
  ${kind} struct Point { double x; float y; };
  ${kind} struct Robot {
    boolean is_on;
    octet flags;
    int8 a; uint8 b; short c; unsigned short d; long e; unsigned long f; long long g; unsigned long long h;
    float i; double j;
    string<20> name;
    Mode mode;
    Three three;
    sequence<double> some;
    sequence<octet> bytes;
    sequence<string> names;
    Point at;
    sequence<Point, 5> path;
    sequence<boolean> bits;
    char last;
  };
};
`;

const value = {
  ...{ is_on: true, flags: 7, a: -1, b: 255, c: -2, d: 65535, e: -3, f: 4294967295, i: 0.5, j: 1e300 },
  ...{ g: -9007199254740993n, h: 18446744073709551615n, name: "abc", mode: 1, three: Float64Array.of(1, 2, 3) },
  some: Float64Array.of(0.1, -2),
  bytes: Uint8Array.of(1, 2, 3),
  names: ["", "b", "longer"],
  at: { x: 1.5, y: -2 },
  path: [
    { x: 1, y: 2 },
    { x: 3, y: 4 },
  ],
  bits: [true, false],
  last: 65,
};

describe("OMG IDL", () => {
  test.each([
    ["plain", "@final", 0x01],
    ["plain, big-endian", "@final", 0x00],
    ["plain, second version", "@final", 0x07],
    ["plain, second version, of another numbering", "@final", 0x11],
  ])("payloads of another library have the values that it was given: %s", async (_, kind, encapsulation) => {
    const text = robot(kind);
    const payload = new MessageWriter("sim::Robot", parseIDL(text), { kind: encapsulation }).writeMessage(value);
    const decode = (await idlDecoder(TEXT.encode(text), "sim::Robot"))!;
    expect(decode(payload)).toEqual(value);
    for (let end = 0; end < payload.length; end++) expectSound(() => decode(payload.subarray(0, end)));
    for (let at = 0; at < payload.length; at++) {
      for (const to of [0, 0x7f, 0xff]) {
        const changed = payload.slice();
        changed[at] = to;
        expectSound(() => decode(changed));
      }
    }
  });

  test.each([0x08, 0x09, 0x14, 0x15])("appendable types have their size before them: %i", async (kind) => {
    const text = "@appendable struct P { double x; octet y; }; @appendable struct A { P p; string name; long e; };";
    const to = new CdrWriter({ kind });
    to.dHeader(0).dHeader(9).float64(1.5).uint8(7);
    to.string("hello").int32(-3);
    const decode = (await idlDecoder(TEXT.encode(text), "A"))!;
    const whole = sized(to.data, kind);
    expect(decode(whole)).toEqual({ p: { x: 1.5, y: 7 }, name: "hello", e: -3 });
    expect(decode(whole)).toEqual(new MessageReader("A", parseIDL(text)).readMessage(whole));
    for (let end = 0; end < whole.length; end++) expectSound(() => decode(whole.subarray(0, end)));
  });

  test.each([0x0a, 0x0b, 0x12, 0x13])("mutable types of the second version have ids: %i", async (kind) => {
    const text =
      "@mutable struct P { double x; octet y; }; @mutable struct A { @id(5) P p; string name; sequence<long> list; };";
    const to = new CdrWriter({ kind });
    // the size of P is the length that its member begins with; so it is with the name and the list
    to.dHeader(0).emHeader(false, 5, 17, 5);
    to.emHeader(false, 0, 8).float64(1.5).emHeader(false, 1, 1).uint8(7);
    to.emHeader(false, 6, 6, 5).string("hello", false);
    to.emHeader(false, 7, 8, 6).int32Array([1, -2]);
    const payload = sized(to.data, kind);
    const decode = (await idlDecoder(TEXT.encode(text), "A"))!;
    const value = { p: { x: 1.5, y: 7 }, name: "hello", list: Int32Array.of(1, -2) };
    expect(new MessageReader("A", parseIDL(text)).readMessage(payload)).toEqual(value);
    expect(decode(payload)).toEqual(value);
    for (let end = 0; end < payload.length; end++) expectSound(() => decode(payload.subarray(0, end)));
  });

  test.each([0x02, 0x03])("mutable types of the first version have ids and an end: %i", async (kind) => {
    const text = "@mutable struct A { long a; @id(7) string name; };";
    const to = new CdrWriter({ kind });
    to.emHeader(false, 0, 4).int32(-5).emHeader(false, 7, 10).string("hello").sentinelHeader();
    const payload = to.data;
    const decode = (await idlDecoder(TEXT.encode(text), "A"))!;
    expect(decode(payload)).toEqual({ a: -5, name: "hello" });
    expect(decode(payload)).toEqual(new MessageReader("A", parseIDL(text)).readMessage(payload));
  });

  test("optional members may be absent, and members that are not known are skipped", async () => {
    const text = TEXT.encode("struct A { @optional long a; octet b; @optional octet c; };");
    const plain = (await idlDecoder(text, "A"))!;
    // second version: a byte says whether there is one
    expect(plain(Uint8Array.of(0, 7, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 6, 0))).toEqual({ a: 5, b: 6 });
    expect(plain(Uint8Array.of(0, 7, 0, 0, 0, 6, 1, 9))).toEqual({ b: 6, c: 9 });
    const ids = (await idlDecoder(TEXT.encode("@mutable struct A { @id(3) octet a; @id(9) octet b; };"), "A"))!;
    // ids 4 and 9 of a byte each
    const payload = Uint8Array.of(0, 0x0b, 0, 0, 13, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 2);
    expect(ids(payload)).toEqual({ b: 2 });
  });

  test("a union has the member that it says", async () => {
    const text = "union Goal switch (uint8) { case 1: long at; case 2: string name; }; struct A { Goal goal; };";
    const decode = (await idlDecoder(TEXT.encode(text), "A"))!;
    const reader = new MessageReader("A", parseIDL(text));
    for (const payload of [
      Uint8Array.of(0, 1, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0),
      Uint8Array.of(0, 1, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 65, 0),
    ]) {
      expect(decode(payload)).toEqual(reader.readMessage(payload));
    }
    expect(decode(Uint8Array.of(0, 1, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0))).toEqual({ goal: { at: 5 } });
    expect(() => decode(Uint8Array.of(0, 1, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0))).toThrow(LayoutError);
  });

  test("arrays of arrays are lists of lists", async () => {
    const text = "struct A { octet grid[2][3]; };";
    const decode = (await idlDecoder(TEXT.encode(text), "A"))!;
    const payload = Uint8Array.of(0, 1, 0, 0, 1, 2, 3, 4, 5, 6);
    expect(decode(payload)).toEqual({ grid: [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6)] });
    expect(decode(payload)).toEqual(new MessageReader("A", parseIDL(text)).readMessage(payload));
  });

  test("what is no definition, or is endless, is not decoded", async () => {
    for (const wrong of ["struct A { wstring name; };", "???", "struct A { };", "struct A { B b; };", ""]) {
      expect(await idlDecoder(TEXT.encode(wrong), "A"), wrong).toBeNull();
    }
  });
});

describe("CBOR", () => {
  test("payloads of another library have the values that it was given", async () => {
    const decode = await cborDecoder();
    const content = {
      ...{ a: 1, b: -5, c: 0.1, d: "ä", e: true, f: null, g: [1, [2]], h: { x: 1 }, big: 2n ** 60n },
      bytes: Uint8Array.of(1, 2),
      floats: Float32Array.of(0.5, -1),
      doubles: Float64Array.of(0.1),
      words: Uint16Array.of(1, 65535),
    };
    expect(decode(new Uint8Array(encodeCbor(content)))).toEqual(content);
    expect(decode(new Uint8Array(encodeCbor(new Map<unknown, unknown>([[1, "a"]]))))).toEqual({ 1: "a" });
    // a date and a number of any length keep what they are about
    expect(decode(Uint8Array.of(0xc1, 0x01))).toBe(1);
    expect(decode(Uint8Array.of(0xc2, 0x42, 0x01, 0x00))).toBe(256);
  });

  test("what is damaged is refused", async () => {
    const decode = await cborDecoder();
    const payload = new Uint8Array(encodeCbor({ a: [1, 2, "text"], f: Float64Array.of(1, 2) }));
    for (let end = 0; end < payload.length; end++) expect(() => decode(payload.subarray(0, end))).toThrow(LayoutError);
    expect(() => decode(new Uint8Array(100_000).fill(0x81))).toThrow(LayoutError);
    expect(() => decode(Uint8Array.of(0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))).toThrow(LayoutError);
  });
});

test("IDL, CBOR and MessagePack are folded by the names of their schemas", async () => {
  await using recording = await openFiles({ "a.mcap": await makeMcap(otherContent(), { chunk: 7 }) }, formats);
  const { end } = await recording.timeline();
  const state = await recording.state(end);
  const poses = state.sets.get("poses")!;
  expect(poses.ids).toEqual(["/dds", "/ros"]);
  expect([...poses.columns.get("position")!.data]).toEqual([4, 2, 3, 4, 2, 3]);
  expect([...poses.columns.get("frame")!.data]).toEqual(["odom", "odom"]);
  expect([...state.sets.get("fixes")!.columns.get("geodetic")!.data]).toEqual([55, 7, 100]);
  expect(state.values.get("/battery")).toEqual({ volts: 20, cells: [4, 4.5] });
  expect(state.values.get("/spare")).toEqual({ volts: 4 });
  expect((await check(recording)).status).toBe("sound");
});

/** States the size of all behind the first word. */
function sized(data: Uint8Array, kind: number): Uint8Array {
  const payload = data.slice();
  new DataView(payload.buffer).setUint32(4, payload.length - 8, (kind & 1) === 1);
  return payload;
}

function expectSound(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(LayoutError);
  }
}

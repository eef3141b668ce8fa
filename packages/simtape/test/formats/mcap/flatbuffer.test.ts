import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mcap } from "../../../src/formats/mcap/format.ts";
import { flatbufferDecoder } from "../../../src/formats/mcap/meaning/flatbuffer.ts";
import { check, FORMATS, LayoutError } from "../../../src/index.ts";
import { openFiles } from "../../../src/testing/observe.ts";
import { makeMcap } from "../../fixtures/mcap/make.ts";
import { FOXGLOVE, flatbufferContent } from "../../fixtures/mcap/payloads.ts";

// Schemas and payloads are made by flatc, FlatBuffers' own compiler (test/fixtures/mcap/make-flatbuffers.ts).

const formats = [...FORMATS.filter(({ id }) => id !== "mcap"), mcap];
const file = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/mcap/flatbuffers/${name}`, import.meta.url)));
const schema = file("robot.bfbs");
const payload = file("robot.bin");

describe("FlatBuffers", () => {
  test("payloads of flatc have the values that it was given", () => {
    const decode = flatbufferDecoder(schema, "sim.robots.Robot")!;
    expect(decode(payload)).toEqual({
      ...{ name: "Ärmel", mode: -1, is_on: true, a: -5, b: 250, c: -30000, d: 65000, e: -2000000000, f: 4000000000 },
      ...{ g: -9007199254740993n, h: 18446744073709551615n, i: 0.5, j: 1.5, maybe: 0 },
      at: { x: 1.25, y: -2.5, small: -7 },
      box: {
        corners: [
          { x: 1, y: 2, small: 3 },
          { x: 4, y: 5, small: 6 },
        ],
        marks: Uint16Array.of(7, 8, 65535),
      },
      path: [
        { x: 1, y: 2, small: 3 },
        { x: -1, y: -2, small: -3 },
      ],
      arms: [{ joints: Float64Array.of(0.1, 0.2), label: "left", next: { label: "hand" } }, {}],
      names: ["", "b", "ö"],
      flags: [true, false, true],
      bytes: Uint8Array.of(1, 2, 255),
      shorts: [-1, 2],
      words: Uint16Array.of(1, 65535),
      ints: Int32Array.of(-1, 2),
      uints: Uint32Array.of(1, 4294967295),
      longs: [1, -9007199254740993n],
      floats: Float32Array.of(0.5, -1),
      doubles: Float64Array.of(0.1, 1e300),
      part_type: 2,
      part: { radius: 0.25 },
      parts_type: Uint8Array.of(1, 2),
      parts: [{ label: "right" }, { radius: 2 }],
      modes: [0, 5],
    });
  });

  test("cut payloads and schemas are refused, or hold less", () => {
    const decode = flatbufferDecoder(schema, "sim.robots.Robot")!;
    const refuses = (run: () => unknown): void => {
      try {
        run();
      } catch (error) {
        expect(error).toBeInstanceOf(LayoutError);
      }
    };
    for (let end = 0; end < payload.length; end++) refuses(() => decode(payload.subarray(0, end)));
    for (let end = 0; end < schema.length; end += 3) {
      refuses(() => flatbufferDecoder(schema.subarray(0, end), "sim.robots.Robot")?.(payload));
    }
  });

  test("every changed byte of a payload and of a schema is a value, or refused", () => {
    const decode = flatbufferDecoder(schema, "sim.robots.Robot")!;
    for (let at = 0; at < payload.length; at++) {
      for (const to of [0, 0x7f]) {
        const changed = payload.slice();
        changed[at] = to;
        expectSound(() => decode(changed));
      }
    }
    for (let at = 0; at < schema.length; at += 3) {
      const changed = schema.slice();
      changed[at]! ^= 0xff;
      expectSound(() => flatbufferDecoder(changed, "sim.robots.Robot")?.(payload));
    }
  });

  test("objects that share their parts say no more than a message may", () => {
    // an arm whose next is itself
    const loop = Uint8Array.of(12, 0, 0, 0, 10, 0, 8, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0xfc, 0xff, 0xff, 0xff);
    loop.set([4, 0], 10);
    const decode = flatbufferDecoder(schema, "sim.robots.Arm")!;
    expect(() => decode(loop)).toThrow(LayoutError);
  });

  test("what the schema does not have is not decoded", () => {
    expect(flatbufferDecoder(schema, "sim.robots.Other")).toBeNull();
    expect(flatbufferDecoder(schema, "sim.robots.Point")).toBeNull();
    expect(() => flatbufferDecoder(payload, "sim.robots.Robot")).toThrow(LayoutError);
  });

  test("Foxglove's schemas are folded into the state", async () => {
    await using recording = await openFiles({ "a.mcap": await makeMcap(flatbufferContent(), { chunk: 3 }) }, formats);
    const { end } = await recording.timeline();
    const state = await recording.state(end);
    const cells = (set: string, id: string, column: string): unknown => {
      const { ids, columns } = state.sets.get(set)!;
      const { data, width } = columns.get(column)!;
      const row = ids.indexOf(id);
      return width === 1 ? data[row] : [...data].slice(row * width, (row + 1) * width);
    };
    expect(cells("poses", "/PoseInFrame", "position")).toEqual([1, 2, 3]);
    expect(cells("poses", "/PoseInFrame", "orientation")).toEqual([0, 0, 0.6, 0.8]);
    expect(cells("frames", "base", "position")).toEqual([4, 5, 6]);
    expect(cells("fixes", "/LocationFix", "geodetic")).toEqual([51.5, 7.25, 120]);
    expect(cells("scene", "box", "position")).toEqual([1, 2, 3]);
    expect(cells("scene", "box", "size")).toEqual([1, 2, 4]);
    expect(cells("scene", "box", "label")).toBe("crate");
    const events = [];
    for await (const some of recording.events()) for (const { kind, text } of some) events.push([kind, text]);
    expect(events).toEqual([["error", "driver: wheel slips"]]);
    expect((await check(recording)).status).toBe("sound");
  });

  test("a damaged payload is a finding of a check", async () => {
    const content = flatbufferContent();
    const messages = content.messages.map((message, i) =>
      i === 0 ? { ...message, data: message.data.slice(0, 30) } : message,
    );
    await using recording = await openFiles({ "a.mcap": await makeMcap({ ...content, messages }, {}) }, formats);
    const { status, findings } = await check(recording);
    expect(status).toBe("damaged");
    expect(findings.map(({ code }) => code)).toEqual(["bad-payload"]);
    const { end } = await recording.timeline();
    expect([...(await recording.state(end)).sets.keys()].sort()).toContain("poses");
  });

  test("the fixture has every schema of Foxglove that is folded", () => {
    expect(FOXGLOVE).toContain("SceneUpdate");
    for (const name of FOXGLOVE) expect(flatbufferDecoder(file("foxglove.bfbs"), `foxglove.${name}`)).not.toBeNull();
  });
});

function expectSound(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(LayoutError);
  }
}

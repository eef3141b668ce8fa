import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PropertyNode, readProperties } from "../../../src/codec/properties.ts";
import {
  type ExtraProperty,
  fillsExtraProperties,
  readExtraProperty,
  writeExtraProperty,
} from "../../../src/formats/flightgear/layout/extra.ts";
import {
  readContainerHeader,
  readContinuousHeader,
  readNormalHeader,
  readTree,
  writeContainerHeader,
  writeContinuousHeader,
  writeNormalHeader,
  writeTree,
} from "../../../src/formats/flightgear/layout/layout.ts";
import { MULTIPLAYER_PROPERTIES } from "../../../src/formats/flightgear/layout/multiplayer-table.ts";
import {
  entryOf,
  entryValues,
  type PropertyEntry,
  readEntry,
  readPacket,
  writeEntry,
  writePacket,
} from "../../../src/formats/flightgear/layout/packet.ts";
import {
  propertyPath,
  readSignalList,
  readSignals,
  SIGNAL_TYPES,
  type SignalList,
  writeSignalList,
  writeSignals,
} from "../../../src/formats/flightgear/layout/signals.ts";
import type { PositionPacket } from "../../../src/formats/flightgear/meaning/channels.ts";
import { fromRotationVector, toRotationVector } from "../../../src/formats/flightgear/meaning/rotation-vector.ts";
import { decodePacket } from "../../../src/formats/flightgear/meaning/schema.ts";
import { unitOf } from "../../../src/formats/flightgear/meaning/units.ts";
import { LayoutError } from "../../../src/index.ts";
import { ByteBuilder, ByteCursor } from "../../../src/kit.ts";
import { LIST, packetBytes, SIGNALS } from "../../fixtures/flightgear/make.ts";

function written(write: (builder: ByteBuilder) => void): Uint8Array {
  const builder = new ByteBuilder();
  write(builder);
  return builder.take();
}

const bytes = (max: number) => fc.uint8Array({ maxLength: max });

describe("what is read is written back byte for byte", () => {
  test("container headers", () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.maxSafeNat(), (type, size) => {
        const from = written((builder) => writeContainerHeader(builder, { type, size }));
        expect(readContainerHeader(new ByteCursor(from))).toEqual({ type, size });
      }),
    );
  });

  test("headers of Continuous tapes in both layouts", () => {
    const text = bytes(200).map((of) => Uint8Array.of(0x3c, 0x3f, 0x78, 0x6d, 0x6c, ...of, 0));
    fc.assert(
      fc.property(text, text, fc.boolean(), (a, b, isFirst) => {
        const header = { layout: isFirst ? "first" : "current", texts: isFirst ? [a, b] : [a] } as const;
        const from = written((builder) => writeContinuousHeader(builder, header));
        const cursor = new ByteCursor(from);
        expect(readContinuousHeader(cursor)).toEqual(header);
        expect(cursor.remaining).toBe(0);
      }),
    );
  });

  test("headers of Normal tapes", () => {
    fc.assert(
      fc.property(bytes(200), bytes(200), (meta, config) => {
        const from = written((builder) => writeNormalHeader(builder, { meta, config }));
        expect(readNormalHeader(new ByteCursor(from))).toEqual({ meta, config });
      }),
    );
  });

  test("signals of every type, NaN and spare bits of zero included", () => {
    const values = fc.tuple(
      ...LIST.signals.map(({ type }) => {
        switch (type) {
          case "double":
            return fc.double();
          case "float":
            return fc.float();
          case "int":
            return fc.integer();
          case "int16":
            return fc.integer({ min: -32768, max: 32767 });
          case "int8":
            return fc.integer({ min: -128, max: 127 });
          default:
            return fc.integer({ min: 0, max: 1 });
        }
      }),
    );
    fc.assert(
      fc.property(values, (of) => {
        const from = written((builder) => writeSignals(builder, LIST, of));
        expect(from.length).toBe(LIST.recordSize);
        const read: number[] = [];
        readSignals(new DataView(from.buffer, from.byteOffset), 0, from.length, LIST, (index, value) => {
          read[index] = value;
        });
        expect(read).toEqual(of);
      }),
    );
  });

  test("extra properties", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 30 });
    const entry: fc.Arbitrary<ExtraProperty> = fc.record({
      path: text.filter((path) => path !== ""),
      value: fc.option(text),
    });
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1 }), (entries) => {
        const from = written((builder) => {
          for (const one of entries) writeExtraProperty(builder, one);
        });
        expect(fillsExtraProperties(new DataView(from.buffer, from.byteOffset), 0, from.length)).toBe(true);
        const cursor = new ByteCursor(from);
        const read: ExtraProperty[] = [];
        while (cursor.remaining > 0) read.push(readExtraProperty(cursor));
        expect(read).toEqual(entries);
        expect(fillsExtraProperties(new DataView(from.buffer, from.byteOffset), 0, from.length - 1)).toBe(false);
      }),
    );
  });

  test("packets, also when they are damaged or no packets at all", () => {
    const sound = packetBytes("ALICE", 3, 2, "hi");
    const old = packetBytes("BOB", 4, 1, "a longer line of chat");
    const damaged = fc
      .tuple(fc.constantFrom(sound, old), fc.nat(sound.length - 1), fc.nat(255))
      .map(([of, at, byte]) => {
        const copy = of.slice();
        copy[at] = byte;
        return copy;
      });
    fc.assert(
      fc.property(fc.oneof(damaged, bytes(300), fc.constantFrom(sound, old)), (from) => {
        const packet = readPacket(new ByteCursor(from));
        expect(written((builder) => writePacket(builder, packet))).toEqual(from);
        decodePacket(from);
      }),
      { numRuns: 500 },
    );
  });

  test("entries of every property in both protocols", () => {
    for (const { id, type } of MULTIPLAYER_PROPERTIES.values()) {
      for (const protocol of [1, 2] as const) {
        const value = type === "string" ? "text é" : type === "bool" ? true : -1;
        const entry = entryOf(id, value, protocol);
        const from = written((builder) => writeEntry(builder, entry));
        const read = readEntry(new ByteCursor(from));
        expect(read).toEqual(entry);
        expect(written((builder) => writeEntry(builder, read as PropertyEntry))).toEqual(from);
      }
    }
  });
});

describe("the table of multiplayer properties", () => {
  test("has the 421 properties of FlightGear 2024.1.5, each path once", () => {
    expect(MULTIPLAYER_PROPERTIES.size).toBe(421);
    expect(new Set([...MULTIPLAYER_PROPERTIES.values()].map(({ path }) => path)).size).toBe(421);
  });

  test("scales short entries, and cuts toward zero at the range of 16 bits", () => {
    const shortValue = (id: number, value: number): number => {
      let result = Number.NaN;
      entryValues(entryOf(id, value, 2), (_, of) => {
        result = Number(of);
      });
      return result;
    };
    expect(shortValue(100, 0.5)).toBe(Math.trunc(0.5 * 32767) / 32767);
    expect(shortValue(100, -7)).toBe(-1);
    expect(shortValue(1001, 0.12345)).toBe(0.1234);
    expect(shortValue(10200, 0.1)).toBe(Math.fround(0.1));
  });

  test("spreads bit entries over their booleans, bool 91 in the middle of the second", () => {
    const values: Record<string, unknown> = {};
    entryValues({ id: 11040, isShort: false, bits: (1 << 11) | 1, text: null }, (path, value) => {
      values[path] = value;
    });
    expect(Object.keys(values).length).toBe(31);
    expect(values["sim/multiplay/generic/bool[91]"]).toBe(true);
    expect(values["sim/multiplay/generic/bool[31]"]).toBe(true);
    expect(values["sim/multiplay/generic/bool[42]"]).toBe(false);
  });
});

describe("a packet", () => {
  test("decodes to callsign, place, motion and all its properties", () => {
    const packet = decodePacket(packetBytes("ALICE", 4, 2, "hello")) as PositionPacket;
    expect(packet).toMatchObject({
      messageId: 7,
      callsign: "ALICE",
      range: 100,
      model: "Aircraft/ufo/Models/ufo.xml",
      protocol: 2,
      time: 10.2,
      lag: 0.1,
      chat: "hello",
    });
    expect(packet.properties).toMatchObject({
      "sim/multiplay/protocol-version": 2,
      "surface-positions/flap-pos-norm": 1,
      "gear/launchbar/state": "Completed",
      "sim/model/livery/file": "blue",
      "instrumentation/transponder/ident": true,
      "sim/multiplay/generic/float": 5,
      "sim/multiplay/generic/bool": true,
      "sim/multiplay/generic/bool[1]": false,
      "sim/multiplay/generic/bool[2]": true,
    });
    expect(packet).not.toHaveProperty("unread");
  });

  test("keeps what follows an unknown property as it is", () => {
    const sound = packetBytes("ALICE", 4, 2);
    const longer = Uint8Array.of(...sound, 0, 0, 0x7f, 0xff, 1, 2, 3, 4);
    expect(decodePacket(longer)).toMatchObject({ callsign: "ALICE", unread: longer.subarray(sound.length) });
  });

  test("that is junk is handed out as bytes", () => {
    const junk = new Uint8Array(40).fill(7);
    expect(decodePacket(junk)).toEqual({ unread: junk });
  });
});

describe("the list of signals", () => {
  const listOf = (xml: string): SignalList => readSignalList(readProperties(`<PropertyList>${xml}</PropertyList>`));
  const pathsOf = (xml: string): string[] => listOf(xml).signals.map(({ property }) => property);
  const signal = (property: string, type = "", more = ""): string =>
    `<signal>${type === "" ? "" : `<type>${type}</type>`}<property>${property}</property>${more}</signal>`;

  test("comes back from the tree FlightGear writes for it", () => {
    const nodes = writeSignalList("name", SIGNALS);
    const tree: PropertyNode = { name: "", index: 0, type: "", value: null, children: nodes, attributes: [] };
    const again = readSignalList(readTree(writeTree(tree)));
    expect(again.signals).toEqual(SIGNALS);
    expect(again.declaredSize).toBe(again.recordSize);
    expect(again.dropped).toEqual([]);
  });

  test("is ordered by type, whatever the order in the tree", () => {
    const types = [...SIGNAL_TYPES].reverse();
    const xml = `<signals>${types.map((type) => signal(`/${type}`, type)).join("")}</signals>`;
    expect(pathsOf(xml)).toEqual(SIGNAL_TYPES.map((type) => `/${type}`));
    expect(listOf(xml).bytes).toBe(8 + 4 + 4 + 2 + 1 + 1);
  });

  test("takes nested lists with inherited prefix and count, a nested prefix in place of the inherited one", () => {
    const xml = `<signals>${signal("/own")}
      <signals><prefix>/engines/engine[%i]</prefix><count>3</count>${signal("rpm")}${signal("n1", "int8")}
        <signals><prefix>/other/</prefix>${signal("x[%i]")}${signal("y")}</signals>
      </signals></signals>`;
    expect(pathsOf(xml)).toEqual([
      "/own",
      "/engines/engine/rpm",
      "/engines/engine[1]/rpm",
      "/engines/engine[2]/rpm",
      "/other/x",
      "/other/x[1]",
      "/other/x[2]",
      "/other/y",
      "/engines/engine/n1",
      "/engines/engine[1]/n1",
      "/engines/engine[2]/n1",
    ]);
  });

  test("drops unknown types, and a path that is there already, across types", () => {
    const list = listOf(
      `<signals>${signal("/a")}${signal("/text", "string")}${signal("a[0]", "double")}${signal("/b[0]/c")}${signal("/b/c", "bool")}</signals>`,
    );
    expect(list.signals.map(({ property, type }) => [property, type])).toEqual([
      ["/a", "double"],
      ["/b/c", "float"],
    ]);
    expect(list.dropped.map(({ property }) => property)).toEqual(["/a", "/b/c", "/text"]);
  });

  test("knows every word of interpolation, and takes unknown ones as linear", () => {
    const words = ["discrete", "angular", "angular-rad", "angular-deg", "linear", "cubic"];
    const xml = words.map((word) => signal(`/${word}`, "", `<interpolation>${word}</interpolation>`)).join("");
    expect(listOf(`<signals>${xml}</signals>`).signals.map(({ interpolation }) => interpolation)).toEqual([
      "discrete",
      "angular-rad",
      "angular-rad",
      "angular-deg",
      "linear",
      "linear",
    ]);
  });

  test("is refused when a count asks for more than any recorder has", () => {
    const xml = `<signals><count>2000000000</count>${signal("/x[%i]")}</signals>`;
    expect(() => listOf(xml)).toThrow(LayoutError);
  });

  test("names properties without zero indices", () => {
    expect(propertyPath("position[0]//engine[10]/rpm[0]")).toBe("/position/engine[10]/rpm");
  });

  test("refuses a record that is too short", () => {
    expect(() => readSignals(new DataView(new ArrayBuffer(10)), 0, 10, LIST, () => undefined)).toThrow(LayoutError);
  });
});

describe("a rotation vector", () => {
  const place = fc.tuple(
    fc.double({ min: -89.9, max: 89.9, noNaN: true }),
    fc.double({ min: -179.9, max: 179.9, noNaN: true }),
  );

  test("holds roll, pitch and heading", () => {
    const angle = fc.double({ min: -179, max: 179, noNaN: true });
    fc.assert(
      fc.property(place, angle, fc.double({ min: -85, max: 85, noNaN: true }), angle, (at, roll, pitch, heading) => {
        const vector = toRotationVector(roll, pitch, heading, at[0], at[1]);
        const [a, b, c] = fromRotationVector(vector, at[0], at[1]);
        expect(Math.cos(((a - roll) * Math.PI) / 180)).toBeCloseTo(1, 9);
        expect(b).toBeCloseTo(pitch, 6);
        expect(Math.cos(((c - heading) * Math.PI) / 180)).toBeCloseTo(1, 9);
        expect(c).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

test("a property's unit is in the end of its name", () => {
  expect(unitOf("/position/latitude-deg")).toBe("deg");
  expect(unitOf("/accelerations/pilot/x-accel-fps_sec")).toBe("ft/s2");
  expect(unitOf("/engines/engine[1]/rpm")).toBe("rpm");
  expect(unitOf("/consumables/fuel/tank[3]/level-gal_us")).toBe("gal");
  expect(unitOf("/environment/pressure-sea-level-inhg")).toBe("inHg");
  expect(unitOf("/controls/flight/aileron")).toBeNull();
  expect(unitOf("/sim/constructor")).toBeNull();
  expect(unitOf("/sim/a-constructor")).toBeNull();
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readProperties, propertyAt } from "../../../src/codec/properties.ts";
import { propertyNode } from "../../../src/codec/properties.ts";
import {
  readSignalList,
  SIGNAL_TYPES,
  type SignalType,
  writeSignalList,
  writeSignals,
} from "../../../src/formats/flightgear/layout/signals.ts";
import { ByteBuilder } from "../../../src/kit.ts";
import { GenericProtocol } from "../../../src/live/flightgear/protocol.ts";

const value: Readonly<Record<SignalType, fc.Arbitrary<number>>> = {
  double: fc.double(),
  float: fc.float(),
  int: fc.integer(),
  int16: fc.integer({ min: -32768, max: 32767 }),
  int8: fc.integer({ min: -128, max: 127 }),
  bool: fc.integer({ min: 0, max: 1 }),
};

const signals = fc
  .array(fc.constantFrom(...SIGNAL_TYPES), { minLength: 1, maxLength: 60 })
  .map((types) => [...types].sort((a, b) => SIGNAL_TYPES.indexOf(a) - SIGNAL_TYPES.indexOf(b)))
  .chain((types) => fc.tuple(fc.constant(types), fc.tuple(...types.map((type) => value[type]))));

function listOf(types: readonly SignalType[]) {
  const listed = types.map((type, i) => ({ property: `/a/b${i}`, type, interpolation: "linear" as const }));
  return readSignalList(propertyNode("signals", { children: writeSignalList("test", listed) }));
}

/** A packet as the simulator sends it: the values packed, big-endian. */
function packetOf(
  types: readonly SignalType[],
  values: readonly number[],
  elapsed: number,
  isPaused: boolean,
): Uint8Array {
  const builder = new ByteBuilder();
  const f64 = (number: number): void => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, number);
    builder.raw(bytes);
  };
  f64(elapsed);
  builder.u8(isPaused ? 1 : 0).u32be(0);
  for (const [i, type] of types.entries()) {
    const number = values[i]!;
    if (type === "double") f64(number);
    else if (type === "float") {
      const bytes = new Uint8Array(4);
      new DataView(bytes.buffer).setFloat32(0, number);
      builder.raw(bytes);
    } else if (type === "bool") builder.u8(number);
    else builder.u32be(number >>> 0);
  }
  return builder.take();
}

describe("the generic protocol of FlightGear", () => {
  test("gives the record that a tape has of the same values, bit for bit", () => {
    fc.assert(
      fc.property(signals, ([types, values]) => {
        const list = listOf(types);
        const protocol = new GenericProtocol(list);
        const packet = packetOf(types, values, 12.5, false);
        expect(packet.length).toBe(protocol.packetBytes);
        const expected = new ByteBuilder();
        writeSignals(expected, list, values);
        expect(protocol.record(packet)).toEqual(expected.take());
        expect(protocol.stateOf(packet)).toEqual({ elapsed: 12.5, isPaused: false, replayState: 0 });
      }),
    );
  });

  test("takes no packet of another length", () => {
    const protocol = new GenericProtocol(listOf(["double"]));
    expect(protocol.stateOf(new Uint8Array(protocol.packetBytes - 1))).toBeNull();
    expect(protocol.stateOf(new Uint8Array(protocol.packetBytes + 1))).toBeNull();
  });

  test("writes a file that names the clock, the pause, and each signal with the type that is sent", () => {
    const text = new GenericProtocol(listOf(["double", "int16", "bool"])).file;
    const root = readProperties(text);
    const output = propertyAt(root, "generic/output")!;
    expect(propertyAt(output, "binary_mode")?.value).toBe("true");
    expect(propertyAt(output, "byte_order")?.value).toBe("network");
    const chunks = output.children.filter(({ name }) => name === "chunk");
    expect(chunks.map((chunk) => [propertyAt(chunk, "node")?.value, propertyAt(chunk, "type")?.value])).toEqual([
      ["/sim/time/elapsed-sec", "double"],
      ["/sim/freeze/master", "bool"],
      ["/sim/replay/replay-state", "int"],
      ["/a/b0", "double"],
      ["/a/b1", "int"],
      ["/a/b2", "bool"],
    ]);
  });
});

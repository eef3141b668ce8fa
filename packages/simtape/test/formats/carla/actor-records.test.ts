import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteBuilder } from "../../../src/kit.ts";
import { writeEventAdd } from "../../../src/formats/carla/layout/layout.ts";
import { RELEASES } from "../../../src/formats/carla/write/releases.ts";
import { ActorRecords } from "../../../src/formats/carla/write/actor-records.ts";

const { dialect } = RELEASES.find(({ name }) => name === "0.9.15")!;

function record(id: number, uid: number, value: string): Uint8Array {
  const [location, rotation] = [[id, uid, 3] as const, [4, 5, 6] as const];
  const attributes = [{ type: 3, id: "role_name", value }];
  const builder = new ByteBuilder();
  writeEventAdd(builder, { id, type: 1, location, rotation, uid, blueprint: "vehicle.a", attributes }, dialect);
  return builder.take();
}

function packet(records: readonly Uint8Array[]): Uint8Array {
  const builder = new ByteBuilder().u16le(records.length);
  for (const bytes of records) builder.raw(bytes);
  return builder.take();
}

function packetOfIds(ids: readonly number[]): Uint8Array {
  const builder = new ByteBuilder().u16le(ids.length);
  for (const id of ids) builder.u32le(id);
  return builder.take();
}

describe("the records of live actors", () => {
  test("are those of a map, whatever comes and goes", () => {
    const id = fc.nat({ max: 40 });
    const added = fc.record({
      add: fc.array(fc.tuple(id, fc.nat({ max: 9 }), fc.string({ maxLength: 9 })), { maxLength: 200 }),
    });
    const removed = fc.record({ remove: fc.array(id, { maxLength: 30 }) });
    fc.assert(
      fc.property(fc.array(fc.oneof(added, removed), { maxLength: 40 }), (steps) => {
        const records = new ActorRecords(dialect);
        const live = new Map<number, Uint8Array>();
        for (const step of steps) {
          if ("add" in step) {
            const made = step.add.map(([of, uid, value]) => [of, record(of, uid, value)] as const);
            records.add(packet(made.map(([, bytes]) => bytes)));
            for (const [of, bytes] of made) live.set(of, bytes);
          } else {
            records.remove(packetOfIds(step.remove));
            for (const of of step.remove) live.delete(of);
          }
        }
        expect([...records.ids]).toEqual([...live.keys()]);
        for (const of of Array.from({ length: 41 }, (_, i) => i)) {
          expect(records.has(of)).toBe(live.has(of));
          expect(records.get(of)).toEqual(live.get(of));
        }
      }),
    );
  });

  test("take no more room than twice those of live actors, however many died", () => {
    const records = new ActorRecords(dialect);
    for (let uid = 0; uid < 20_000; uid++) {
      records.add(packet([record(7, uid, "hero")]));
      if (uid % 3 === 0) records.remove(packetOfIds([7]));
    }
    expect(records.byteLength).toBeLessThan(2000 * record(7, 0, "hero").length);
    expect(records.get(7)).toEqual(record(7, 19_999, "hero"));
  });

  test("are those before the place where a packet was cut", () => {
    const records = new ActorRecords(dialect);
    const whole = packet([record(1, 1, "a"), record(2, 2, "b")]);
    records.add(whole.subarray(0, whole.length - 1));
    expect([...records.ids]).toEqual([1]);
  });
});

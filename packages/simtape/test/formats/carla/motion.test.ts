import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Dialect,
  PACKET_KINDS,
  type PacketKind,
  type Vector,
  writeAnimVehicle,
  writeAnimWalker,
  writeEventAdd,
  writeEventDel,
  writeEventParent,
  writeKinematics,
  writePosition,
  writeState,
  writeVehicleLight,
} from "../../../src/formats/carla/layout/layout.ts";
import { CarlaState } from "../../../src/formats/carla/meaning/state.ts";
import { type Channel, type MessageBatch, MutableState, readPath } from "../../../src/index.ts";
import { ByteBuilder, ColumnBuilder, RAW } from "../../../src/kit.ts";
import { expectSame } from "../../play/truth.ts";

const CHANNELS: readonly Channel[] = PACKET_KINDS.map((name, id) => ({
  id,
  name,
  metadata: { packet: String(id) },
  schema: RAW,
}));

interface Packet {
  readonly kind: PacketKind;
  /** Of each record: its actor, and a number for all that it says. */
  readonly records: readonly { readonly id: number; readonly number: number }[];
  /** Bytes missing at its end. */
  readonly cut: number;
}

function batchOf({ kind, records, cut }: Packet, dialect: Dialect): MessageBatch {
  const bytes = new ByteBuilder();
  bytes.u16le(records.length);
  for (const { id, number } of records) write(bytes, kind, id, number, dialect);
  const payload = bytes.take();
  const columns = new ColumnBuilder();
  columns.add(0, PACKET_KINDS.indexOf(kind), 0, Math.max(0, payload.length - cut), 0);
  return columns.build(payload, 0);
}

function write(bytes: ByteBuilder, kind: PacketKind, id: number, number: number, dialect: Dialect): void {
  const vector: Vector = [number, -number, number / 2];
  switch (kind) {
    case "event-add":
      writeEventAdd(
        bytes,
        { id, type: number % 5, location: vector, rotation: vector, uid: 1, blueprint: "a.b", attributes: [] },
        dialect,
      );
      break;
    case "event-del":
      writeEventDel(bytes, id);
      break;
    case "event-parent":
      writeEventParent(bytes, { id, parent: (id % 4) + 1 });
      break;
    case "position":
      writePosition(bytes, { id, location: vector, rotation: vector }, dialect);
      break;
    case "kinematics":
      writeKinematics(bytes, { id, linearVelocity: vector, angularVelocity: vector }, dialect);
      break;
    case "state":
      writeState(bytes, { id, isFrozen: number % 2 > 0, elapsedTime: number, state: number % 4 });
      break;
    case "anim-vehicle":
      writeAnimVehicle(bytes, {
        id,
        steering: number / 8,
        throttle: number,
        brake: -number,
        handbrake: number % 2 > 0,
        gear: -number,
      });
      break;
    case "anim-walker":
      writeAnimWalker(bytes, { id, speed: number });
      break;
    case "vehicle-light":
      writeVehicleLight(bytes, { id, lights: number });
      break;
    default:
      throw new RangeError(kind);
  }
}

const packet: fc.Arbitrary<Packet> = fc.record({
  kind: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom<PacketKind>("event-add", "event-del", "event-parent") },
    {
      weight: 5,
      arbitrary: fc.constantFrom<PacketKind>(
        "position",
        "kinematics",
        "state",
        "anim-vehicle",
        "anim-walker",
        "vehicle-light",
      ),
    },
  ),
  records: fc.array(fc.record({ id: fc.integer({ min: 1, max: 4 }), number: fc.integer({ min: 0, max: 40 }) }), {
    maxLength: 5,
  }),
  cut: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }) }),
});

/** Folds packets, and by what else: each step may go back to before one of them. */
const steps = fc.array(fc.tuple(packet, fc.option(fc.nat(), { freq: 5 })), { maxLength: 30 });

describe.each([4, 8] as const)("packets of motion with vectors of %i bytes", (scalar) => {
  const dialect: Dialect = { scalar, wheel: null, late: [null, null, null, null], version: 1 };
  const fresh = (): MutableState => {
    const state = new MutableState();
    new CarlaState(CHANNELS, dialect).begin(state);
    state.setValue("frame", 2);
    return state;
  };

  test("are folded as if each was the first of its kind, forwards and where something was undone", () => {
    fc.assert(
      fc.property(steps, (steps) => {
        const model = new CarlaState(CHANNELS, dialect);
        const state = fresh();
        const other = fresh();
        const folded: Packet[] = [];
        const marks: number[] = [];
        for (const [packet, back] of steps) {
          if (back !== null && folded.length > 0) {
            const kept = back % folded.length;
            state.undo(marks[kept]!);
            folded.length = marks.length = kept;
          }
          marks.push(state.savepoint());
          folded.push(packet);
          model.apply(state, batchOf(packet, dialect), 0);
          // another state in between, as a player has several
          if (packet.cut > 0) model.apply(other, batchOf(packet, dialect), 0);
        }
        const expected = fresh();
        for (const packet of folded) new CarlaState(CHANNELS, dialect).apply(expected, batchOf(packet, dialect), 0);
        expectSame(state.freeze(), expected.freeze(), "at the end");
      }),
      { numRuns: 400 },
    );
  });

  test("are folded for some cells as far as these need it, and no less", () => {
    const cell = fc.record({
      set: fc.constantFrom("vehicles", "walkers", "traffic-lights", "other"),
      id: fc.integer({ min: 1, max: 5 }),
      column: fc.constantFrom("position", "rotation", "velocity", "state", "steering", "speed", "lights", "kind"),
      item: fc.constantFrom(null, 0),
    });
    fc.assert(
      fc.property(
        fc.array(packet, { maxLength: 30 }),
        fc.array(cell, { maxLength: 3 }),
        fc.boolean(),
        (packets, cells, isAll) => {
          const isAttached = packets.some(({ kind, records }) => kind === "event-parent" && records.length > 0);
          const model = new CarlaState(CHANNELS, dialect, () => isAttached);
          const narrowed = model.narrowed(cells);
          const channels = new Set(cells.flatMap((path) => model.channelsOf(path) ?? CHANNELS.map(({ id }) => id)));
          const [all, some] = [fresh(), fresh()];
          for (const packet of packets) {
            const batch = batchOf(packet, dialect);
            model.apply(all, batch, 0);
            if (isAll || channels.has(batch.channel[0]!)) narrowed.applyRows!(some, batch, 0, 1);
            for (const path of cells) expect(readPath(some.freeze(), path)).toEqual(readPath(all.freeze(), path));
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  test("go to the set of an actor's type, also when it is added after it has moved, or again as another", () => {
    const model = new CarlaState(CHANNELS, dialect);
    const state = fresh();
    // the other one is always there, and a vehicle
    const moved = (number: number): Packet => ({
      kind: "kinematics",
      records: [
        { id: 2, number: 1 },
        { id: 3, number },
      ],
      cut: 0,
    });
    const added = (number: number): Packet => ({ kind: "event-add", records: [{ id: 3, number }], cut: 0 });
    const apply = (packet: Packet): void => model.apply(state, batchOf(packet, dialect), 0);
    const speedOf = (name: string): number | undefined => {
      const set = state.freeze().sets.get(name);
      return set?.columns.get("velocity")?.data[3 * set.ids.indexOf(3)] as number | undefined;
    };
    apply(moved(7));
    expect([speedOf("vehicles"), speedOf("walkers")]).toEqual([7, undefined]);
    apply(added(2));
    apply(moved(8));
    expect([speedOf("vehicles"), speedOf("walkers")]).toEqual([7, 8]);
    apply(added(4));
    apply(moved(9));
    expect([speedOf("vehicles"), speedOf("walkers"), speedOf("traffic-signs")]).toEqual([7, undefined, 9]);
  });
});

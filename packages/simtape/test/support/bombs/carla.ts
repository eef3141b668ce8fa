import { ByteBuilder } from "../../../src/kit.ts";
import { RELEASES, makeTown } from "../../fixtures/carla/make.ts";
import { type Bomb, MiB, built, joined, times, zeros } from "./parts.ts";

/** A log while it is put together. */
interface Carla {
  readonly out: ByteBuilder;
  packet(id: number, payload: Uint8Array): void;
  frame(number: number): void;
}

/** A log of what `write` puts into it. */
export function carla(write: (log: Carla) => void): Uint8Array {
  const out = new ByteBuilder(MiB);
  const text = (value: string): void => {
    const bytes = new TextEncoder().encode(value);
    out.u16le(bytes.length).raw(bytes);
  };
  out.u16le(1);
  text("CARLA_RECORDER");
  out.bigI64le(1_700_000_000n);
  text("Town01");
  const log: Carla = {
    out,
    packet: (id, payload) => {
      out.u8(id).u32le(payload.length).raw(payload);
    },
    frame: (number) => {
      out
        .u8(0)
        .u32le(24)
        .i64le(number)
        .f64le(0.05)
        .f64le((number - 1) * 0.05);
    },
  };
  write(log);
  return out.take();
}

/** Records of one kind, 60,000 in a packet. */
function records(log: Carla, id: number, count: number, record: (out: ByteBuilder, i: number) => void): void {
  for (let from = 0; from < count; from += 60_000) {
    const to = Math.min(count, from + 60_000);
    log.packet(
      id,
      built((out) => {
        out.u16le(to - from);
        for (let i = from; i < to; i++) record(out, i);
      }),
    );
  }
}

function carlaOf(id: number, count: number, record: (out: ByteBuilder, i: number) => void): Uint8Array {
  return carla((log) => {
    log.frame(1);
    records(log, id, count, record);
    log.packet(1, zeros(0));
    for (let frame = 2; frame < 5; frame++) {
      log.frame(frame);
      log.packet(1, zeros(0));
    }
  });
}

function addActor(out: ByteBuilder, i: number): void {
  out
    .u32le(i + 1)
    .u8(1)
    .raw(zeros(24))
    .u32le(1)
    .u16le(1)
    .u8(0x61)
    .u16le(0);
}

export const CARLA: readonly Bomb[] = [
  { name: "carla: a million actors", file: "a.log", make: (size) => carlaOf(2, times(1_000_000 * size), addActor) },
  {
    name: "carla: a million actors, each in its place",
    file: "a.log",
    make: (size) =>
      carla((log) => {
        const count = times(300_000 * size);
        for (let frame = 1; frame < 4; frame++) {
          log.frame(frame);
          if (frame === 1) records(log, 2, count, addActor);
          records(log, 6, count, (out, i) =>
            out
              .u32le(i + 1)
              .f32le(frame)
              .raw(zeros(20)),
          );
          log.packet(1, zeros(0));
        }
      }),
  },
  {
    name: "carla: collisions",
    file: "a.log",
    make: (size) => carlaOf(5, times(600_000 * size), (out, i) => out.u32le(i).u32le(1).u32le(2).u8(0).u8(0)),
  },
  {
    name: "carla: scene lights",
    file: "a.log",
    make: (size) => carlaOf(11, times(1_000_000 * size), (out, i) => out.u32le(i).f32le(1).raw(zeros(4)).u8(1).u8(1)),
  },
  {
    name: "carla: physics of many",
    file: "a.log",
    make: (size) => {
      const town = makeTown(RELEASES.find(({ name }) => name === "0.9.15")!, 2);
      return joined([
        town,
        carla((log) => {
          log.frame(3);
          records(log, 15, times(100_000 * size), (out, i) => out.u32le(i).raw(zeros(70)));
        }).subarray(34),
      ]);
    },
  },
  {
    name: "carla: bones of many",
    file: "a.log",
    make: (size) => carlaOf(19, times(1_000_000 * size), (out, i) => out.u32le(i).u16le(0)),
  },
  {
    name: "carla: empty frames",
    file: "a.log",
    make: (size) =>
      carla((log) => {
        for (let frame = 1; frame < 500_000 * size; frame++) {
          log.frame(frame);
          log.packet(1, zeros(0));
        }
      }),
  },
  {
    name: "carla: a chain of parents",
    file: "a.log",
    make: (size) =>
      carla((log) => {
        const count = times(100_000 * size);
        log.frame(1);
        records(log, 2, count, addActor);
        records(log, 4, count, (out, i) => out.u32le(i + 1).u32le(((i + 1) % count) + 1));
        log.packet(1, zeros(0));
        for (let frame = 2; frame < 20; frame++) {
          log.frame(frame);
          records(log, 6, 1, (out) => out.u32le(1).raw(zeros(24)));
          log.packet(1, zeros(0));
        }
      }),
  },
];

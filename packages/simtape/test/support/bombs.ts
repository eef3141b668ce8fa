import { gzipSync } from "node:zlib";
import { ByteBuilder } from "../../src/bytes/builder.ts";
import { loadZstd, type Zstd } from "../../src/codec/zstd.ts";
import { writeDeflatedFrame } from "../../src/formats/flightgear/frames.ts";
import { writeContinuousHeader } from "../../src/formats/flightgear/layout.ts";
import { writeExtraProperty } from "../../src/formats/flightgear/layout-extra.ts";
import { makeContinuous, makeNormal, packetBytes, signalBytes } from "../fixtures/flightgear/make.ts";
import { makeTown, RELEASES } from "../fixtures/carla/make.ts";
import { writeFileHeader, writeRecord } from "../../src/formats/nanover/layout-record.ts";
import { type EventBytes, event } from "../fixtures/hcrp/recording.ts";
import { type Content, makeTape } from "../fixtures/mira/tape.ts";
import { archiveOf } from "../fixtures/nanover/containers.ts";

/** A small file that asks for far more than it is: memory, objects or time. */
export interface Bomb {
  readonly name: string;
  /** The name of its main file. */
  readonly file: string;
  /** `size` scales it: 1 is as large as the long run has it. */
  readonly make: (size: number) => Uint8Array;
}

const zstd: Zstd = await loadZstd();
const MiB = 1 << 20;

function built(write: (out: ByteBuilder) => void): Uint8Array {
  const out = new ByteBuilder();
  write(out);
  return out.take();
}

function times(count: number): number {
  return Math.max(1, Math.round(count));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

// ── MIRA ────────────────────────────────────────────────────────────────

interface Stored {
  readonly stored: Uint8Array;
  readonly claimed: number;
}

/** A tape of `count` messages with the same compressed data; `time` of each. */
function tapeOf(count: number, { stored, claimed }: Stored, time: (i: number) => number = (i) => i * 1e6): Uint8Array {
  const data = new Uint8Array(claimed);
  const content: Content = {
    start: 1_700_000_000_000_000_000n,
    zoneOffset: 0n,
    channels: { "/camera": { type: "uint8" } },
    messages: Array.from({ length: count }, (_, i) => ({
      channel: "/camera",
      time: time(i),
      data,
      isCompressed: true,
    })),
  };
  return makeTape(content, { compress: () => stored });
}

const zeros = (length: number): Uint8Array => new Uint8Array(length);
/** 900,000 zeros in 48 bytes. */
const BZIP2_ZEROS = Uint8Array.from(
  Buffer.from(
    "425a683931415926535963e3eca20006e4c100c00002000008200030cc09aa6994a136a9284f17724538509063e3eca2",
    "hex",
  ),
);
const gzipOf = (length: number): Stored => ({ stored: gzipSync(zeros(length), { level: 9 }), claimed: length });
const zstdOf = (length: number): Stored => ({ stored: zstd.compress(zeros(length), { level: 19 }), claimed: length });

const MIRA: readonly Bomb[] = [
  { name: "mira: gzip in blocks", file: "a.tape", make: (size) => tapeOf(times(1200 * size), gzipOf(MiB)) },
  {
    name: "mira: gzip in blocks, all at one time",
    file: "a.tape",
    make: (size) => tapeOf(times(1200 * size), gzipOf(MiB), () => 0),
  },
  {
    name: "mira: gzip in blocks, backwards",
    file: "a.tape",
    make: (size) => tapeOf(times(1200 * size), gzipOf(MiB), (i) => (2000 - i) * 1e6),
  },
  {
    name: "mira: 64 MiB of zstd in each message",
    file: "a.tape",
    make: (size) => tapeOf(times(400 * size), zstdOf(64 * MiB)),
  },
  {
    name: "mira: bzip2 of zeros",
    file: "a.tape",
    make: (size) => tapeOf(times(1000 * size), { stored: BZIP2_ZEROS, claimed: 900_000 }),
  },
  {
    name: "mira: gzip members without content",
    file: "a.tape",
    make: (size) => {
      const member = gzipSync(zeros(0));
      return tapeOf(1, { stored: joined(new Array(times(200_000 * size)).fill(member)), claimed: 10 });
    },
  },
  {
    name: "mira: a channel for each message",
    file: "a.tape",
    make: (size) => {
      const names = Array.from({ length: times(20_000 * size) }, (_, i) => `/c/${i}`);
      return makeTape(
        {
          start: 0n,
          zoneOffset: 0n,
          channels: Object.fromEntries(names.map((name) => [name, { type: "int", meta: zeros(8) }])),
          messages: names.map((channel, i) => ({ channel, time: i, data: zeros(4) })),
        },
        { end: "unclosed" },
      );
    },
  },
  {
    name: "mira: nothing but blocks",
    file: "a.tape",
    make: (size) => {
      const tape = tapeOf(1, gzipOf(16));
      const block = tape.subarray(32, 32 + 5 + 24);
      return joined([tape, ...new Array(times(300_000 * size)).fill(block)]);
    },
  },
];

// ── HCRP ────────────────────────────────────────────────────────────────

interface Hcrp {
  readonly metadata?: Uint8Array;
  readonly index: (origin: number) => Uint8Array;
  readonly chunks: number;
  readonly ticks: number;
  readonly body: Uint8Array;
}

/** A file of the plain profile, which has no crc. */
function hcrpOf({ metadata = Uint8Array.of(10, 0), index, chunks, ticks, body }: Hcrp): Uint8Array {
  const length = index(0).length;
  const entries = index(256 + metadata.length + length);
  const head = new ByteBuilder();
  head.u32be(0x48435250).u8(1).u16be(0).raw(zeros(32)).bigI64be(1_775_844_000_000n).u16be(0);
  head.u32be(metadata.length).u32be(length).u32be(ticks).u32be(chunks);
  head.raw(zeros(256 - head.length));
  return joined([head.take(), metadata, entries, body]);
}

function varint(out: ByteBuilder, value: number): ByteBuilder {
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) out.u8((rest & 0x7f) | 0x80);
  return out.u8(rest);
}

interface EntryOf {
  readonly start: number;
  readonly ticks: number;
  readonly offset: number;
  readonly stored: number;
  readonly length: number;
  readonly snapshot?: boolean;
}

function entry(out: ByteBuilder, { start, ticks, offset, stored, length, snapshot = false }: EntryOf): void {
  varint(varint(out, start), ticks)
    .u8(snapshot ? 1 : 0)
    .u32be(0)
    .u32be(offset);
  varint(varint(out, stored), length);
}

/** An event of random bytes: frames of more than a thousandth of their content are refused. */
function noise(bytes: number): Uint8Array {
  const random = new Uint8Array(Math.ceil(bytes / 900));
  let state = 1;
  for (let i = 0; i < random.length; i++) {
    state = Math.imul(state, 1_103_515_245) + 12_345;
    random[i] = state >>> 16;
  }
  return built((out) => varint(out.u8(0).u16be(1).u8(64), random.length).raw(random));
}

/** Chunks that all have the same content. */
function chunksOf(count: number, inner: Uint8Array, ticks = 1, snapshot = false): Uint8Array {
  const content = inner.length > 65_536 ? joined([inner, noise(inner.length)]) : inner;
  const frame = zstd.compress(content, { level: 19 });
  return hcrpOf({
    chunks: count,
    ticks: count * ticks,
    index: (origin) =>
      built((out) => {
        for (let i = 0; i < count; i++)
          entry(out, {
            ...{ start: i * ticks, ticks, offset: origin + i * frame.length },
            ...{ stored: frame.length, length: content.length, snapshot: snapshot || i === 0 },
          });
      }),
    body: joined(new Array(count).fill(frame)),
  });
}

/** One chunk of one tick; `metadata` in front. */
function withMetadata(metadata: Uint8Array): Uint8Array {
  const frame = zstd.compress(Uint8Array.of(0, 0, 0, 0));
  return hcrpOf({
    metadata,
    chunks: 1,
    ticks: 1,
    index: (origin) =>
      built((out) =>
        entry(out, { start: 0, ticks: 1, offset: origin, stored: frame.length, length: 4, snapshot: true }),
      ),
    body: frame,
  });
}

/** Compound with one list: what is in it `count` times. */
function nbtList(type: number, count: number, item: Uint8Array): Uint8Array {
  const list = new ByteBuilder().u8(10).u8(9).u16be(1).u8(0x61).u8(type).i32be(count).take();
  const all = new Uint8Array(list.length + count * item.length + 1);
  all.set(list);
  for (let i = 0; i < count; i++) all.set(item, list.length + i * item.length);
  return all;
}

/** The compound `hcrp` with one list of compounds. */
function reserved(name: string, count: number, item: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(name);
  const head = new ByteBuilder().u8(10).u8(10).u16be(4).raw(new TextEncoder().encode("hcrp"));
  head.u8(9).u16be(text.length).raw(text).u8(10).i32be(count);
  return joined([head.take(), ...new Array(count).fill(item), Uint8Array.of(0, 0)]);
}

function snapshotOf(section: number, body: Uint8Array): Uint8Array {
  const inside = built((out) => varint(varint(out, section), body.length).raw(body));
  return built((out) =>
    varint(out, inside.length)
      .raw(inside)
      .raw(Uint8Array.of(0, 0, 0)),
  );
}

function tickOf(events: readonly EventBytes[]): Uint8Array {
  return built((out) => {
    for (let from = 0; from < events.length; from += 60_000) {
      const part = events.slice(from, from + 60_000);
      out
        .u8(0)
        .u8(part.length >>> 8)
        .u8(part.length & 0xff);
      for (const { id, body } of part) varint(out, id).raw(body);
    }
  });
}

const HCRP: readonly Bomb[] = [
  {
    name: "hcrp: metadata of empty compounds",
    file: "a.hcrp",
    make: (size) => withMetadata(nbtList(10, times(16_700_000 * size), zeros(1))),
  },
  {
    name: "hcrp: metadata of bytes",
    file: "a.hcrp",
    make: (size) => withMetadata(nbtList(1, times(16_700_000 * size), zeros(1))),
  },
  {
    name: "hcrp: metadata of empty texts",
    file: "a.hcrp",
    make: (size) => withMetadata(nbtList(8, times(8_300_000 * size), zeros(2))),
  },
  {
    name: "hcrp: metadata of longs",
    file: "a.hcrp",
    make: (size) => withMetadata(nbtList(4, times(2_000_000 * size), zeros(8).fill(0x7f))),
  },
  {
    name: "hcrp: metadata of one long array",
    file: "a.hcrp",
    make: (size) => {
      const count = times(2_000_000 * size);
      const head = new ByteBuilder().u8(10).u8(12).u16be(1).u8(0x61).i32be(count).take();
      return withMetadata(joined([head, zeros(count * 8).fill(0x7f), zeros(1)]));
    },
  },
  {
    name: "hcrp: metadata that are nested deep",
    file: "a.hcrp",
    make: (size) =>
      withMetadata(
        joined([Uint8Array.of(10), ...new Array(times(1_000_000 * size)).fill(Uint8Array.of(10, 0, 1, 0x61))]),
      ),
  },
  {
    name: "hcrp: epochs",
    file: "a.hcrp",
    make: (size) => withMetadata(reserved("epochs", times(16_000_000 * size), zeros(1))),
  },
  {
    name: "hcrp: subjects",
    file: "a.hcrp",
    make: (size) => withMetadata(reserved("subjects", times(16_000_000 * size), zeros(1))),
  },
  {
    name: "hcrp: host events",
    file: "a.hcrp",
    make: (size) => withMetadata(reserved("events", times(16_000_000 * size), zeros(1))),
  },
  {
    name: "hcrp: a million entries of the index",
    file: "a.hcrp",
    make: (size) => chunksOf(times(1_000_000 * size), zeros(0)),
  },
  {
    name: "hcrp: a million entries of the index, all of one frame",
    file: "a.hcrp",
    make: (size) => {
      const count = times(1_000_000 * size);
      const frame = zstd.compress(zeros(60_000), { level: 19 });
      return hcrpOf({
        chunks: count,
        ticks: count,
        index: (origin) =>
          built((out) => {
            for (let i = 0; i < count; i++)
              entry(out, { start: i, ticks: 1, offset: origin, stored: frame.length, length: 60_000 });
          }),
        body: frame,
      });
    },
  },
  {
    name: "hcrp: chunks of empty records",
    file: "a.hcrp",
    make: (size) => chunksOf(times(40_000 * size), zeros(65_535)),
  },
  {
    name: "hcrp: chunks of the largest ratio",
    file: "a.hcrp",
    make: (size) =>
      chunksOf(times(400 * size), tickOf([event(64, (out) => varint(out, 4_000_000).raw(zeros(4_000_000)))])),
  },
  {
    name: "hcrp: a chunk of four million events",
    file: "a.hcrp",
    make: (size) => {
      const one = built((out) => {
        out.u8(0).u16be(60_000);
        for (let i = 0; i < 60_000; i++) out.u8(64).u8(0);
      });
      return chunksOf(1, joined(new Array(times(66 * size)).fill(one)));
    },
  },
  {
    name: "hcrp: palettes of empty entries",
    file: "a.hcrp",
    make: (size) => {
      const count = times(16_000_000 * size);
      return chunksOf(
        3,
        snapshotOf(
          0,
          built((out) => varint(out, count).raw(zeros(count))),
        ),
        1,
        true,
      );
    },
  },
  {
    name: "hcrp: a snapshot of many entities",
    file: "a.hcrp",
    make: (size) => {
      const count = times(1_500_000 * size);
      const body = built((out) => {
        varint(out, count);
        for (let i = 0; i < count; i++) varint(out, i + 1).raw(zeros(8));
      });
      return chunksOf(3, snapshotOf(1, body), 1, true);
    },
  },
  {
    name: "hcrp: many blocks",
    file: "a.hcrp",
    make: (size) => {
      const count = times(1_000_000 * size);
      const body = built((out) => {
        varint(out, count);
        for (let i = 0; i < count; i++)
          out
            .u32be(i >>> 6)
            .u32be(i << 12)
            .u8(1)
            .u8(0);
      });
      return chunksOf(3, snapshotOf(2, body), 1, true);
    },
  },
];

// ── CARLA ───────────────────────────────────────────────────────────────

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

const CARLA: readonly Bomb[] = [
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

// ── FlightGear ──────────────────────────────────────────────────────────

function continuousOf(tree: string): Uint8Array {
  return built((out) =>
    writeContinuousHeader(out, { layout: "current", texts: [new TextEncoder().encode(`${tree}\0`)] }),
  );
}

const META = "<meta><aircraft-type>ufo</aircraft-type></meta>";
const SIGNAL = '<signal><type>double</type><property type="string">/a</property></signal>';

function propertyTape(count: number, path: (i: number) => string, value: string): Uint8Array {
  const head = continuousOf(`<?xml version="1.0"?><PropertyList>${META}<data>extra-properties</data></PropertyList>`);
  const out = new ByteBuilder(MiB);
  out.raw(head);
  for (let from = 0, frame = 0; from < count; from += 1000, frame++) {
    const item = built((extra) => {
      for (let i = from; i < Math.min(count, from + 1000); i++) writeExtraProperty(extra, { path: path(i), value });
    });
    out.f64le(frame).u32le(item.length).raw(item);
  }
  return out.take();
}

const FLIGHTGEAR: readonly Bomb[] = [
  {
    name: "flightgear: a tape of zeros, gzipped",
    file: "a.fgtape",
    make: (size) => gzipSync(joined([makeNormal({ generation: 2 }), zeros(times(900 * size) * MiB)])),
  },
  {
    name: "flightgear: gzip of gzip of zeros",
    file: "a.fgtape",
    make: (size) => gzipSync(gzipSync(zeros(times(400 * size) * MiB))),
  },
  {
    name: "flightgear: gzip members without content",
    file: "a.fgtape",
    make: (size) => {
      const member = gzipSync(zeros(0));
      return joined([gzipSync(makeNormal({ generation: 2 })), ...new Array(times(500_000 * size)).fill(member)]);
    },
  },
  {
    name: "flightgear: frames of 16 MiB, deflated",
    file: "a.fgtape",
    make: (size) => {
      const head = makeContinuous({ frames: 1, compression: "1", data: ["signals", "multiplayer"] });
      const out = new ByteBuilder(MiB);
      out.raw(head);
      for (let i = 1; i < 100 * size + 2; i++)
        writeDeflatedFrame(out, 100 + i, 3, [signalBytes(1), zeros(15 * MiB)], new ByteBuilder());
      return out.take();
    },
  },
  {
    name: "flightgear: a header of empty nodes",
    file: "a.fgtape",
    make: (size) =>
      continuousOf(
        `<?xml version="1.0"?><PropertyList>${META}<data>signals</data>${"<a/>".repeat(times(4_000_000 * size))}</PropertyList>`,
      ),
  },
  {
    name: "flightgear: a header that is nested deep",
    file: "a.fgtape",
    make: (size) => continuousOf(`<?xml version="1.0"?><PropertyList>${"<a>".repeat(times(2_000_000 * size))}`),
  },
  {
    name: "flightgear: a header of attributes",
    file: "a.fgtape",
    make: (size) =>
      continuousOf(
        `<?xml version="1.0"?><PropertyList><a ${Array.from({ length: times(1_000_000 * size) }, (_, i) => `a${i}=""`).join(" ")}/></PropertyList>`,
      ),
  },
  {
    name: "flightgear: many signals",
    file: "a.fgtape",
    make: (size) =>
      continuousOf(
        `<?xml version="1.0"?><PropertyList>${META}<data>signals</data><signals>${SIGNAL.repeat(times(200_000 * size))}</signals></PropertyList>`,
      ),
  },
  {
    name: "flightgear: a header beside itself in size",
    file: "a.fgtape",
    make: (size) =>
      continuousOf(
        `<?xml version="1.0"?><PropertyList>${META}<b>${"&lt;".repeat(times(4_000_000 * size))}</b></PropertyList>`,
      ),
  },
  {
    name: "flightgear: extra properties",
    file: "a.fgtape",
    make: (size) => propertyTape(times(1_000_000 * size), (i) => `/p${i}`, ""),
  },
  {
    name: "flightgear: extra properties of many levels",
    file: "a.fgtape",
    make: (size) => propertyTape(times(2_000 * size), (i) => `/p${i}${"/a".repeat(4000)}`, ""),
  },
  {
    name: "flightgear: many pilots",
    file: "a.fgtape",
    make: (size) => {
      const head = makeContinuous({ frames: 1, data: ["signals", "multiplayer"] });
      const out = new ByteBuilder(MiB);
      out.raw(head);
      let pilot = 0;
      for (let frame = 1; frame < 100 * size + 2; frame++) {
        const list = built((packets) => {
          for (let i = 0; i < 1000; i++) {
            const bytes = packetBytes(`p${(pilot++).toString(36)}`, frame, 2);
            packets.u16le(bytes.length).raw(bytes);
          }
        });
        out
          .f64le(100 + frame)
          .u32le(0)
          .u32le(list.length)
          .raw(list);
      }
      return out.take();
    },
  },
];

// ── NanoVer ─────────────────────────────────────────────────────────────

function packText(out: ByteBuilder, value: string): ByteBuilder {
  const bytes = new TextEncoder().encode(value);
  return bytes.length < 32 ? out.u8(0xa0 + bytes.length).raw(bytes) : out.u8(0xda).u16be(bytes.length).raw(bytes);
}

interface ZipEntry {
  readonly offset: number;
  readonly length: number;
  readonly time: number;
  readonly type?: string;
}

function indexOf(entries: readonly ZipEntry[]): Uint8Array {
  return built((out) => {
    out.u8(0xdd).u32be(entries.length);
    for (const { offset, length, time, type } of entries) {
      out.u8(0x83);
      packText(out, "offset").u8(0xce).u32be(offset);
      packText(out, "length").u8(0xce).u32be(length);
      packText(out, "metadata").u8(type === undefined ? 0x81 : 0x82);
      packText(out, "timestamp")
        .u8(0xcb)
        .raw(new Uint8Array(new Float64Array([time]).buffer).reverse());
      if (type !== undefined) {
        packText(out, "types").u8(0x91);
        packText(out, type);
      }
    }
  });
}

/** A map with one part, `frame` or `state`, that is a map with one key. */
function message(part: string, key: string, value: Uint8Array): Uint8Array {
  return built((out) => {
    packText(out.u8(0x81), part).u8(0x81);
    packText(out, key).raw(value);
  });
}

function stateMessage(updates: Uint8Array): Uint8Array {
  return built((out) => {
    packText(out.u8(0x81), "state").u8(0x82);
    packText(out, "updates").raw(updates);
    packText(out, "removals").u8(0x90);
  });
}

function array32(count: number, item: Uint8Array): Uint8Array {
  return built((out) => {
    out.u8(0xdd).u32be(count);
    const all = new Uint8Array(count * item.length);
    for (let i = 0; i < count; i++) all.set(item, i * item.length);
    out.raw(all);
  });
}

function nanoverZip(messages: Uint8Array, entries: readonly ZipEntry[], isDeflated = false): Uint8Array {
  return archiveOf(
    [
      ["messages.msgpack", messages],
      ["index.msgpack", indexOf(entries)],
    ],
    { isDeflated },
  );
}

function oneMessage(bytes: Uint8Array, type: string): Uint8Array {
  return nanoverZip(bytes, [{ offset: 0, length: bytes.length, time: 0, type }], true);
}

/** Records of a `.traj` or `.state` in version 2. */
function recordsOf(payloads: Iterable<Uint8Array>): Uint8Array {
  const out = new ByteBuilder(MiB);
  writeFileHeader(out, 2);
  let time = 0;
  for (const payload of payloads) {
    writeRecord(out, time, payload);
    time += 33_333;
  }
  return out.take();
}

/** A length-delimited field of protobuf. */
function field(number: number, content: Uint8Array): Uint8Array {
  return built((out) => varint(varint(out, number * 8 + 2), content.length).raw(content));
}

const NANOVER: readonly Bomb[] = [
  {
    name: "nanover: messages of zeros, deflated",
    file: "a.nanover.zip",
    make: (size) => oneMessage(zeros(times(900 * size) * MiB), "frame"),
  },
  {
    name: "nanover: an index of zeros, deflated",
    file: "a.nanover.zip",
    make: (size) =>
      archiveOf(
        [
          ["messages.msgpack", message("frame", "a", Uint8Array.of(0))],
          ["index.msgpack", joined([Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff), zeros(times(600 * size) * MiB)])],
        ],
        { isDeflated: true },
      ),
  },
  {
    name: "nanover: entries that overlap",
    file: "a.nanover.zip",
    make: (size) => {
      const one = message("frame", "a", joined([Uint8Array.of(0xc6, 0, 16, 0, 0), zeros(MiB)]));
      const entries = Array.from({ length: times(200_000 * size) }, (_, i) => ({
        offset: 0,
        length: one.length,
        time: i,
        type: "frame",
      }));
      return nanoverZip(one, entries);
    },
  },
  {
    name: "nanover: entries that overlap and say nothing of their messages",
    file: "a.nanover.zip",
    make: (size) => {
      const one = message("frame", "a", joined([Uint8Array.of(0xc6, 0, 16, 0, 0), zeros(MiB)]));
      return nanoverZip(
        one,
        Array.from({ length: times(200_000 * size) }, (_, i) => ({ offset: 0, length: one.length, time: i })),
      );
    },
  },
  {
    name: "nanover: small entries that overlap in part",
    file: "a.nanover.zip",
    make: (size) => {
      const one = zeros(MiB);
      const entries = Array.from({ length: times(200_000 * size) }, (_, i) => ({
        offset: (i * 7) % 1000,
        length: one.length - 1000,
        time: i % 3,
        type: "frame",
      }));
      return nanoverZip(one, entries);
    },
  },
  {
    name: "nanover: a zip of many members",
    file: "a.nanover.zip",
    make: (size) => {
      const one = message("frame", "a", Uint8Array.of(0));
      const members: [string, Uint8Array][] = [["messages.msgpack", one]];
      for (let i = 0; i < 65_000 * size; i++) members.push(["index.msgpack", indexOf([])]);
      return archiveOf(members);
    },
  },
  {
    name: "nanover: a frame of empty lists",
    file: "a.nanover.zip",
    make: (size) => oneMessage(message("frame", "a", array32(times(16_000_000 * size), Uint8Array.of(0x90))), "frame"),
  },
  {
    name: "nanover: a frame of nothings",
    file: "a.nanover.zip",
    make: (size) => oneMessage(message("frame", "a", array32(times(48_000_000 * size), Uint8Array.of(0xc0))), "frame"),
  },
  {
    name: "nanover: a frame of lists of lists",
    file: "a.nanover.zip",
    make: (size) => oneMessage(message("frame", "a", zeros(times(16_000_000 * size)).fill(0x91)), "frame"),
  },
  {
    name: "nanover: a frame of many keys",
    file: "a.nanover.zip",
    make: (size) => {
      const count = times(2_000_000 * size);
      const bytes = built((out) => {
        packText(out.u8(0x81), "frame").u8(0xdf).u32be(count);
        for (let i = 0; i < count; i++) packText(out, i.toString(36)).u8(0);
      });
      return oneMessage(bytes, "frame");
    },
  },
  {
    name: "nanover: a state of many keys",
    file: "a.nanover.zip",
    make: (size) => {
      const count = times(2_000_000 * size);
      const bytes = stateMessage(
        built((out) => {
          out.u8(0xdf).u32be(count);
          for (let i = 0; i < count; i++) packText(out, i.toString(36)).u8(0x80);
        }),
      );
      return oneMessage(bytes, "state");
    },
  },
  {
    name: "nanover: a state that grows",
    file: "a.nanover.zip",
    make: (size) => {
      const parts: Uint8Array[] = [];
      const entries: ZipEntry[] = [];
      let offset = 0;
      for (let i = 0; i < 1000 * size; i++) {
        const one = stateMessage(
          built((out) => {
            out.u8(0xdf).u32be(2000);
            for (let k = 0; k < 2000; k++) packText(out, (i * 2000 + k).toString(36)).u8(0x80);
          }),
        );
        parts.push(one);
        entries.push({ offset, length: one.length, time: i, type: "state" });
        offset += one.length;
      }
      return nanoverZip(joined(parts), entries, true);
    },
  },
  {
    name: "nanover: a state of nested lists, protobuf",
    file: "a.state",
    make: (size) => {
      // StateUpdate { changed_keys: Struct { fields { "a": Value { list_value { values: Value {} … } } } } }
      const items = zeros(times(8_000_000 * size) * 2);
      for (let i = 0; i < items.length; i += 2) items[i] = 10;
      const value = field(6, items);
      const entryBytes = joined([field(1, Uint8Array.of(0x61)), field(2, value)]);
      return recordsOf([field(1, field(1, entryBytes))]);
    },
  },
  {
    name: "nanover: a frame of many values, protobuf",
    file: "a.traj",
    make: (size) => {
      const count = times(1_000_000 * size);
      const frame = built((out) => {
        for (let i = 0; i < count; i++)
          out.raw(field(1, joined([field(1, new TextEncoder().encode(i.toString(36))), field(2, zeros(0))])));
      });
      return recordsOf([joined([Uint8Array.of(8, 1), field(2, frame)])]);
    },
  },
  {
    name: "nanover: an array of varints, protobuf",
    file: "a.traj",
    make: (size) => {
      // ArrayData { index_values { values } }: one byte each becomes a number
      const array = field(2, field(1, zeros(times(48_000_000 * size))));
      const frame = field(2, joined([field(1, new TextEncoder().encode("a")), field(2, array)]));
      return recordsOf([joined([Uint8Array.of(8, 1), field(2, frame)])]);
    },
  },
  {
    name: "nanover: records without content",
    file: "a.traj",
    make: (size) => recordsOf(new Array(times(500_000 * size)).fill(Uint8Array.of(8, 1))),
  },
];

/** One for each way of asking for too much that is known, of every format. */
export const BOMBS: readonly Bomb[] = [...MIRA, ...HCRP, ...CARLA, ...FLIGHTGEAR, ...NANOVER];

import { EVENT } from "../../../src/formats/hcrp/layout/events.ts";
import { writeChat } from "../../../src/formats/hcrp/layout/world-events.ts";
import { ByteBuilder } from "../../../src/kit.ts";
import { type EventBytes, event } from "../../fixtures/hcrp/recording.ts";
import { type Bomb, built, joined, times, varint, zeros, zstd } from "./parts.ts";

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

/** The length of a snapshot that is empty, with which the first chunk begins. */
const NO_SNAPSHOT = Uint8Array.of(0);

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

export const HCRP: readonly Bomb[] = [
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
    name: "hcrp: a damaged chunk of a century",
    file: "a.hcrp",
    make: (size) => {
      const [ticks, content] = [times(0x7fff_ffff * size), Uint8Array.of(0, 0, 0, 0, 0xff)];
      const frame = zstd.compress(content);
      const index = (offset: number): Uint8Array =>
        built((out) =>
          entry(out, { start: 0, ticks, offset, stored: frame.length, length: content.length, snapshot: true }),
        );
      return hcrpOf({ index, chunks: 1, ticks, body: frame });
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
      chunksOf(
        times(400 * size),
        joined([NO_SNAPSHOT, tickOf([event(64, (out) => varint(out, 4_000_000).raw(zeros(4_000_000)))])]),
      ),
  },
  {
    name: "hcrp: a chunk of four million events",
    file: "a.hcrp",
    make: (size) => {
      const one = built((out) => {
        out.u8(0).u16be(60_000);
        for (let i = 0; i < 60_000; i++) out.u8(64).u8(0);
      });
      return chunksOf(1, joined([NO_SNAPSHOT, ...new Array(times(66 * size)).fill(one)]));
    },
  },
  {
    name: "hcrp: chat of one tick",
    file: "a.hcrp",
    make: (size) => {
      // senders of four bytes are all different, so that the chunk is not refused for its ratio
      const chat = (i: number): EventBytes =>
        event(EVENT.chat, (out) =>
          writeChat(out, { kind: 0, sender: 2 ** 27 + (Math.imul(i, 40_503_701) % 2 ** 26), text: 0 }),
        );
      const events = Array.from({ length: times(400_000 * size) }, (_, i) => chat(i));
      return chunksOf(1, joined([NO_SNAPSHOT, tickOf(events)]));
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

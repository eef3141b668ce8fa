import { writeFileHeader, writeRecord } from "../../../src/formats/nanover/layout/record.ts";
import { ByteBuilder } from "../../../src/kit.ts";
import { archiveOf } from "../../fixtures/nanover/containers.ts";
import { type Bomb, MiB, built, joined, times, varint, zeros } from "./parts.ts";

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

/** A message for each of `count` keys, which stay: what holds grows with every moment. */
function keyByKey(count: number, type: "frame" | "state"): Uint8Array {
  const messages = new ByteBuilder(MiB);
  const entries: ZipEntry[] = [];
  for (let i = 0; i < count; i++) {
    const offset = messages.length;
    const key = `key-${i}`;
    const one = built((out) => packText(out.u8(0x81), key).u8(7));
    messages.raw(type === "state" ? stateMessage(one) : message("frame", key, Uint8Array.of(7)));
    entries.push({ offset, length: messages.length - offset, time: i, type });
  }
  return nanoverZip(messages.take(), entries, true);
}

export const NANOVER: readonly Bomb[] = [
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
    name: "nanover: a state with a key more in each message",
    file: "a.nanover.zip",
    make: (size) => keyByKey(times(200_000 * size), "state"),
  },
  {
    name: "nanover: frames with a key more in each message",
    file: "a.nanover.zip",
    make: (size) => keyByKey(times(200_000 * size), "frame"),
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

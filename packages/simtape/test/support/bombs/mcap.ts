import {
  MESSAGE_HEAD,
  writeChannel,
  writeChunkHead,
  writeHeader,
  writeMessageHead,
  writeMetadata,
  writeSchema,
} from "../../../src/codec/mcap/data.ts";
import { MAGIC, OP, PREFIX } from "../../../src/codec/mcap/opcode.ts";
import type { ByteBuilder } from "../../../src/kit.ts";
import { type Bomb, built, MiB, times, zeros, zstd } from "./parts.ts";

const JSON_CHANNEL = { id: 1, schema: 0, topic: "/value", encoding: "json", metadata: new Map<string, string>() };

/** One record: opcode, length, content (MCAP spec §2). */
function record(out: ByteBuilder, opcode: number, write: (content: ByteBuilder) => void): void {
  const content = built(write);
  out.u8(opcode).i64le(content.length).raw(content);
}

/** A file that was not closed: the magic, a header and what `write` adds. */
function unclosed(write: (out: ByteBuilder) => void): Uint8Array {
  return built((out) => {
    out.raw(MAGIC);
    record(out, OP.header, (content) => writeHeader(content, { profile: "", library: "bomb" }));
    write(out);
  });
}

/** A message at so many milliseconds. */
function message(out: ByteBuilder, channel: number, at: number, payload: Uint8Array): void {
  const time = BigInt(at) * 1_000_000n;
  out.u8(OP.message).i64le(MESSAGE_HEAD + payload.length);
  writeMessageHead(out, { channel, sequence: at, logTime: time, publishTime: time });
  out.raw(payload);
}

/** `count` messages of one JSON channel. */
function ofJson(count: number, payload: (i: number) => string): Uint8Array {
  const encoder = new TextEncoder();
  return unclosed((out) => {
    record(out, OP.channel, (content) => writeChannel(content, JSON_CHANNEL));
    for (let i = 0; i < count; i++) message(out, 1, i, encoder.encode(payload(i)));
  });
}

/** Messages of a channel with a schema. */
function ofSchema(
  encoding: string,
  schema: { readonly name: string; readonly encoding: string; readonly data: string },
  payloads: readonly Uint8Array[],
): Uint8Array {
  return unclosed((out) => {
    record(out, OP.schema, (content) =>
      writeSchema(content, { ...schema, id: 1, data: new TextEncoder().encode(schema.data) }),
    );
    record(out, OP.channel, (content) => writeChannel(content, { ...JSON_CHANNEL, schema: 1, encoding }));
    for (const [i, payload] of payloads.entries()) message(out, 1, i, payload);
  });
}

/** Chunks in zstd, each of the same records, and as large as it says. */
function ofChunks(count: number, records: Uint8Array): Uint8Array {
  const stored = zstd.compress(records, { level: 1 });
  return unclosed((out) => {
    record(out, OP.channel, (content) => writeChannel(content, JSON_CHANNEL));
    for (let i = 0; i < count; i++) {
      record(out, OP.chunk, (content) => {
        const head = { start: 0n, end: 0n, size: records.length, crc: 0, compression: "zstd", stored: stored.length };
        writeChunkHead(content, head);
        content.raw(stored);
      });
    }
  });
}

/** Messages of ROS 1 or ROS 2, each of which is a list of empty messages. */
function ofRos(
  size: number,
  encoding: string,
  schema: { readonly name: string; readonly encoding: string },
  payload: Uint8Array,
): Uint8Array {
  const data = `std_msgs/Empty[] items\n${"=".repeat(80)}\nMSG: std_msgs/Empty\n`;
  const payloads = Array.from({ length: times(10 * size) }, () => payload);
  return ofSchema(encoding, { ...schema, data }, payloads);
}

/** A length that is the highest there is, for a list whose items take no byte. */
const ENDLESS = Uint8Array.of(0xff, 0xff, 0xff, 0x7f);
/** The same behind the head of CDR: little-endian (the encapsulation header of CDR in RTPS). */
const ENDLESS_CDR = Uint8Array.of(0, 1, 0, 0, ...ENDLESS);

export const MCAP: readonly Bomb[] = [
  {
    name: "mcap: as many channels as there can be",
    file: "channels.mcap",
    make: (size) =>
      unclosed((out) => {
        const count = times(65_000 * size);
        for (let id = 0; id < count; id++)
          record(out, OP.channel, (content) => writeChannel(content, { ...JSON_CHANNEL, id, topic: `/c${id}` }));
        for (let id = 0; id < count; id++) message(out, id, id, new TextEncoder().encode('{"a":1}'));
      }),
  },
  {
    name: "mcap: other keys in each message",
    file: "keys.mcap",
    make: (size) =>
      ofJson(times(100 * size), (i) =>
        JSON.stringify(Object.fromEntries(Array.from({ length: 8000 }, (_, k) => [`k${i}_${k}`, k]))),
      ),
  },
  {
    name: "mcap: lists in lists",
    file: "deep.mcap",
    make: (size) => ofJson(times(200 * size), () => "[".repeat(60_000) + "]".repeat(60_000)),
  },
  {
    name: "mcap: half a million empty messages in a chunk",
    file: "empty.mcap",
    make: (size) =>
      ofChunks(
        times(10 * size),
        built((out) => {
          for (let i = 0; i < times(5e5 * size); i++) message(out, 1, 0, zeros(0));
        }),
      ),
  },
  {
    name: "mcap: a message of zeros in each chunk",
    file: "zeros.mcap",
    make: (size) =>
      ofChunks(
        times(100 * size),
        built((out) => message(out, 1, 0, zeros(64 * MiB - MESSAGE_HEAD - PREFIX))),
      ),
  },
  {
    name: "mcap: metadata records",
    file: "metadata.mcap",
    make: (size) =>
      unclosed((out) => {
        for (let i = 0; i < times(500_000 * size); i++)
          record(out, OP.metadata, (content) => writeMetadata(content, { name: "", texts: new Map() }));
      }),
  },
  {
    name: "mcap: an endless list of empty messages of ROS 1",
    file: "ros1.mcap",
    make: (size) => ofRos(size, "ros1", { name: "a/Bomb", encoding: "ros1msg" }, ENDLESS),
  },
  {
    name: "mcap: an endless list of empty messages of ROS 2",
    file: "ros2.mcap",
    make: (size) => ofRos(size, "cdr", { name: "a/msg/Bomb", encoding: "ros2msg" }, ENDLESS_CDR),
  },
  {
    name: "mcap: an endless list of empty structs of IDL",
    file: "idl.mcap",
    make: (size) => {
      const data = "struct Empty {}; struct Bomb { sequence<Empty> items; };";
      const schema = { name: "Bomb", encoding: "omgidl", data };
      return ofSchema(
        "cdr",
        schema,
        Array.from({ length: times(10 * size) }, () => ENDLESS_CDR),
      );
    },
  },
  {
    name: "mcap: lists of CBOR that say to be endless",
    file: "cbor.mcap",
    make: (size) =>
      unclosed((out) => {
        record(out, OP.channel, (content) => writeChannel(content, { ...JSON_CHANNEL, encoding: "cbor" }));
        // an array of 2^32 - 1 items (RFC 8949, major type 4), none of which is there
        for (let i = 0; i < times(1000 * size); i++) message(out, 1, i, Uint8Array.of(0x9a, 0xff, 0xff, 0xff, 0xff));
      }),
  },
  {
    name: "mcap: lists of MessagePack that say to be endless",
    file: "msgpack.mcap",
    make: (size) =>
      unclosed((out) => {
        record(out, OP.channel, (content) => writeChannel(content, { ...JSON_CHANNEL, encoding: "msgpack" }));
        // array 32
        for (let i = 0; i < times(1000 * size); i++) message(out, 1, i, Uint8Array.of(0xdd, 0xff, 0xff, 0xff, 0xff));
      }),
  },
];

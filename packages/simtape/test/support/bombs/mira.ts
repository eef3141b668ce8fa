import { gzipSync } from "node:zlib";
import {
  BLOCK,
  BLOCK_BYTES,
  CHANNEL_INFO,
  channelInfoBytes,
  type Dialect,
  MESSAGE,
  messageBytes,
  writeBlock,
  writeChannelInfo,
  writeChunkHeader,
  writeFileHeader,
  writeMessage,
} from "../../../src/formats/mira/layout/layout.ts";
import { ByteBuilder } from "../../../src/kit.ts";
import { type Content, makeTape } from "../../fixtures/mira/tape.ts";
import { type Bomb, MiB, joined, times, zeros, zstd } from "./parts.ts";

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

/** 900,000 zeros in 48 bytes. */
const BZIP2_ZEROS = Uint8Array.from(
  Buffer.from(
    "425a683931415926535963e3eca20006e4c100c00002000008200030cc09aa6994a136a9284f17724538509063e3eca2",
    "hex",
  ),
);
const gzipOf = (length: number): Stored => ({ stored: gzipSync(zeros(length), { level: 9 }), claimed: length });
const zstdOf = (length: number): Stored => ({ stored: zstd.compress(zeros(length), { level: 19 }), claimed: length });

const DIALECT: Dialect = { isLittle: true, sizeIncludesHeader: false, blockSpans: false, headerBytes: 32 };

/** An unclosed tape of `count` channels: a message of each, and a channel info unless they are `nameless`. */
function tapeOfChannels(count: number, isNameless = false): Uint8Array {
  const out = new ByteBuilder(MiB);
  const header = { version: 1, start: 0n, zoneOffset: 0n, unknown: zeros(0), blocks: 0, firstChannel: 0n };
  writeFileHeader(out, header, DIALECT);
  writeChunkHeader(out, { type: BLOCK, size: BLOCK_BYTES }, DIALECT);
  writeBlock(out, { messages: 0, size: 0, first: 0n, last: 0n }, DIALECT);
  const none = { next: 0n, first: 0n, last: 0n, type: "int", meta: zeros(0), dataSize: 0n, index: 0n };
  for (let i = 0; i < count; i++) {
    const name = `/c/${i}`;
    if (!isNameless) {
      const info = { ...none, name };
      writeChunkHeader(out, { type: CHANNEL_INFO, size: channelInfoBytes(info) }, DIALECT);
      writeChannelInfo(out, info, DIALECT);
    }
    const time = BigInt(i);
    const message = { time, channel: name, frameId: "", sequenceId: i, uncompressedSize: null, data: zeros(4) };
    writeChunkHeader(out, { type: MESSAGE, size: messageBytes(message) }, DIALECT);
    writeMessage(out, message, DIALECT);
  }
  return out.take();
}

export const MIRA: readonly Bomb[] = [
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
  { name: "mira: a million channels", file: "a.tape", make: (size) => tapeOfChannels(times(1_000_000 * size)) },
  {
    name: "mira: as many channels as there may be, without infos",
    file: "a.tape",
    make: (size) => tapeOfChannels(times(65_000 * size), true),
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

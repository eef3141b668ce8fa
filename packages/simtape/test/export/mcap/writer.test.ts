import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Clock } from "../../../src/export/mcap/clock.ts";
import { combineCrcs } from "../../../src/export/mcap/crc-combine.ts";
import { McapWriter, type McapWriterOptions } from "../../../src/export/mcap/writer.ts";
import { MemoryFiles } from "../../../src/index.ts";
import { loadZstd } from "../../../src/kit.ts";
import { indexed, type JudgedFile, sectionCrcs, streamed } from "./judge.ts";

const EPOCH = 1_700_000_000_123_456_789n;

interface Given {
  readonly topic: string;
  readonly time: number;
  readonly sequence: number;
  readonly data: Uint8Array;
}

/** Messages on five channels, some of equal times, with payloads of 0 to 300 bytes. */
function messages(count: number): Given[] {
  let seed = 7;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  let time = -5_000_000_000;
  return Array.from({ length: count }, (_, sequence) => {
    time += random(3) * 700_000_001;
    const data = Uint8Array.from({ length: random(300) }, () => random(256));
    return { topic: `/topic ${random(5)}`, time, sequence, data };
  });
}

async function write(given: readonly Given[], options: McapWriterOptions): Promise<Uint8Array> {
  const files = new MemoryFiles("x.mcap");
  const sink = await files.open();
  const writer = await McapWriter.begin(sink, new Clock(EPOCH), options);
  const channels = new Map<string, number>();
  const schema = writer.schema("some.Schema", "jsonschema", new TextEncoder().encode('{"type":"object"}'));
  for (const { topic, time, sequence, data } of given) {
    if (!channels.has(topic)) channels.set(topic, writer.channel(topic, schema, "json", { key: topic }));
    writer.bytes(channels.get(topic)!, time, sequence, data);
    if (writer.isFull) await writer.drain();
  }
  await writer.attachment({ name: "a.bin", mediaType: "x/y", time: 5, byteLength: 6 }, [
    Uint8Array.of(1, 2, 3, 4),
    Uint8Array.of(5, 6),
  ]);
  await writer.metadata("about", { a: "b", ключ: "значение" });
  await writer.finish();
  await sink.close();
  return files.bytes;
}

function plain({ messages: found }: JudgedFile): string[] {
  return found.map(({ logTime, ...rest }) => line({ ...rest, time: Number(logTime - EPOCH) }));
}

function line({ topic, time, sequence, data }: Given): string {
  return `${topic} ${time} ${sequence} ${Buffer.from(data).toString("hex")}`;
}

describe("the writer of MCAP", () => {
  const zstd = async (): Promise<(bytes: Uint8Array) => Uint8Array> => {
    const { compress } = await loadZstd().then((each) => ({ compress: each.compress.bind(each) }));
    return (bytes) => compress(bytes, { level: 1 });
  };

  it.each([
    ["stored", false],
    ["compressed", true],
  ])("gives @mcap/core the same messages, streamed and by the indexes: %s", async (_, isCompressed) => {
    const given = messages(3000);
    const bytes = await write(given, { chunkBytes: 5000, zstd: isCompressed ? await zstd() : null });
    const stream = await streamed(bytes);
    expect(plain(stream)).toEqual(given.map(line));
    const index = await indexed(bytes);
    // the indexed reader gives equal times by chunk and offset
    expect(plain(index)).toEqual(given.map(line));
    expect(index.statistics).toEqual(stream.statistics);
    expect(stream.statistics.chunkCount).toBeGreaterThan(50);
    expect(stream.statistics.messageCount).toBe(3000n);
    expect(stream.statistics.messageStartTime).toBe(EPOCH + BigInt(given[0]!.time));
    expect(stream.statistics.messageEndTime).toBe(EPOCH + BigInt(given.at(-1)!.time));
    const counts = new Map<string, bigint>();
    for (const { topic } of given) counts.set(topic, (counts.get(topic) ?? 0n) + 1n);
    const stated = new Map(
      index.channels.map(({ id, topic }) => [topic, index.statistics.channelMessageCounts.get(id)]),
    );
    expect(stated).toEqual(counts);
  });

  it("gives one topic by its message index", async () => {
    const given = messages(2000);
    const bytes = await write(given, { chunkBytes: 4000 });
    const { messages: found } = await indexed(bytes, ["/topic 3"]);
    expect(found.map(({ sequence }) => sequence)).toEqual(
      given.filter(({ topic }) => topic === "/topic 3").map(({ sequence }) => sequence),
    );
  });

  it("states the CRCs of its sections, as zlib computes them", async () => {
    const { data, summary } = sectionCrcs(await write(messages(500), { chunkBytes: 5000 }));
    expect(data.stated).toBe(data.computed);
    expect(summary.stated).toBe(summary.computed);
    expect(data.stated).not.toBe(0);
  });

  it("carries attachments and metadata, which both ways of reading find", async () => {
    const bytes = await write(messages(10), {});
    for (const file of [await streamed(bytes), await indexed(bytes)]) {
      expect(file.attachments).toHaveLength(1);
      expect(file.attachments[0]).toMatchObject({ name: "a.bin", mediaType: "x/y", logTime: EPOCH + 5n });
      expect([...file.attachments[0]!.data]).toEqual([1, 2, 3, 4, 5, 6]);
      expect(file.metadata).toEqual([
        {
          type: "Metadata",
          name: "about",
          metadata: new Map([
            ["a", "b"],
            ["ключ", "значение"],
          ]),
        },
      ]);
    }
  });

  it("writes a file without messages that is whole", async () => {
    const bytes = await write([], {});
    expect((await streamed(bytes)).messages).toEqual([]);
    expect((await indexed(bytes)).statistics.messageCount).toBe(0n);
  });

  it("refuses an attachment that has other than the bytes stated", async () => {
    const sink = await new MemoryFiles("x.mcap").open();
    const writer = await McapWriter.begin(sink, new Clock(0n));
    const spec = { name: "a", mediaType: "", time: 0, byteLength: 3 };
    await expect(writer.attachment(spec, [Uint8Array.of(1, 2)])).rejects.toThrow(RangeError);
  });
});

describe("CRCs of two runs of bytes", () => {
  it("are that of both, as zlib computes it", () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31 + (i >> 7)) & 255);
    for (const [first, second] of [
      [0, 0],
      [0, 5],
      [5, 0],
      [1, 1],
      [13, 255],
      [4096, 65_536],
      [69_999, 1],
    ] as const) {
      const a = bytes.subarray(0, first);
      const b = bytes.subarray(first, first + second);
      expect(combineCrcs(crc32(a), crc32(b), second)).toBe(crc32(bytes.subarray(0, first + second)));
    }
  });
});

describe("the clock", () => {
  it.each([0n, EPOCH, (1n << 32n) - 1n, 1n << 63n, -7n])("adds times to %s as bigints would", (base) => {
    const clock = new Clock(base);
    const view = new DataView(new ArrayBuffer(8));
    for (const time of [7, 4_294_967_289, 4_294_967_296, 1e9, 999_999_999, 2 ** 52 + 3, 123_456_789_012_345]) {
      clock.put(view, 0, time);
      const expected = base + BigInt(time);
      expect(view.getBigUint64(0, true)).toBe(expected);
      clock.split(time);
      expect(BigInt(clock.second) * 1_000_000_000n + BigInt(clock.nano)).toBe(expected);
      expect(clock.nano < 1e9 && clock.nano >= 0).toBe(true);
    }
  });

  it("moves times below 0 where the epoch is unknown or too early", () => {
    expect(Clock.of(null, -5, 10)).toMatchObject({ clock: { base: 5n }, isUnix: false });
    expect(Clock.of(null, 5, 10)).toMatchObject({ clock: { base: 0n }, isUnix: false });
    expect(Clock.of(-100n, 5, 10)).toMatchObject({ clock: { base: 0n }, isUnix: false });
    expect(Clock.of(100n, -5, 10)).toMatchObject({ clock: { base: 100n }, isUnix: true });
  });
});

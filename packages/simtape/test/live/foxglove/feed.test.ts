import { type Channel, FoxgloveServer } from "@foxglove/ws-protocol";
import { afterEach, describe, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { mcap } from "../../../src/formats/mcap/format.ts";
import { memory, MemoryFiles } from "../../../src/index.ts";
import { connectLink } from "../../../src/io/node/index.ts";
import { finishTake, type FinishReport } from "../../../src/live/finish.ts";
import { foxgloveFeed, type FoxgloveFeedOptions } from "../../../src/live/foxglove/feed.ts";
import { PROTOCOLS } from "../../../src/live/foxglove/protocol.ts";
import { JournalReader } from "../../../src/live/journal.ts";
import { LiveRing } from "../../../src/live/ring.ts";
import { recordInto, recordTake, type TakeReport } from "../../../src/live/take.ts";
import { type JudgedFile, streamed } from "../../export/mcap/judge.ts";
import { SOUND } from "../../specimens.ts";
import { atEnd, endAll, served } from "./support.ts";

afterEach(endAll);

const UTF8 = new TextEncoder();

/** A server of Foxglove's own library. */
interface Bridge {
  readonly server: FoxgloveServer;
  readonly address: string;
  /** Channels that a client listens to. */
  readonly wanted: Set<number>;
  readonly sockets: Set<WebSocket>;
  readonly port: number;
  end(): Promise<void>;
}

async function bridge(port = 0): Promise<Bridge> {
  const server = new FoxgloveServer({ name: "robot", capabilities: ["time"] });
  const listener = new WebSocketServer({
    port,
    host: "127.0.0.1",
    handleProtocols: (offered) => server.handleProtocols(offered),
  });
  const sockets = new Set<WebSocket>();
  listener.on("connection", (socket, request) => {
    sockets.add(socket);
    server.handleConnection(socket as never, request.socket.remoteAddress ?? "");
  });
  const wanted = new Set<number>();
  server.on("subscribe", (id) => wanted.add(id));
  server.on("unsubscribe", (id) => wanted.delete(id));
  await new Promise((resolve) => listener.once("listening", resolve));
  const actual = (listener.address() as { port: number }).port;
  const end = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.terminate();
      listener.close(() => resolve());
    });
  atEnd(end);
  return { server, address: `ws://127.0.0.1:${actual}`, wanted, sockets, port: actual, end };
}

interface Taking {
  readonly stop: AbortController;
  readonly done: Promise<{ report: TakeReport; finished: FinishReport; file: JudgedFile; bytes: Uint8Array }>;
}

function taking(address: string, options: FoxgloveFeedOptions = {}): Taking {
  const stop = new AbortController();
  const feed = foxgloveFeed(address, (signal) => connectLink(address, { signal, protocols: PROTOCOLS }), options);
  const journal = new MemoryFiles("out.take");
  const done = (async () => {
    const report = await recordTake(feed, await journal.open(), { signal: stop.signal, flushEvery: 20 });
    const reader = await JournalReader.open(memory(journal.bytes, "out.take"));
    const to = new MemoryFiles("out.mcap");
    const finished = await finishTake(reader, mcap, to);
    await reader.close();
    return { report, finished, file: await streamed(to.bytes), bytes: to.bytes };
  })();
  done.catch(() => undefined);
  return { stop, done };
}

const CHANNELS: readonly Omit<Channel, "id">[] = [
  {
    topic: "/json",
    encoding: "json",
    schemaName: "Point",
    schema: '{"type":"object","title":"Ö"}',
    schemaEncoding: "jsonschema",
  },
  {
    topic: "/proto",
    encoding: "protobuf",
    schemaName: "foxglove.Log",
    schema: Buffer.from([10, 0, 255, 254]).toString("base64"),
  },
  { topic: "/ros1", encoding: "ros1", schemaName: "std_msgs/String", schema: "string data" },
  {
    topic: "/ros2",
    encoding: "cdr",
    schemaName: "std_msgs/msg/String",
    schema: "string data\n",
    schemaEncoding: "ros2msg",
  },
  { topic: "/bare", encoding: "json", schemaName: "", schema: "" },
];

/** What the schema record of each has to be: name, encoding, data. */
const SCHEMAS: Readonly<Record<string, readonly [string, string, Uint8Array]>> = {
  "/json": ["Point", "jsonschema", UTF8.encode('{"type":"object","title":"Ö"}')],
  "/proto": ["foxglove.Log", "protobuf", Uint8Array.from([10, 0, 255, 254])],
  "/ros1": ["std_msgs/String", "ros1msg", UTF8.encode("string data")],
  "/ros2": ["std_msgs/msg/String", "ros2msg", UTF8.encode("string data\n")],
};

describe("a feed of Foxglove's own server", () => {
  test("records messages, schemas, encodings and times exactly", async () => {
    const { server, address, wanted } = await bridge();
    const ids = CHANNELS.map((channel) => server.addChannel(channel));
    const { stop, done } = taking(address);
    await expect.poll(() => wanted.size).toBe(ids.length);
    const sent: { topic: string; logTime: bigint; data: Uint8Array }[] = [];
    // a robot that began in 2020, and whose clock is not that of the recorder
    const base = 1_577_836_800_123_456_789n;
    for (let i = 0; i < 500; i++) {
      const k = i % ids.length;
      const data = Uint8Array.from({ length: 1 + ((i * 37) % 300) }, (_, n) => (n * i) & 255);
      // also an earlier one than the first
      const logTime = base + BigInt(i === 3 ? -1_000_000_001 : i * 1_000_003);
      server.sendMessage(ids[k]!, logTime, data);
      server.broadcastTime(logTime);
      sent.push({ topic: CHANNELS[k]!.topic, logTime, data });
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    stop.abort();
    const { report, finished, file } = await done;
    expect(report).toMatchObject({ messages: sent.length, gaps: [], lost: [], failure: null });
    expect(finished).toEqual({ messages: sent.length, gaps: [], lost: [] });
    expect(file.messages.map(({ topic, logTime, data }) => ({ topic, logTime, data: Buffer.from(data) }))).toEqual(
      sent.map((message) => ({ ...message, data: Buffer.from(message.data) })),
    );
    for (const { topic, messageEncoding, schemaId } of file.channels) {
      expect(messageEncoding).toBe(CHANNELS.find((channel) => channel.topic === topic)!.encoding);
      const schema = SCHEMAS[topic];
      if (schema === undefined) expect(schemaId).toBe(0);
      else {
        const [name, encoding, data] = schema;
        const record = file.schemaRecords.find(({ id }) => id === schemaId)!;
        expect(record).toMatchObject({ name, encoding });
        expect(Buffer.compare(record.data, data)).toBe(0);
      }
    }
  });

  test("follows channels that come and go; another schema on the same topic is another channel", async () => {
    const { server, address, wanted } = await bridge();
    const [json] = CHANNELS;
    const first = server.addChannel(json!);
    const { stop, done } = taking(address);
    await expect.poll(() => wanted.has(first)).toBe(true);
    server.sendMessage(first, 1n, UTF8.encode("1"));
    const late = server.addChannel({ ...json!, topic: "/late" });
    await expect.poll(() => wanted.has(late)).toBe(true);
    server.sendMessage(late, 2n, UTF8.encode("2"));
    server.removeChannel(first);
    const again = server.addChannel(json!);
    await expect.poll(() => wanted.has(again)).toBe(true);
    server.sendMessage(again, 3n, UTF8.encode("3"));
    server.removeChannel(again);
    const other = server.addChannel({ ...json!, schema: "{}" });
    await expect.poll(() => wanted.has(other)).toBe(true);
    server.sendMessage(other, 4n, UTF8.encode("4"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    stop.abort();
    const { file } = await done;
    expect(file.messages.map(({ topic, logTime }) => `${topic} ${logTime}`)).toEqual([
      "/json 1",
      "/late 2",
      "/json 3",
      "/json 4",
    ]);
    const own = file.channels.filter(({ topic }) => topic === "/json");
    expect(own.map(({ schemaId }) => file.schemaRecords.find(({ id }) => id === schemaId)!.data.length)).toEqual([
      SCHEMAS["/json"]![2].length,
      2,
    ]);
  });

  test("records only topics that are wanted", async () => {
    const { server, address, wanted } = await bridge();
    const ids = CHANNELS.map((channel) => server.addChannel(channel));
    const { stop, done } = taking(address, { wants: (topic) => topic.startsWith("/ros") });
    await expect.poll(() => wanted.size).toBe(2);
    for (const id of ids) server.sendMessage(id, 5n, Uint8Array.of(1));
    await new Promise((resolve) => setTimeout(resolve, 200));
    stop.abort();
    const { file } = await done;
    expect(file.messages.map(({ topic }) => topic).sort()).toEqual(["/ros1", "/ros2"]);
  });

  test("connects again when the connection broke, and notes the gap", async () => {
    const one = await bridge();
    const id = one.server.addChannel(CHANNELS[0]!);
    const { stop, done } = taking(one.address);
    await expect.poll(() => one.wanted.size).toBe(1);
    one.server.sendMessage(id, 1_000_000_000n, UTF8.encode("1"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    await one.end();
    const two = await bridge(one.port);
    // ids are those of the server's new life
    two.server.addChannel({ ...CHANNELS[2]!, topic: "/first" });
    const same = two.server.addChannel(CHANNELS[0]!);
    await expect.poll(() => two.wanted.size, { timeout: 10_000 }).toBe(2);
    two.server.sendMessage(same, 4_000_000_000n, UTF8.encode("2"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    stop.abort();
    const { report, file } = await done;
    expect(file.messages.map(({ topic, logTime }) => `${topic} ${logTime}`)).toEqual([
      "/json 1000000000",
      "/json 4000000000",
    ]);
    expect(report.gaps).toMatchObject([{ from: 0, until: 3_000_000_000 }]);
  });

  test("what makes no sense is counted, and nothing ends", async () => {
    const { server, address, wanted, sockets } = await bridge();
    const id = server.addChannel(CHANNELS[0]!);
    const { stop, done } = taking(address);
    await expect.poll(() => wanted.size).toBe(1);
    server.sendMessage(id, 7n, UTF8.encode("1"));
    const [socket] = [...sockets];
    const wrong = ["{", "[]", '{"op":"advertise","channels":[{"id":"x"}, null, 3]}'];
    wrong.push(
      JSON.stringify({
        op: "advertise",
        channels: [{ id: 90, topic: "/bad", encoding: "protobuf", schemaName: "x", schema: "%%%" }],
      }),
    );
    for (const text of wrong) socket!.send(text);
    for (const bytes of [[], [9], [1, 2], [1, 200, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])
      socket!.send(Uint8Array.from(bytes));
    // known and of no use here
    socket!.send('{"op":"status","level":0,"message":"x"}');
    socket!.send('{"op":"unadvertise","channelIds":[1234,"x"]}');
    server.sendMessage(id, 8n, UTF8.encode("2"));
    await new Promise((resolve) => setTimeout(resolve, 300));
    stop.abort();
    const { report, file } = await done;
    expect(file.messages.map(({ logTime }) => logTime)).toEqual([7n, 8n]);
    expect(report.lost.reduce((sum, { count }) => sum + count, 0)).toBe(10);
  });

  test("what a recording cannot hold is counted, and the rest is kept", async () => {
    const { server, address, wanted, sockets } = await bridge();
    const id = server.addChannel(CHANNELS[0]!);
    const { stop, done } = taking(address);
    await expect.poll(() => wanted.size).toBe(1);
    server.sendMessage(id, 1n, new Uint8Array((64 << 20) + 1));
    const many = Array.from({ length: 66_000 }, (_, n) => ({ ...CHANNELS[4]!, id: 1000 + n, topic: `/${n}` }));
    for (const socket of sockets) socket.send(JSON.stringify({ op: "advertise", channels: many }));
    server.sendMessage(id, 2n, Uint8Array.of(2));
    await new Promise((resolve) => setTimeout(resolve, 2000));
    stop.abort();
    const { report, file } = await done;
    expect(file.messages.map(({ logTime }) => logTime)).toEqual([2n]);
    expect(report.lost).toEqual([
      { reason: "a message of more than 63 MiB", count: 1 },
      { reason: "more than 65000 channels", count: 1001 },
    ]);
  }, 60_000);

  test("a ring keeps schemas and times, too", async () => {
    const { server, address, wanted } = await bridge();
    const id = server.addChannel(CHANNELS[1]!);
    const ring = new LiveRing(mcap, { length: 60e9 });
    const stop = new AbortController();
    const feed = foxgloveFeed(address, (signal) => connectLink(address, { signal, protocols: PROTOCOLS }));
    const taken = recordInto(feed, ring, { signal: stop.signal, flushEvery: 20 });
    await expect.poll(() => wanted.size).toBe(1);
    const base = 1_600_000_000_000_000_001n;
    server.sendMessage(id, base, Uint8Array.of(1));
    server.sendMessage(id, base + 5n, Uint8Array.of(2));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const to = new MemoryFiles("clip.mcap");
    await ring.save(to, 0n);
    stop.abort();
    await taken;
    const file = await streamed(to.bytes);
    expect(file.messages.map(({ logTime, schema }) => [logTime, schema])).toEqual([
      [base, "foxglove.Log"],
      [base + 5n, "foxglove.Log"],
    ]);
    expect(Buffer.compare(file.schemas.get("foxglove.Log")!, Uint8Array.from([10, 0, 255, 254]))).toBe(0);
  });
});

test("what our server plays, our feed records: the same messages and schemas", async () => {
  const of = SOUND.find(({ name }) => name === "drive.mcap")!;
  const { deck, address } = await served([of.bundle], {}, { rate: 16 });
  const { stop, done } = taking(address);
  const { player } = deck.loaded!;
  await new Promise((resolve) => setTimeout(resolve, 300));
  player.play();
  await expect.poll(() => player.status.phase, { timeout: 20_000 }).toBe("ended");
  await new Promise((resolve) => setTimeout(resolve, 300));
  stop.abort();
  const { file } = await done;
  const source = await streamed(Object.values(of.files)[0]!);
  const texts = ({ messages }: JudgedFile): string[] =>
    messages
      .map(
        ({ topic, schema, logTime, data }) => `${topic} ${schema} ${logTime} ${Buffer.from(data).toString("base64")}`,
      )
      .sort();
  expect(texts(file)).toEqual(texts(source));
  for (const [name, data] of source.schemas) expect(Buffer.compare(file.schemas.get(name)!, data), name).toBe(0);
});

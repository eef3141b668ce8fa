/**
 * Measures two things: `npm run bench:live-foxglove`. First, what it costs to serve a recording to 1 and to 10 clients
 * of the Foxglove WebSocket protocol, beside a plain `ws` server that sends the same bytes to as many clients. Second,
 * what it costs to record a server, beside Foxglove's own client with the writer of `@mcap/core`. The other side is
 * another process, whose processor time does not count.
 */

import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { McapWriter } from "@mcap/core";
import { memory, open } from "simtape";
import {
  Deck,
  finishTake,
  JournalReader,
  FOXGLOVE_PROTOCOLS,
  foxgloveFeed,
  foxgloveOutlet,
  recordTake,
} from "simtape/live";
import { connectLink, fromFile, listenForLinks, toFile } from "simtape/node";
import { WebSocket, WebSocketServer } from "ws";

const { FoxgloveClient, FoxgloveServer } = createRequire(import.meta.url)(
  "@foxglove/ws-protocol",
) as typeof import("@foxglove/ws-protocol");
const MESSAGES = 100_000;
const BYTES = 200;
const PAYLOAD = new TextEncoder().encode(JSON.stringify("x".repeat(BYTES - 2)));

if (process.argv[2] === "source") await source();
else if (process.argv[2] === "clients") await clients(process.argv[3]!, Number(process.argv[4]));
else await server();

/**
 * Foxglove's own server. It sends all messages to each client that subscribes, as fast as the client takes them, and
 * closes the connection.
 */
async function source(): Promise<void> {
  const server = new FoxgloveServer({ name: "bench" });
  const channel = server.addChannel({ topic: "/bytes", encoding: "json", schemaName: "", schema: "" });
  const listener = new WebSocketServer({
    ...{ port: 0, host: "127.0.0.1", perMessageDeflate: false },
    handleProtocols: (offered) => server.handleProtocols(offered),
  });
  let client: WebSocket | null = null;
  listener.on("connection", (socket, { socket: { remoteAddress } }) => {
    client = socket;
    server.handleConnection(socket as never, remoteAddress ?? "");
  });
  server.on("subscribe", () => {
    const to = client!;
    void (async () => {
      for (let i = 0; i < MESSAGES; i++) {
        server.sendMessage(channel, 1_700_000_000_000_000_000n + BigInt(i) * 100_000n, PAYLOAD);
        if (i % 100 === 0 || to.bufferedAmount > 1 << 20) await new Promise((resolve) => setImmediate(resolve));
      }
      to.close(1000);
    })();
  });
  await new Promise((resolve) => listener.once("listening", resolve));
  process.send!(`ws://127.0.0.1:${(listener.address() as { port: number }).port}`);
  await new Promise(() => undefined);
}

/** Records a server into a file by `run`, which resolves with the number of messages, and prints what that cost. */
async function recorded(what: string, run: (address: string, path: string) => Promise<number>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
  const child = fork(fileURLToPath(import.meta.url), ["source"]);
  const address = await new Promise<string>((resolve) => child.once("message", (said) => resolve(said as string)));
  const cpu = process.cpuUsage();
  const began = performance.now();
  const count = await run(address, join(folder, "run.mcap"));
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  if (count !== MESSAGES) throw new Error(`${what}: ${count} of ${MESSAGES} messages`);
  const each = ((user + system) / count).toFixed(1);
  console.log(`${what}: ${count} messages, ${Math.round(count / seconds)} messages/s, ${each} us CPU each`);
  child.kill();
  rmSync(folder, { recursive: true });
}

/** Records with simtape: the journal alone, or also the recording that is made of it. */
async function ours(address: string, path: string, isFinished: boolean): Promise<number> {
  const connect = (signal: AbortSignal) => connectLink(address, { signal, protocols: FOXGLOVE_PROTOCOLS });
  const journal = toFile(`${path}.take`);
  const feed = foxgloveFeed(address, connect);
  const { messages } = await recordTake(feed, await journal.open());
  if (!isFinished) return messages;
  const taken = await JournalReader.open((await fromFile(`${path}.take`).open())!);
  await finishTake(taken, feed.format, toFile(path));
  await taken.close();
  return messages;
}

/** Records with Foxglove's own client and writer, with chunks and an index. */
async function theirs(address: string, path: string): Promise<number> {
  const file = await openFile(path, "w");
  let position = 0n;
  const writer = new McapWriter({
    writable: {
      position: () => position,
      write: async (bytes) => {
        await file.write(bytes);
        position += BigInt(bytes.length);
      },
    },
  });
  await writer.start({ profile: "", library: "bench" });
  const schemaId = 0;
  const client = new FoxgloveClient({
    ws: new WebSocket(address, [FoxgloveClient.SUPPORTED_SUBPROTOCOL], { perMessageDeflate: false }) as never,
  });
  let count = 0;
  let channelId = 0;
  let writing: Promise<void> = Promise.resolve();
  client.on("advertise", (channels) => {
    for (const { id, topic, encoding } of channels) {
      writing = writing.then(async () => {
        channelId = await writer.registerChannel({ schemaId, topic, messageEncoding: encoding, metadata: new Map() });
      });
      client.subscribe(id);
    }
  });
  client.on("message", ({ timestamp, data }) => {
    const sequence = count++;
    const copy = new Uint8Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer);
    writing = writing.then(() =>
      writer.addMessage({ channelId, sequence, logTime: timestamp, publishTime: timestamp, data: copy }),
    );
  });
  await new Promise<void>((resolve) => client.on("close", () => resolve()));
  await writing;
  await writer.end();
  await file.close();
  return count;
}

/**
 * Clients that subscribe to every channel. They report when all have subscribed, and count the messages that they get.
 */
async function clients(address: string, count: number): Promise<void> {
  let messages = 0;
  let ready = 0;
  for (let n = 0; n < count; n++) {
    const socket = new WebSocket(address, ["foxglove.sdk.v1"], { perMessageDeflate: false });
    socket.on("message", (data: Buffer, isBinary) => {
      if (isBinary) {
        if (data[0] === 1) messages++;
        return;
      }
      const json = JSON.parse(data.toString()) as { op: string; channels?: { id: number }[]; id?: string };
      if (json.op === "advertise") {
        const subscriptions = json.channels!.map(({ id }) => ({ id, channelId: id }));
        socket.send(JSON.stringify({ op: "subscribe", subscriptions }));
        socket.send(JSON.stringify({ op: "getParameters", parameterNames: [], id: "ready" }));
      } else if (json.id === "ready" && ++ready === count) process.send!({ ready: true });
    });
  }
  process.on("message", () => {
    process.send!({ messages });
  });
  await new Promise(() => undefined);
}

interface Crowd {
  readonly child: ChildProcess;
  /** Number of messages that all clients have received together. */
  count(): Promise<number>;
}

async function crowd(address: string, count: number): Promise<Crowd> {
  const child = fork(fileURLToPath(import.meta.url), ["clients", address, String(count)]);
  const next = (): Promise<{ messages: number }> =>
    new Promise((resolve) => child.once("message", (message) => resolve(message as { messages: number })));
  await next();
  return {
    child,
    count: async () => {
      const answer = next();
      child.send("count");
      return (await answer).messages;
    },
  };
}

async function measured(what: string, of: Crowd, wanted: number, run: () => Promise<void>): Promise<void> {
  const before = await of.count();
  const cpu = process.cpuUsage();
  const began = performance.now();
  await run();
  let got = 0;
  for (let still = 0; got < wanted && still < 40; ) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    const now = (await of.count()) - before;
    still = now === got ? still + 1 : 0;
    got = now;
  }
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const each = ((user + system) / got).toFixed(1);
  console.log(`${what}: ${got} messages, ${Math.round(got / seconds)} messages/s, ${each} us CPU each`);
  of.child.kill();
}

async function mcapOf(): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let position = 0n;
  const writer = new McapWriter({
    writable: {
      position: () => position,
      write: (bytes) => {
        parts.push(bytes.slice());
        position += BigInt(bytes.length);
        return Promise.resolve();
      },
    },
  });
  await writer.start({ profile: "", library: "bench" });
  const channelId = await writer.registerChannel({
    schemaId: 0,
    topic: "/bytes",
    messageEncoding: "x",
    metadata: new Map(),
  });
  const data = new Uint8Array(BYTES).fill(7);
  for (let sequence = 0; sequence < MESSAGES; sequence++) {
    const logTime = 1_700_000_000_000_000_000n + BigInt(sequence) * 100_000n;
    await writer.addMessage({ channelId, sequence, logTime, publishTime: logTime, data });
  }
  await writer.end();
  return new Uint8Array(Buffer.concat(parts));
}

async function served(name: string, bytes: Uint8Array, count: number): Promise<void> {
  const deck = new Deck([{ name, open: () => open(memory(bytes, name)) }], { rate: 64 });
  const { recording, player } = await deck.load(0);
  let wanted = 0;
  for await (const batch of recording.batches()) wanted += batch.length;
  const outlet = await foxgloveOutlet(deck, (arrived) =>
    listenForLinks({ port: 0, protocols: FOXGLOVE_PROTOCOLS }, arrived),
  );
  const of = await crowd(/ws:\S+/.exec(outlet.name)![0], count);
  await measured(`${name}, ${count} clients`, of, wanted * count, async () => {
    const ended = new Promise<void>((resolve) => {
      player.onStatus(({ phase }) => {
        if (phase === "ended") resolve();
      });
    });
    player.play();
    await ended;
  });
  const { skippedFrames } = outlet.status();
  if (skippedFrames > 0) console.log(`  ${skippedFrames} were skipped for clients that did not keep up`);
  await outlet.close();
  await deck.close();
}

async function plain(count: number): Promise<void> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  const sockets: WebSocket[] = [];
  server.on("connection", (socket) => {
    sockets.push(socket);
    socket.send(JSON.stringify({ op: "advertise", channels: [] }));
    socket.on("message", (data: Buffer) => {
      if (data.toString().includes("ready")) socket.send(JSON.stringify({ id: "ready" }));
    });
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const of = await crowd(`ws://127.0.0.1:${(server.address() as { port: number }).port}`, count);
  const message = new Uint8Array(13 + BYTES).fill(1);
  await measured(`plain ws, ${count} clients`, of, MESSAGES * count, async () => {
    for (let i = 0; i < MESSAGES; i++) {
      for (const socket of sockets) socket.send(message);
      if (i % 1000 === 0 || sockets.some(({ bufferedAmount }) => bufferedAmount > 4 << 20))
        await new Promise((resolve) => setTimeout(resolve, 0));
    }
  });
  server.close();
  for (const socket of sockets) socket.terminate();
}

async function server(): Promise<void> {
  const bytes = await mcapOf();
  const town = new Uint8Array(readFileSync(fileURLToPath(new URL("../examples/town.log", import.meta.url))));
  await recorded("Foxglove's client and @mcap/core", theirs);
  await recorded("recordTake", (address, path) => ours(address, path, false));
  await recorded("recordTake and finishTake", (address, path) => ours(address, path, true));
  for (const count of [1, 10]) {
    await plain(count);
    await served("bytes.mcap", bytes, count);
    await served("town.log", town, count);
  }
}

/**
 * npm run bench:live-foxglove: what it costs to serve a recording to 1 and to 10 clients of the Foxglove WebSocket
 * protocol, beside a plain `ws` server that sends the same bytes to as many. Clients are another process; processor time
 * is that of the server alone.
 */

import { type ChildProcess, fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { McapWriter } from "@mcap/core";
import { memory, open } from "simtape";
import { Deck, FOXGLOVE_PROTOCOLS, foxgloveOutlet } from "simtape/live";
import { listenForLinks } from "simtape/node";
import { WebSocket, WebSocketServer } from "ws";

const MESSAGES = 100_000;
const BYTES = 200;

if (process.argv[2] === "clients") await clients(process.argv[3]!, Number(process.argv[4]));
else await server();

/** Clients that subscribe to everything; they say when all have subscribed, and count what they get. */
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
  /** Messages that all clients have together. */
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
  for (const count of [1, 10]) {
    await plain(count);
    await served("bytes.mcap", bytes, count);
    await served("town.log", town, count);
  }
}

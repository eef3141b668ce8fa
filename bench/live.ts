/**
 * Measures how fast the messages of a NanoVer recording pass over WebSockets of this machine: between a plain `ws`
 * server and client, into a recorder, and out of a player at its greatest rate: `npm run bench:live [-- FILE]`. FILE is
 * a recording of yours.
 */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { open } from "simtape";
import { Deck, nanoverFeed, nanoverOutlet, recordInto } from "simtape/live";
import { connectLink, fromFile, listenForLinks } from "simtape/node";
import { WebSocket, WebSocketServer } from "ws";

const SAMPLE = fileURLToPath(new URL("../../shared/samples/nanover/nanotube-rust.nanover.zip", import.meta.url));
const path = process.argv[2] ?? SAMPLE;
/** How often all messages are sent. */
const ROUNDS = 20;
const RATE = 64;

if (!existsSync(path)) {
  console.log(`there is no recording at ${path}: name one`);
  process.exit(0);
}

async function messages(): Promise<Uint8Array[]> {
  await using recording = await open(fromFile(path));
  const found: Uint8Array[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) found.push(batch.payload(i).slice());
  }
  return found;
}

/** Sends all messages to each client that connects, as fast as the client takes them, and closes the connection. */
async function source(all: readonly Uint8Array[]): Promise<{ address: string; close: () => void }> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  server.on("connection", (socket) => {
    void (async () => {
      for (let round = 0; round < ROUNDS; round++) {
        for (const message of all) {
          socket.send(message);
          if (socket.bufferedAmount > 4 << 20) await new Promise((resolve) => setImmediate(resolve));
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      socket.close(1000);
    })();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  return { address: `ws://127.0.0.1:${(server.address() as { port: number }).port}`, close: () => server.close() };
}

async function timed(what: string, run: () => Promise<{ count: number; bytes: number }>): Promise<void> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const { count, bytes } = await run();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${what}: ${Math.round(count / seconds)} messages/s, ${(bytes / seconds / 1e6).toFixed(0)} MB/s, ${((user + system) / count).toFixed(0)} us CPU each`,
  );
}

const all = await messages();
const total = { count: all.length * ROUNDS, bytes: all.reduce((sum, { length }) => sum + length, 0) * ROUNDS };
const { address, close } = await source(all);

await timed("plain ws, both ends", async () => {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  let count = 0;
  let bytes = 0;
  socket.on("message", (data: Buffer) => {
    count++;
    bytes += data.length;
  });
  await new Promise((resolve) => socket.once("close", resolve));
  return { count, bytes };
});

await timed("a recorder, without a disk, and its source", async () => {
  const feed = nanoverFeed(address, (signal) => connectLink(address, { signal }));
  const keeper = {
    ready: null,
    channel: () => 0,
    write: () => undefined,
    describe: () => undefined,
    gap: () => undefined,
    lost: () => undefined,
    flush: () => Promise.resolve(),
  };
  const report = await recordInto(feed, keeper);
  if (report.messages !== total.count) throw new Error(`${report.messages} of ${total.count} messages`);
  return { count: report.messages, bytes: report.bytes };
});
close();

await timed(`a player at ${RATE} times the speed, and one client`, async () => {
  const deck = new Deck([{ name: "run", open: () => open(fromFile(path)) }], { rate: RATE });
  const { player } = await deck.load(0);
  const outlet = await nanoverOutlet(deck, (arrived) => listenForLinks({ port: 0 }, arrived));
  const client = new WebSocket(/ws:\S+/.exec(outlet.name)![0], { perMessageDeflate: false });
  await new Promise((resolve) => client.once("open", resolve));
  const ended = new Promise<void>((resolve) => {
    player.onStatus(({ phase }) => {
      if (phase === "ended") resolve();
    });
  });
  player.play();
  await ended;
  const { sentMessages, sentBytes } = outlet.status();
  client.terminate();
  await outlet.close();
  await deck.close();
  return { count: sentMessages, bytes: sentBytes };
});

import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { frame, textBytes } from "../../src/game/framing.ts";
import type { Session } from "../../src/serve/session.ts";
import { ReplayServer } from "../../src/serve/server.ts";
import { Folder } from "../support/demo.ts";
import { Looker } from "../support/looker.ts";

const PROTOCOL = 754;

const folder = new Folder();
let server: ReplayServer;
let bystander: Looker;
let session: Session;
const reports: string[] = [];

beforeAll(async () => {
  folder.withRace();
  server = await ReplayServer.listen({
    store: folder.path,
    port: 0,
    isInsecure: true,
    timeout: 4000,
    report: (text) => reports.push(text),
  });
  // a busy machine may need more than this to load what the first client needs
  do bystander = await Looker.join(server.port, "1.21.4", "Bystander", "race.replays.example");
  while (bystander.ended !== null);
  await vi.waitUntil(() => server.sessions.size === 1, { timeout: 30_000 });
  [session] = [...server.sessions] as [Session];
  session.player.setLoop({});
  session.player.play();
});

beforeEach(() => {
  reports.length = 0;
});

afterAll(async () => {
  await bystander?.[Symbol.asyncDispose]();
  await server?.close();
  folder[Symbol.dispose]();
});

/** The bystander goes on to get ticks, and nothing strange. */
async function expectUnaffected(): Promise<void> {
  const before = bystander.counts.get("entity_move_look") ?? 0;
  await expect.poll(() => bystander.counts.get("entity_move_look") ?? 0).toBeGreaterThan(before + 40);
  expect(bystander.ended).toBeNull();
  expect(bystander.strange).toEqual([]);
  expect(reports.filter((text) => text.includes("fault"))).toEqual([]);
}

async function attack(): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.resume();
  await once(socket, "connect");
  return socket;
}

async function gone(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, "close");
}

function handshake(nextState = 2): Buffer {
  const version = Buffer.from([(PROTOCOL & 0x7f) | 0x80, PROTOCOL >> 7]);
  return frame(0, Buffer.concat([version, textBytes("localhost"), Buffer.from([0, 80, nextState])]));
}

const HUGE = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x07]);
const NEGATIVE = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]);
const ENDLESS = Buffer.alloc(64, 0xff);
const NOISE = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919 + (i >> 3)) & 0xff));

test.each([
  ["noise", [NOISE]],
  ["a length of 2 GiB", [HUGE]],
  ["a negative length", [NEGATIVE]],
  ["a length without an end", [ENDLESS]],
  ["noise behind a handshake", [handshake(), NOISE]],
  ["a negative length behind a handshake", [handshake(), NEGATIVE]],
  ["a length without an end behind a handshake", [handshake(), ENDLESS]],
  ["a state that there is none of", [handshake(77), NOISE]],
  ["packets of nothing", [handshake(), Buffer.alloc(4096)]],
  ["a name with strange letters", [handshake(), frame(0, textBytes("\u0000\u00a7k../../x"))]],
  ["a name of 10,000 letters", [handshake(), frame(0, textBytes("x".repeat(10_000)))]],
])("%s before the login ends that connection alone", async (_, parts) => {
  const socket = await attack();
  for (const part of parts) socket.write(part);
  await gone(socket);
  await expectUnaffected();
});

test("who says nothing, or does not log in, is cut off", async () => {
  const [silent, slow] = [await attack(), await attack()];
  slow.write(handshake());
  await Promise.all([gone(silent), gone(slow)]);
  await expectUnaffected();
});

test("many connections of one address wait in vain, those who log in pass", async () => {
  const sockets = await Promise.all(Array.from({ length: 80 }, attack));
  await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(48);
  for (const socket of sockets) socket.destroy();
  await Promise.all(sockets.map(gone));
  const join = async (): Promise<string | null> => {
    await using looker = await Looker.join(server.port, "1.16.5", "Passes");
    return looker.ended;
  };
  await expect.poll(() => join().catch(String)).toBeNull();
  await expectUnaffected();
});

/** Sends bytes as they are behind the login of a client. */
async function inside(name: string, version: string, send: (socket: Socket) => void): Promise<void> {
  const looker = await Looker.join(server.port, version, name);
  send(looker.client.socket as Socket);
  await expect.poll(() => looker.ended).not.toBeNull();
  await expectUnaffected();
}

/** A packet as a client sends it behind the login: the length that it says, deflated content. */
function compressed(says: number, content: Buffer): Buffer {
  const body = deflateSync(content);
  const length = Buffer.from([(says & 0x7f) | 0x80, ((says >> 7) & 0x7f) | 0x80, says >> 14]);
  const all = Buffer.concat([length, body]);
  const framed = frame(0, all.subarray(1));
  // the number of a frame is the first byte of the content
  return Buffer.concat([framed.subarray(0, framed.length - all.length), all]);
}

test.each([
  ["noise", NOISE],
  ["a negative length", NEGATIVE],
  ["a length without an end", ENDLESS],
  ["a bomb that says its size", compressed(2_000_000, Buffer.alloc(2_000_000))],
  ["a bomb that says less", compressed(1000, Buffer.alloc(60_000_000).subarray(0, 30_000_000))],
  ["what does not inflate", frame(5, Buffer.from([0x80, 0x02, 1, 2, 3]))],
])("%s behind the login ends that client alone", async (_, bytes) => {
  await inside("Garbage", "1.16.5", (socket) => socket.write(bytes));
});

test("packets without a meaning are passed over", async () => {
  await using looker = await Looker.join(server.port, "1.16.5", "Odd", "race.replays.example");
  for (let i = 0; i < 50; i++) (looker.client.socket as Socket).write(frame(0, Buffer.from([0x7e, 1, 2])));
  await expectUnaffected();
  looker.say("here");
  await expect.poll(() => bystander.chat).toContain("Odd: here");
});

test("a key that is none, which the library does not catch, ends that client alone", async () => {
  const looker = await Looker.join(server.port, "1.21.4", "Keys");
  looker.client.write("chat_session_update", {
    sessionUUID: "00000000-0000-0000-0000-000000000000",
    expireTime: 0n,
    publicKey: Buffer.from("no key"),
    signature: Buffer.from("nothing"),
  });
  await expect.poll(() => looker.ended).not.toBeNull();
  await expectUnaffected();
});

test.each([
  ["more than the server takes", "Large", randomBytes(90_000)],
  ["more than the server takes, in few bytes", "Larger", Buffer.alloc(90_000)],
])("a packet of %s ends the client, and says so", async (_, name, data) => {
  const large = await Looker.join(server.port, "1.16.5", name);
  let reason = "";
  large.client.on("kick_disconnect", (packet: { reason: string }) => {
    ({ reason } = packet);
  });
  large.client.write("custom_payload", { channel: "test:large", data });
  await expect.poll(() => large.ended).not.toBeNull();
  expect(JSON.parse(reason)).toEqual({ text: "You have sent a packet of more than 64 KiB." });
  await expectUnaffected();
});

test("a flood of packets ends the client, a flood of chat is passed over", async () => {
  const flood = await Looker.join(server.port, "1.16.5", "Flood");
  let reason = "";
  flood.client.on("kick_disconnect", (packet: { reason: string }) => {
    ({ reason } = packet);
  });
  for (let i = 0; i < 2000; i++) flood.client.write("flying", { onGround: true });
  await expect.poll(() => flood.ended).not.toBeNull();
  expect(JSON.parse(reason)).toEqual({ text: "You have sent more than 400 packets in a second." });
  await expect.poll(() => reports).toContain("Flood went: You have sent more than 400 packets in a second.");
  await using chatter = await Looker.join(server.port, "1.16.5", "Chatter", "race.replays.example");
  await expect.poll(() => session.viewers.size).toBe(2);
  const before = bystander.chat.length;
  for (let i = 0; i < 200; i++) chatter.say(`spam ${i}`);
  await expect.poll(() => chatter.chat).toContain("Not so fast.");
  expect(bystander.chat.slice(before).filter((line) => line.includes("spam")).length).toBeLessThan(100);
  await expectUnaffected();
});

test("a client that takes nothing keeps little waiting, and then sees the newest", async () => {
  await using looker = await Looker.join(server.port, "1.16.5", "Stuck", "race.replays.example");
  await expect.poll(() => looker.entities.size).toBeGreaterThan(6);
  const viewer = [...session.viewers].find(({ name }) => name === "Stuck")!;
  const socket = looker.client.socket as Socket;
  socket.pause();
  session.player.setRate(16);
  // what the system takes for it is filled first
  const filler = randomBytes(100_000).toString("base64");
  const filling = setInterval(() => viewer.send(viewer.adapter.chat({ text: filler })), 5);
  await expect.poll(() => viewer.isBehind).toBe(true);
  clearInterval(filling);
  const atOnce = viewer.waiting;
  const { shown } = viewer;
  await expectUnaffected();
  // no frame was added
  expect(viewer.waiting).toBeLessThanOrEqual(atOnce + 4096);
  expect(viewer.shown).toBe(shown);
  socket.resume();
  await expect.poll(() => viewer.isBehind).toBe(false);
  session.player.pause();
  await expect.poll(() => viewer.shown === session.scene).toBe(true);
  await expect
    .poll(() => [...looker.entities.values()].map(({ x }) => x))
    .toEqual(expect.arrayContaining([...session.scene.things.values()].map(({ x }) => x / 4096)));
  expect(looker.strange).toEqual([]);
  session.player.setRate(1);
  session.player.play();
});

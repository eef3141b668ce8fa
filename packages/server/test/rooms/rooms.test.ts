import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { printed } from "../support/command.ts";
import { type FromServer, RoomClient } from "../../src/rooms/index.ts";
import { describeDatabases } from "../support/databases.ts";
import { json, startNode, type TestNode, until } from "../support/node.ts";
import { freePort, startPostgres, type TestPostgres, withoutPostgres } from "../support/postgres.ts";
import { connectRoom, textOf } from "../support/sockets.ts";
import { startSwitch, type Switch } from "../support/switch.ts";

/** Seconds by which two who watch the same may differ. */
const SAME = 0.05;
const clients: RoomClient[] = [];
/** How often each has been connected. */
const arrivals = new Map<string, number>();

function enter(address: string, room: string, name: string, heard?: (message: FromServer) => void): RoomClient {
  const client = new RoomClient({
    url: `${address.replace("http", "ws")}/api/rooms/${room}/socket`,
    name,
    secret: `secret of ${name} ${room}`,
    connect: connectRoom,
    heard,
    changed: (state) => {
      if (state === "connected") arrivals.set(name, (arrivals.get(name) ?? 0) + 1);
    },
  });
  clients.push(client);
  return client;
}

async function is(what: () => boolean, seconds = 15): Promise<void> {
  await until(async () => what(), Boolean, seconds);
}

/** The largest difference of what several see, in some looks, at rate 1. */
async function difference(seen: readonly RoomClient[]): Promise<number> {
  let most = 0;
  for (let look = 0; look < 10; look++) {
    const now = performance.now();
    const positions = seen.map((client) => client.position(now)!);
    const rate = Math.max(1, Math.abs(seen[0]!.clock!.rate));
    most = Math.max(most, (Math.max(...positions) - Math.min(...positions)) / rate);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return most;
}

async function recordingOf(address: string): Promise<string> {
  const page = await until(
    () => json<{ recordings: { id: string; state: string }[] }>(address, "/api/recordings"),
    ({ recordings }) => recordings[0]?.state === "indexed",
  );
  return page.recordings[0]!.id;
}

async function newRoom(address: string, recordings: readonly string[]): Promise<string> {
  const { id } = await json<{ id: string }>(address, "/api/rooms", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "tuesday", recordings }),
  });
  return id;
}

async function makeRace(library: string): Promise<void> {
  mkdirSync(library, { recursive: true });
  await printed(["demo", "hcrp", "-o", library, "--seconds", "60"]);
}

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  arrivals.clear();
});

describeDatabases("a room", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-rooms-"));
  let node: TestNode;
  let recording: string;

  beforeAll(async () => {
    await makeRace(join(folder, "library"));
    node = await startNode([join(folder, "library"), ...(await database())]);
    recording = await recordingOf(node.address);
  });

  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("is one clock for all: play, seek, rate, reverse, loop, and for late viewers", async () => {
    const room = await newRoom(node.address, [recording]);
    const leader = enter(node.address, room, "ada");
    await is(() => leader.isLeader);
    const follower = enter(node.address, room, "bob");
    await is(() => follower.state === "connected" && follower.members.length === 2);
    const both = [leader, follower];
    const generation = (): number => follower.lead!.generation;
    const moves = [
      { move: "play" },
      { move: "seek", time: 20 },
      { move: "rate", rate: 4 },
      { move: "rate", rate: -2 },
      { move: "loop", range: { start: 5, end: 6 } },
      { move: "pause" },
    ] as const;
    for (const move of moves) {
      const before = generation();
      leader.control(move);
      await is(() => generation() > before);
      expect(await difference(both), JSON.stringify(move)).toBeLessThan(SAME);
    }
    leader.control({ move: "loop", range: null });
    leader.control({ move: "rate", rate: 1 });
    leader.control({ move: "seek", time: 30 });
    leader.control({ move: "play" });
    await is(() => follower.clock!.rate === 1);
    const late = enter(node.address, room, "eve");
    await is(() => late.state === "connected");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await difference([...both, late])).toBeLessThan(SAME);
    expect(late.position()).toBeGreaterThan(30);
  });

  test("has one leader, who gives the lead on, and whose lead passes on", async () => {
    const room = await newRoom(node.address, [recording]);
    const refused: string[] = [];
    const ada = enter(node.address, room, "ada");
    await is(() => ada.isLeader);
    const bob = enter(node.address, room, "bob", (message) => {
      if (message.type === "refused") refused.push(message.why);
    });
    await is(() => bob.state === "connected");
    bob.control({ move: "play" });
    await is(() => refused.length === 1);
    expect(refused[0]).toBe("only the leader moves the clock");
    ada.giveLead(bob.you);
    await is(() => bob.isLeader && !ada.isLeader);
    bob.control({ move: "play" });
    await is(() => ada.clock!.rate === 1);
    bob.releaseLead();
    await is(() => ada.lead!.leader === null);
    ada.takeLead();
    await is(() => ada.isLeader);
    ada.close();
    await is(() => bob.isLeader, 10);
    expect(bob.count).toBe(1);
  });

  test("carries chat, pointers and notes; notes stay with the recording", async () => {
    const room = await newRoom(node.address, [recording]);
    const heard: FromServer[] = [];
    const ada = enter(node.address, room, "ada");
    const bob = enter(node.address, room, "bob", (message) => heard.push(message));
    await is(() => ada.state === "connected" && bob.state === "connected");
    ada.chat("look at the second corner");
    ada.point({ at: [1, 2, 3], thing: "players/1", camera: null });
    ada.note({ time: 12.5, thing: "players/1", text: "brakes too late" });
    ada.free();
    const of = <T extends FromServer["type"]>(type: T): Extract<FromServer, { type: T }>[] =>
      heard.filter((message): message is Extract<FromServer, { type: T }> => message.type === type);
    await is(() => of("chat").length + of("pointer").length + of("note").length === 3);
    expect(of("chat")[0]).toMatchObject({ name: "ada", text: "look at the second corner", member: ada.you });
    expect(of("pointer")[0]!.pointers).toEqual([{ at: [1, 2, 3], thing: "players/1", camera: null, member: ada.you }]);
    await is(() => bob.members.find(({ id }) => id === ada.you)?.isFree === true);
    const { notes } = await json<{ notes: unknown[] }>(node.address, `/api/recordings/${recording}/notes`);
    expect(notes).toMatchObject([{ author: "ada", time: 12.5, thing: "players/1", text: "brakes too late" }]);
    const late = enter(node.address, room, "eve");
    await is(() => late.notes.length === 1);
  });

  test("refuses other origins, strangers to the protocol, and is gone for all when it is ended", async () => {
    const room = await newRoom(node.address, [recording]);
    const url = `${node.address.replace("http", "ws")}/api/rooms/${room}/socket`;
    const foreign = new WebSocket(url, { origin: "https://elsewhere.example" });
    const [refusal] = await once(foreign, "error");
    expect(String(refusal)).toContain("403");
    const unknown = new WebSocket(url.replace(room, "nothing"));
    expect(String((await once(unknown, "error"))[0])).toContain("404");
    expect((await fetch(`${node.address}/api/rooms/${room}/socket`)).status).toBe(426);
    const odd = new WebSocket(url);
    await once(odd, "open");
    for (const text of ["{", "[]", '{"type":"control"}', '{"type":"__proto__"}', '{"type":"ping","sent":"x"}'])
      odd.send(text);
    const answers: string[] = [];
    odd.on("message", (data) => answers.push((JSON.parse(textOf(data)) as FromServer).type));
    await is(() => answers.length === 5);
    expect(new Set(answers)).toEqual(new Set(["refused"]));
    odd.close();
    const ada = enter(node.address, room, "ada");
    await is(() => ada.state === "connected");
    expect((await json<{ rooms: { id: string }[] }>(node.address, "/api/rooms")).rooms[0]!.id).toBe(room);
    expect((await fetch(`${node.address}/api/rooms/${room}`, { method: "DELETE" })).status).toBe(204);
    await is(() => ada.state === "gone");
    expect((await fetch(`${node.address}/api/rooms/${room}`)).status).toBe(404);
  });
});

describe.skipIf(withoutPostgres !== null)("rooms of two nodes", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-rooms-"));
  let postgres: TestPostgres;
  let cable: Switch;
  let words: readonly string[];
  let nodes: TestNode[];

  beforeAll(async () => {
    await makeRace(join(folder, "library"));
    postgres = await startPostgres();
    cable = await startSwitch();
    const common = [
      "--database",
      await postgres.database(),
      "--bus",
      "postgres",
      "--public-origin",
      cable.address,
      "--access",
      "open",
    ];
    words = [join(folder, "library"), ...common];
    nodes = [await startNode([...words, "--port", String(await freePort())])];
    nodes.push(await startNode([...words, "--port", String(await freePort())]));
    cable.to(own(nodes[0]!));
  });

  afterAll(async () => {
    for (const node of nodes ?? []) await node.stop();
    await cable?.close();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("show the same on both, through a cut connection and a killed node", async () => {
    const recording = await recordingOf(cable.address);
    const room = await newRoom(cable.address, [recording]);
    const ada = enter(cable.address, room, "ada");
    await is(() => ada.isLeader);
    cable.to(own(nodes[1]!));
    const bob = enter(cable.address, room, "bob");
    await is(() => bob.members.length === 2 && ada.members.length === 2);
    ada.control({ move: "seek", time: 10 });
    ada.control({ move: "play" });
    await is(() => bob.clock!.rate === 1 && ada.clock!.rate === 1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await difference([ada, bob])).toBeLessThan(SAME);
    ada.chat("hello");

    const { you, lead } = ada;
    cable.cut();
    await is(() => arrivals.get("ada") === 2 && arrivals.get("bob") === 2);
    expect(ada.you).toBe(you);
    expect(ada.lead!.generation).toBe(lead!.generation);
    expect(await difference([ada, bob])).toBeLessThan(SAME);

    const before = ada.position()!;
    const at = performance.now();
    cable.to(own(nodes[0]!));
    await nodes[1]!.kill();
    // both came to the second node: it was the last that the address led to
    await is(() => arrivals.get("ada") === 3 && arrivals.get("bob") === 3);
    expect(performance.now() - at).toBeLessThan(2000);
    expect(ada.isLeader).toBe(true);
    ada.control({ move: "rate", rate: -2 });
    await is(() => bob.clock!.rate === -2);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await difference([ada, bob])).toBeLessThan(SAME);
    expect(Math.abs(ada.position()! - before)).toBeLessThan(10);
    nodes = [nodes[0]!];
  });

  function own(node: TestNode): string {
    const port = node.process.spawnargs.at(node.process.spawnargs.indexOf("--port") + 1)!;
    return `http://127.0.0.1:${port}`;
  }
});

import { decode } from "@msgpack/msgpack";
import { afterEach, describe, expect, test } from "vitest";
import { allFormats } from "../../../src/cli/input/formats.ts";
import { nanover } from "../../../src/formats/nanover/format.ts";
import { open, type PlayOptions, type Recording } from "../../../src/index.ts";
import { fromFile, listenForLinks } from "../../../src/io/node/index.ts";
import { Deck } from "../../../src/live/deck.ts";
import { nanoverOutlet } from "../../../src/live/nanover/outlet.ts";
import type { Outlet } from "../../../src/live/outlet.ts";
import { sample, samplesDirectory } from "../../samples.ts";
import { type PlainMap, TestClient } from "./client.ts";

const ZIPS = ["17-ala-multiple.nanover.zip", "nanotube-methane-01.nanover.zip", "nanotube-rust.nanover.zip"];
const PAIRS = ["nanotube-rust.traj", "hello_vel_force.traj", "sim-switching.traj"];
const OWN = new Set(["frame.index", "server.timestamp"]);

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function served(
  names: readonly string[],
  options: PlayOptions = {},
): Promise<{ deck: Deck; outlet: Outlet; address: string }> {
  const entries = names.map((name) => ({
    name: name.split("/").at(-1)!,
    open: (): Promise<Recording> => open(fromFile(sample(name)), { formats: allFormats() }),
  }));
  const deck = new Deck(entries, options);
  closing.push(() => deck.close());
  await deck.load(0);
  const outlet = await nanoverOutlet(deck, (arrived) => listenForLinks({ port: 0 }, arrived));
  closing.push(() => outlet.close());
  return { deck, outlet, address: /ws:\S+/.exec(outlet.name)![0] };
}

async function connected(address: string): Promise<TestClient> {
  const client = await TestClient.connect(address);
  closing.push(() => client.close());
  return client;
}

/** What a recording of NanoVer tells, message by message: of a zip by another decoder. */
async function recordedIn(name: string): Promise<{ frames: PlainMap[]; updates: PlainMap[] }> {
  await using recording = await open(fromFile(sample(name)), { formats: [nanover] });
  const frames: PlainMap[] = [];
  const updates: PlainMap[] = [];
  for await (const batch of recording.batches()) {
    for (let i = 0; i < batch.length; i++) {
      const channel = recording.channels[batch.channel[i]!]!;
      const value = name.endsWith(".zip")
        ? (decode(batch.payload(i)) as PlainMap)[channel.name]
        : channel.schema.decode(batch.payload(i), batch.context);
      if (channel.name === "frame") frames.push(value as PlainMap);
      else if (channel.name === "state") updates.push(value as PlainMap);
    }
  }
  return { frames, updates };
}

/** Without what the server says itself; arrays as lists of numbers. */
function content(frame: PlainMap): unknown {
  return Object.fromEntries(
    Object.entries(frame)
      .filter(([key]) => !OWN.has(key))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [
        key,
        ArrayBuffer.isView(value)
          ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")
          : value,
      ]),
  );
}

/** A server of today says the pose of the box under a second key, too (NanoVer spec §3.4). */
function withTransform(updates: PlainMap): PlainMap {
  const scene = updates["scene"] as number[] | undefined;
  if (scene === undefined) return updates;
  const transform = scene.map((number, i) => (i === 7 ? -number : number));
  return { ...updates, "transform.simulation": { transform, parent: "root" } };
}

/** Frames of a recording, and none that the server made for clients that must be reported that something is gone. */
function played(client: TestClient): PlainMap[] {
  return client.messages.flatMap(({ frame }) => {
    const given = frame as PlainMap | undefined;
    return given === undefined || given["server.timestamp"] === undefined ? [] : [given];
  });
}

/** The player has come to an end of the recording. */
function atEdge(deck: Deck): Promise<void> {
  const { player } = deck.loaded!;
  return new Promise((resolve) => {
    const look = ({ phase }: { readonly phase: string }): void => {
      if (phase === "ended") resolve();
    };
    player.onStatus(look);
    look(player.status);
  });
}

const isThere = samplesDirectory !== null;

describe.skipIf(!isThere)("a NanoVer server that plays recordings", { timeout: 60_000 }, () => {
  test.each([...ZIPS, ...PAIRS])("says every frame and update of %s", async (name) => {
    const recorded = await recordedIn(`nanover/${name}`);
    const { deck, address } = await served([`nanover/${name}`], { rate: 32 });
    const client = await connected(address);
    await client.until(() => client.messages.length >= 2);
    // the whole of it once: from before the first message
    await client.ask("playback/load", { index: 0 });
    await atEdge(deck);
    const isIntroduction = ({ state }: PlainMap): boolean =>
      Object.keys(((state as PlainMap | undefined)?.["updates"] ?? {}) as PlainMap).join() ===
      "simulation.name,simulation.index";
    client.messages.splice(0, client.messages.findLastIndex(isIntroduction) + 1);
    await client.until(() => played(client).length >= recorded.frames.length);
    await client.ask("playback/status");
    const frames = played(client);
    expect(frames.length).toBe(recorded.frames.length);
    if (name.endsWith(".zip"))
      for (const [i, frame] of frames.entries()) expect(content(frame)).toEqual(content(recorded.frames[i]!));
    else
      for (const [i, frame] of frames.entries())
        expect(Object.keys(content(frame) as object)).toEqual(Object.keys(content(recorded.frames[i]!) as object));
    const updates = client.messages.flatMap(({ state }) => (state === undefined ? [] : [state as PlainMap]));
    const said = updates.map((update) => JSON.stringify(update));
    const NOTHING = JSON.stringify({ updates: {}, removals: [] });
    expect(said).not.toContain(NOTHING);
    let at = 0;
    for (const update of recorded.updates) {
      const given = (update["updates"] ?? {}) as PlainMap;
      const wanted = JSON.stringify({ updates: withTransform(given), removals: update["removals"] ?? [] });
      if (wanted === NOTHING) continue;
      const found = said.indexOf(wanted, at);
      expect(found, wanted.slice(0, 200)).toBeGreaterThanOrEqual(at);
      at = found + 1;
    }
    const indices = frames.map((frame) => frame["frame.index"] as number);
    for (let i = 1; i < indices.length; i++) expect(indices[i]).toBeGreaterThan(indices[i - 1]!);
  });

  test.each(ZIPS)("after a seek, a client has what %s has there; so has one that never clears", async (name) => {
    const { deck, address } = await served([`nanover/${name}`]);
    const client = await connected(address);
    const { recording, player } = deck.loaded!;
    const { start, end } = await recording.timeline();
    for (const part of [0.7, 0.2, 0.21, 1]) {
      const time = Math.round(start + (end - start) * part);
      await client.ask("playback/seek", { time: (time - start) / 1e9 });
      const late = await connected(address);
      await late.until(() => late.messages.length >= 2);
      await client.ask("playback/status");
      const state = await recording.state(player.status.time);
      const positions = state.sets.get("particles")!.columns.get("position")!.data as Float32Array;
      for (const one of [client, late]) {
        const wanted = new Uint8Array(positions.buffer, positions.byteOffset, positions.byteLength);
        await one.until(() => Buffer.compare(one.frame["particle.positions"] as Uint8Array, wanted) === 0);
      }
      for (const [key, value] of Object.entries(client.frame))
        if (!OWN.has(key)) expect(client.merged[key]).toEqual(value);
      const shared = [...state.values.keys()].filter((path) => path.startsWith("state/")).map((path) => path.slice(6));
      expect(Object.keys(client.shared)).toEqual(expect.arrayContaining(shared));
      expect(Object.keys(client.shared).length).toBeLessThanOrEqual(shared.length + 4);
    }
  });

  test("plays backwards: positions are those of the times before", async () => {
    const { deck, address } = await served(["nanover/nanotube-methane-01.nanover.zip"], { rate: -8 });
    const client = await connected(address);
    const { recording } = deck.loaded!;
    const { start } = await recording.timeline();
    await client.ask("playback/seek", { time: 2 });
    await client.ask("playback/play");
    await atEdge(deck);
    const first = await recording.state(start);
    const positions = first.sets.get("particles")?.columns.get("position")?.data as Float32Array | undefined;
    await client.ask("playback/status");
    if (positions !== undefined) {
      const isAtStart = (): boolean =>
        Buffer.compare(
          client.frame["particle.positions"] as Uint8Array,
          new Uint8Array(positions.buffer, positions.byteOffset, positions.byteLength),
        ) === 0;
      await client.until(isAtStart);
    }
    const counts = client.messages.filter(
      ({ frame }) => (frame as PlainMap | undefined)?.["particle.positions"] !== undefined,
    );
    expect(counts.length).toBeGreaterThan(2);
  });

  test("answers NanoVer's commands, in the shape of the question", async () => {
    const { deck, address } = await served([
      "nanover/17-ala-multiple.nanover.zip",
      "nanover/nanotube-methane-01.nanover.zip",
    ]);
    const client = await connected(address);
    expect((await client.ask("playback/list"))["response"]).toEqual({
      simulations: ["17-ala-multiple.nanover.zip", "nanotube-methane-01.nanover.zip"],
    });
    const { list } = (await client.ask("commands/list"))["response"] as { list: PlainMap };
    expect(Object.keys(list)).toEqual(expect.arrayContaining(["playback/play", "playback/load", "commands/list"]));
    expect((await client.ask("nope"))["exception"]).toBe("'nope'");
    expect((await client.ask("playback/seek", { time: "soon" }))["exception"]).toMatch(/number/);
    await client.ask("playback/next", {}, true);
    expect(deck.loaded!.index).toBe(1);
    await client.ask("playback/load", { index: 4 });
    expect(deck.loaded!.index).toBe(0);
    await client.ask("playback/pause");
    expect(deck.loaded!.player.status.phase).not.toBe("playing");
    const listed = client.messages.filter(({ command }) => Array.isArray(command));
    expect(listed.length).toBe(1);
  });

  test("echoes a user's updates, forgets the user, and passes commands of clients on", async () => {
    const { address } = await served(["nanover/nanotube-methane-01.nanover.zip"]);
    const [one, other] = [await connected(address), await TestClient.connect(address)];
    other.send({
      state: {
        updates: { "avatar.me": { name: "Me" }, "interaction.x": { "owner.id": "me" }, "update.index.me": 3 },
        removals: [],
      },
    });
    await one.until(() => one.shared["update.index.me"] === 3);
    await other.until(() => other.shared["update.index.me"] === 3);
    other.send({ command: { register: { name: "user/hello", arguments: { to: "all" }, label: "Hello", icon: null } } });
    other.socket.on("message", (data: Buffer) => {
      const { command } = decode(data) as { command?: { request?: { id: number; name: string }; response?: unknown } };
      if (command?.request?.name === "user/hello")
        other.send({ command: { request: command.request, response: { said: 1 } } });
    });
    await other.ask("commands/list");
    expect((await one.ask("user/hello", { to: "you" }))["response"]).toEqual({ said: 1 });
    // nothing that is no message ends anything
    one.socket.send("text");
    one.socket.send(Uint8Array.of(0xc1, 0xff));
    one.socket.send(Uint8Array.of(0x81, 0xa5));
    await other.close();
    await one.until(() => one.shared["avatar.me"] === undefined && one.shared["interaction.x"] === undefined);
    expect(one.shared["update.index.me"]).toBeUndefined();
    expect((await one.ask("user/hello"))["exception"]).toBe("'user/hello'");
  });

  test("shows a town as particles in a box", async () => {
    const { deck, address } = await served(["carla/2020-DistanceBetweenVehicles.log"]);
    const client = await connected(address);
    await client.until(() => client.frame["particle.positions"] !== undefined);
    const count = client.frame["particle.count"] as number;
    expect(count).toBeGreaterThan(0);
    expect((client.frame["particle.positions"] as Uint8Array).length).toBe(12 * count);
    expect((client.frame["particle.elements"] as Uint8Array).length).toBe(count);
    expect((client.frame["particle.names"] as unknown[]).length).toBe(count);
    const before = client.messages.length;
    await client.ask("playback/play");
    await client.until(
      () =>
        client.messages.slice(before).filter(({ frame }) => (frame as PlainMap)?.["particle.positions"] !== undefined)
          .length > 5,
    );
    expect(deck.loaded!.player.status.phase).toBe("playing");
    expect((client.shared["scene"] as number[]).length).toBe(10);
  });

  test("twenty clients, one of which does not read: the others get everything, and nothing piles up", {
    timeout: 60_000,
  }, async () => {
    const { deck, outlet, address } = await served(["nanover/17-ala-multiple.nanover.zip"], {
      rate: 4,
      atEnd: "repeat",
    });
    const clients = await Promise.all(Array.from({ length: 20 }, () => connected(address)));
    const [stuck, ...others] = clients as [TestClient, ...TestClient[]];
    stuck.socket.pause();
    for (const client of clients) client.keeps = false;
    for (const client of others.slice(1)) client.reads = false;
    const wanted = 12 << 20;
    others[0]!.send({ command: { request: { id: 901, name: "playback/play" } } });
    others[0]!.send({ command: { request: { id: 900, name: "playback/rate", arguments: { rate: 64 } } } });
    await others[0]!.until(() => others[0]!.bytes > wanted);
    others[0]!.send({ command: { request: { id: 902, name: "playback/pause" } } });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(outlet.status().skippedFrames).toBeGreaterThan(0);
    const least = Math.min(...others.map(({ bytes }) => bytes));
    expect(least).toBeGreaterThan(wanted * 0.9);
    expect(stuck.bytes).toBeLessThan(wanted / 2);
    // what waits for the one is a message more than its share
    expect(outlet.status().waitingBytes).toBeLessThan(3 << 20);
    stuck.socket.resume();
    const { frame } = others[0]!;
    const wantedPositions = frame["particle.positions"] as Uint8Array;
    await stuck.until(() => {
      const given = stuck.frame["particle.positions"];
      return given !== undefined && Buffer.compare(given as Uint8Array, wantedPositions) === 0;
    });
    for (const key of Object.keys(frame)) if (!OWN.has(key)) expect(stuck.frame[key]).toEqual(frame[key]);
    expect(deck.loaded!.player.status.phase).toBe("paused");
  });
});

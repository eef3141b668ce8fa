import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Channel, FoxgloveClient, type MessageData } from "@foxglove/ws-protocol";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { fileSource } from "../../../src/io/node/index.ts";
import { SOUND } from "../../specimens.ts";
import { SdkClient } from "./sdk-client.ts";
import { atEnd, endAll, served } from "./support.ts";

afterEach(endAll);

const bundleOf = (name: string): (typeof SOUND)[number]["bundle"] => SOUND.find((of) => of.name === name)!.bundle;
const PATROL = bundleOf("patrol.tape");
const DRIVE = bundleOf("drive.mcap");

async function connected(address: string, protocols?: string[]): Promise<SdkClient> {
  const client = new SdkClient(address, protocols);
  atEnd(() => client.close());
  await client.until(() => client.channels.size > 0);
  return client;
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Several channels of a recording may have one topic; all but the first have a number behind it. */
function topicOf({ name }: { readonly name: string }): string {
  return name.replace(/#\d+$/, "");
}

/** Status messages so far. */
function statuses(client: SdkClient): string[] {
  return client.texts.filter(({ op }) => op === "status").map(({ message }) => message as string);
}

describe("Foxglove's own client, of the older protocol", () => {
  async function own(address: string): Promise<{ client: FoxgloveClient; channels: Channel[] }> {
    const client = new FoxgloveClient({
      ws: new WebSocket(address, [FoxgloveClient.SUPPORTED_SUBPROTOCOL]) as never,
    });
    atEnd(() => Promise.resolve(client.close()));
    const errors: Error[] = [];
    client.on("error", (error) => errors.push(error));
    const channels: Channel[] = [];
    await new Promise<void>((resolve) => {
      client.on("advertise", (list) => {
        channels.push(...list);
        resolve();
      });
    });
    expect(errors).toEqual([]);
    return { client, channels };
  }

  test("gets channels, messages and the time, and drives by parameters", async () => {
    const { deck, address } = await served([PATROL]);
    const { client, channels } = await own(address);
    const odometry = channels.find(({ topic }) => topic === "/robot/Odometry")!;
    expect(odometry).toMatchObject({ encoding: "json", schemaEncoding: "jsonschema" });
    const messages: MessageData[] = [];
    const times: bigint[] = [];
    client.on("message", (message) => messages.push(message));
    client.on("time", ({ timestamp }) => times.push(timestamp));
    const subscription = client.subscribe(odometry.id);
    const values = new Promise<readonly { name: string; value?: unknown }[]>((resolve) => {
      client.on("parameterValues", ({ parameters, id }) => {
        if (id === "all") resolve(parameters);
      });
    });
    client.getParameters([], "all");
    expect(await values).toContainEqual({ name: "/playback/playing", value: false });
    await expect.poll(() => messages.length).toBe(1);
    client.setParameters([
      { name: "/playback/rate", value: 8 },
      { name: "/playback/playing", value: true },
    ]);
    await expect.poll(() => messages.length, { timeout: 10_000 }).toBeGreaterThan(20);
    expect(deck.loaded!.player.status).toMatchObject({ phase: "playing", rate: 8 });
    for (const { subscriptionId, data } of messages) {
      expect(subscriptionId).toBe(subscription);
      expect(JSON.parse(new TextDecoder().decode(data))).toMatchObject({ pose: {}, velocity: {} });
    }
    await expect.poll(() => times.length, { timeout: 10_000 }).toBeGreaterThan(5);
    expect([...times].sort((a, b) => (a < b ? -1 : 1))).toEqual(times);
    client.unsubscribe(subscription);
    client.setParameters([{ name: "/playback/playing", value: false }]);
    await expect.poll(() => deck.loaded!.player.status.phase).toBe("paused");
  });

  test("is reported of changed parameters, if it asked for them", async () => {
    const { deck, address } = await served([PATROL]);
    const { client } = await own(address);
    const changes: { name: string; value?: unknown }[] = [];
    client.on("parameterValues", ({ parameters, id }) => {
      if (id === undefined) changes.push(...(parameters as { name: string }[]));
    });
    client.subscribeParameterUpdates(["/playback/rate"]);
    await wait(50);
    deck.loaded!.player.setRate(2);
    await expect.poll(() => changes).toContainEqual({ name: "/playback/rate", value: 2, type: "float64" });
    client.unsubscribeParameterUpdates([]);
    await wait(50);
    const { length } = changes;
    deck.loaded!.player.setRate(3);
    await wait(50);
    expect(changes).toHaveLength(length);
  });

  test("fetches the assets that were named, and no other file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "simtape-assets-"));
    atEnd(() => Promise.resolve(rmSync(folder, { recursive: true })));
    writeFileSync(join(folder, "arm.urdf"), "<robot/>");
    writeFileSync(join(folder, "secret"), "no");
    const assets = [
      { name: "arm.urdf", open: () => fileSource(join(folder, "arm.urdf")) },
      { name: "gone.urdf", open: () => fileSource(join(folder, "gone.urdf")) },
    ];
    const { address } = await served([PATROL], { assets });
    const { client } = await own(address);
    const answers = new Map<number, { status: number; text: string }>();
    client.on("fetchAssetResponse", (answer) => {
      const text = answer.status === 0 ? new TextDecoder().decode(answer.data) : answer.error;
      answers.set(answer.requestId, { status: answer.status, text });
    });
    const uris = [
      "package://robot/arm.urdf",
      "arm.urdf",
      "package://robot/../secret",
      "../secret",
      `file://${folder}/secret`,
      "package://robot/arm.urdf/../secret",
      "package://robot/%2e%2e%2fsecret",
      "harm.urdf",
      "gone.urdf",
      "",
    ];
    for (const [i, uri] of uris.entries()) client.fetchAsset(uri, i);
    await expect.poll(() => answers.size).toBe(uris.length);
    expect(answers.get(0)).toEqual({ status: 0, text: "<robot/>" });
    expect(answers.get(1)).toEqual({ status: 0, text: "<robot/>" });
    for (let i = 2; i < uris.length; i++) {
      expect(answers.get(i)!.status, uris[i]).toBe(1);
      if (!uris[i]!.includes(folder)) expect(answers.get(i)!.text).not.toContain(folder);
    }
  });
});

describe("a client of today's protocol", () => {
  test("sees playback control with the range of the recording, the older protocol does not", async () => {
    const { address, deck } = await served([PATROL]);
    const today = await connected(address);
    const older = await connected(address, ["foxglove.websocket.v1"]);
    const both = await connected(address, ["foxglove.websocket.v1", "foxglove.sdk.v1"]);
    const { start, end, epoch } = await deck.loaded!.recording.timeline();
    const stamp = (time: number): object => {
      const all = epoch! + BigInt(time);
      return { sec: Number(all / 1_000_000_000n), nsec: Number(all % 1_000_000_000n) };
    };
    expect(today.info).toMatchObject({
      capabilities: ["time", "parameters", "parametersSubscribe", "playbackControl"],
      dataStartTime: stamp(start),
      dataEndTime: stamp(end),
    });
    expect(older.info!["capabilities"]).toEqual(["time", "parameters", "parametersSubscribe"]);
    expect(both.socket.protocol).toBe("foxglove.sdk.v1");
    older.control("play", 1, null, "x");
    await older.until(() => statuses(older).length > 0);
    expect(deck.loaded!.player.status.phase).toBe("paused");
    expect(older.playbacks).toEqual([]);
    const none = new SdkClient(address, ["something.else"]);
    await none.until(() => none.closed !== null);
    const bare = new SdkClient(address, []);
    await bare.until(() => bare.closed !== null);
  });

  test("plays, pauses, changes the speed and seeks: the deck moves, and each request is answered", async () => {
    const { address, deck } = await served([PATROL]);
    const client = await connected(address);
    const { player, recording } = deck.loaded!;
    const { start, end, epoch } = await recording.timeline();
    const answer = (request: string): Promise<(typeof client.playbacks)[number]> =>
      client.until(() => client.playbacks.find((one) => one.request === request));
    client.control("play", 2, null, "play");
    expect(await answer("play")).toMatchObject({ didSeek: false, speed: 2 });
    await expect.poll(() => player.status).toMatchObject({ phase: "playing", rate: 2 });
    client.control("pause", 2, null, "pause");
    await answer("pause");
    await expect.poll(() => player.status.phase).toBe("paused");
    const middle = Math.round((start + end) / 2);
    client.control("pause", 0.5, epoch! + BigInt(middle), "seek");
    expect(await answer("seek")).toMatchObject({ didSeek: true, time: epoch! + BigInt(middle), speed: 0.5 });
    expect(player.status).toMatchObject({ phase: "paused", time: middle, rate: 0.5 });
    // beyond the end it stands at the end
    client.control("pause", 1, epoch! + BigInt(end) * 100n, "far");
    expect((await answer("far")).time).toBe(epoch! + BigInt(end));
    // what is no speed is not taken, the rest is
    for (const [i, speed] of [0, Number.NaN, 1e9].entries()) {
      client.control("pause", speed, null, `speed ${i}`);
      expect((await answer(`speed ${i}`)).speed).toBe(1);
    }
    // a change by others is reported, too
    player.setRate(4);
    await client.until(() => client.playbacks.find(({ speed, request }) => speed === 4 && request === ""));
  });

  test("gets the state of each channel at once, and again after a seek", async () => {
    for (const bundle of [PATROL, DRIVE]) {
      const { address, deck } = await served([bundle]);
      const client = await connected(address);
      const { player, recording } = deck.loaded!;
      const { start, end } = await recording.timeline();
      const middle = Math.round(start + (end - start) * 0.6);
      await player.seek(middle);
      client.subscribe();
      // the last message of each channel at or before the time
      const last = new Map<string, number>();
      for await (const batch of recording.batches({ end: middle + 1 }))
        for (let i = 0; i < batch.length; i++)
          last.set(topicOf(recording.channels[batch.channel[i]!]!), batch.time[i]!);
      const base = (await recording.timeline()).epoch ?? 0n;
      const expectLast = async (from: number, want: ReadonlyMap<string, number>): Promise<void> => {
        const got = (): Map<string, number> =>
          new Map(client.messages.slice(from).map(({ topic, time }) => [topic, Number(time - base)]));
        await client.until(() => [...want.keys()].every((name) => got().has(name)));
        for (const [name, time] of want) expect(got().get(name), name).toBe(time);
      };
      await expectLast(0, last);
      const { length } = client.messages;
      const early = Math.round(start + (end - start) * 0.2);
      last.clear();
      for await (const batch of recording.batches({ end: early + 1 }))
        for (let i = 0; i < batch.length; i++)
          last.set(topicOf(recording.channels[batch.channel[i]!]!), batch.time[i]!);
      await player.seek(early);
      await expectLast(length, last);
      expect(client.times.at(-1)).toBe(base + BigInt(early));
      await endAll();
    }
  });

  test.each([
    ["a recording of MCAP", DRIVE],
    ["another", PATROL],
  ])("plays %s backwards: times fall", async (_name, bundle) => {
    const { address, deck } = await served([bundle], {}, { rate: -16 });
    const client = await connected(address);
    client.subscribe();
    await client.answered();
    const { player, recording } = deck.loaded!;
    const { start, end } = await recording.timeline();
    await player.seek(end);
    await client.until(() => client.playbacks.some(({ didSeek, time }) => didSeek && time > 0n));
    const { behind } = client.playbacks.findLast(({ didSeek }) => didSeek)!;
    player.play();
    await client.until(() => client.playbacks.at(-1)!.status === 3);
    await client.answered();
    await wait(100);
    const counts = new Map<string, number>();
    for await (const batch of recording.batches())
      for (let i = 0; i < batch.length; i++) {
        const name = topicOf(recording.channels[batch.channel[i]!]!);
        if (batch.time[i]! > start) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    const played = client.messages.slice(behind);
    for (const [name, count] of counts) {
      const times = played.filter(({ topic }) => topic === name).map(({ time }) => time);
      // the state at the end, and then each message once more
      expect(times.length, name).toBeGreaterThanOrEqual(count);
      const falling = times.slice(-count);
      expect(falling, name).toEqual(falling.toSorted((a, b) => Number(b - a)));
    }
  });

  test("another recording is another session, with channels of its own", async () => {
    const { address } = await served([PATROL, DRIVE]);
    const client = await connected(address);
    const before = new Set(client.channels.keys());
    const session = client.info!["sessionId"];
    client.subscribe();
    client.send({ op: "setParameters", parameters: [{ name: "/playback/recording", value: 1 }], id: "load" });
    await client.until(() => client.info!["sessionId"] !== session);
    await client.until(() => client.channels.size > 0);
    expect([...client.channels.keys()].some((id) => before.has(id))).toBe(false);
    expect(client.info!["metadata"]).toEqual({ recording: "drive.mcap", format: "mcap" });
    const { length } = client.messages;
    client.subscribe();
    await client.until(() => client.messages.length > length);
    client.send({ op: "setParameters", parameters: [{ name: "/playback/recording", value: 7 }] });
    await client.until(() => statuses(client).some((text) => /recording 7 of 2/.test(text)));
  });
});

describe("whatever clients do", () => {
  test("nonsense is answered, and harms no other", async () => {
    const { address, deck } = await served([PATROL]);
    const wild = await connected(address);
    const other = await connected(address);
    other.subscribe();
    await other.answered();
    const channel = [...wild.channels.keys()][0]!;
    const texts = [
      "",
      "{",
      "[]",
      "null",
      "7",
      "{}",
      '{"op":1}',
      '{"op":"nothing"}',
      '{"op":"subscribe"}',
      '{"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]}',
      '{"op":"subscribe","subscriptions":[{"id":1,"channelId":99999}]}',
      '{"op":"subscribe","subscriptions":[{"id":1.5,"channelId":1}]}',
      '{"op":"unsubscribe","subscriptionIds":[77]}',
      '{"op":"unsubscribe","subscriptionIds":"x"}',
      '{"op":"getParameters","parameterNames":[1]}',
      '{"op":"setParameters","parameters":[{"value":1}]}',
      '{"op":"setParameters","parameters":[{"name":"/playback/rate","value":0}]}',
      '{"op":"setParameters","parameters":[{"name":"/playback/rate","value":"x"}]}',
      '{"op":"setParameters","parameters":[{"name":"/playback/time","value":null}]}',
      '{"op":"setParameters","parameters":[{"name":"/none","value":1}]}',
      '{"op":"fetchAsset","uri":1,"requestId":1}',
      '{"op":"fetchAsset","uri":"x","requestId":-1}',
      '{"op":"advertise","channels":[]}',
      '{"op":"subscribeConnectionGraph"}',
      `{"op":"subscribe","subscriptions":[{"id":5,"channelId":${channel}},{"id":5,"channelId":${channel}}]}`,
      `{"op":"subscribe","subscriptions":[{"id":6,"channelId":${channel}}]}`,
      "[".repeat(100_000),
    ];
    for (const text of texts) wild.socket.send(text);
    for (const bytes of [[], [0], [1], [2, 0], [3], [3, 9, ...new Array<number>(20).fill(0)], [200, 1, 2]])
      wild.socket.send(Uint8Array.from(bytes));
    const long = Buffer.alloc(19);
    long[0] = 3;
    long.writeUInt32LE(0xffff_ffff, 15);
    wild.socket.send(long);
    await wild.answered();
    expect(statuses(wild).length).toBeGreaterThanOrEqual(texts.length + 7);
    expect(wild.closed).toBeNull();
    // longer than a request is: the client is let go
    wild.socket.send("x".repeat(17 << 20));
    await wild.until(() => wild.closed !== null);
    deck.loaded!.player.play();
    const { length } = other.messages;
    await other.until(() => other.messages.length > length + 5);
  });

  test("one that never reads is skipped: others get everything, and what waits for it stays small", async () => {
    const waiting = 64 << 10;
    const { address, deck, outlet } = await served(
      [bundleOf("buckyball.nanover.zip")],
      { waiting },
      { rate: 8, atEnd: "repeat" },
    );
    const stuck = await connected(address);
    const reader = await connected(address);
    stuck.subscribe();
    reader.subscribe();
    await Promise.all([stuck.answered(), reader.answered()]);
    stuck.socket.pause();
    deck.loaded!.player.play();
    await expect.poll(() => outlet.status().skippedFrames, { timeout: 60_000, interval: 50 }).toBeGreaterThan(500);
    const most = Math.max(...reader.messages.map(({ data }) => data.length));
    expect(outlet.status().waitingBytes).toBeLessThan(2 * waiting + 4 * most);
    const { length } = reader.messages;
    await reader.until(() => reader.messages.length > length + 100);
    expect(statuses(reader)).toEqual([]);
    // once it reads it is reported, and gets what holds then
    stuck.socket.resume();
    await stuck.until(() => statuses(stuck).some((text) => /\d+ messages were skipped/.test(text)));
    const { length: before } = stuck.messages;
    await stuck.until(() => stuck.messages.length > before + 10);
  }, 90_000);

  test("one that asks on and on, and does not read, does not fill the memory", async () => {
    const waiting = 64 << 10;
    const { address, outlet } = await served([PATROL], { waiting });
    const stuck = await connected(address);
    stuck.socket.pause();
    for (let i = 0; i < 20_000; i++) stuck.send({ op: "getParameters", parameterNames: [], id: String(i) });
    await expect.poll(() => outlet.status().clients, { timeout: 30_000, interval: 50 }).toBe(0);
    const after = await connected(address);
    expect(after.channels.size).toBeGreaterThan(0);
  }, 60_000);

  test("a port that another program has is an error, and nothing is left behind", async () => {
    const { address } = await served([PATROL]);
    const { port } = new URL(address);
    await expect(served([PATROL], {}, {}, Number(port))).rejects.toThrow(/another program listens there/);
  });

  test("twenty clients get the same", async () => {
    const { address, deck } = await served([DRIVE], {}, { rate: 8 });
    const clients = await Promise.all(Array.from({ length: 20 }, () => connected(address)));
    for (const client of clients) client.subscribe();
    await Promise.all(clients.map((client) => client.answered()));
    clients[3]!.control("play", 8, 0n, "go");
    await Promise.all(clients.map((client) => client.until(() => client.playbacks.at(-1)!.status === 3)));
    const { recording } = deck.loaded!;
    let count = 0;
    for await (const batch of recording.batches()) count += batch.length;
    const of = (client: SdkClient): string[] => {
      const { behind } = client.playbacks.findLast(({ didSeek }) => didSeek)!;
      return client.messages
        .slice(behind)
        .map(({ topic, time, data }) => `${topic} ${time} ${data.toString("base64")}`);
    };
    await Promise.all(clients.map((client) => client.until(() => of(client).length >= count)));
    const first = of(clients[0]!);
    expect(first).toHaveLength(count);
    for (const client of clients) expect(of(client)).toEqual(first);
  }, 60_000);
});

import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { allFormats } from "../../src/cli/input/formats.ts";
import { open, type Recording } from "../../src/index.ts";
import { type Link, type LinkRequest, listenForLinks } from "../../src/io/node/index.ts";
import { Deck, type DeckEntry } from "../../src/live/deck.ts";
import { foxgloveOutlet } from "../../src/live/foxglove/outlet.ts";
import { PROTOCOLS } from "../../src/live/foxglove/protocol.ts";
import { nanoverOutlet } from "../../src/live/nanover/outlet.ts";
import { SOUND } from "../specimens.ts";
import { SdkClient } from "./foxglove/sdk-client.ts";
import { type PlainMap, TestClient } from "./nanover/client.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function entry(name: string, more: Partial<DeckEntry> = {}): DeckEntry {
  const { bundle } = SOUND.find((one) => one.name === name)!;
  return { name, open: (): Promise<Recording> => open(bundle(), { formats: allFormats() }), ...more };
}

const BALL = entry("buckyball.nanover.zip");
const RACE = entry("tower-race.hcrp");
const DRIVE = entry("drive.mcap");

function deckOf(...entries: readonly DeckEntry[]): Deck {
  const deck = new Deck(entries);
  closing.push(() => deck.close());
  return deck;
}

describe("a deck whose recordings change", () => {
  test("keeps what is loaded while it is in the list, wherever it is there", async () => {
    const deck = deckOf(BALL);
    const { player } = await deck.load(0);
    await deck.offer([RACE, BALL]);
    expect(deck.loaded).toMatchObject({ index: 1, name: BALL.name });
    expect(deck.loaded!.player).toBe(player);
    expect(deck.indexOf(RACE.name)).toBe(0);
    expect(() => deck.indexOf("none")).toThrow(RangeError);
  });

  test("tells recordings of one name from each other", async () => {
    const deck = deckOf(BALL, { ...BALL }, { ...BALL });
    for (const index of [0, 1, 2]) expect((await deck.load(index)).index).toBe(index);
    await deck.offer([RACE, ...deck.entries]);
    expect(deck.loaded?.index).toBe(3);
  });

  test("unloads what has gone, what has another version, and is empty until another is loaded", async () => {
    const heard: string[] = [];
    const deck = deckOf({ ...RACE, id: "1", version: "a" });
    deck.onLoad(
      ({ name }) => heard.push(name),
      () => heard.push("none"),
    );
    deck.onList(() => heard.push("list"));
    const { recording } = await deck.load(0);
    await deck.offer([{ ...RACE, name: "renamed", id: "1", version: "a" }]);
    expect(deck.loaded!.recording).toBe(recording);
    await deck.offer([{ ...RACE, id: "1", version: "b" }]);
    expect(deck.loaded).toBeNull();
    await deck.load(0);
    await deck.offer([]);
    expect(heard).toEqual([RACE.name, "list", "none", "list", RACE.name, "none", "list"]);
    expect(() => deck.load(0)).toThrow(RangeError);
    await deck.offer([BALL]);
    expect((await deck.load(0)).player.status.phase).not.toBe("playing");
  });

  test("closes what has gone while it was opened, and does not load it", async () => {
    let opened: Recording | null = null;
    let proceed = (): void => undefined;
    const isLet = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const slow = entry(RACE.name, {
      name: "slow",
      open: async () => {
        await isLet;
        opened = await RACE.open();
        return opened;
      },
    });
    const deck = deckOf(slow);
    const loading = deck.load(0);
    const offered = deck.offer([BALL]);
    proceed();
    await expect(loading).rejects.toThrow('no recording "slow"');
    await offered;
    expect(deck.loaded).toBeNull();
    await expect(opened!.state(0)).rejects.toMatchObject({ code: "closed" });
  });
});

describe("clients of a deck whose recordings change", { timeout: 60_000 }, () => {
  test("of NanoVer have nothing left of a recording that has gone, and get the next one", async () => {
    const deck = deckOf(BALL);
    const outlet = await nanoverOutlet(deck, (arrived) => listenForLinks({ port: 0 }, arrived));
    closing.push(() => outlet.close());
    const client = await TestClient.connect(/ws:\S+/.exec(outlet.name)![0]);
    closing.push(() => client.close());
    const { player } = await deck.load(0);
    player.play();
    await client.until(() => client.frame["particle.positions"] !== undefined);
    await deck.offer([]);
    await client.until(() => client.frame["particle.positions"] === undefined);
    await client.until(() => client.shared["simulation.name"] === undefined);
    // a client that merges for ever has its arrays without content
    expect((client.merged["particle.positions"] as Uint8Array).length).toBe(0);
    expect(await client.ask("playback/list")).toMatchObject({ response: { simulations: [] } });
    expect(await client.ask("playback/next")).toMatchObject({ exception: "there is no recording" });
    await deck.offer([RACE]);
    await client.ask("playback/load", { name: RACE.name });
    await client.until(() => client.frame["particle.positions"] !== undefined);
    expect(client.shared["simulation.name"]).toBe(RACE.name);
  });

  test("of Foxglove choose a recording while none is loaded, and learn why one cannot be", async () => {
    const broken = entry(RACE.name, { name: "broken", open: () => Promise.reject(new Error("no such bytes")) });
    const deck = deckOf(broken, RACE);
    const outlet = await foxgloveOutlet(deck, (arrived) => listenForLinks({ port: 0, protocols: PROTOCOLS }, arrived));
    closing.push(() => outlet.close());
    const client = new SdkClient(/ws:\S+/.exec(outlet.name)![0]);
    closing.push(() => client.close());
    await client.until(() => client.info);
    expect(client.info).toMatchObject({ metadata: {} });
    expect(client.info!["capabilities"]).not.toContain("playbackControl");
    const session = client.info!["sessionId"];
    client.send({ op: "getParameters", parameterNames: [], id: "all" });
    const all = await client.until(() => client.texts.find(({ id }) => id === "all"));
    expect(all["parameters"]).toEqual([
      { name: "/playback/recordings", value: ["broken", RACE.name] },
      { name: "/playback/recording" },
    ]);
    client.send({ op: "setParameters", parameters: [{ name: "/playback/playing", value: true }] });
    client.send({ op: "setParameters", parameters: [{ name: "/playback/recording", value: "broken" }] });
    const said = (words: RegExp): boolean =>
      client.texts.some(({ op, message }) => op === "status" && words.test(String(message)));
    await client.until(() => said(/no recording is loaded/));
    await client.until(() => said(/broken: no such bytes/));
    client.send({ op: "setParameters", parameters: [{ name: "/playback/recording", value: RACE.name }] });
    await client.until(() => client.channels.size > 0);
    expect(client.info!["sessionId"]).not.toBe(session);
    await deck.unload();
    await client.until(() => client.channels.size === 0 && client.info!["metadata"]);
    await client.until(() => (client.info!["metadata"] as PlainMap)["recording"] === undefined);
  });

  test("of Foxglove have no channels left, hear of the list, and get the next one", async () => {
    const deck = deckOf(DRIVE);
    const outlet = await foxgloveOutlet(deck, (arrived) => listenForLinks({ port: 0, protocols: PROTOCOLS }, arrived));
    closing.push(() => outlet.close());
    await deck.load(0);
    const client = new SdkClient(/ws:\S+/.exec(outlet.name)![0]);
    closing.push(() => client.close());
    await client.until(() => client.channels.size > 0);
    client.send({ op: "subscribeParameterUpdates", parameterNames: ["/playback/recordings"] });
    await client.answered();
    await deck.offer([DRIVE, RACE]);
    const lists = (): unknown[] =>
      client.texts.flatMap(({ op, parameters }) =>
        op === "parameterValues" ? (parameters as PlainMap[]).map(({ value }) => value ?? null) : [],
      );
    await client.until(() => lists().some((value) => String(value) === `${DRIVE.name},${RACE.name}`));
    await deck.offer([RACE]);
    await client.until(() => client.channels.size === 0);
    await deck.load(0);
    await client.until(() => client.channels.size > 0);
    expect(client.info!["metadata"]).toMatchObject({ recording: RACE.name });
    client.send({ op: "setParameters", parameters: [{ name: "/playback/recording", value: "none" }] });
    await client.until(() => client.texts.some(({ op, message }) => op === "status" && /"none"/.test(String(message))));
  });
});

test("a listener refuses with the status it is given, and gives each link with its request", async () => {
  const seen: LinkRequest[] = [];
  const left: Link[] = [];
  let arrived: [Link, LinkRequest] | null = null;
  const listener = await listenForLinks(
    {
      port: 0,
      refuses: (asked) => {
        seen.push(asked);
        return Promise.resolve(asked.path === "/no" ? 404 : null);
      },
      left: (link) => void left.push(link),
    },
    (link, asked) => {
      arrived = [link, asked];
    },
  );
  closing.push(() => listener.close());
  const status = await new Promise((resolve) => {
    const socket = new WebSocket(`${listener.address}/no`);
    socket.on("error", () => undefined);
    socket.once("unexpected-response", (_, { statusCode }) => resolve(statusCode));
  });
  expect(status).toBe(404);
  const socket = new WebSocket(`${listener.address}/a%20b?token=x`, { headers: { authorization: "Bearer y" } });
  await new Promise((resolve) => socket.once("open", resolve));
  expect(seen).toHaveLength(2);
  expect(arrived![1]).toBe(seen[1]);
  expect(seen[1]).toMatchObject({ path: "/a%20b", authorization: "Bearer y", peer: "127.0.0.1" });
  expect(seen[1]!.query.get("token")).toBe("x");
  socket.close();
  await expect.poll(() => left).toEqual([arrived![0]]);
});

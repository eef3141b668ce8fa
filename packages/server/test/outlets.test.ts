import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { McapWriter } from "@mcap/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SdkClient } from "../../simtape/test/live/foxglove/sdk-client.ts";
import { type PlainMap, TestClient } from "../../simtape/test/live/nanover/client.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";
import { describeSetUps, type SetUp } from "./support/set-ups.ts";

const EXAMPLES = fileURLToPath(new URL("../../../examples", import.meta.url));
const BALL = "buckyball.nanover.zip";
const RACE = "race.hcrp";

interface Item {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

interface Shown {
  readonly name: string;
  readonly address: string;
  readonly clients: number;
  readonly skipped: number;
  readonly waitingBytes: number;
  readonly offered: number;
  readonly loaded: {
    readonly recording: string;
    readonly phase: string;
    readonly time: number;
    readonly seconds: number;
    readonly rate: number;
    readonly repeat: boolean;
  } | null;
  readonly trouble: { readonly recording: string; readonly message: string } | null;
}

const example = (name: string): Buffer => readFileSync(join(EXAMPLES, name));

async function outletOf(caller: Caller, name: string): Promise<Shown> {
  const { outlets } = await caller.json<{ outlets: Shown[] }>("GET", "/api/outlets");
  return outlets.find((outlet) => outlet.name === name)!;
}

/** Ids by name, when the server has read all of them. */
async function idsOf(caller: Caller, count: number): Promise<Readonly<Record<string, string>>> {
  const { recordings } = await until(
    () => caller.json<{ recordings: Item[] }>("GET", "/api/recordings"),
    (page) => page.recordings.length === count && page.recordings.every(({ state }) => state === "indexed"),
  );
  return Object.fromEntries(recordings.map(({ name, id }) => [name, id]));
}

const offers = (caller: Caller, name: string, count: number): Promise<Shown> =>
  until(
    () => outletOf(caller, name),
    ({ offered }) => offered === count,
  );

/** A client of Foxglove that has been greeted. */
async function foxglove(address: string): Promise<SdkClient> {
  const client = new SdkClient(address);
  await client.until(() => client.info);
  return client;
}

const choose = (client: SdkClient, value: unknown): void =>
  client.send({ op: "setParameters", parameters: [{ name: "/playback/recording", value }] });

const parameter = async (client: SdkClient, name: string): Promise<unknown> => {
  const id = `${name} ${client.texts.length}`;
  client.send({ op: "getParameters", parameterNames: [name], id });
  const { parameters } = await client.until(() => client.texts.find((text) => text["id"] === id));
  return (parameters as { value?: unknown }[])[0]?.value;
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describeSetUps("outlets of a server", (setUp) => {
  let library: SetUp["library"];
  let node: TestNode;
  let caller: Caller;
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const { words, environment, library: store } = await setUp();
    library = store;
    for (const name of [BALL, RACE, "patrol.tape"]) await library.put(name, example(name));
    await library.put("other/patrol.tape", example("patrol.tape"));
    node = await startNode([...words, "--into", "foxglove=0,nanover=0"], environment);
    caller = new Caller(node);
    ids = await idsOf(caller, 4).catch(() => ({}));
    const { recordings } = await caller.json<{ recordings: Item[] }>("GET", "/api/recordings");
    ids = Object.fromEntries(recordings.map(({ name, id }) => [name, id]));
  }, 120_000);

  afterAll(() => node?.stop());

  test("list the library to clients of NanoVer, and play what one chooses to all of them", async () => {
    const { address } = await offers(caller, "nanover", 4);
    const client = await TestClient.connect(address);
    const other = await TestClient.connect(address);
    const listed = ((await client.ask("playback/list"))["response"] as PlainMap)["simulations"] as string[];
    // of two of one name, the paths
    expect([...listed].sort()).toEqual([BALL, "other/patrol.tape", "patrol.tape", RACE]);
    await client.ask("playback/load", { index: listed.indexOf(BALL) });
    await other.until(() => other.frame["particle.positions"] !== undefined);
    // as the recording itself says
    expect(other.shared["simulation.name"]).toBe("buckyball");
    const { loaded, clients } = await until(
      () => outletOf(caller, "nanover"),
      (one) => one.loaded !== null && one.clients === 2,
    );
    expect(clients).toBe(2);
    expect(loaded).toMatchObject({ recording: ids[BALL], rate: 1, repeat: false });
    // the account of the outlets has read it
    const { lines } = await until(
      () => caller.json<{ lines: object[] }>("GET", `/api/audit?recording=${ids[BALL]}`),
      (page) => page.lines.length > 0,
    );
    expect(lines[0]).toMatchObject({ action: "read", details: { outlet: "nanover" } });
    // things of other formats are particles
    await client.ask("playback/load", { name: RACE });
    await other.until(() => other.shared["simulation.name"] === RACE);
    await Promise.all([client.close(), other.close()]);
  });

  test("list the library to clients of Foxglove, which choose by a parameter", async () => {
    const { address } = await offers(caller, "foxglove", 4);
    const client = await foxglove(address);
    expect(client.info!["metadata"]).toEqual({});
    expect(await parameter(client, "/playback/recordings")).toContain(RACE);
    choose(client, "patrol.tape");
    await client.until(() => client.channels.size > 0);
    client.subscribeAll();
    client.control("play", 8, null, "go");
    await client.until(() => client.messages.length > 20);
    const topics = [...client.channels.values()].map(({ topic }) => topic);
    expect(topics).toContain("/robot/Odometry");
    choose(client, "none of this name");
    await client.until(() =>
      client.texts.some(({ op, message }) => op === "status" && /none of this name/.test(String(message))),
    );
    await client.close();
  });

  test("are loaded and driven by the staff, who see how they do", async () => {
    const { address } = await offers(caller, "foxglove", 4);
    const client = await foxglove(address);
    const body = { recording: ids[RACE], at: 10, rate: 2, repeat: true };
    const answer = await caller.json<Shown>("POST", "/api/outlets/foxglove/load", body);
    expect(answer.loaded).toMatchObject({ recording: ids[RACE], rate: 2, repeat: true });
    expect(answer.loaded!.time).toBeGreaterThanOrEqual(10);
    await client.until(() => (client.info!["metadata"] as PlainMap)["recording"] === RACE);
    const { loaded } = await caller.json<Shown>("POST", "/api/outlets/foxglove/control", { playing: false, at: 3.5 });
    expect(loaded).toMatchObject({ phase: "paused", time: 3.5, rate: 2 });
    // it repeats: from just before the end to the start
    await caller.json("POST", "/api/outlets/foxglove/control", { playing: true, at: loaded!.seconds - 0.5 });
    await until(
      () => outletOf(caller, "foxglove"),
      (one) => one.loaded!.phase === "playing" && one.loaded!.time < 10,
    );
    const unloaded = await caller.json<Shown>("POST", "/api/outlets/foxglove/unload");
    expect(unloaded.loaded).toBeNull();
    await client.until(() => client.channels.size === 0);
    expect(await caller.status("POST", "/api/outlets/foxglove/control", { playing: true })).toBe(409);
    expect(await caller.status("POST", "/api/outlets/foxglove/control", { rate: 0 })).toBe(400);
    expect(await caller.status("POST", "/api/outlets/foxglove/load", { recording: "none" })).toBe(404);
    expect(await caller.status("POST", "/api/outlets/none/load", { recording: ids[RACE] })).toBe(404);
    const { lines } = await caller.json<{ lines: { details: object }[] }>("GET", "/api/audit?action=outlet");
    expect(lines.map(({ details }) => details)).toEqual([
      { outlet: "foxglove", did: "unload" },
      { outlet: "foxglove", did: "load" },
    ]);
    await client.close();
  });

  test("say so when a recording changes or goes while it plays, and clients choose another", async () => {
    const { address } = await outletOf(caller, "foxglove");
    const client = await foxglove(address);
    await caller.json("POST", "/api/outlets/foxglove/load", { recording: ids[RACE], repeat: true });
    await client.until(() => client.channels.size > 0);
    client.subscribeAll();
    // the bytes of another recording
    await library.put(RACE, example("buckyball.nanover.zip").subarray(0, 40_000));
    const changed = await until(
      () => outletOf(caller, "foxglove"),
      ({ loaded }) => loaded === null,
    );
    expect(changed.trouble).toMatchObject({ recording: RACE });
    expect(changed.trouble!.message).toMatch(/changed|gone/);
    await client.until(() => client.channels.size === 0);
    await caller.json("POST", "/api/outlets/foxglove/load", { recording: ids[BALL], repeat: true });
    await client.until(() => client.channels.size > 0);
    expect((await outletOf(caller, "foxglove")).trouble).toBeNull();
    await library.delete(BALL);
    const gone = await until(
      () => outletOf(caller, "foxglove"),
      ({ loaded }) => loaded === null,
    );
    expect(gone.trouble).toMatchObject({ recording: BALL });
    choose(client, "patrol.tape");
    await client.until(() => (client.info!["metadata"] as PlainMap)["recording"] === "patrol.tape");
    expect((await caller.ask("GET", "/ready")).status).toBe(200);
    expect(client.closed).toBeNull();
    await client.close();
  }, 120_000);
});

describe("outlets of a node", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-outlets-"));
  const nodes: TestNode[] = [];
  const libraryOf = (name: string, ...examples: readonly string[]): string => {
    const path = join(folder, name);
    mkdirSync(path);
    for (const one of examples) copyFileSync(join(EXAMPLES, one), join(path, one));
    return path;
  };
  const started = async (...words: readonly string[]): Promise<TestNode> => {
    const node = await startNode(words);
    nodes.push(node);
    return node;
  };

  afterAll(async () => {
    for (const node of nodes) await node.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test("have the rights of one account, and not those of the staff who load", async () => {
    const library = libraryOf("rights", BALL, RACE);
    for (const [name, role] of [
      ["admin", "admin"],
      ["headset", "viewer"],
    ] as const)
      expect((await userCommand(["add", name, library, "--role", role])).exit).toBe(0);
    const into = ["--into", "nanover=0"];
    await expect(startNode([library, ...into])).rejects.toThrow(/with 2: .*--into-as/s);
    await expect(startNode([library, ...into, "--into-as", "eve"])).rejects.toThrow(/with 2: .*no account eve/s);
    const node = await started(library, ...into, "--into-as", "headset");
    const admin = await Caller.signedIn(node, "admin");
    const ids = await idsOf(admin, 2);
    const { address } = await outletOf(admin, "nanover");
    const client = await TestClient.connect(address);
    const listed = async (): Promise<unknown> =>
      ((await client.ask("playback/list"))["response"] as PlainMap)["simulations"];
    expect(await listed()).toEqual([]);
    const load = { recording: ids[BALL], repeat: true };
    const refused = await admin.ask("POST", "/api/outlets/nanover/load", load);
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
      403,
      "the account of the outlets (--into-as) may not read this recording",
    ]);
    const headset = await Caller.signedIn(node, "headset");
    expect(await headset.status("GET", "/api/outlets")).toBe(403);
    expect(await headset.status("POST", "/api/outlets/nanover/load", load)).toBe(403);
    expect(await new Caller(node).status("GET", "/api/outlets")).toBe(401);

    const collection = await admin.json<{ id: string }>("POST", "/api/collections", { name: "show", public: "all" });
    await admin.json("PUT", `/api/recordings/${ids[BALL]}/collection`, { collection: collection.id });
    await admin.json("POST", "/api/outlets/nanover/load", load);
    await client.until(() => client.frame["particle.positions"] !== undefined);
    await until(listed, (names) => Array.isArray(names) && names.length === 1);
    expect((await client.ask("playback/load", { name: RACE }))["exception"]).toMatch(/no recording/);
    // the right ends while it plays
    expect(await admin.status("PATCH", `/api/collections/${collection.id}`, { public: "off" })).toBeLessThan(300);
    await client.until(() => client.frame["particle.positions"] === undefined);
    const { trouble } = await until(
      () => outletOf(admin, "nanover"),
      ({ loaded }) => loaded === null,
    );
    expect(trouble).toMatchObject({ recording: BALL, message: expect.stringContaining("may no longer be shown") });
    // so does that of an account that is disabled
    expect(await admin.status("PATCH", `/api/collections/${collection.id}`, { public: "all" })).toBeLessThan(300);
    await until(listed, (names) => Array.isArray(names) && names.length === 1);
    const { users } = await admin.json<{ users: { id: string; name: string }[] }>("GET", "/api/users");
    await admin.ask("PATCH", `/api/users/${users.find(({ name }) => name === "headset")!.id}`, { disabled: true });
    await until(listed, (names) => Array.isArray(names) && names.length === 0);
    await client.close();
    expect(await node.stop()).toBe(0);
  }, 120_000);

  test("refuse addresses that others reach, ports that are taken, and words that are none", async () => {
    const library = libraryOf("refused");
    const into = (...words: readonly string[]): Promise<TestNode> => startNode([library, "--into", ...words]);
    await expect(into("foxglove=0.0.0.0:0")).rejects.toThrow(/with 2: .*others reach 0\.0\.0\.0/s);
    await expect(into("gromacs")).rejects.toThrow(/with 2: .*a kind of foxglove, nanover/s);
    await expect(into("foxglove=99999")).rejects.toThrow(/with 2: /);
    await expect(into("flightgear=http://localhost:5500")).rejects.toThrow(/with 2: /);
    const port = await freePort();
    const other = createServer().listen(port, "127.0.0.1");
    await expect(into(`foxglove=${port}`)).rejects.toThrow(/with 2: .*another program listens there/s);
    await new Promise((resolve) => other.close(resolve));
    const node = await started(library, "--into", "foxglove=0.0.0.0:0", "--access", "open");
    expect((await outletOf(new Caller(node), "foxglove")).address).toMatch(/^ws:\/\/0\.0\.0\.0:\d+$/);
    expect(await node.stop()).toBe(0);
  }, 120_000);

  test("that are killed while they play begin without a recording, and clients choose again", async () => {
    const library = libraryOf("killed", BALL);
    const words = [library, "--into", `nanover=${await freePort()}`];
    const first = await started(...words);
    await idsOf(new Caller(first), 1);
    const { address } = await offers(new Caller(first), "nanover", 1);
    const client = await TestClient.connect(address);
    await client.ask("playback/load", { index: 0 });
    await client.until(() => client.frame["particle.positions"] !== undefined);
    const closed = new Promise((resolve) => client.socket.once("close", resolve));
    await first.kill();
    await closed;
    const second = await started(...words);
    const again = await offers(new Caller(second), "nanover", 1);
    expect(again).toMatchObject({ address, loaded: null, trouble: null, clients: 0 });
    const next = await TestClient.connect(address);
    await next.ask("playback/next");
    await next.until(() => next.frame["particle.positions"] !== undefined);
    await next.close();
    expect(await second.stop()).toBe(0);
  }, 120_000);

  test("leave out messages for a client that never reads: others get all, and requests are answered", async () => {
    const library = libraryOf("stuck");
    writeFileSync(join(library, "wide.mcap"), await wide());
    const node = await started(library, "--into", "foxglove=0");
    const caller = new Caller(node);
    const ids = await idsOf(caller, 1);
    const { address } = await offers(caller, "foxglove", 1);
    const [stuck, reader] = await Promise.all([foxglove(address), foxglove(address)]);
    await caller.json("POST", "/api/outlets/foxglove/load", {
      recording: ids["wide.mcap"],
      repeat: true,
      playing: false,
    });
    for (const client of [stuck, reader]) {
      await client.until(() => client.channels.size > 0);
      client.subscribe();
      await client.answered();
    }
    stuck.socket.pause();
    await caller.json("POST", "/api/outlets/foxglove/control", { playing: true });
    const { waitingBytes } = await until(
      () => outletOf(caller, "foxglove"),
      ({ skipped }) => skipped > 50,
    );
    expect(waitingBytes).toBeLessThan(40 << 20);
    const { length } = reader.messages;
    await reader.until(() => reader.messages.length > length + 50);
    expect(reader.texts.filter(({ op }) => op === "status")).toEqual([]);
    expect((await caller.ask("GET", "/ready")).status).toBe(200);
    // the node ends although the client never says goodbye
    expect(await node.stop()).toBe(0);
    await Promise.all([stuck.close(), reader.close()]);
  }, 120_000);
});

/** Two seconds of an MCAP recording, thirty messages of 512 KiB in each. */
async function wide(): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0n;
  const writer = new McapWriter({
    writable: {
      position: () => size,
      write: (bytes) => {
        pieces.push(bytes.slice());
        size += BigInt(bytes.length);
        return Promise.resolve();
      },
    },
  });
  await writer.start({ profile: "", library: "" });
  const channelId = await writer.registerChannel({
    ...{ topic: "/wide", messageEncoding: "json", schemaId: 0, metadata: new Map() },
  });
  const data = Buffer.from(JSON.stringify({ text: "x".repeat(512 << 10) }));
  for (let sequence = 0; sequence < 60; sequence++) {
    const time = 1_700_000_000_000_000_000n + (BigInt(sequence) * 1_000_000_000n) / 30n;
    await writer.addMessage({ channelId, sequence, logTime: time, publishTime: time, data });
  }
  await writer.end();
  return Buffer.concat(pieces);
}

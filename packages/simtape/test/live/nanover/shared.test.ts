import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { nanover } from "../../../src/formats/nanover/format.ts";
import { fromFile, listenForLinks } from "../../../src/io/node/index.ts";
import { Deck } from "../../../src/live/deck.ts";
import { nanoverOutlet } from "../../../src/live/nanover/outlet.ts";
import { open } from "../../../src/index.ts";
import { type Plain, TestClient } from "./client.ts";

const EXAMPLE = fileURLToPath(new URL("../../../../../examples/buckyball.nanover.zip", import.meta.url));

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function connected(): Promise<TestClient> {
  const deck = new Deck([{ name: "run", open: () => open(fromFile(EXAMPLE), { formats: [nanover] }) }]);
  closing.push(() => deck.close());
  await deck.load(0);
  const outlet = await nanoverOutlet(deck, (arrived) => listenForLinks({ port: 0 }, arrived));
  closing.push(() => outlet.close());
  const client = await TestClient.connect(/ws:\S+/.exec(outlet.name)![0]);
  closing.push(() => client.close());
  // the recording's first change has come
  await client.until(() => Object.keys(client.shared).some((key) => key.startsWith("avatar.")));
  return client;
}

/** As NanoVer's server keeps both: the scale along x negated (NanoVer spec §3.4). */
function transformOf(pose: readonly number[]): Plain {
  return { transform: pose.map((number, i) => (i === 7 ? -number : number)), parent: "root" };
}

describe("the pose of the box", () => {
  test("is there for clients old and new from the beginning", async () => {
    const client = await connected();
    expect(client.shared["transform.simulation"]).toEqual(transformOf(client.shared["scene"] as number[]));
  });

  test("moves under both keys, whichever a user moves, in one message", async () => {
    const client = await connected();
    const [old, new_] = [
      [1, 2, 3, 0, 0, 0, 1, 0.5, 0.5, 0.5],
      [3, 2, 1, 0, 0, 0, 1, 2, 2, 2],
    ];
    client.send({ state: { updates: { scene: old }, removals: [] } });
    await client.until(() => JSON.stringify(client.shared["scene"]) === JSON.stringify(old));
    expect(client.shared["transform.simulation"]).toEqual(transformOf(old));
    client.send({ state: { updates: { "transform.simulation": transformOf(new_) }, removals: [] } });
    await client.until(() => JSON.stringify(client.shared["scene"]) === JSON.stringify(new_));
    expect(client.shared["transform.simulation"]).toEqual(transformOf(new_));
    // the older key decides
    client.send({ state: { updates: { scene: old, "transform.simulation": transformOf(new_) }, removals: [] } });
    await client.until(() => JSON.stringify(client.shared["scene"]) === JSON.stringify(old));
    expect(client.shared["transform.simulation"]).toEqual(transformOf(old));
  });

  test("stays what it is where a user shares something else under its key", async () => {
    const client = await connected();
    const first = [1, 2, 3, 0, 0, 0, 1, 0.5, 0.5, 0.5];
    client.send({ state: { updates: { scene: first }, removals: [] } });
    await client.until(() => JSON.stringify(client.shared["scene"]) === JSON.stringify(first));
    const before = client.shared["transform.simulation"];
    for (const scene of [null, "here", [1, 2], [1, 2, 3, 0, 0, 0, 1, "wide", 1, 1]] as const) {
      client.send({ state: { updates: { scene: scene as Plain }, removals: [] } });
      await client.until(() => JSON.stringify(client.shared["scene"]) === JSON.stringify(scene));
      expect(client.shared["transform.simulation"]).toEqual(before);
    }
  });
});

test("a change of nothing is not passed on", async () => {
  const client = await connected();
  const updates = (): Plain[] => client.messages.flatMap(({ state }) => (state === undefined ? [] : [state]));
  client.send({ state: { updates: {}, removals: [] } });
  client.send({ state: { updates: { "update.index.me": 1 }, removals: [] } });
  await client.until(() => client.shared["update.index.me"] === 1);
  expect(updates()).not.toContainEqual({ updates: {}, removals: [] });
});

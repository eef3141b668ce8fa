import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "simtape";
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import { describeDatabases } from "./support/databases.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import { textOf } from "./support/sockets.ts";
import { startSender } from "./support/sender.ts";

interface Item {
  readonly id: string;
  readonly state: string;
  readonly seconds: number;
  readonly url: string;
  readonly format: string;
}

interface Review {
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly first: number;
}

/** Seconds of wall clock at the last moment that can be read now, and where the thing is then. */
async function lastOf(address: string, { url }: Item): Promise<{ wall: number; x: number; seconds: number }> {
  await using recording = await open(address + url);
  const { end } = await recording.timeline();
  const set = (await recording.state(end)).sets.get("things");
  return {
    wall: Number(set?.columns.get("wall")?.data[0]) / 1000,
    x: Number(set?.columns.get("position")?.data[0]),
    seconds: end / 1e9,
  };
}

describeDatabases("live recordings", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-live-"));
  let words: readonly string[];
  let node: TestNode;
  const item = (id: string): Promise<Item> => json<Item>(node.address, `/api/recordings/${id}`);
  const isIndexed = ({ state }: Item): boolean => state === "indexed";

  beforeAll(async () => {
    words = [join(folder, "library"), ...(await database()), "--live-silence", "4"];
    node = await startNode(words);
  });

  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("are in the catalog at once, play within two seconds of now, and are indexed when they end", async () => {
    const sender = startSender(node.address, "first");
    sender.run();
    const live = await until(
      async () => (await json<{ recordings: Item[] }>(node.address, "/api/recordings")).recordings,
      (found) => found.some(({ id, state }) => id === "first" && state === "live"),
    );
    expect(live).toHaveLength(1);
    await until(
      () => item("first"),
      ({ seconds }) => seconds > 1,
    );
    await until(
      async () => {
        const found = await item("first");
        const now = Date.now() / 1000;
        return now - (await lastOf(node.address, found)).wall;
      },
      (behind) => behind < 2,
    );
    const { status, body } = await sender.end();
    expect(status).toBe(200);
    expect(body).toMatchObject({ recording: "first", outcome: "completed", skipped: 0, dropped: {} });
    const ended = await until(() => item("first"), isIndexed);
    expect(ended.seconds).toBeCloseTo(Number(body["seconds"]), 0);
    const again = startSender(node.address, "first");
    expect((await again.answer).status).toBe(409);
  });

  test("tell those who watch how far they are", async () => {
    const sender = startSender(node.address, "watched");
    sender.run();
    await until(
      () => item("watched").catch(() => null),
      (found) => found !== null,
    );
    const socket = new WebSocket(`${node.address.replace("http", "ws")}/api/recordings/watched/socket`);
    const heard: { state: string; seconds: number }[] = [];
    socket.on("message", (data) => heard.push(JSON.parse(textOf(data))));
    await until(
      async () => heard.length,
      (count) => count > 3,
    );
    await sender.end();
    await once(socket, "close");
    expect(heard.at(-1)!.state).toBe("ended");
    const seconds = heard.map((one) => one.seconds);
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
  });

  test("come over a WebSocket, too, and the sender hears what is safe", async () => {
    const socket = new WebSocket(`${node.address.replace("http", "ws")}/api/live/by-socket`);
    const heard: Record<string, unknown>[] = [];
    socket.on("message", (data) => heard.push(JSON.parse(textOf(data))));
    await once(socket, "open");
    for (let tick = 0; tick < 60; tick++)
      socket.send(`{"tick":${tick}}\n{"entities":{"things":{"one":{"position":[${tick},0,0]}}}}`);
    await until(
      async () => heard,
      (said) => said.some(({ committedSeconds }) => Number(committedSeconds) > 2),
    );
    socket.send('{"end":"completed"}');
    await once(socket, "close");
    expect(heard.at(-1)).toMatchObject({ recording: "by-socket", outcome: "completed", lines: 121 });
    await until(() => item("by-socket"), isIndexed);
  });

  test("refuse a bad line, a second sender, and what is no name", async () => {
    const sender = startSender(node.address, "strict");
    sender.seconds(1);
    await until(
      () => item("strict").catch(() => null),
      (found) => found !== null,
    );
    const second = startSender(node.address, "strict");
    expect((await second.answer).body).toMatchObject({ status: 409, detail: "another sender is connected" });
    sender.line({ nonsense: 1 });
    expect((await sender.answer).body).toMatchObject({ status: 400, line: 42 });
    for (const id of ["..", "%2e%2e", "a%2fb", ".hidden", "x".repeat(61)]) {
      const { status } = await startSender(node.address, id).answer;
      expect([400, 404], id).toContain(status);
    }
    const lenient = startSender(node.address, "strict?lenient=true");
    lenient.line({ nonsense: 1 });
    lenient.seconds(1);
    expect((await lenient.end()).body).toMatchObject({ skipped: 1, outcome: "completed" });
  });

  test("go on when the connection is cut, and end when the sender stays away", async () => {
    const sender = startSender(node.address, "cut");
    sender.seconds(2);
    await until(
      () => item("cut").catch(() => null),
      (found) => (found?.seconds ?? 0) > 1,
    );
    sender.cut();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const again = startSender(node.address, "cut", {}, 40);
    again.seconds(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    again.cut();
    const ended = await until(() => item("cut"), isIndexed);
    expect(ended.seconds).toBeGreaterThan(2.8);
    expect((await lastOf(node.address, ended)).x).toBeCloseTo(2.95);
  });

  test("survive a node that is killed: the sender goes on, or what there is becomes a recording", async () => {
    const back = startSender(node.address, "comes-back");
    const away = startSender(node.address, "stays-away");
    for (const sender of [back, away]) sender.seconds(3);
    await until(
      async () => [await item("comes-back").catch(() => null), await item("stays-away").catch(() => null)],
      (both) => both.every((one) => (one?.seconds ?? 0) >= 2.9),
    );
    await node.kill();
    node = await startNode(words);
    expect((await item("comes-back")).state).toBe("live");
    const again = await until(
      async () => {
        const sender = startSender(node.address, "comes-back", {}, 60);
        sender.seconds(1);
        return sender.end();
      },
      ({ status }) => status === 200,
    );
    expect(Number(again.body["seconds"])).toBeGreaterThan(3.8);
    for (const id of ["comes-back", "stays-away"]) {
      const ended = await until(() => item(id), isIndexed);
      expect(ended.seconds, id).toBeGreaterThan(2.8);
    }
    expect((await lastOf(node.address, await item("comes-back"))).x).toBeCloseTo(3.95);
  });

  test("report a subject while they run: a review of what came before it, and a hold", async () => {
    const sender = startSender(node.address, "reported");
    sender.seconds(30);
    const report = {
      subject: "one",
      text: "through the wall",
      seconds: 10,
      score: 4,
      flags: ["noclip"],
      reporter: "guard",
    };
    sender.line({ report });
    sender.line({ tick: 601 });
    const queue = (): Promise<{ reviews: Review[] }> =>
      json(node.address, "/api/reviews?state=pending&recording=reported");
    const { reviews } = await until(queue, ({ reviews: found }) => found.length > 0);
    expect(reviews).toHaveLength(1);
    const { id, first, ...review } = reviews[0]!;
    expect(review).toMatchObject({ subject: "one", text: "through the wall", score: 4, reporter: "guard" });
    expect(first).toBeCloseTo(19.95, 5);
    expect((await sender.end()).status).toBe(200);
    await until(() => item("reported"), isIndexed);
    const { holds } = await json<{ holds: { review: string }[] }>(node.address, "/api/recordings/reported/holds");
    expect(holds.map((hold) => hold.review)).toEqual([id]);
    const { lines } = await json<{ lines: unknown[] }>(node.address, "/api/audit?action=report&recording=reported");
    expect(lines).toHaveLength(1);
    const bad = startSender(node.address, "badly-reported");
    bad.seconds(1);
    bad.line({ report: { text: "of none" } });
    const { status, body } = await bad.answer;
    expect(status).toBe(400);
    expect(body["detail"]).toContain("subject");
  });

  test("are left in order by a node that ends", async () => {
    const sender = startSender(node.address, "drained");
    sender.seconds(2);
    sender.line({ tick: 40 });
    await until(
      () => item("drained").catch(() => null),
      (found) => found !== null,
    );
    expect(await node.stop()).toBe(0);
    expect((await sender.answer).status).toBe(503);
    node = await startNode(words);
    const again = startSender(node.address, "drained", {}, 41);
    again.seconds(1);
    expect((await again.end()).status).toBe(200);
    const ended = await until(() => item("drained"), isIndexed);
    expect(ended.seconds).toBeGreaterThan(2.9);
  });
});

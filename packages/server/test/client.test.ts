import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { Client, ServerProblem } from "simtape-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDemos } from "./support/demos.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";

describe("the typed client", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-client-"));
  let node: TestNode;
  let client: Client;
  let id: string;

  beforeAll(async () => {
    await makeDemos(folder);
    node = await startNode([folder]);
    const open = new Client(`${node.address}/`);
    const { recordings } = await until(
      () => open.ask("GET /api/recordings"),
      (page) => page.recordings.length === 5 && page.recordings.every(({ state }) => state === "indexed"),
    );
    id = recordings.find(({ name }) => name === "town.log")!.id;
    await userCommand(["add", "admin", folder, "--role", "admin"]);
    const admin = await Caller.signedIn(node, "admin");
    const body = { name: "test", scopes: ["read", "write", "admin", "live"] };
    const { token } = await admin.json<{ token: string }>("POST", "/api/tokens", body);
    client = new Client(node.address, { token });
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("lists and searches, page by page", async () => {
    const found = await client.ask("GET /api/recordings", { query: { format: ["carla", "mira"], sort: "name" } });
    expect(found.recordings.map(({ name }) => name)).toEqual(["robot.tape", "town.log"]);
    const names: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof pageAt>> = await pageAt(cursor);
      names.push(...page.recordings.map(({ name }) => name));
      cursor = page.cursor;
    }
    expect(names).toHaveLength(5);
    expect(new Set(names).size).toBe(5);
  });

  function pageAt(cursor: string | undefined) {
    return client.ask("GET /api/recordings", { query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) } });
  }

  test("gives events, series and states as the library has them, and the bytes", async () => {
    await using recording = await open(fromFile(join(folder, "town.log")));
    const [path] = await recording.paths({ at: 1e9 });
    const params = { id };
    const { series } = await client.ask("GET /api/recordings/{id}/series", {
      params,
      query: { path: path!.text, points: 20 },
    });
    const [expected] = await recording.series([path!.text], { points: 20 });
    expect(series[0]!.time).toEqual([...expected!.time]);
    const { events, cursor } = await client.ask("GET /api/recordings/{id}/events", { params, query: { limit: 3 } });
    expect(events).toHaveLength(3);
    expect(cursor).not.toBeNull();
    const state = await client.ask("GET /api/recordings/{id}/state", { params, query: { at: "1s" } });
    const { sets } = await recording.state(1e9);
    expect(Object.keys(state.sets)).toEqual([...sets.keys()]);
    const answer = await client.ask("GET /api/recordings/{id}/data", { params });
    expect(Buffer.from(await answer.arrayBuffer()).equals(readFileSync(join(folder, "town.log")))).toBe(true);
  });

  test("the example of the documentation asks for what is there", async () => {
    const text = readFileSync(fileURLToPath(new URL("../../../docs/server.md", import.meta.url)), "utf8");
    const [, format] = /format: "(\w+)" \} \}\)/.exec(text)!;
    const [, asked] = /const query = (\{ path: .*\});/.exec(text)!;
    const query = JSON.parse(asked!.replace(/(\w+):/g, '"$1":')) as { path: string[]; points: number };
    const { recordings } = await client.ask("GET /api/recordings", { query: { format: format! } });
    expect(recordings).toHaveLength(1);
    const { series } = await client.ask("GET /api/recordings/{id}/series", {
      params: { id: recordings[0]!.id },
      query,
    });
    expect(series.map(({ path }) => path)).toEqual(query.path);
    expect(series.every(({ value }) => value.length > 0)).toBe(true);
  });

  test("changes things: rooms, tokens, live recordings", async () => {
    const room = await client.ask("POST /api/rooms", { body: { name: "tuesday", recordings: [id] } });
    const { rooms } = await client.ask("GET /api/rooms");
    expect(rooms.map((one) => one.id)).toEqual([room.id]);
    expect(await client.ask("DELETE /api/rooms/{id}", { params: { id: room.id } })).toBeNull();
    const made = await client.ask("POST /api/tokens", { body: { name: "ci", scopes: ["read"], days: 1 } });
    const other = new Client(node.address, { token: made.token });
    expect((await other.ask("GET /api/me")).name).toBe("admin");
    await client.ask("DELETE /api/tokens/{id}", { params: { id: made.id } });
    const report = await client.ask("POST /api/live/{id}", { params: { id: "run-1" }, body: '{"end":"completed"}\n' });
    expect(report).toMatchObject({ recording: "run-1", outcome: "completed" });
  });

  test("rejects with what the server says", async () => {
    const wrong = client.ask("GET /api/recordings/{id}/series", { params: { id }, query: { path: "vehicles/1/x" } });
    await expect(wrong).rejects.toThrow(ServerProblem);
    await expect(wrong).rejects.toMatchObject({ status: 400, details: { existing: expect.any(Array) } });
    const nothing = client.ask("GET /api/recordings/{id}", { params: { id: "a/b ?" } });
    await expect(nothing).rejects.toMatchObject({ status: 404 });
    const stranger = new Client(node.address, { token: "simtape_x" }).ask("GET /api/me");
    await expect(stranger).rejects.toMatchObject({ status: 401 });
  });
});

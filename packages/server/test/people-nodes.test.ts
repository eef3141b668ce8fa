import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { makeDemos } from "./support/demos.ts";
import { startNode, type TestNode, until } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";
import { startPostgres, type TestPostgres, withoutPostgres } from "./support/postgres.ts";

describe.skipIf(withoutPostgres !== null)("two nodes", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-nodes-"));
  let postgres: TestPostgres;
  const nodes: TestNode[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    await makeDemos(join(folder, "library"));
    const database = await postgres.database();
    const words = [join(folder, "library"), "--database", database, "--sign-ins-per-minute", "100"];
    expect((await userCommand(["add", "anna", "--database", database, "--role", "admin"])).exit).toBe(0);
    // one hears the other, the third hears none of them
    for (const bus of ["postgres", "postgres", "local"]) nodes.push(await startNode([...words, "--bus", bus]));
  });

  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("know the same accounts, sessions and tokens, and hear within a second that one is revoked", async () => {
    const admin = await Caller.signedIn(nodes[0]!, "anna");
    const { id, token } = await admin.json<{ id: string; token: string }>("POST", "/api/tokens", {
      name: "everywhere",
      scopes: ["read"],
    });
    const session = { cookie: admin.headers["cookie"]! };
    for (const node of nodes) {
      expect(await Caller.withToken(node, token).status("GET", "/api/me")).toBe(200);
      expect(await new Caller(node, session).status("GET", "/api/me")).toBe(200);
    }
    const { recordings } = await until(
      () => admin.json<{ recordings: readonly { id: string }[] }>("GET", "/api/recordings"),
      (page) => page.recordings.length > 0,
    );
    const room = await admin.json<{ id: string }>("POST", "/api/rooms", {
      name: "a room",
      recordings: [recordings[0]!.id],
    });
    const sockets = nodes.map(({ address }) => {
      const socket = new WebSocket(`${address.replace("http", "ws")}/api/rooms/${room.id}/socket`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return { opened: once(socket, "open"), closed: once(socket, "close") as Promise<[code: number]> };
    });
    await Promise.all(sockets.map(({ opened }) => opened));
    expect(await admin.status("DELETE", `/api/tokens/${id}`)).toBe(204);
    await Promise.all(
      nodes.map((node) =>
        until(
          () => Caller.withToken(node, token).status("GET", "/api/me"),
          (status) => status === 401,
          1,
        ),
      ),
    );
    for (const { closed } of sockets) expect((await closed)[0]).toBe(1008);
    expect(await admin.status("DELETE", "/api/session")).toBe(204);
    await Promise.all(
      nodes.map((node) =>
        until(
          () => new Caller(node, session).status("GET", "/api/me"),
          (status) => status === 401,
          1,
        ),
      ),
    );
  });
});

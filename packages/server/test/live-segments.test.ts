import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open } from "simtape";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeDatabases } from "./support/databases.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const CLI = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));

interface Item {
  readonly state: string;
  readonly seconds: number;
  readonly url: string;
}

describeDatabases("a recorder elsewhere", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-segments-"));
  let node: TestNode;
  const item = (id: string): Promise<Item | null> =>
    json<Item>(node.address, `/api/recordings/${id}`).catch(() => null);

  function recorder(id: string, ...words: string[]): ChildProcess {
    const out = `${node.address}/api/live/${id}`;
    return spawn(process.execPath, [CLI, "record", out, "--commit-every", "300ms", ...words], {
      stdio: ["pipe", "ignore", "pipe"],
    });
  }

  function ticks({ stdin }: ChildProcess, from: number, until: number): void {
    for (let tick = from; tick < until; tick++) stdin!.write(`{"tick":${tick}}\n{"set":{"count":${tick}}}\n`);
  }

  beforeAll(async () => {
    node = await startNode([join(folder, "library"), ...(await database()), "--live-silence", "2"]);
  });

  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("has its recording here: live while it runs, and indexed when it ends", async () => {
    const child = recorder("away");
    ticks(child, 0, 60);
    const live = await until(
      () => item("away"),
      (found) => (found?.seconds ?? 0) > 2.5,
    );
    expect(live!.state).toBe("live");
    await using recording = await open(node.address + live!.url);
    expect((await recording.timeline()).end / 1e9).toBeGreaterThan(2.5);
    child.stdin!.end('{"end":"completed"}\n');
    expect((await once(child, "exit"))[0]).toBe(0);
    await until(
      () => item("away"),
      (found) => found?.state === "indexed",
    );
    const again = recorder("away", "--resume");
    ticks(again, 0, 5);
    again.stdin!.end();
    expect((await once(again, "exit"))[0]).not.toBe(0);
  });

  test("is killed and stays away, and goes on later", async () => {
    const child = recorder("killed");
    ticks(child, 0, 60);
    await until(
      () => item("killed"),
      (found) => (found?.seconds ?? 0) > 2.5,
    );
    child.kill("SIGKILL");
    // what is there can be found and played, though it is open
    await until(
      () => item("killed"),
      (found) => found?.state === "indexed",
    );
    const again = recorder("killed", "--resume");
    ticks(again, 60, 120);
    await until(
      () => item("killed"),
      (found) => found?.state === "live" && found.seconds > 5,
    );
    again.stdin!.end('{"end":"completed"}\n');
    expect((await once(again, "exit"))[0]).toBe(0);
    const ended = await until(
      () => item("killed"),
      (found) => found?.state === "indexed",
    );
    expect(ended!.seconds).toBeGreaterThan(5);
  });

  test("writes under conditions, and only the files of its recording", async () => {
    const files = `${node.address}/api/live/by-hand/files`;
    const put = (name: string, headers: Record<string, string>): Promise<Response> =>
      fetch(`${files}/${name}`, { method: "PUT", body: "bytes", headers });
    const first = await put("seg-00000000.hcs", { "if-none-match": "*", "idempotency-key": "one" });
    expect(first.status).toBe(200);
    const etag = first.headers.get("etag")!;
    expect((await put("seg-00000000.hcs", { "if-none-match": "*" })).status).toBe(412);
    expect(
      (await put("seg-00000000.hcs", { "if-none-match": "*", "idempotency-key": "one" })).headers.get("etag"),
    ).toBe(etag);
    expect((await put("seg-00000000.hcs", { "if-match": '"other"' })).status).toBe(412);
    const head = await fetch(`${files}/seg-00000000.hcs`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), head.headers.get("etag")]).toEqual([200, "5", etag]);
    const part = await fetch(`${files}/seg-00000000.hcs`, { headers: { range: "bytes=1-2" } });
    expect([part.status, await part.text()]).toEqual([206, "yt"]);
    expect((await json<{ entries: unknown[] }>(files, "")).entries).toMatchObject([
      { key: "seg-00000000.hcs", size: 5 },
    ]);
    for (const name of ["..%2f..%2fetc", "notes.txt", ".hidden.hcs", "a%00.hcs"])
      expect([400, 404], name).toContain((await put(name, {})).status);
    expect((await fetch(`${files}/seg-00000000.hcs`, { method: "DELETE" })).status).toBe(204);
    expect((await fetch(`${files}/seg-00000000.hcs`)).status).toBe(404);
  });
});

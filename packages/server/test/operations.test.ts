import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, truncateSync, writeFileSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeDatabases } from "./support/databases.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

const MIB = 1 << 20;

interface Page {
  readonly recordings: readonly {
    readonly id: string;
    readonly name: string;
    readonly state: string;
    readonly url: string;
  }[];
}

describeDatabases("to run a node", (database) => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-operations-"));
  const library = join(folder, "library");
  let node: TestNode;

  beforeAll(async () => {
    await makeDemos(library);
    node = await startNode([library, "--log", "info", "--drain", "1", ...(await database())]);
  });
  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const recordings = (): Promise<Page> => json<Page>(node.address, "/api/recordings");

  test("there is one line for each request, with the id of its answer and no more than the route", async () => {
    const answer = await fetch(`${node.address}/api/recordings/nothing?token=hush-4711`);
    const id = answer.headers.get("x-request-id")!;
    const lines = await until(
      () =>
        Promise.resolve(
          node
            .said()
            .split("\n")
            .filter((line) => line.includes(id)),
        ),
      (found) => found.length > 0,
    );
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      request: id,
      method: "GET",
      route: "/api/recordings/:id",
      status: 400,
    });
    expect(node.said()).not.toContain("hush-4711");
  });

  test("what it counts is there for Prometheus: requests, times, bytes, rows by state, memory", async () => {
    const [first] = (
      await until(
        recordings,
        (page) => page.recordings.length === 5 && page.recordings.every(({ state }) => state === "indexed"),
      )
    ).recordings;
    const bytes = (await (await fetch(node.address + first!.url)).arrayBuffer()).byteLength;
    const answer = await fetch(`${node.address}/metrics`);
    expect(answer.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    const values = new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
    const route = 'route="/api/recordings/:id/files/:name"';
    expect(values.get(`simtape_requests_total{method="GET",${route},status="200"}`)).toBeGreaterThanOrEqual(1);
    expect(values.get(`simtape_request_seconds_count{${route}}`)).toBeGreaterThanOrEqual(1);
    expect(values.get(`simtape_sent_bytes_total{${route}}`)).toBeGreaterThan(bytes);
    expect(values.get("process_resident_memory_bytes")).toBeGreaterThan(50 * MIB);
    expect(values.get("nodejs_eventloop_lag_p99_seconds")).toBeGreaterThan(0);
    expect(values.get("simtape_rooms")).toBe(0);
    expect([...values.keys()].some((name) => name.startsWith("simtape_jobs{state="))).toBe(true);
    expect([...values.keys()].some((name) => name.startsWith("simtape_recordings{state="))).toBe(true);
  });

  test("a signal ends it in order: not ready, what is asked for is answered, connections end, all within five seconds", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (path: string): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => get(node.address + path, { agent }, resolve).on("error", reject));
    (await ask("/ready")).resume();
    const { port, hostname } = new URL(node.address);
    // a request of which a part is sent, and the rest when it is ending
    const half = connect(Number(port), hostname);
    half.write(`GET /health HTTP/1.1\r\nHost: ${hostname}:${port}\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const begun = performance.now();
    const ended = node.stop();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const ready = await ask("/ready");
    expect(ready.statusCode).toBe(503);
    expect(ready.headers["content-type"]).toContain("application/problem+json");
    expect(ready.headers.connection).toBe("close");
    ready.resume();
    half.write("\r\n");
    const [answer] = (await once(half.setEncoding("utf8"), "data")) as [string];
    expect(answer).toContain("HTTP/1.1 200");
    expect(answer.toLowerCase()).toContain("connection: close");
    await once(half, "close");
    expect(await ended).toBe(0);
    expect(performance.now() - begun).toBeLessThan(5000);
    agent.destroy();
  });
});

describe("a node with nothing to do", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-rest-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("takes less than 350 MB of memory, and its folder is its own", async () => {
    const node = await startNode([folder]);
    const resident = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node.process.pid}/status`, "utf8"))![1]);
    try {
      await expect(startNode([folder])).rejects.toThrow(/another simtape server has its data in .*database/);
      await until(
        () => Promise.resolve(resident()),
        (kib) => kib < 350e6 / 1024,
        60,
      );
    } finally {
      expect(await node.stop()).toBe(0);
    }
  });
});

const mountable = process.getuid?.() === 0 && process.platform === "linux";

describe.skipIf(!mountable)(`a full disk${mountable ? "" : " (needs root, to mount a small one)"}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-full-"));
  const disk = join(folder, "disk");
  let node: TestNode | undefined;
  afterAll(async () => {
    await node?.kill();
    execFileSync("umount", ["-l", disk], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  });

  test("is said: reading goes on, what would write is refused, and all comes back with room", async () => {
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=300m", "tmpfs", disk]);
    const library = join(disk, "library");
    await makeDemos(join(folder, "demos"));
    cpSync(join(folder, "demos"), library, { recursive: true });
    node = await startNode([library]);
    const { address } = node;
    const listed = (): Promise<Page> => json<Page>(address, "/api/recordings");
    const { recordings } = await until(
      listed,
      (page) => page.recordings.length === 5 && page.recordings.every(({ state }) => state === "indexed"),
    );
    const write = (): Promise<Response> =>
      fetch(`${address}/api/recordings/${recordings[0]!.id}/check`, { method: "POST" });
    expect((await write()).status).toBe(202);
    const ballast = join(disk, "ballast");
    const fill = (left: number): void => {
      writeFileSync(ballast, "");
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)));
    };
    for (const left of [MIB, 0]) {
      fill(left);
      const refused = await until(write, ({ status }) => status === 507, 20);
      expect(await refused.json()).toMatchObject({ status: 507, detail: "the disk is full: nothing was written" });
      expect((await listed()).recordings).toHaveLength(5);
      for (const { url } of recordings) expect((await fetch(address + url)).status).toBe(200);
    }
    truncateSync(ballast, 0);
    await until(write, ({ status }) => status === 202, 20);
    cpSync(join(library, "race.hcrp"), join(library, "later.hcrp"));
    await until(listed, (page) =>
      page.recordings.some(({ name, state }) => name.startsWith("later") && state === "indexed"),
    );
  });
});

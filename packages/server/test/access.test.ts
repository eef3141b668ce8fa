import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { READS } from "./rights-table.ts";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import { Caller, PASSWORD, userCommand } from "./support/people.ts";
import { raw, requestOf } from "./support/raw.ts";

const CLI = fileURLToPath(new URL("../../simtape/bin/simtape.js", import.meta.url));

function served(words: readonly string[]): { readonly status: number | null; readonly said: string } {
  const { status, stderr } = spawnSync(process.execPath, [CLI, "serve", ...words, "--port", "0"], {
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, said: stderr };
}

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

describe("a server that others reach", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-access-"));
  const nodes: TestNode[] = [];
  const start = async (...words: string[]): Promise<TestNode> => {
    const node = await startNode([folder, ...words]);
    nodes.push(node);
    return node;
  };

  afterAll(async () => {
    for (const node of nodes) await node.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("does not start without an account, and says what to do", () => {
    for (const words of [
      ["--host", "0.0.0.0"],
      ["--public-origin", "https://tapes.example.org"],
    ]) {
      const { status, said } = served([folder, ...words]);
      expect(status, said).toBe(2);
      expect(said).toContain("simtape user add NAME --role admin");
      expect(said).toContain("--access open");
    }
  });

  test("is open when that is said", async () => {
    const node = await start("--host", "0.0.0.0", "--access", "open");
    await until(
      () => Promise.resolve(node.said()),
      (said) => said.includes("administrators"),
      5,
    );
    const local = { ...node, address: `http://127.0.0.1:${new URL(node.address).port}` };
    expect(await new Caller(local).json("GET", "/api/me")).toMatchObject({ via: "open" });
    const outer = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.internal === false && one.family === "IPv4");
    if (outer !== undefined) {
      const address = `http://${outer.address}:${new URL(node.address).port}`;
      expect(await new Caller({ address }).status("GET", "/api/me")).toBe(200);
    }
  });

  test("is not begun twice on one folder", async () => {
    const { status, said } = served([folder]);
    expect(status).not.toBe(0);
    expect(said).toContain("another simtape server");
    await nodes.pop()!.stop();
  });

  test("starts with an account, closed; its cookie is for https alone; only a proxy says where one comes from", async () => {
    expect((await userCommand(["add", "anna", folder, "--role", "admin"])).exit).toBe(0);
    const port = await freePort();
    const node = await start(
      "--public-origin",
      "https://tapes.example.org",
      "--sign-ins-per-minute",
      "5",
      "--port",
      port,
    );
    expect(node.address).toBe("https://tapes.example.org");
    expect(node.said()).not.toContain("administrators");
    const address = `http://127.0.0.1:${port}`;
    const body = JSON.stringify({ name: "anna", password: PASSWORD });
    const signedIn = async (forwarded: string): Promise<{ readonly status: number; readonly answer: string }> => {
      const headers = { host: "tapes.example.org", origin: "https://tapes.example.org", "x-forwarded-for": forwarded };
      return raw(address, requestOf(address, "POST", "/api/session", headers, body));
    };
    const { status, answer } = await signedIn("203.0.113.7");
    expect(status).toBe(200);
    expect(answer).toMatch(/set-cookie: simtape_session=[^\r]*; HttpOnly; Secure; SameSite=Lax/i);
    const token = /simtape_session=([^;]+)/.exec(answer)![1]!;
    const headers = { host: "tapes.example.org", cookie: `simtape_session=${token}` };
    const { answer: log } = await raw(address, requestOf(address, "GET", "/api/audit?action=sign-in", headers));
    expect(log).toContain("203.0.113.7");
    // what a client claims before its proxy's word does not count: it stays one address
    const statuses = [];
    for (let n = 0; n < 8; n++) statuses.push((await signedIn(`10.0.0.${n}, 203.0.113.7`)).status);
    expect(statuses).toContain(429);
    expect((await signedIn("203.0.113.8")).status).toBe(200);
  });
});

describe("reading", () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-reading-"));
  let node: TestNode;

  beforeAll(async () => {
    await makeDemos(join(folder, "library"));
    expect((await userCommand(["add", "anna", join(folder, "library"), "--role", "admin"])).exit).toBe(0);
    node = await startNode([join(folder, "library"), "--public", "all", "--sign-ins-per-minute", "100"]);
  });

  afterAll(async () => {
    await node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("what is another's is in the log, by every route that reads a recording", async () => {
    const admin = await Caller.signedIn(node, "anna");
    const { recordings } = await until(
      () =>
        admin.json<{ recordings: readonly { id: string; name: string; state: string }[] }>("GET", "/api/recordings"),
      (page) => page.recordings.length === 5 && page.recordings.every(({ state }) => state === "indexed"),
    );
    const { id, name } = recordings.find((one) => one.name === "race.hcrp")!;
    interface Document {
      readonly paths: Readonly<Record<string, object>>;
    }
    const { paths } = await json<Document>(node.address, "/openapi.json");
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      path.startsWith("/api/recordings/{id}") && "get" in methods ? [`GET ${path}`] : [],
    );
    expect(routes.sort()).toEqual(Object.keys(READS).sort());
    const { id: job } = await admin.json<{ id: number }>("POST", `/api/recordings/${id}/stats`, {});
    const { result } = await until(
      () => admin.json<{ state: string; result: { analysis: string } }>("GET", `/api/jobs/${job}`),
      ({ state }) => state === "done",
    );
    for (const route of routes) {
      const reader = `reader ${routes.indexOf(route)}`;
      await admin.json("POST", "/api/users", { name: reader, role: "viewer", password: PASSWORD });
      const caller = await Caller.signedIn(node, reader);
      const parts = { "{id}": id, "{name}": name, "{analysis}": result.analysis };
      const path = Object.entries(parts).reduce((text, [part, own]) => text.replace(part, own), route.slice(4));
      const more =
        { series: "?path=x", state: "?at=1", export: "?to=csv", when: "?where=1%20%3E%200" }[path.split("/").at(-1)!] ??
        "";
      await (await caller.ask("GET", path + more)).arrayBuffer();
      const search = `/api/audit?who=${encodeURIComponent(reader)}&recording=${id}&action=read`;
      const { lines } = await admin.json<{ lines: readonly unknown[] }>("GET", search);
      expect(lines.length > 0, route).toBe(READS[route]);
    }
  });
});

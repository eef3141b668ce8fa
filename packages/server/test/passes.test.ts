/** Ranges that follow each other on one connection have what each would have alone: see `bytes/passes.ts`. */
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";
import { Caller, userCommand } from "./support/people.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Item {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

const folder = mkdtempSync(join(tmpdir(), "simtape-passes-"));
const path = join(folder, "town.log");
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let node: TestNode;
let admin: Caller;
let item: Item;

/** On the one connection. */
function ask(url: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, method, headers }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on("data", (piece: Buffer) => pieces.push(piece));
      answer.on("end", () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(pieces) }),
      );
    });
    asked.on("error", reject).end();
  });
}

function range(start: number, end: number, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return ask(node.address + item.url, { range: `bytes=${start}-${end - 1}`, ...more });
}

async function asUser(name: string, role: string): Promise<{ readonly token: string; readonly id: string }> {
  await userCommand(["add", name, folder, "--role", role]);
  const user = await Caller.signedIn(node, name);
  return user.json("POST", "/api/tokens", { name: "ranges", scopes: ["read"] });
}

beforeAll(async () => {
  await makeDemos(folder);
  node = await startNode([folder, "--public", "all", "--requests-per-minute", "2000", "--sign-ins-per-minute", "100"]);
  const { recordings } = await until(
    () => json<{ recordings: (Item & { state: string })[] }>(node.address, "/api/recordings"),
    (page) => page.recordings.length === 5 && page.recordings.every(({ state }) => state === "indexed"),
  );
  item = recordings.find(({ name }) => name === "town.log")!;
});
afterAll(async () => {
  agent.destroy();
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("all have the headers of the first, their own bytes, and a name of their own", async () => {
  const content = readFileSync(path);
  const first = await range(0, 10);
  const { date: _, "x-request-id": id, "content-range": __, "content-length": ___, ...same } = first.headers;
  const ids = new Set([id]);
  for (let n = 1; n <= 50; n++) {
    const [start, end] = [n * 7, n * 7 + (n % 2 === 0 ? 4096 : 3)];
    const { status, headers, body } = await range(start, end);
    expect(status).toBe(206);
    expect(body.equals(content.subarray(start, end))).toBe(true);
    expect(headers["content-range"]).toBe(`bytes ${start}-${end - 1}/${content.length}`);
    expect(headers).toMatchObject({ ...same, "content-length": String(end - start) });
    ids.add(headers["x-request-id"]);
  }
  expect(ids.size).toBe(51);
});

test("what differs in more than its range is answered as it is", async () => {
  const { headers, body } = await range(0, 10);
  const { etag } = headers as { readonly etag: string };
  const url = node.address + item.url;
  const beyond = await ask(url, { range: "bytes=999999999-" });
  expect([beyond.status, beyond.headers["content-type"]]).toEqual([416, "application/problem+json; charset=utf-8"]);
  expect((await range(0, 10)).body.equals(body)).toBe(true);
  expect((await ask(url, { range: "bytes=0-9" }, "HEAD")).body).toHaveLength(0);
  expect((await range(0, 10)).status).toBe(206);
  expect((await ask(url)).status).toBe(200);
  expect((await range(0, 10)).status).toBe(206);
  expect((await range(0, 10, { "if-none-match": etag })).status).toBe(304);
  expect((await range(0, 10, { "if-match": '"x"' })).status).toBe(412);
  expect((await range(0, 10, { host: "evil.example" })).status).toBe(403);
  expect((await range(0, 10)).status).toBe(206);
  expect((await range(0, 10, { authorization: "Bearer nothing" })).status).toBe(401);
  expect((await range(0, 10)).status).toBe(206);
});

test("a file that is changed in place, grows or is replaced is noticed", async () => {
  const before = await range(0, 10);
  const condition = { "if-range": before.headers.etag! };
  expect((await range(0, 10, condition)).status).toBe(206);
  expect((await range(5, 15, condition)).status).toBe(206);
  appendFileSync(path, "more");
  const grown = await range(0, 10, condition);
  expect([grown.status, grown.body.length]).toEqual([200, readFileSync(path).length]);
  const now = await range(0, 10);
  expect(now.headers["content-range"]).toBe(`bytes 0-9/${grown.body.length}`);
  const content = readFileSync(path);
  const other = Buffer.from(content);
  other[3]! ^= 1;
  await new Promise((resolve) => setTimeout(resolve, 20));
  writeFileSync(path, other, { flag: "r+" });
  utimesSync(path, 1000, 1000);
  const changed = await range(0, 10);
  expect(changed.body.equals(other.subarray(0, 10))).toBe(true);
  expect(changed.headers.etag).not.toBe(now.headers.etag);
  writeFileSync(join(folder, ".beside"), content);
  renameSync(join(folder, ".beside"), path);
  await until(
    () => range(0, 10),
    ({ body }) => body.equals(content.subarray(0, 10)),
    3,
  );
});

test("each is counted", async () => {
  const count = async (): Promise<number> => {
    const text = await (await fetch(`${node.address}/metrics`)).text();
    const line =
      /simtape_requests_total\{method="GET",route="\/api\/recordings\/:id\/files\/:name",status="206"\} (\d+)/;
    return Number(line.exec(text)?.[1] ?? 0);
  };
  const before = await count();
  for (let n = 0; n < 30; n++) await range(n, n + 100);
  expect((await count()) - before).toBe(30);
});

test("rights are those of the moment: a token that is revoked, a role and a collection that change", async () => {
  await userCommand(["add", "anna", folder, "--role", "admin"]);
  admin = await Caller.signedIn(node, "anna");
  // the first account closes the server to whom it was open
  await until(
    () => range(0, 10),
    ({ status }) => status === 401,
    3,
  );
  const bo = await asUser("bo", "viewer");
  const asBo = { authorization: `Bearer ${bo.token}` };
  for (let n = 0; n < 3; n++) expect((await range(n, n + 10, asBo)).status).toBe(206);
  const { id } = await admin.json<{ id: string }>("POST", "/api/collections", { name: "closed", public: "off" });
  await admin.json("PUT", `/api/recordings/${item.id}/collection`, { collection: id });
  expect((await range(0, 10, asBo)).status).toBe(404);
  await admin.json("PUT", `/api/recordings/${item.id}/collection`, { collection: null });
  for (let n = 0; n < 3; n++) expect((await range(n, n + 10, asBo)).status).toBe(206);
  const { users } = await admin.json<{ users: { id: string; name: string }[] }>("GET", "/api/users");
  const account = `/api/users/${users.find(({ name }) => name === "bo")!.id}`;
  await admin.ask("PATCH", account, { role: "recorder" });
  expect((await range(0, 10, asBo)).status).toBe(403);
  await admin.ask("PATCH", account, { role: "viewer" });
  for (let n = 0; n < 3; n++) expect((await range(n, n + 10, asBo)).status).toBe(206);
  expect(await Caller.withToken(node, bo.token).status("GET", "/api/me")).toBe(200);
  await admin.ask("PATCH", account, { disabled: true });
  expect((await range(0, 10, asBo)).status).toBe(401);
});

test("the limit of requests holds, and says when to try again", async () => {
  const { token } = await asUser("cleo", "viewer");
  let status = 206;
  let last: Answer | null = null;
  for (let n = 0; n < 4100 && status === 206; n++) {
    last = await range(0, 10, { authorization: `Bearer ${token}` });
    status = last.status;
  }
  expect(status).toBe(429);
  expect(Number(last!.headers["retry-after"])).toBeGreaterThan(0);
});

test("a recording that is removed is not read from an open file", async () => {
  const headers = { cookie: admin.headers["cookie"]! };
  for (let n = 0; n < 3; n++) expect((await range(n, n + 10, headers)).status).toBe(206);
  await admin.ask("DELETE", `/api/recordings/${item.id}`);
  expect((await range(0, 10, headers)).status).toBe(404);
});

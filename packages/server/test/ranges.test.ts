import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDemos } from "./support/demos.ts";
import { json, startNode, type TestNode, until } from "./support/node.ts";

interface Item {
  readonly name: string;
  readonly url: string;
}

const MIB = 1 << 20;
const folder = mkdtempSync(join(tmpdir(), "simtape-ranges-"));
let node: TestNode;
let address: string;
let content: Buffer;

beforeAll(async () => {
  await makeDemos(folder);
  // more than what is on its way between two ends of a connection
  appendFileSync(join(folder, "town.log"), Buffer.alloc(32 * MIB, 7));
  content = readFileSync(join(folder, "town.log"));
  node = await startNode([folder]);
  const { recordings } = await until(
    () => json<{ recordings: Item[] }>(node.address, "/api/recordings"),
    (page) => page.recordings.length === 5,
  );
  address = node.address + recordings.find(({ name }) => name === "town.log")!.url;
});
afterAll(async () => {
  await node?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function read(start: number, end: number): Promise<Buffer> {
  const answer = await fetch(address, { headers: { range: `bytes=${start}-${end - 1}` } });
  expect(answer.status).toBe(206);
  return Buffer.from(await answer.arrayBuffer());
}

test("short and long ranges, and all of it, are those of the file", async () => {
  for (const [start, end] of [
    [0, 1],
    [1000, 70_000],
    [MIB - 1, 9 * MIB + 1],
    [content.length - 5, content.length],
  ] as const)
    expect((await read(start, end)).equals(content.subarray(start, end))).toBe(true);
  expect(Buffer.from(await (await fetch(address)).arrayBuffer()).equals(content)).toBe(true);
});

test("an ETag is of the bytes: a change in place of the same size and time has another one, at once", async () => {
  const path = join(folder, "changing.tape");
  copyFileSync(join(folder, "robot.tape"), path);
  utimesSync(path, 1000, 1000);
  const { recordings } = await until(
    () => json<{ recordings: Item[] }>(node.address, "/api/recordings"),
    (page) => page.recordings.some(({ name }) => name === "changing.tape"),
  );
  const url = node.address + recordings.find(({ name }) => name === "changing.tape")!.url;
  for (let round = 1; round <= 3; round++) {
    const before = await fetch(url, { headers: { range: "bytes=0-9" } });
    const etag = before.headers.get("etag")!;
    // the clock of a file system ticks some times in a hundredth of a second
    await new Promise((resolve) => setTimeout(resolve, 20));
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(10, round), 0, 10, 0);
    closeSync(file);
    utimesSync(path, 1000, 1000);
    const after = await fetch(url, { headers: { range: "bytes=0-9", "if-none-match": etag } });
    expect([after.status, after.headers.get("etag") === etag]).toEqual([206, false]);
    expect([...new Uint8Array(await after.arrayBuffer())]).toEqual(Array(10).fill(round));
  }
});

test("If-None-Match is heard weakly, in lists and as a star; If-Match strongly", async () => {
  const etag = (await fetch(address, { method: "HEAD" })).headers.get("etag")!;
  const status = async (name: string, value: string): Promise<number> =>
    (await fetch(address, { method: "HEAD", headers: { [name]: value } })).status;
  for (const known of [etag, `W/${etag}`, `"x,y", W/${etag}`, `W/"a",${etag}`, "*"])
    expect([known, await status("if-none-match", known)]).toEqual([known, 304]);
  for (const other of ['"x"', 'W/"x", "y"']) expect(await status("if-none-match", other)).toBe(200);
  for (const [value, expected] of [
    [etag, 200],
    [`"x", ${etag}`, 200],
    ["*", 200],
    [`W/${etag}`, 412],
    ['"x"', 412],
  ] as const)
    expect([value, await status("if-match", value)]).toEqual([value, expected]);
});

test("reads that are given up half way keep no other from the file", async () => {
  for (let round = 0; round < 20; round++) {
    const controller = new AbortController();
    const given = await fetch(address, { signal: controller.signal });
    const reader = given.body!.getReader();
    await reader.read();
    const beside = read(MIB, 3 * MIB);
    controller.abort();
    await reader.read().catch(() => undefined);
    expect((await beside).equals(content.subarray(MIB, 3 * MIB))).toBe(true);
    expect((await read(100, 300)).equals(content.subarray(100, 300))).toBe(true);
  }
});

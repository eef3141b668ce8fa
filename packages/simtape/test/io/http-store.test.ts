import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { httpStore } from "../../src/io/http/http-store.ts";
import { memoryStore } from "../../src/io/store/memory-store.ts";
import { directoryStore } from "../../src/io/node/directory-store.ts";
import { describeSource } from "../conformance/describe-source.ts";
import { describeStore } from "../conformance/describe-store.ts";
import { StoreServer } from "../support/store-server.ts";

const server = new StoreServer();
const folder = mkdtempSync(join(tmpdir(), "simtape-http-store-"));
beforeAll(() => server.start());
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

let count = 0;
const text = (content: string): Uint8Array => new TextEncoder().encode(content);

describeStore("HTTP", async () => httpStore(server.serve(directoryStore(join(folder, `${count++}`)))), {
  isRewritable: true,
});

describeSource("an object over HTTP", async (bytes) => {
  const store = httpStore(server.serve(memoryStore()));
  await store.put("a", bytes);
  return (await store.source("a"))!;
});

test("a store of one folder has its keys, and no others", async () => {
  const own = memoryStore();
  const store = httpStore(server.serve(own), { folder: "run-1" });
  await store.put("run-1/meta", text("x"));
  expect((await own.head("meta"))!.size).toBe(1);
  for (const prefix of ["", "run-1/", "run-1/m", "ru"]) {
    const found: string[] = [];
    for await (const { key } of store.list(prefix)) found.push(key);
    expect(found, prefix).toEqual(["run-1/meta"]);
  }
  await expect(store.put("run-2/meta", text("x"))).rejects.toMatchObject({ code: "malformed" });
});

test("a list of more than a page is whole", async () => {
  const own = memoryStore();
  for (let n = 0; n < 2300; n++) await own.put(`a/${String(n).padStart(5, "0")}`, text("x"));
  const keys: string[] = [];
  for await (const { key } of httpStore(server.serve(own)).list("a/")) keys.push(key);
  expect(keys).toHaveLength(2300);
  expect(keys).toEqual([...keys].sort());
});

test("a put whose answer is lost is tried again, and finds itself", async () => {
  const store = httpStore(server.serve(memoryStore()));
  let lost = 2;
  server.after = () => {
    if (lost-- > 0) throw new Error("the answer is lost");
  };
  const etag = await store.put("a", text("one"), { condition: { absent: true }, idempotencyKey: "first" });
  server.after = () => undefined;
  expect((await store.head("a"))!.etag).toBe(etag);
  // without a key it may have been done: that is not known
  server.after = () => {
    throw new Error("the answer is lost");
  };
  const unsure = store.put("b", text("x"), { condition: { absent: true } });
  await expect(unsure).rejects.toMatchObject({ code: "unavailable" });
  server.after = () => undefined;
  expect(await store.head("b")).not.toBeNull();
});

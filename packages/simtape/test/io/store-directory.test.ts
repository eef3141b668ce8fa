import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memoryStore } from "../../src/io/store/memory-store.ts";
import { directoryStore } from "../../src/io/node/directory-store.ts";
import { isGone, newMark } from "../../src/io/node/owner.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-directory-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytes = new Uint8Array(1000).fill(7);
const text = (content: string): Uint8Array => new TextEncoder().encode(content);

function counter(times: number): ChildProcess {
  const script = fileURLToPath(new URL("./store-child.ts", import.meta.url));
  return spawn(process.execPath, ["--import", "tsx", script, folder, `${times}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe("a directory store", () => {
  test("of several processes, one of them killed, loses no change and makes none twice", async () => {
    const store = directoryStore(folder);
    await store.put("counter", text("0"));
    const reported: number[] = [];
    const listen = (child: ChildProcess): void => {
      let rest = "";
      child.stdout!.on("data", (chunk: Buffer) => {
        const lines = `${rest}${chunk.toString()}`.split("\n");
        rest = lines.pop()!;
        reported.push(...lines.map(Number));
      });
    };
    const endless = counter(1e9);
    listen(endless);
    await once(endless.stdout!, "data");
    const others = [counter(15), counter(15)];
    others.forEach(listen);
    await Promise.race(others.map((child) => once(child.stdout!, "data")));
    endless.kill("SIGKILL");
    await Promise.all([...others, endless].map((child) => once(child, "close")));
    expect(others.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const total = Number(new TextDecoder().decode((await store.get("counter"))!.bytes));
    expect(new Set(reported).size).toBe(reported.length);
    // What the killed one did last it may not have reported.
    expect([reported.length, reported.length + 1]).toContain(total);
    await directoryStore(folder).put("counter", text("end"));
    expect(readdirSync(folder)).toEqual(["counter"]);
  });

  test("removes what ended processes left, when it first writes, and nothing else", async () => {
    const ours = newMark();
    const ended = ours.replace(/^([^.]+\.[^.]+)\.[^.]+/, "$1.1");
    const elsewhere = `000000000000.1.1.aa`;
    const names = [`.a~${ours}`, `.a~${ended}`, `.a~${elsewhere}`, `.b~${elsewhere}`, "notes~1.txt", "read me.txt"];
    for (const name of names) writeFileSync(join(folder, name), "x");
    const longAgo = Date.now() / 1000 - 3600;
    utimesSync(join(folder, `.b~${elsewhere}`), longAgo, longAgo);
    const store = directoryStore(folder);
    const keys: string[] = [];
    for await (const { key } of store.list("")) keys.push(key);
    expect(keys).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(6);
    await store.put("a", bytes);
    expect(readdirSync(folder).sort()).toEqual([`.a~${elsewhere}`, `.a~${ours}`, "a", "notes~1.txt", "read me.txt"]);
  });

  test("knows a living process from one that has ended", () => {
    const ours = newMark();
    expect(isGone(ours, 1e9)).toBe(false);
    expect(isGone(ours.replace(/^([^.]+)\.[^.]+/, "$1.999999999"), 0)).toBe(true);
    expect(isGone(ours.replace(/^[^.]+/, "elsewhere"), 1000)).toBe(false);
    expect(isGone(ours.replace(/^[^.]+/, "elsewhere"), 600_000)).toBe(true);
  });

  test("gives folders away with the last object in them", async () => {
    const store = directoryStore(join(folder, "store"));
    await store.put("a/b/c", bytes, { condition: { absent: true }, idempotencyKey: "k" });
    await store.put("a/d", bytes);
    await store.delete("a/b/c");
    expect(readdirSync(join(folder, "store", "a"))).toEqual(["d"]);
    await store.delete("a/d");
    expect(readdirSync(join(folder, "store"))).toEqual([]);
    expect(existsSync(join(folder, "store"))).toBe(true);
  });

  test("says so when a key is a folder, or below a file", async () => {
    const store = directoryStore(folder);
    await store.put("a/b", bytes);
    symlinkSync(join(folder, "nowhere"), join(folder, "link"));
    mkdirSync(join(folder, "empty"));
    for (const condition of [undefined, { absent: true } as const]) {
      for (const key of ["a", "empty", "a/b/c"])
        await expect(store.put(key, bytes, { condition })).rejects.toMatchObject({ code: "malformed", key });
    }
    await expect(store.put("link", bytes, { condition: { absent: true } })).rejects.toMatchObject({
      code: "malformed",
    });
    expect(await store.head("a")).toBeNull();
    expect(await store.head("a/b/c")).toBeNull();
    expect(await store.get("a")).toBeNull();
    expect(await store.source("a/b/c")).toBeNull();
  });

  test("remembers the latest changes of a folder by their idempotency keys", async () => {
    const store = directoryStore(folder);
    const absent = { absent: true } as const;
    for (let i = 0; i < 30; i++)
      await store.put(`a${i}`, bytes, { condition: absent, idempotencyKey: `${i}`.padStart(100, "0") });
    const other = directoryStore(folder);
    for (let i = 0; i < 30; i++)
      await other.put(`a${i}`, bytes, { condition: absent, idempotencyKey: `${i}`.padStart(100, "0") });
    await expect(other.put("a1", bytes, { condition: absent, idempotencyKey: "2" })).rejects.toMatchObject({
      code: "conflict",
    });
  });
});

for (const [name, make] of [
  ["memory", (quota: number) => memoryStore({ quota })],
  ["directory", (quota: number) => directoryStore(join(folder, "store"), { quota })],
] as const) {
  describe(`a quota of a ${name} store`, () => {
    test("is kept by puts and sinks, and what goes makes room", async () => {
      const store = make(2500);
      await store.put("a", bytes);
      await store.put("b", bytes);
      await expect(store.put("c", bytes)).rejects.toMatchObject({ name: "StoreError", code: "full", key: "c" });
      await store.put("a", new Uint8Array(1500));
      const sink = await store.sink("c");
      const writing = sink.write(bytes).then(() => sink.close());
      await expect(writing).rejects.toMatchObject({ code: "full" });
      await sink.abort();
      expect(await store.head("c")).toBeNull();
      await store.delete("a");
      const second = await store.sink("c");
      await second.write(bytes);
      await second.close();
      expect(await store.head("c")).toMatchObject({ size: 1000 });
      await expect(store.put("d", bytes)).rejects.toMatchObject({ code: "full" });
      await store.put("d", new Uint8Array(500));
    });
  });
}

test("a quota counts what is there already, and what others removed", async () => {
  await directoryStore(folder).put("runs/a", bytes);
  const store = directoryStore(folder, { quota: 1500 });
  await expect(store.put("b", bytes)).rejects.toMatchObject({ code: "full" });
  await directoryStore(folder).delete("runs/a");
  await store.put("b", bytes);
});

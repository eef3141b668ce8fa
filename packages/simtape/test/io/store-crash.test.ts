import type * as Fs from "node:fs/promises";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { directoryStore } from "../../src/io/node/directory-store.ts";
import type * as Owner from "../../src/io/node/owner.ts";
import type { PutOptions, Store } from "../../src/io/store/store.ts";
import { sampleBytes } from "../conformance/describe-source.ts";

/**
 * The process dies before its `left`-th call to the file system: that call and all later ones never settle. The next
 * one sees what is on the disk, and the marks of a process that has ended.
 */
const world = vi.hoisted(() => ({
  left: Number.POSITIVE_INFINITY,
  life: 1,
  refused: new Map<string, string>(),
  opened: [] as Fs.FileHandle[],
}));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof Fs>();
  const dies = (): boolean => world.left-- <= 0;
  const never = new Promise<never>(() => undefined);
  const refusal = (name: string): Error | null => {
    const code = world.refused.get(name);
    return code === undefined ? null : Object.assign(new Error(code), { code });
  };
  const mortal =
    (name: string, call: (...words: never[]) => Promise<unknown>) =>
    async (...words: never[]): Promise<unknown> => {
      if (dies()) return never;
      const error = refusal(name);
      if (error !== null) throw error;
      const result = await call(...words);
      return name === "open" ? mortalHandle(result as Fs.FileHandle) : result;
    };
  const mortalHandle = (handle: Fs.FileHandle): Fs.FileHandle => {
    world.opened.push(handle);
    return new Proxy(handle, {
      get: (target, name: string) => {
        const member = (target as unknown as Record<string, unknown>)[name];
        if (typeof member !== "function") return member;
        const call = member.bind(target) as (...words: never[]) => Promise<unknown>;
        if (name !== "write") return mortal(name, call);
        // A write that death comes between writes half.
        return async (bytes: Uint8Array | string, from: number, length: number, at: number): Promise<unknown> => {
          const isDying = world.left === 0;
          if (isDying && typeof bytes !== "string") await target.write(bytes, from, length >> 1, at);
          return mortal(name, call)(...([bytes, from, length, at] as never[]));
        };
      },
    });
  };
  const names = [
    "open",
    "link",
    "lstat",
    "mkdir",
    "readdir",
    "readFile",
    "rename",
    "rmdir",
    "stat",
    "unlink",
    "writeFile",
  ] as const;
  return { ...real, ...Object.fromEntries(names.map((name) => [name, mortal(name, real[name] as never)])) };
});

vi.mock("../../src/io/node/owner.ts", async (original) => {
  const real = await original<typeof Owner>();
  return {
    ...real,
    newMark: (): string => real.newMark().replace(/^[^.]+/, `${world.life}`.padStart(12, "0")),
    isGone: (mark: string): boolean => Number(mark.split(".")[0]) !== world.life,
  };
});

let root = "";
let count = 0;
let folder = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "simtape-crash-"));
});
beforeEach(() => {
  world.left = Number.POSITIVE_INFINITY;
  world.refused.clear();
});
afterAll(async () => {
  for (const handle of world.opened) await handle.close().catch(() => undefined);
  rmSync(root, { recursive: true });
});

const OLD = sampleBytes(3000, 1);
const NEW = sampleBytes(5000, 2);

/** Dies before each call in turn that `change` makes, and lets `after` look at what the next process finds. */
async function dyingEverywhere(
  prepare: (store: Store) => Promise<void>,
  change: (store: Store) => Promise<unknown>,
  after: (store: Store) => Promise<void>,
): Promise<number> {
  for (let calls = 0; ; calls++) {
    folder = join(root, `${count++}`);
    await prepare(directoryStore(folder));
    world.left = calls;
    const isDone = await Promise.race([
      change(directoryStore(folder)).then(() => true),
      (async (): Promise<boolean> => {
        while (world.left >= 0) await new Promise((resolve) => setImmediate(resolve));
        for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
        return false;
      })(),
    ]);
    world.left = Number.POSITIVE_INFINITY;
    world.life++;
    await after(directoryStore(folder));
    if (isDone) return calls;
  }
}

async function keysOf(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list("")) keys.push(key);
  return keys;
}

/** What is in a folder, but the log of puts, and what dying at the burial of a dead process' lock leaves for an hour. */
function namesIn(path: string): string[] {
  return readdirSync(path).filter((name) => !name.startsWith(".~puts") && !/~lock(~[0-9a-f]{16})+$/.test(name));
}

describe("a directory store whose process dies at any moment", () => {
  const changes: readonly [string, Uint8Array | null, (etag: string | null) => PutOptions][] = [
    ["a put where nothing is", null, () => ({ condition: { absent: true }, idempotencyKey: "change" })],
    ["a put over something", OLD, () => ({})],
    ["a put under an etag", OLD, (etag) => ({ condition: { etag: etag! }, idempotencyKey: "change" })],
  ];
  for (const [name, before, optionsOf] of changes) {
    for (const how of ["put", "sink"] as const) {
      test(`${name}, by ${how}: all or nothing, and trying again completes it`, async () => {
        let options: PutOptions = {};
        const change = async (store: Store): Promise<void> => {
          if (how === "put") await store.put("runs/a", NEW, options);
          else {
            const sink = await store.sink("runs/a", options);
            await sink.write(NEW.subarray(0, 2000));
            await sink.write(NEW.subarray(2000));
            await sink.close();
          }
        };
        const calls = await dyingEverywhere(
          async (store) => {
            options = optionsOf(before === null ? null : await store.put("runs/a", before));
          },
          change,
          async (store) => {
            const found = await store.get("runs/a");
            const isOld =
              found === null ? before === null : before !== null && Buffer.compare(found.bytes, before) === 0;
            if (!isOld) expect(Buffer.compare(found!.bytes, NEW)).toBe(0);
            expect(await keysOf(store)).toEqual(found === null ? [] : ["runs/a"]);
            await change(store);
            expect(Buffer.compare((await store.get("runs/a"))!.bytes, NEW)).toBe(0);
            await store.put("runs/a", OLD, { condition: { etag: (await store.head("runs/a"))!.etag } });
            expect(namesIn(join(folder, "runs"))).toEqual(["a"]);
          },
        );
        expect(calls).toBeGreaterThan(6);
      });
    }
  }

  test("a delete: it is there or not, and trying again completes it", async () => {
    await dyingEverywhere(
      async (store) => void (await store.put("runs/a", OLD)),
      (store) => store.delete("runs/a"),
      async (store) => {
        const found = await store.get("runs/a");
        if (found !== null) expect(Buffer.compare(found.bytes, OLD)).toBe(0);
        await store.delete("runs/a");
        expect(await keysOf(store)).toEqual([]);
        await store.put("runs/a", NEW);
        expect(namesIn(join(folder, "runs"))).toEqual(["a"]);
      },
    );
  });

  test("the lock of a dead process is taken over by one of many, and one that dies at that is followed likewise", async () => {
    let etag = "";
    await dyingEverywhere(
      async (store) => {
        etag = await store.put("a", OLD);
        writeFileSync(join(folder, ".a~lock"), `${world.life - 1}.mark.of.the.dead`);
      },
      (store) => store.put("a", NEW, { condition: { etag } }),
      async (store) => {
        const now = (await store.head("a"))!.etag;
        const racers = Array.from({ length: 4 }, (_, i) =>
          store.put("a", sampleBytes(100, i + 5), { condition: { etag: now } }),
        );
        const results = await Promise.allSettled(racers);
        expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        expect(namesIn(folder)).toEqual(["a"]);
      },
    );
  });
});

describe("a directory store on a disk that refuses", () => {
  for (const [code, expected] of [
    ["ENOSPC", "full"],
    ["EDQUOT", "full"],
    ["EACCES", "denied"],
    ["EROFS", "denied"],
    ["EIO", "unavailable"],
  ] as const) {
    test(`says ${expected} for ${code}, and leaves what was there`, async () => {
      folder = join(root, `${count++}`);
      const store = directoryStore(folder);
      await store.put("a", OLD);
      world.refused.set("write", code);
      await expect(store.put("a", NEW)).rejects.toMatchObject({ name: "StoreError", code: expected, key: "a" });
      const sink = await store.sink("b");
      await expect(sink.write(NEW)).rejects.toMatchObject({ code: expected });
      await expect(sink.close()).rejects.toMatchObject({ code: expected });
      world.refused.clear();
      expect(Buffer.compare((await store.get("a"))!.bytes, OLD)).toBe(0);
      expect(namesIn(folder)).toEqual(["a"]);
    });
  }
});

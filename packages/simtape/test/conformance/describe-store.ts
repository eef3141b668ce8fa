import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Store, StoreEntry } from "../../src/index.ts";
import { sampleBytes } from "./describe-source.ts";

/** What a store can do beside the contract. */
interface StoreTraits {
  /** `writeAt` of a sink reaches everything written. */
  readonly isRewritable: boolean;
  /** Bytes from which a sink is certain to work in parts; default 300,000. */
  readonly large?: number;
  /** Runs of the comparison with a model. */
  readonly runs?: number;
}

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

async function all(entries: AsyncIterable<StoreEntry>): Promise<StoreEntry[]> {
  const found: StoreEntry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

async function keys(store: Store, prefix = ""): Promise<string[]> {
  return (await all(store.list(prefix))).map(({ key }) => key);
}

/** Says of every store what each of them must do; `make` gives an empty one. */
export function describeStore(name: string, make: () => Promise<Store>, traits: StoreTraits): void {
  const { large = 300_000, runs = 30 } = traits;

  describe(`${name} is a store`, () => {
    test("gives back what was put, whole and in ranges", async () => {
      const store = await make();
      const bytes = sampleBytes(100_000);
      const etag = await store.put("runs/one/meta.hcrp", bytes);
      const got = await store.get("runs/one/meta.hcrp");
      expect(Buffer.compare(got!.bytes, bytes)).toBe(0);
      expect(got!.etag).toBe(etag);
      const source = await store.source("runs/one/meta.hcrp");
      expect(await source!.size()).toBe(100_000);
      expect(Buffer.compare(await source!.read(77_000, 5000), bytes.subarray(77_000, 82_000))).toBe(0);
      await source!.close();
    });

    test("knows nothing of what is not there", async () => {
      const store = await make();
      expect(await store.head("none")).toBeNull();
      expect(await store.get("none")).toBeNull();
      expect(await store.source("a/none")).toBeNull();
      expect(await keys(store)).toEqual([]);
      expect(await keys(store, "none/at/all")).toEqual([]);
      await store.delete("none");
    });

    test("tells of an object what the list tells", async () => {
      const store = await make();
      const before = Date.now();
      await store.put("a/b", text("hello"));
      const head = await store.head("a/b");
      expect(head).toMatchObject({ key: "a/b", size: 5 });
      expect(Math.abs(head!.modified - before)).toBeLessThan(60_000);
      const [listed] = await all(store.list(""));
      expect({ ...listed, modified: 0 }).toEqual({ ...head, modified: 0 });
      expect(await store.head("a")).toBeNull();
    });

    test("takes an empty object", async () => {
      const store = await make();
      await store.put("empty", new Uint8Array(0));
      expect(await store.head("empty")).toMatchObject({ size: 0 });
      expect((await store.get("empty"))!.bytes).toHaveLength(0);
      const source = await store.source("empty");
      expect(await source!.read(0, 10)).toHaveLength(0);
      await source!.close();
    });

    test("keeps what was put when the caller's bytes change later", async () => {
      const store = await make();
      const bytes = text("before");
      await store.put("a", bytes);
      bytes.fill(0);
      expect((await store.get("a"))!.bytes).toEqual(text("before"));
    });

    test("gives every content its own etag, and the same content a stable one", async () => {
      const store = await make();
      const seen = new Set<string>();
      for (const content of ["1", "2", "22", "3"]) {
        const etag = await store.put("a", text(content));
        expect((await store.head("a"))!.etag).toBe(etag);
        expect((await store.head("a"))!.etag).toBe(etag);
        seen.add(etag);
      }
      expect(seen.size).toBe(4);
    });

    test("lists by the beginning of keys, in the order of code units", async () => {
      const store = await make();
      const put = ["a.b", "a/b", "a/b.c", "a-b", "a/B", "a0", "A", "a/c/d", "a/c.d", "ab/c", "a_b"];
      for (const key of put) await store.put(key, text(key));
      const sorted = [...put].sort();
      expect(await keys(store)).toEqual(sorted);
      for (const prefix of ["a", "a/", "a/b", "a/c", "a/c/", "ab", "z", "a/c/d"])
        expect(await keys(store, prefix)).toEqual(sorted.filter((key) => key.startsWith(prefix)));
    });

    test("refuses what is no key", async () => {
      const store = await make();
      const wrong = [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/../b",
        "a/./b",
        "a b",
        "a\\b",
        "ä",
        "a\0",
        "a~b",
        "x".repeat(129),
      ];
      for (const key of wrong) {
        await expect(store.put(key, text("x"))).rejects.toMatchObject({ name: "StoreError", code: "malformed" });
        await expect(store.head(key)).rejects.toMatchObject({ code: "malformed" });
        await expect(store.get(key)).rejects.toMatchObject({ code: "malformed" });
        await expect(store.source(key)).rejects.toMatchObject({ code: "malformed" });
        await expect(store.sink(key)).rejects.toMatchObject({ code: "malformed" });
        await expect(store.delete(key)).rejects.toMatchObject({ code: "malformed" });
      }
      for (const prefix of ["/", "../", "a//", "ä"])
        await expect(keys(store, prefix)).rejects.toMatchObject({ code: "malformed" });
      await expect(store.put("a", text("x"), { idempotencyKey: "a b" })).rejects.toMatchObject({ code: "malformed" });
      expect(await keys(store)).toEqual([]);
      await store.put("..a/.b/x..", text("odd but fine"));
      expect(await keys(store)).toEqual(["..a/.b/x.."]);
    });

    test("puts under `absent` only where nothing is", async () => {
      const store = await make();
      await store.put("a", text("first"), { condition: { absent: true } });
      const second = store.put("a", text("second"), { condition: { absent: true } });
      await expect(second).rejects.toMatchObject({ name: "StoreError", code: "conflict", key: "a" });
      expect((await store.get("a"))!.bytes).toEqual(text("first"));
      await store.delete("a");
      await store.put("a", text("third"), { condition: { absent: true } });
      expect((await store.get("a"))!.bytes).toEqual(text("third"));
    });

    test("puts under an etag only over that content", async () => {
      const store = await make();
      const nothing = store.put("a", text("x"), { condition: { etag: "none" } });
      await expect(nothing).rejects.toMatchObject({ code: "conflict" });
      const one = await store.put("a", text("one"));
      const two = await store.put("a", text("two"), { condition: { etag: one } });
      await expect(store.put("a", text("late"), { condition: { etag: one } })).rejects.toMatchObject({
        code: "conflict",
      });
      expect((await store.get("a"))!.bytes).toEqual(text("two"));
      expect((await store.head("a"))!.etag).toBe(two);
    });

    test("lets one of eight win, under `absent` and under an etag", async () => {
      const store = await make();
      let etag: string | null = null;
      for (let round = 0; round < 3; round++) {
        const condition = etag === null ? ({ absent: true } as const) : { etag };
        const results = await Promise.allSettled(
          Array.from({ length: 8 }, (_, i) =>
            store.put("a", text(`${round} by ${i}`), { condition, idempotencyKey: `${round}.${i}` }),
          ),
        );
        const winners = results.flatMap((result, i) => (result.status === "fulfilled" ? [i] : []));
        expect(winners).toHaveLength(1);
        for (const result of results) {
          if (result.status === "rejected")
            expect(result.reason).toMatchObject({ name: "StoreError", code: "conflict" });
        }
        const got = await store.get("a");
        expect(got!.bytes).toEqual(text(`${round} by ${winners[0]}`));
        etag = got!.etag;
      }
    });

    test("a change tried again under its idempotency key finds itself", async () => {
      const store = await make();
      const absent = { condition: { absent: true }, idempotencyKey: "change-1" } as const;
      const one = await store.put("a", text("one"), absent);
      expect(await store.put("a", text("one"), absent)).toBe(one);
      await expect(store.put("a", text("one"), { ...absent, idempotencyKey: "other" })).rejects.toMatchObject({
        code: "conflict",
      });
      const next = { condition: { etag: one }, idempotencyKey: "change-2" } as const;
      const two = await store.put("a", text("two"), next);
      expect(await store.put("a", text("two"), next)).toBe(two);
      await store.put("a", text("three"));
      await expect(store.put("a", text("two"), next)).rejects.toMatchObject({ code: "conflict" });
    });

    test("deletes under an etag only that content", async () => {
      const store = await make();
      const one = await store.put("a/b/c", text("one"));
      await store.put("a/b/c", text("two"));
      await expect(store.delete("a/b/c", { condition: { etag: one } })).rejects.toMatchObject({ code: "conflict" });
      expect(await store.head("a/b/c")).not.toBeNull();
      const { etag } = (await store.head("a/b/c"))!;
      await store.delete("a/b/c", { condition: { etag } });
      expect(await store.head("a/b/c")).toBeNull();
      await expect(store.delete("a/b/c", { condition: { etag } })).rejects.toMatchObject({ code: "conflict" });
      await store.put("a/b", text("a key that was the beginning of another key"));
      expect(await keys(store)).toEqual(["a/b"]);
    });

    test("a sink's object is there when it is closed, not before", async () => {
      const store = await make();
      for (const size of [0, 10, large]) {
        const bytes = sampleBytes(size);
        const sink = await store.sink("a/large");
        for (let at = 0; at < size; at += 70_000) await sink.write(bytes.subarray(at, at + 70_000));
        expect(sink.position).toBe(size);
        await sink.flush();
        expect(await keys(store)).toEqual([]);
        await sink.close();
        await sink.close();
        await sink.abort();
        expect(Buffer.compare((await store.get("a/large"))!.bytes, bytes)).toBe(0);
        await expect(sink.write(bytes)).rejects.toThrow();
        await store.delete("a/large");
      }
    });

    test("a sink takes bytes over those written, and writes that are not awaited in their order", async () => {
      const store = await make();
      const size = traits.isRewritable ? large : 1000;
      const bytes = sampleBytes(size);
      const sink = await store.sink("a");
      const writes = [sink.write(new Uint8Array(100))];
      for (let at = 100; at < size; at += 50_000) writes.push(sink.write(bytes.slice(at, at + 50_000)));
      writes.push(sink.writeAt(0, bytes.subarray(0, 60)), sink.writeAt(60, bytes.subarray(60, 100)));
      await Promise.all(writes);
      await expect(sink.writeAt(size - 1, new Uint8Array(2))).rejects.toThrow(RangeError);
      await sink.close();
      expect(Buffer.compare((await store.get("a"))!.bytes, bytes)).toBe(0);
    });

    test("a sink that is aborted leaves nothing, and what was there stays", async () => {
      const store = await make();
      await store.put("a", text("before"));
      for (const size of [10, large]) {
        const sink = await store.sink("a");
        await sink.write(sampleBytes(size));
        await sink.abort();
        await sink.abort();
        await sink.close();
      }
      expect((await store.get("a"))!.bytes).toEqual(text("before"));
      expect(await keys(store)).toEqual(["a"]);
    });

    test("a sink honours its condition", async () => {
      const store = await make();
      for (const size of [10, large]) {
        const bytes = sampleBytes(size);
        const first = await store.sink("a", { condition: { absent: true }, idempotencyKey: `sink-${size}` });
        const second = await store.sink("a", { condition: { absent: true } });
        const again = await store.sink("a", { condition: { absent: true }, idempotencyKey: `sink-${size}` });
        for (const sink of [first, second, again]) await sink.write(bytes);
        await first.close();
        await expect(second.close()).rejects.toMatchObject({ name: "StoreError", code: "conflict" });
        await expect(second.close()).rejects.toMatchObject({ code: "conflict" });
        await second.abort();
        await again.close();
        expect(Buffer.compare((await store.get("a"))!.bytes, bytes)).toBe(0);
        await store.delete("a");
      }
    });

    test("a source notices that another content has come under its key", async () => {
      const store = await make();
      const bytes = sampleBytes(5000);
      await store.put("a", bytes);
      const source = await store.source("a");
      expect(await source!.read(0, 100)).toEqual(bytes.slice(0, 100));
      await store.put("a", sampleBytes(5000, 2));
      const read = source!.read(1000, 100);
      if (name === "memory") expect(await read).toEqual(bytes.slice(1000, 1100));
      else await expect(read).rejects.toMatchObject({ name: "SourceError", reason: "changed" });
      await source!.close();
    });

    test("an aborted signal ends everything with its reason", async () => {
      const store = await make();
      await store.put("a", text("x"));
      const reason = new Error("enough");
      const signal = AbortSignal.abort(reason);
      await expect(store.head("a", signal)).rejects.toBe(reason);
      await expect(store.get("a", signal)).rejects.toBe(reason);
      await expect(store.source("a", signal)).rejects.toBe(reason);
      await expect(store.put("b", text("x"), { signal })).rejects.toBe(reason);
      await expect(store.sink("b", { signal })).rejects.toBe(reason);
      await expect(store.delete("a", { signal })).rejects.toBe(reason);
      await expect(all(store.list("", signal))).rejects.toBe(reason);
      const controller = new AbortController();
      const sink = await store.sink("b", { signal: controller.signal });
      await sink.write(text("x"));
      controller.abort(reason);
      await expect(sink.write(text("y"))).rejects.toBe(reason);
      await expect(sink.close()).rejects.toBe(reason);
      expect(await keys(store)).toEqual(["a"]);
    });

    test("does what a map does, whatever comes in whatever order", async () => {
      const key = fc.constantFrom("a/x", "a/y", "b", "c/d/e");
      const operation = fc.oneof(
        fc.record({
          op: fc.constant("put" as const),
          key,
          bytes: fc.uint8Array({ maxLength: 50 }),
          when: fc.constantFrom("any", "absent", "same", "stale"),
        }),
        fc.record({
          op: fc.constant("sink" as const),
          key,
          bytes: fc.uint8Array({ maxLength: 50 }),
          when: fc.constantFrom("any", "absent", "same", "stale"),
        }),
        fc.record({ op: fc.constant("delete" as const), key, when: fc.constantFrom("any", "same", "stale") }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
          const store = await make();
          const model = new Map<string, { bytes: Uint8Array; etag: string }>();
          for (const step of operations) {
            const there = model.get(step.key);
            const condition = {
              any: undefined,
              absent: { absent: true } as const,
              same: { etag: there?.etag ?? "none" },
              stale: { etag: "stale" },
            }[step.when];
            const isAllowed =
              step.when === "any" ||
              (step.when === "absent" && !there) ||
              (step.when === "same" && there !== undefined);
            const doing = async (): Promise<void> => {
              if (step.op === "delete") return store.delete(step.key, condition === undefined ? {} : { condition });
              if (step.op === "put") return void (await store.put(step.key, step.bytes, { condition }));
              const sink = await store.sink(step.key, { condition });
              await sink.write(step.bytes);
              await sink.close();
            };
            if (!isAllowed) await expect(doing()).rejects.toMatchObject({ code: "conflict" });
            else {
              await doing();
              if (step.op === "delete") model.delete(step.key);
              else model.set(step.key, { bytes: step.bytes, etag: (await store.head(step.key))!.etag });
            }
          }
          expect(await keys(store)).toEqual([...model.keys()].sort());
          for (const [at, { bytes, etag }] of model) expect(await store.get(at)).toEqual({ bytes, etag });
        }),
        { numRuns: runs },
      );
    });
  });
}

import { expect, test } from "vitest";
import { memoryStore } from "../../src/io/store/memory-store.ts";
import type { Store } from "../../src/io/store/store.ts";
import { StoreError } from "../../src/io/store/store.ts";
import { type FaultKind, faulty } from "../support/faulty-store.ts";

const bytes = new Uint8Array([1, 2, 3]);

/** What a careful caller does: the same change again, under the same idempotency key. */
async function putSurely(store: Store, key: string, idempotencyKey: string): Promise<void> {
  for (;;) {
    try {
      await store.put(key, bytes, { condition: { absent: true }, idempotencyKey });
      return;
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "unavailable") throw error;
    }
  }
}

test("a change is made once however often the store fails, and a conflict is always a real one", async () => {
  const inner = memoryStore();
  const store = faulty(inner, { seed: 7, rate: 0.6 });
  for (let i = 0; i < 100; i++) await putSurely(store, `a/${i}`, `change-${i}`);
  expect(store.faults.length).toBeGreaterThan(60);
  for (const kind of ["before", "after", "delay"]) expect(store.faults.join("\n")).toContain(`${kind} put`);
  store.rate = 0;
  let count = 0;
  for await (const { key } of store.list("a/")) if (key.startsWith("a/")) count++;
  expect(count).toBe(100);
  await expect(putSurely(store, "a/1", "another")).rejects.toMatchObject({ code: "conflict" });
});

test("the same seed fails at the same places, and only as asked", async () => {
  const faultsOf = async (seed: number, kinds: readonly FaultKind[]): Promise<readonly string[]> => {
    const store = faulty(memoryStore(), { seed, rate: 0.5, kinds });
    for (let i = 0; i < 50; i++) await store.head(`${i}`).catch(() => null);
    return store.faults;
  };
  expect(await faultsOf(1, ["before"])).toEqual(await faultsOf(1, ["before"]));
  expect(await faultsOf(1, ["before"])).not.toEqual(await faultsOf(2, ["before"]));
  expect((await faultsOf(3, ["after"])).every((fault) => fault.startsWith("after head"))).toBe(true);
});

test("what failed before is not done, what failed after is", async () => {
  const inner = memoryStore();
  await expect(faulty(inner, { seed: 1, rate: 1, kinds: ["before"] }).put("a", bytes)).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(await inner.head("a")).toBeNull();
  await expect(faulty(inner, { seed: 1, rate: 1, kinds: ["after"] }).put("a", bytes)).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(await inner.head("a")).not.toBeNull();
});

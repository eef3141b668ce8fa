import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { bodyOf } from "../src/live/sender.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

test("what a sender has sent is not kept, however long it sends", async () => {
  const sent: WeakRef<Uint8Array>[] = [];
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let n = 0; n < 1000; n++) {
      const piece = new Uint8Array(1000);
      sent.push(new WeakRef(piece));
      yield piece;
      if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve));
    }
  }
  const { bytes } = bodyOf(Object.assign(pieces(), { destroy: () => undefined }));
  let count = 0;
  let kept = 0;
  for await (const { length } of bytes) {
    count += length;
    if (count !== 900_000) continue;
    await new Promise((resolve) => setTimeout(resolve));
    collect();
    kept = sent.filter((piece) => piece.deref() !== undefined).length;
  }
  expect(count).toBe(1_000_000);
  expect(kept).toBeLessThan(100);
});

test("one that is stopped ends, also while it waits for a piece", async () => {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield Uint8Array.of(1);
    await new Promise(() => undefined);
  }
  const { bytes, stop } = bodyOf(Object.assign(pieces(), { destroy: () => undefined }));
  const got: number[] = [];
  for await (const piece of bytes) {
    got.push(...piece);
    setTimeout(stop);
  }
  expect(got).toEqual([1]);
});

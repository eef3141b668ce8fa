import { describe, expect, test } from "vitest";
import { cached } from "../../src/io/source/cached.ts";
import { coalesced } from "../../src/io/source/coalesced.ts";
import { counted } from "../../src/io/source/counted.ts";
import { memory } from "../../src/io/source/memory.ts";
import { type ByteSource, SourceError } from "../../src/io/source/source.ts";
import { slice } from "../../src/io/source/window.ts";
import { sampleBytes } from "../conformance/describe-source.ts";

const bytes = sampleBytes(100_000);

/** A source that writes down its reads, and whose reads end when the test says so. */
class Scripted implements ByteSource {
  readonly name = "scripted";
  readonly reads: { offset: number; length: number; signal: AbortSignal | undefined }[] = [];
  content: Uint8Array;
  /** Thrown by the next reads, the first first. */
  readonly failures: unknown[] = [];
  /** Awaited by every read. */
  gate: Promise<void> = Promise.resolve();

  constructor(content: Uint8Array = bytes) {
    this.content = content;
  }
  async size(): Promise<number> {
    return this.content.length;
  }
  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.reads.push({ offset, length, signal });
    const failure = this.failures.shift();
    await this.gate;
    if (failure !== undefined) throw failure;
    signal?.throwIfAborted();
    return this.content.slice(offset, offset + length);
  }
  async close(): Promise<void> {}

  get ranges(): [number, number][] {
    return this.reads.map(({ offset, length }) => [offset, length]);
  }
  /** Holds all reads back until the function given is called. */
  hold(): () => void {
    let open = (): void => undefined;
    this.gate = new Promise((resolve) => {
      open = resolve;
    });
    return open;
  }
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe("a cached source", () => {
  test("fetches neighbouring missing blocks with one read", async () => {
    const inner = new Scripted();
    const source = cached(inner, { block: 1000 });
    expect(await source.read(2500, 4000)).toEqual(bytes.slice(2500, 6500));
    expect(inner.ranges).toEqual([[2000, 5000]]);
  });

  test("fetches a few kept blocks again between missing ones, and leaves out more", async () => {
    const inner = new Scripted();
    const source = cached(inner, { block: 1000 });
    await source.read(3000, 1000);
    await source.read(21_000, 5000);
    inner.reads.length = 0;
    expect(await source.read(1500, 4000)).toEqual(bytes.slice(1500, 5500));
    expect(inner.ranges).toEqual([[1000, 5000]]);
    inner.reads.length = 0;
    expect(await source.read(20_500, 6000)).toEqual(bytes.slice(20_500, 26_500));
    expect(inner.ranges).toEqual([
      [20_000, 1000],
      [26_000, 1000],
    ]);
  });

  test("kept blocks at either end are not fetched again, and blocks on their way never are", async () => {
    const inner = new Scripted();
    const source = cached(inner, { block: 1000 });
    await source.read(3000, 1000);
    await source.read(6000, 1000);
    expect(await source.read(3000, 4000)).toEqual(bytes.slice(3000, 7000));
    expect(inner.ranges.slice(2)).toEqual([[4000, 2000]]);
    const open = inner.hold();
    const coming = source.read(31_000, 1000);
    await settled();
    const all = source.read(30_000, 3000);
    await settled();
    open();
    expect(await all).toEqual(bytes.slice(30_000, 33_000));
    expect(await coming).toEqual(bytes.slice(31_000, 32_000));
    expect(inner.ranges.slice(3)).toEqual([
      [31_000, 1000],
      [30_000, 1000],
      [32_000, 1000],
    ]);
  });

  test("blocks on their way are shared", async () => {
    const inner = new Scripted();
    const source = cached(inner, { block: 1000 });
    const [a, b] = await Promise.all([source.read(0, 3000), source.read(1500, 2500)]);
    expect(a).toEqual(bytes.slice(0, 3000));
    expect(b).toEqual(bytes.slice(1500, 4000));
    expect(inner.ranges).toEqual([
      [0, 3000],
      [3000, 1000],
    ]);
  });

  test("a failure is not kept", async () => {
    const inner = new Scripted();
    inner.failures.push(new SourceError("failed", "once"));
    const source = cached(inner, { block: 1000 });
    await expect(source.read(0, 10)).rejects.toThrow("once");
    expect(await source.read(0, 10)).toEqual(bytes.slice(0, 10));
  });

  test("all blocks go when the source has changed", async () => {
    const inner = new Scripted();
    const source = cached(inner, { block: 1000 });
    await source.read(0, 10);
    inner.failures.push(new SourceError("changed", "other content"));
    await expect(source.read(5000, 10)).rejects.toMatchObject({ reason: "changed" });
    inner.content = bytes.slice(1);
    expect(await source.read(0, 10)).toEqual(bytes.slice(1, 11));
  });

  test("drops the blocks used longest ago above the limit", async () => {
    const inner = new Scripted();
    const source = cached(inner, { block: 1000, limit: 3000 });
    for (const block of [0, 1, 2, 0, 3]) await source.read(block * 1000, 1000);
    inner.reads.length = 0;
    for (const block of [3, 0, 2]) await source.read(block * 1000, 1000);
    expect(inner.ranges).toEqual([]);
    await source.read(1000, 1000);
    expect(inner.ranges).toEqual([[1000, 1000]]);
  });

  test("blocks of one read go together, as one alone would keep all of it", async () => {
    const inner = new Scripted();
    const source = cached(inner, { block: 1000, limit: 4000 });
    await source.read(1000, 3000);
    await source.read(7000, 1000);
    await source.read(1000, 10);
    await source.read(9000, 1000);
    inner.reads.length = 0;
    await source.read(7000, 1000);
    expect(inner.ranges).toEqual([]);
    await source.read(1000, 10);
    expect(inner.ranges).toEqual([[1000, 1000]]);
  });

  test("the head comes with the first read of it, when it is asked for", async () => {
    const inner = new Scripted();
    const source = cached(inner, { block: 1000, head: 3500 });
    expect(await source.read(10, 20)).toEqual(bytes.slice(10, 30));
    await source.read(500, 3000);
    await source.read(5500, 10);
    expect(inner.ranges).toEqual([
      [0, 4000],
      [5000, 1000],
    ]);
  });

  test("a read larger than the limit passes through and displaces nothing", async () => {
    const inner = new Scripted();
    const source = cached(inner, { block: 1000, limit: 3000 });
    await source.read(0, 1000);
    expect(await source.read(10, 50_000)).toEqual(bytes.slice(10, 50_010));
    await source.read(0, 1000);
    expect(inner.ranges).toEqual([
      [0, 1000],
      [10, 50_000],
    ]);
  });

  test("sees that the source has grown past a short last block", async () => {
    const inner = new Scripted(bytes.slice(0, 1500));
    const source = cached(inner, { block: 1000 });
    expect(await source.read(1000, 1000)).toEqual(bytes.slice(1000, 1500));
    inner.content = bytes.slice(0, 5000);
    expect(await source.read(1000, 1000)).toEqual(bytes.slice(1000, 2000));
    expect(await source.read(0, 5000)).toEqual(bytes.slice(0, 5000));
  });

  test("the abort of one waiter leaves the other its block; that of all aborts the read", async () => {
    const inner = new Scripted();
    const open = inner.hold();
    const source = cached(inner, { block: 1000 });
    const first = new AbortController();
    const second = new AbortController();
    const a = source.read(0, 10, first.signal).catch((error: unknown) => error);
    const b = source.read(5, 10, second.signal).catch((error: unknown) => error);
    await settled();
    first.abort(new Error("first"));
    await settled();
    expect(inner.reads[0]?.signal?.aborted).toBe(false);
    second.abort(new Error("second"));
    await settled();
    expect(inner.reads[0]?.signal?.aborted).toBe(true);
    const c = source.read(0, 10);
    open();
    expect([await a, await b].map(String)).toEqual(["Error: first", "Error: second"]);
    expect(await c).toEqual(bytes.slice(0, 10));
    expect(inner.reads).toHaveLength(2);
  });
});

describe("a coalesced source", () => {
  test("merges reads of one moment across small gaps and copies them out", async () => {
    const inner = new Scripted();
    const source = coalesced(inner, { gap: 100, limit: 10_000 });
    const parts = await Promise.all([
      source.read(500, 100),
      source.read(0, 450),
      source.read(550, 200),
      source.read(900, 5),
    ]);
    expect(parts).toEqual([bytes.slice(500, 600), bytes.slice(0, 450), bytes.slice(550, 750), bytes.slice(900, 905)]);
    expect(inner.ranges).toEqual([
      [0, 750],
      [900, 5],
    ]);
    for (const part of parts) expect(part.buffer.byteLength).toBe(part.length);
  });

  test("merges no further than the limit, and lets larger reads go alone", async () => {
    const inner = new Scripted();
    const source = coalesced(inner, { gap: 100, limit: 1000 });
    await Promise.all([source.read(0, 600), source.read(600, 600), source.read(1200, 5000)]);
    expect(inner.ranges).toEqual([
      [0, 600],
      [600, 600],
      [1200, 5000],
    ]);
  });

  test("reads of different moments stay apart", async () => {
    const inner = new Scripted();
    const source = coalesced(inner);
    await source.read(0, 10);
    await source.read(10, 10);
    expect(inner.ranges).toEqual([
      [0, 10],
      [10, 10],
    ]);
  });

  test("works under a cache: parallel reads of distant blocks are merged", async () => {
    const inner = new Scripted();
    const source = cached(coalesced(inner), { block: 1000 });
    await Promise.all([source.read(0, 10), source.read(5000, 10), source.read(9000, 10)]);
    expect(inner.ranges).toEqual([[0, 10_000]]);
  });

  test("the merged read is aborted when every member has left, not before", async () => {
    const inner = new Scripted();
    const open = inner.hold();
    const source = coalesced(inner);
    const first = new AbortController();
    const second = new AbortController();
    const a = source.read(0, 10, first.signal).catch((error: unknown) => error);
    const b = source.read(20, 10, second.signal).catch((error: unknown) => error);
    await settled();
    expect(inner.ranges).toEqual([[0, 30]]);
    first.abort(new Error("first"));
    await settled();
    expect(inner.reads[0]?.signal?.aborted).toBe(false);
    second.abort(new Error("second"));
    expect(inner.reads[0]?.signal?.aborted).toBe(true);
    open();
    expect([await a, await b].map(String)).toEqual(["Error: first", "Error: second"]);
  });

  test("a member aborted before the reads go out is not fetched", async () => {
    const inner = new Scripted();
    const source = coalesced(inner);
    const controller = new AbortController();
    const a = source.read(0, 10, controller.signal).catch(() => "aborted");
    const b = source.read(50_000, 10);
    controller.abort();
    expect(await a).toBe("aborted");
    expect(await b).toEqual(bytes.slice(50_000, 50_010));
    expect(inner.ranges).toEqual([[50_000, 10]]);
  });

  test("a failure reaches every member and is not kept", async () => {
    const inner = new Scripted();
    inner.failures.push(new SourceError("failed", "once"));
    const source = coalesced(inner);
    const results = await Promise.allSettled([source.read(0, 10), source.read(20, 10)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await source.read(0, 10)).toEqual(bytes.slice(0, 10));
  });
});

describe("other wrappers", () => {
  test("counted counts reads and the bytes they gave", async () => {
    const source = counted(memory(bytes));
    await source.read(0, 10);
    await source.read(bytes.length - 5, 10);
    expect([source.reads, source.bytes]).toEqual([2, 15]);
    source.reset();
    expect([source.reads, source.bytes]).toEqual([0, 0]);
  });

  test("closing a slice leaves the source open", async () => {
    const source = memory(bytes);
    const part = slice(source, 10, 20);
    await part.close();
    expect(await source.read(0, 3)).toEqual(bytes.slice(0, 3));
  });

  test("a slice ends with its source", async () => {
    const part = slice(memory(bytes), bytes.length - 5, 20);
    expect(await part.size()).toBe(5);
    expect(await part.read(0, 20)).toEqual(bytes.slice(-5));
    expect(await slice(memory(bytes), bytes.length + 5, 20).size()).toBe(0);
  });
});

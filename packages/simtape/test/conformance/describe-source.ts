import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ByteSource, cached, counted } from "../../src/index.ts";

/** Bytes that tell their place: no two short ranges of them are equal by chance. */
export function sampleBytes(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed >>> 0 || 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

const SIZE = 150_001;

/** Says of every source what each of them must do; `make` gives a new one holding the bytes. */
export function describeSource(name: string, make: (bytes: Uint8Array) => Promise<ByteSource>): void {
  const bytes = sampleBytes(SIZE);
  const using = async (check: (source: ByteSource) => Promise<void>, content: Uint8Array = bytes): Promise<void> => {
    const source = await make(content);
    try {
      await check(source);
    } finally {
      await source.close();
    }
  };

  describe(`${name} is a source`, () => {
    test("random ranges equal slices of the content", () =>
      using((source) =>
        fc.assert(
          fc.asyncProperty(fc.nat(SIZE + 100), fc.nat(SIZE + 100), async (offset, length) => {
            const got = await source.read(offset, length);
            expect(Buffer.compare(got, bytes.subarray(offset, offset + length))).toBe(0);
          }),
          { numRuns: 40 },
        ),
      ));

    test("tells its size before and after reading, and repeatedly", () =>
      using(async (source) => {
        expect(await source.size()).toBe(SIZE);
        await source.read(0, 10);
        expect(await source.size()).toBe(SIZE);
      }));

    test("tells its size when asked while a read is under way", () =>
      using(async (source) => {
        const [head, size] = await Promise.all([source.read(0, 100), source.size()]);
        expect(head).toEqual(bytes.slice(0, 100));
        expect(size).toBe(SIZE);
      }));

    test("gives fewer bytes at the end and none beyond it", () =>
      using(async (source) => {
        expect(await source.read(SIZE - 10, 100)).toEqual(bytes.slice(SIZE - 10));
        expect(await source.read(SIZE - 10, 10)).toEqual(bytes.slice(SIZE - 10));
        expect(await source.read(SIZE, 1)).toHaveLength(0);
        expect(await source.read(SIZE + 1_000_000, 1000)).toHaveLength(0);
        expect(await source.read(SIZE - 1, Number.MAX_SAFE_INTEGER - SIZE)).toEqual(bytes.slice(SIZE - 1));
      }));

    test("gives none beyond the end when that is the first read", () =>
      using(async (source) => {
        expect(await source.read(SIZE + 5, 10)).toHaveLength(0);
        expect(await source.read(SIZE - 5, 10)).toEqual(bytes.slice(SIZE - 5));
      }));

    test("gives nothing for zero bytes, wherever", () =>
      using(async (source) => {
        for (const offset of [0, 10, SIZE, SIZE + 10]) expect(await source.read(offset, 0)).toHaveLength(0);
      }));

    test("an empty content has size 0 and no bytes", () =>
      using(async (source) => {
        expect(await source.read(0, 10)).toHaveLength(0);
        expect(await source.size()).toBe(0);
      }, new Uint8Array(0)));

    test("reads made at the same time do not disturb each other", () =>
      using(async (source) => {
        const ranges = Array.from({ length: 60 }, (_, i) => [(i * 7919) % SIZE, 1 + ((i * 977) % 9000)] as const);
        const got = await Promise.all(ranges.map(([offset, length]) => source.read(offset, length)));
        for (const [i, [offset, length]] of ranges.entries()) {
          expect(Buffer.compare(got[i]!, bytes.subarray(offset, offset + length))).toBe(0);
        }
      }));

    test("bytes given back stay as they are during later reads and after close", async () => {
      const source = await make(bytes);
      const first = await source.read(1000, 5000);
      const kept = first.slice();
      for (let i = 0; i < 20; i++) await source.read(i * 300, 5000);
      await source.close();
      expect(first).toEqual(kept);
    });

    test("bytes given back are plain ones, whose slice is a copy", () =>
      using(async (source) => {
        const given = await source.read(1, 16);
        expect(given.constructor).toBe(Uint8Array);
        expect(new Float64Array(given.slice().buffer)).toHaveLength(2);
      }));

    test("the same range twice gives equal bytes", () =>
      using(async (source) => {
        expect(await source.read(777, 3333)).toEqual(await source.read(777, 3333));
      }));

    test("refuses ranges that cannot be", () =>
      using(async (source) => {
        await expect(source.read(-1, 10)).rejects.toThrow(RangeError);
        await expect(source.read(0, -1)).rejects.toThrow(RangeError);
        await expect(source.read(0.5, 10)).rejects.toThrow(RangeError);
        await expect(source.read(0, Number.NaN)).rejects.toThrow(RangeError);
        await expect(source.read(2 ** 60, 1)).rejects.toThrow(RangeError);
      }));

    test("a signal aborted before rejects with its reason", () =>
      using(async (source) => {
        const reason = new Error("not wanted");
        await expect(source.read(0, 10, AbortSignal.abort(reason))).rejects.toBe(reason);
      }));

    test("an abort on the way rejects with its reason or comes too late, and leaves the source usable", () =>
      using(async (source) => {
        const controller = new AbortController();
        const reason = new Error("not wanted");
        const reading = source.read(0, 100_000, controller.signal);
        controller.abort(reason);
        const result = await reading.catch((error: unknown) => error);
        if (result instanceof Uint8Array) expect(Buffer.compare(result, bytes.subarray(0, 100_000))).toBe(0);
        else expect(result).toBe(reason);
        expect(await source.read(5, 50)).toEqual(bytes.slice(5, 55));
      }));

    test("the abort of one read leaves its neighbours alone", () =>
      using(async (source) => {
        const controller = new AbortController();
        const aborted = source.read(100, 2000, controller.signal).catch(() => "aborted");
        const others = Promise.all([source.read(0, 2000), source.read(1500, 2000), source.read(100, 2000)]);
        controller.abort();
        const [a, b, c] = await others;
        await aborted;
        expect(a).toEqual(bytes.slice(0, 2000));
        expect(b).toEqual(bytes.slice(1500, 3500));
        expect(c).toEqual(bytes.slice(100, 2100));
      }));

    test("close may be called again; reads and size after it reject", async () => {
      const source = await make(bytes);
      await source.read(0, 10);
      await source.close();
      await source.close();
      await expect(source.read(0, 10)).rejects.toMatchObject({ name: "SourceError", reason: "closed" });
      await expect(source.read(20, 0)).rejects.toMatchObject({ reason: "closed" });
      await expect(source.size()).rejects.toMatchObject({ reason: "closed" });
    });

    test("close without a read is fine", async () => {
      const source = await make(bytes);
      await source.close();
      await expect(source.read(0, 10)).rejects.toMatchObject({ reason: "closed" });
    });

    test("a read under way at close gives its bytes or rejects as closed, and does not hang", async () => {
      const source = await make(bytes);
      const reading = source.read(0, 100_000).catch((error: unknown) => error);
      await source.close();
      const result = await reading;
      if (result instanceof Uint8Array) expect(Buffer.compare(result, bytes.subarray(0, 100_000))).toBe(0);
      else expect(result).toMatchObject({ reason: "closed" });
    });

    test("behind a cache, a second look at the same range costs no bytes", async () => {
      const inner = counted(await make(bytes));
      const source = cached(inner, { block: 4096 });
      try {
        const first = await source.read(10_000, 50_000);
        const tail = await source.read(SIZE - 100, 500);
        const cost = inner.bytes;
        expect(cost).toBeGreaterThanOrEqual(50_100);
        expect(await source.read(10_000, 50_000)).toEqual(first);
        expect(await source.read(SIZE - 100, 500)).toEqual(tail);
        expect(inner.bytes).toBe(cost);
      } finally {
        await source.close();
      }
    });
  });
}

import { deflateSync, gzipSync } from "fflate";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BudgetError } from "../../src/bytes/budget.ts";
import { counted } from "../../src/io/source/counted.ts";
import { type InflatedSource, inflated } from "../../src/io/zip/inflated.ts";
import { memory } from "../../src/io/source/memory.ts";
import { type ByteSource, SourceError } from "../../src/io/source/source.ts";
import type { Spool } from "../../src/io/source/spool.ts";
import { Budget, isGzip } from "../../src/kit.ts";
import { sampleBytes } from "../conformance/describe-source.ts";

/** Text-like: it compresses, so that every byte of the file matters. */
function words(length: number, seed = 1): Uint8Array {
  return sampleBytes(length, seed).map((byte) => 97 + (byte % 11));
}

function join(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

async function all(source: InflatedSource): Promise<Uint8Array> {
  const size = await source.size();
  return source.read(0, size ?? 0);
}

/** A source that gives at most `most` bytes a time. */
function dripping(file: Uint8Array, most: number): ByteSource {
  const inner = memory(file);
  return {
    name: "dripping",
    size: () => inner.size(),
    read: (offset, length) => inner.read(offset, Math.min(length, most)),
    close: () => inner.close(),
  };
}

async function inflate(
  file: Uint8Array | ByteSource,
): Promise<{ content: Uint8Array; damage: InflatedSource["damage"] }> {
  const source = inflated(file instanceof Uint8Array ? memory(file) : file);
  const content = await all(source);
  await source.close();
  return { content, damage: source.damage };
}

const equal = (a: Uint8Array, b: Uint8Array): void => expect(Buffer.compare(a, b)).toBe(0);

const content = words(300_000);
const file = gzipSync(content);

describe("an inflated source", () => {
  test("gives what was compressed, and tells no damage", async () => {
    const got = await inflate(file);
    equal(got.content, content);
    expect(got.damage).toBeNull();
  });

  test("inflates no further than reads ask, and every byte once", async () => {
    const large = words(4_000_000);
    const inner = counted(memory(gzipSync(large)));
    const source = inflated(inner);
    await source.read(0, 1000);
    expect(inner.reads).toBe(1);
    await source.size();
    const cost = inner.bytes;
    equal(await source.read(3_000_000, 500_000), large.subarray(3_000_000, 3_500_000));
    expect(inner.bytes).toBe(cost);
  });

  test("reads several members as one, even empty ones and with names in their headers", async () => {
    const parts = [words(70_000, 2), new Uint8Array(0), words(10, 3), words(200_000, 4)];
    const named = parts.map((part, i) => gzipSync(part, { filename: `part-${i}-${"x".repeat(i * 9000)}` }));
    const got = await inflate(join(...named));
    equal(got.content, join(...parts));
    expect(got.damage).toBeNull();
  });

  test("members of any lengths, stored or deflated, join without a seam", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(40_000), fc.constantFrom(0 as const, 1 as const, 9 as const)), {
          minLength: 1,
          maxLength: 5,
        }),
        async (members) => {
          const parts = members.map(([length], i) => words(length, i + 1));
          const got = await inflate(join(...parts.map((part, i) => gzipSync(part, { level: members[i]![1] }))));
          equal(got.content, join(...parts));
          expect(got.damage).toBeNull();
        },
      ),
      { numRuns: 30 },
    ));

  test("a missing trailer, whole or in part, is no damage", async () => {
    for (let missing = 1; missing <= 8; missing++) {
      const got = await inflate(file.subarray(0, -missing));
      equal(got.content, content);
      expect(got.damage).toBeNull();
    }
  });

  test("zeros after the last member are no damage", async () => {
    for (const count of [1, 2, 3, 4, 5, 511, 100_000]) {
      const got = await inflate(join(file, new Uint8Array(count)));
      equal(got.content, content);
      expect(got.damage).toBeNull();
    }
  });

  test("other bytes after the last member are reported with their place", async () => {
    for (const count of [1, 2, 3, 4, 5, 100, 70_000]) {
      const got = await inflate(join(file, new Uint8Array(count).fill(0x41)));
      equal(got.content, content);
      expect(got.damage).toMatchObject({ offset: file.length });
      expect(got.damage?.message).toContain("follow the last member");
    }
  });

  test("cut data give all that comes before the cut, and tell it", async () => {
    const small = words(3000);
    const whole = gzipSync(small);
    let before = 0;
    for (let length = 0; length < whole.length - 8; length++) {
      const got = await inflate(whole.subarray(0, length));
      equal(got.content, small.subarray(0, got.content.length));
      expect(got.content.length).toBeGreaterThanOrEqual(before);
      expect(got.damage).toMatchObject({ offset: length });
      before = got.content.length;
    }
    expect(before).toBeGreaterThan(small.length - 20);
  });

  test("a second member cut anywhere leaves the first whole and is reported", async () => {
    const first = words(500, 5);
    const second = gzipSync(words(500, 6));
    const head = gzipSync(first);
    for (let length = 1; length < second.length - 8; length++) {
      const got = await inflate(join(head, second.subarray(0, length)));
      equal(got.content.subarray(0, first.length), first);
      expect(got.damage).not.toBeNull();
    }
  });

  test("damage in the middle gives what comes before, to within a few bytes, and its place", async () => {
    for (const at of [20, 1000, 50_000, 100_000]) {
      const broken = file.slice();
      broken.fill(0xff, at, at + 400);
      const got = await inflate(broken);
      const intact = await inflate(file.subarray(0, at));
      expect(got.content.length).toBeGreaterThanOrEqual(intact.content.length);
      equal(got.content.subarray(0, intact.content.length), intact.content);
      expect(got.damage?.offset).toBeGreaterThanOrEqual(at - 1);
    }
  });

  test("damage in a later member gives the members before it whole", async () => {
    const first = words(100_000, 7);
    const head = gzipSync(first);
    const broken = gzipSync(words(100_000, 8)).slice();
    broken.fill(0xff, 5000, 5400);
    const got = await inflate(join(head, broken));
    equal(got.content.subarray(0, first.length), first);
    expect(got.content.length).toBeGreaterThan(first.length + 1000);
    expect(got.damage?.offset).toBeGreaterThanOrEqual(head.length + 4999);
  });

  test("damage at any byte of a small file gives what lies before it, and is reported at its place or as a checksum", async () => {
    const small = words(400, 11);
    const whole = gzipSync(small, { level: 9 });
    const trailer = whole.length - 8;
    for (let at = 10; at < whole.length; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const broken = whole.slice();
        broken[at]! ^= flip;
        const got = await inflate(broken);
        const before = await inflate(whole.subarray(0, at));
        equal(got.content.subarray(0, before.content.length), before.content);
        if (at >= trailer) equal(got.content, small);
        // The bits between content and trailer mean nothing; content that went on into the trailer has no checksum.
        if (got.damage === null) {
          if (got.content.length === small.length) equal(got.content, small);
          else expect(got.content.length).toBeGreaterThan(small.length);
        } else expect(got.damage.offset).toBeGreaterThanOrEqual(Math.min(at, trailer));
        equal((await inflate(dripping(broken, 1))).content, got.content);
      }
    }
  });

  test("a fault is reported at the very byte, and reads no byte twice", async () => {
    const head = gzipSync(words(3_000_000, 12));
    const member = gzipSync(new Uint8Array(0), { filename: "x" });
    // The content of a member without any begins with fixed codes and their end; type 3 is no block.
    const bad = member.slice(0, -8);
    bad[bad.length - 2] = 7;
    const broken = join(head, bad, new Uint8Array(500_000));
    const inner = counted(memory(broken));
    const source = inflated(inner);
    await source.size();
    expect(source.damage).toMatchObject({ offset: head.length + bad.length - 2 });
    expect(source.damage?.message).toContain("block of type 3");
    expect(inner.bytes).toBeLessThanOrEqual(broken.length);
  });

  test("headers with every part, cut anywhere and read in any pieces", async () => {
    const small = words(50, 13);
    const deflated = gzipSync(small).subarray(10);
    const extra = [3, 0, 0x1f, 0x8b, 8];
    const name = [110, 0];
    const comment = [99, 100, 0];
    for (let flags = 0; flags < 32; flags++) {
      const header = [0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3];
      if ((flags & 4) !== 0) header.push(...extra);
      if ((flags & 8) !== 0) header.push(...name);
      if ((flags & 16) !== 0) header.push(...comment);
      if ((flags & 2) !== 0) header.push(0, 0);
      const member = join(Uint8Array.from(header), deflated);
      for (const most of [1, 2, 7, 1000]) {
        const got = await inflate(dripping(join(member, member), most));
        equal(got.content, join(small, small));
        expect(got.damage).toBeNull();
      }
      for (let length = 0; length < header.length; length++) {
        const alone = await inflate(member.subarray(0, length));
        expect(alone).toMatchObject({ content: new Uint8Array(0), damage: { offset: length } });
        const second = await inflate(join(member, member.subarray(0, length)));
        equal(second.content, small);
        if (length === 0) expect(second.damage).toBeNull();
        else expect(second.damage).toMatchObject({ offset: member.length + length });
      }
    }
  });

  test("an empty extra field is passed", async () => {
    const small = words(50, 13);
    const header = Uint8Array.of(0x1f, 0x8b, 8, 4 | 8, 0, 0, 0, 0, 0, 3, 0, 0, 110, 0);
    expect(await inflate(join(header, gzipSync(small).subarray(10)))).toMatchObject({ content: small, damage: null });
  });

  test("flags without a meaning are reported, the content is given", async () => {
    const broken = join(gzipSync(words(10)), file);
    broken[gzipSync(words(10)).length + 3] = 0x40;
    const got = await inflate(broken);
    equal(got.content, join(words(10), content));
    expect(got.damage).toMatchObject({ offset: gzipSync(words(10)).length + 3 });
  });

  test("a thousand small members are read as one", async () => {
    const parts = Array.from({ length: 1000 }, (_, i) => words(i % 7, i + 1));
    const got = await inflate(join(...parts.map((part) => gzipSync(part))));
    equal(got.content, join(...parts));
    expect(got.damage).toBeNull();
  });

  test("zeros with something behind them are reported as bytes after the last member", async () => {
    for (const count of [1, 100, 600_000]) {
      const got = await inflate(join(file, new Uint8Array(count), Uint8Array.of(1)));
      equal(got.content, content);
      expect(got.damage).toMatchObject({ offset: file.length });
    }
  });

  test("a wrong checksum or length is reported, the content is given", async () => {
    for (const [place, what] of [
      [file.length - 8, "checksum"],
      [file.length - 4, "length"],
    ] as const) {
      const broken = file.slice();
      broken[place]! ^= 1;
      const got = await inflate(join(broken, gzipSync(words(10))));
      equal(got.content, join(content, words(10)));
      expect(got.damage).toMatchObject({ offset: place });
      expect(got.damage?.message).toContain(what);
    }
  });

  test("what is not gzip gives nothing and tells so", async () => {
    for (const other of [words(1000), deflateSync(content), new Uint8Array(5)]) {
      const got = await inflate(other);
      expect(got.content).toHaveLength(0);
      expect(got.damage).not.toBeNull();
    }
  });

  test("any changed file gives bytes or damage, never an error", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(5000), fc.nat(255), fc.nat(5000), async (at, value, cut) => {
        const broken = gzipSync(words(9000)).slice(0, 200 + cut);
        broken[at % broken.length] = value;
        const got = await inflate(broken);
        expect(got.content.length).toBeLessThan(10_000_000);
      }),
      { numRuns: 60 },
    ));

  test("refuses to hold more than the limit, and still reads what is inside it", async () => {
    const source = inflated(memory(file), { budget: new Budget(100_000) });
    equal(await source.read(0, 1000), content.subarray(0, 1000));
    await expect(source.size()).rejects.toThrow(/over budget: its inflated content/);
    await expect(source.read(200_000, 10)).rejects.toBeInstanceOf(BudgetError);
    equal(await source.read(500, 1000), content.subarray(500, 1500));
  });

  test("with a spool, everything goes there in order and nothing is held", async () => {
    const written: Uint8Array[] = [];
    let closed = 0;
    const spool: Spool = {
      write: async (bytes) => void written.push(bytes.slice()),
      read: async (offset, length) => join(...written).subarray(offset, offset + length),
      close: async () => void closed++,
    };
    const source = inflated(memory(file), { spool: { create: async () => spool } });
    equal(await all(source), content);
    equal(join(...written), content);
    await source.close();
    await source.close();
    expect(closed).toBe(1);
  });

  test("goes on after the source has failed once, wherever that was", async () => {
    const broken = join(file, gzipSync(words(40_000, 9)), new Uint8Array(9));
    broken.fill(0xff, file.length + 9000, file.length + 9300);
    const expected = await inflate(broken);
    for (let failing = 1; failing <= 12; failing++) {
      const inner = memory(broken);
      let reads = 0;
      const flaky: ByteSource = {
        name: "flaky",
        size: () => inner.size(),
        read: async (offset, length) => {
          if (++reads === failing) throw new SourceError("failed", "once");
          return inner.read(offset, length);
        },
        close: () => inner.close(),
      };
      const source = inflated(flaky);
      let failures = 0;
      await source.size().catch(() => failures++);
      equal(await all(source), expected.content);
      expect(source.damage).toEqual(expected.damage);
      expect(failures).toBe(failing <= reads - 1 ? 1 : 0);
    }
  });

  test("gzip is reported by its first three bytes", () => {
    expect(isGzip(file.subarray(0, 3))).toBe(true);
    expect(isGzip(file.subarray(0, 2))).toBe(false);
    expect(isGzip(words(10))).toBe(false);
  });
});

import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type InflatePause, Inflater } from "../../src/bytes/inflate.ts";
import { inflateStream } from "../../src/bytes/inflate-stream.ts";

const STRATEGIES = [
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_FILTERED,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED,
];

/** Literals, and repeats near and far, short and long. */
function mixed(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let at = 0; at < length; ) {
    if (at > 0 && next(3) === 0) {
      const distance = 1 + next(Math.min(at, 2 ** (1 + next(15))));
      for (const end = Math.min(length, at + 3 + next(next(8) === 0 ? 600 : 30)); at < end; at++) {
        bytes[at] = bytes[at - distance]!;
      }
    } else bytes[at++] = next(2 ** (1 + next(8)));
  }
  return bytes;
}

interface Outcome {
  readonly content: Uint8Array;
  readonly pause: InflatePause;
  readonly position: number;
  readonly fault: Inflater["fault"];
}

/** Feeds `parts` one after another, as far as the stream goes. */
function feed(parts: readonly Uint8Array[], inflater = new Inflater()): Outcome {
  const pieces: Uint8Array[] = [];
  let pause: InflatePause = "input";
  let before = 0;
  for (const part of parts) {
    pause = inflater.run(part);
    pieces.push(inflater.take());
    while (pause === "output") {
      pause = inflater.run(part, inflater.position - before);
      pieces.push(inflater.take());
    }
    if (pause !== "input") break;
    before += part.length;
    // a hundred thousand parts are fed, and an expectation costs more than a part
    if (inflater.position !== before) expect(inflater.position).toBe(before);
  }
  const content = new Uint8Array(Buffer.concat(pieces));
  return { content, pause, position: inflater.position, fault: inflater.fault };
}

/** `bytes` cut at `places`. */
function split(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...[...places].map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, i) => bytes.subarray(cuts[i], end));
}

function oneByOne(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte));
}

const equal = (a: Uint8Array, b: Uint8Array): void => expect(Buffer.compare(a, b)).toBe(0);

/** What zlib gets out of the beginning of a stream; null when it refuses it. */
function zlibPrefix(stream: Uint8Array): Uint8Array | null {
  try {
    return inflateRawSync(stream, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return null;
  }
}

/** Bits in the order of deflate: numbers lowest bit first, codes highest first. */
class Bits {
  readonly #bits: number[] = [];
  number(value: number, count: number): this {
    for (let i = 0; i < count; i++) this.#bits.push((value >> i) & 1);
    return this;
  }
  code(text: string): this {
    this.#bits.push(...Array.from(text, Number));
    return this;
  }
  bytes(): Uint8Array {
    const bytes = new Uint8Array(Math.ceil(this.#bits.length / 8));
    for (const [i, bit] of this.#bits.entries()) bytes[i >> 3]! |= bit << (i & 7);
    return bytes;
  }
}

/** The head of a last dynamic block, with every code length written as four bits. */
function dynamicBlock(literals: Readonly<Record<number, number>>, distances: readonly number[]): Bits {
  const count = Math.max(257, ...Object.keys(literals).map((symbol) => Number(symbol) + 1));
  const bits = new Bits().number(1, 1).number(2, 2);
  bits
    .number(count - 257, 5)
    .number(distances.length - 1, 5)
    .number(15, 4);
  for (let i = 0; i < 19; i++) bits.number(i < 3 ? 0 : 4, 3); // 16, 17 and 18 are not used
  const lengths = [...Array.from({ length: count }, (_, symbol) => literals[symbol] ?? 0), ...distances];
  for (const length of lengths) bits.code(length.toString(2).padStart(4, "0"));
  return bits;
}

describe("an inflater", () => {
  test("gives what zlib deflated at every level, strategy and window, and the place of the end", () => {
    for (const length of [0, 1, 2, 100, 5000, 70_000, 300_000]) {
      const bytes = mixed(length, length + 1);
      for (let level = 0; level <= 9; level++) {
        for (const strategy of STRATEGIES) {
          const stream = deflateRawSync(bytes, {
            level,
            strategy,
            windowBits: 9 + (level % 7),
            memLevel: 1 + (level % 9),
          });
          const got = feed([new Uint8Array([...stream, 1, 2, 3])]);
          equal(got.content, bytes);
          expect(got).toMatchObject({ pause: "end", position: stream.length, fault: null });
        }
      }
    }
  });

  test("gives the same for random bytes as for those that repeat", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 3000 }),
        fc.nat(9),
        fc.constantFrom(...STRATEGIES),
        (bytes, level, strategy) => {
          const { content, pause } = feed([new Uint8Array(deflateRawSync(bytes, { level, strategy }))]);
          equal(content, bytes);
          expect(pause).toBe("end");
        },
      ),
    );
  });

  test("gives the same however its input is cut", () => {
    fc.assert(
      fc.property(
        fc.nat(3000),
        fc.nat(9),
        fc.constantFrom(...STRATEGIES),
        fc.array(fc.nat(4000), { maxLength: 20 }),
        (length, level, strategy, places) => {
          const bytes = mixed(length, length + 1);
          const stream = new Uint8Array(deflateRawSync(bytes, { level, strategy }));
          const got = feed(split(stream, places));
          equal(got.content, bytes);
          expect(got).toMatchObject({ pause: "end", position: stream.length });
        },
      ),
      { numRuns: 300 },
    );
  });

  test("resumes between any two bytes of stored, fixed and dynamic blocks, with matches at all distances", () => {
    const bytes = mixed(150_000, 3);
    bytes.copyWithin(100_000, 100_000 - 32_768, 110_000 - 32_768);
    for (const [level, strategy] of [
      [0, constants.Z_DEFAULT_STRATEGY],
      [1, constants.Z_FIXED],
      [6, constants.Z_HUFFMAN_ONLY],
      [9, constants.Z_DEFAULT_STRATEGY],
    ] as const) {
      const stream = new Uint8Array(deflateRawSync(bytes, { level, strategy, memLevel: 4 }));
      equal(feed(oneByOne(stream)).content, bytes);
      for (const size of [2, 15, 16, 17, 1000]) {
        const places = Array.from({ length: Math.ceil(stream.length / size) }, (_, i) => i * size);
        equal(feed(split(stream, places)).content, bytes);
      }
    }
  });

  test("a short stream may be cut in two anywhere, and what came before the cut is complete", () => {
    const bytes = mixed(400, 9);
    for (const strategy of STRATEGIES) {
      const stream = new Uint8Array(deflateRawSync(bytes, { level: 9, strategy }));
      for (let cut = 0; cut <= stream.length; cut++) {
        equal(feed(split(stream, [cut])).content, bytes);
        const before = feed([stream.subarray(0, cut)]);
        equal(before.content, zlibPrefix(stream.subarray(0, cut)) ?? new Uint8Array(0));
        expect(before.pause).toBe(cut === stream.length ? "end" : "input");
      }
    }
  });

  test("holds no more than 64 KiB: more waits until it is taken", () => {
    const stream = new Uint8Array(deflateRawSync(new Uint8Array(10_000_000), { level: 9 }));
    const inflater = new Inflater();
    let length = 0;
    let pauses = 0;
    for (let pause = inflater.run(stream); pause !== "end"; pause = inflater.run(stream, inflater.position)) {
      expect(pause).toBe("output");
      expect(inflater.available).toBeLessThanOrEqual(65_536);
      if (pauses === 0) expect(inflater.run(stream, inflater.position)).toBe("output");
      length += inflater.take().length;
      pauses++;
    }
    expect(length + inflater.take().length).toBe(10_000_000);
    expect(pauses).toBeGreaterThan(100);
  });

  test("starts again after reset, also in the middle of a stream, and knows nothing of what came before", () => {
    const bytes = mixed(20_000, 5);
    const stream = new Uint8Array(deflateRawSync(bytes));
    const inflater = new Inflater();
    for (const cut of [0, 1, 50, 3000, stream.length]) {
      inflater.run(stream.subarray(0, cut));
      inflater.reset();
      equal(feed([stream], inflater).content, bytes);
      inflater.reset();
      // A match of length 3 and distance 1, first of all: fixed codes 257 and 0.
      const early = new Bits().number(1, 1).number(1, 2).code("0000001").code("00000").number(0, 16).bytes();
      expect(feed([early], inflater).fault?.message).toContain("distance before the first byte");
      inflater.reset();
    }
  });

  test("two of them do not disturb each other", () => {
    const [a, b] = [mixed(30_000, 6), mixed(30_000, 7)];
    const [first, second] = [new Inflater(), new Inflater()];
    const streams = [a, b].map((bytes) => new Uint8Array(deflateRawSync(bytes)));
    const pieces: Uint8Array[][] = [[], []];
    for (let at = 0; at < Math.max(streams[0]!.length, streams[1]!.length); at += 100) {
      for (const [i, inflater] of [first, second].entries()) {
        inflater.run(streams[i]!.subarray(at, at + 100));
        pieces[i]!.push(inflater.take());
      }
    }
    equal(Buffer.concat(pieces[0]!), a);
    equal(Buffer.concat(pieces[1]!), b);
  });
});

describe("a damaged stream", () => {
  test("is refused at the very byte where zlib refuses it, with all that zlib gives before", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4000 }),
        fc.nat(9),
        fc.constantFrom(...STRATEGIES),
        fc.array(fc.tuple(fc.nat(5000), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(5000), { maxLength: 5 }),
        (length, level, strategy, changes, places) => {
          const stream = new Uint8Array(deflateRawSync(mixed(length, length), { level, strategy }));
          for (const [at, flip] of changes) stream[at % stream.length]! ^= flip;
          const whole = feed([stream]);
          const parts = feed(split(stream, places));
          equal(parts.content, whole.content);
          expect({ ...parts, content: null }).toEqual({ ...whole, content: null });
          const byZlib = zlibPrefix(stream);
          if (whole.fault === null) {
            expect(byZlib).not.toBeNull();
            equal(byZlib!, whole.content);
            return;
          }
          expect(byZlib).toBeNull();
          const { offset } = whole.fault;
          const before = zlibPrefix(stream.subarray(0, offset));
          expect(before).not.toBeNull();
          equal(whole.content.subarray(0, before!.length), before!);
          equal(feed([stream.subarray(0, offset)]).content, before!);
          // Where no code length has a code, zlib reads on to the end of the lengths before it refuses.
          if (whole.fault.message.includes("impossible code lengths")) return;
          expect(zlibPrefix(stream.subarray(0, offset + 1))).toBeNull();
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("of random bytes is refused when zlib refuses it", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
        // Zeros so that zlib gets to the end of the code lengths, where it refuses those without any code.
        const stream = new Uint8Array([...bytes, ...new Uint8Array(60)]);
        const { content, fault } = feed(oneByOne(stream));
        const byZlib = zlibPrefix(stream);
        expect(fault === null).toBe(byZlib !== null);
        if (byZlib !== null) equal(content, byZlib);
      }),
      { numRuns: 2000 },
    );
  });

  test("has a match that begins before the first byte, by one", () => {
    // Fixed codes: "a" is 0x30 + 97, length 3 is 257, distances 1 and 2 are 0 and 1.
    const start = (): Bits =>
      new Bits()
        .number(1, 1)
        .number(1, 2)
        .code((0x30 + 97).toString(2).padStart(8, "0"));
    const fits = start().code("0000001").code("00000").code("0000000").bytes();
    expect(feed([fits])).toMatchObject({ content: new Uint8Array(4).fill(97), pause: "end" });
    const tooFar = start().code("0000001").code("00001").code("0000000").bytes();
    for (const parts of [[tooFar], oneByOne(tooFar), [tooFar, new Uint8Array(30)]]) {
      const got = feed(parts);
      expect(got).toMatchObject({ content: Uint8Array.of(97), pause: "fault", fault: { offset: 2 } });
      expect(got.fault?.message).toContain("distance before");
    }
    const padded = new Uint8Array([...tooFar, ...new Uint8Array(30)]);
    expect(feed([padded])).toMatchObject({ content: Uint8Array.of(97), fault: { offset: 2 } });
  });

  test("stays refused, and no more input is used", () => {
    const inflater = new Inflater();
    expect(inflater.run(Uint8Array.of(7, 1, 2))).toBe("fault");
    expect(inflater.position).toBe(1);
    expect(inflater.run(new Uint8Array(deflateRawSync(mixed(100))))).toBe("fault");
    expect(inflater.position).toBe(1);
    expect(inflater.fault).toMatchObject({ offset: 0 });
  });

  test("has fixed codes that deflate leaves without a meaning", () => {
    const start = (): Bits => new Bits().number(1, 1).number(1, 2);
    for (const [bits, message] of [
      [start().code("11000110"), "length code"],
      [start().code("11000111"), "length code"],
      [start().code("0000001").code("11110"), "distance code"],
      [start().code("0000001").code("11111"), "distance code"],
    ] as const) {
      for (const rest of [0, 40]) {
        const stream = new Uint8Array([...bits.bytes(), ...new Uint8Array(rest)]);
        expect(feed([stream]).fault?.message).toContain(message);
        expect(zlibPrefix(stream)).toBeNull();
      }
    }
  });
});

describe("codes that leave bits over", () => {
  const accepted: [string, Uint8Array, string][] = [
    // Codes in order of symbol: "a" 0, end 10, length 3 11.
    [
      "one distance",
      dynamicBlock({ 97: 1, 256: 2, 257: 2 }, [1]).code("0").code("11").code("0").code("10").bytes(),
      "aaaa",
    ],
    ["no distance", dynamicBlock({ 97: 1, 256: 1 }, [0]).code("00").code("1").bytes(), "aa"],
    ["the end only", dynamicBlock({ 256: 1 }, [0]).code("0").bytes(), ""],
  ];
  const refused: [string, Uint8Array][] = [
    [
      "the other bit of one distance",
      dynamicBlock({ 97: 1, 256: 2, 257: 2 }, [1]).code("0").code("11").code("1").bytes(),
    ],
    ["a distance where none is", dynamicBlock({ 97: 1, 256: 2, 257: 2 }, [0]).code("0").code("11").code("0").bytes()],
    ["the other bit of the end only", dynamicBlock({ 256: 1 }, [0]).code("1").bytes()],
    ["one distance of two bits", dynamicBlock({ 97: 1, 256: 1 }, [2]).code("1").bytes()],
    ["literals that leave a quarter", dynamicBlock({ 97: 1, 256: 2 }, [1]).code("10").bytes()],
    ["more literals than bits", dynamicBlock({ 97: 1, 98: 1, 256: 1 }, [1]).code("1").bytes()],
    ["more distances than bits", dynamicBlock({ 97: 1, 256: 1 }, [1, 1, 1]).code("1").bytes()],
    ["no end", dynamicBlock({ 97: 1, 98: 1 }, [1]).code("1").bytes()],
  ];

  test.each(accepted)("are taken as zlib takes them: %s", (_, stream, text) => {
    for (const parts of [[stream], oneByOne(stream), [new Uint8Array([...stream, ...new Uint8Array(40)])]]) {
      expect(feed(parts)).toMatchObject({ content: new TextEncoder().encode(text), pause: "end" });
    }
    expect(zlibPrefix(stream)?.toString()).toBe(text);
  });

  test.each(refused)("are refused as zlib refuses them: %s", (_, stream) => {
    for (const rest of [0, 40]) {
      const padded = new Uint8Array([...stream, ...new Uint8Array(rest)]);
      expect(feed([padded]).pause).toBe("fault");
      expect(feed(oneByOne(padded)).fault).toEqual(feed([padded]).fault);
      expect(zlibPrefix(padded)).toBeNull();
    }
  });

  test("codes of all fifteen lengths are read", () => {
    const literals: Record<number, number> = { 256: 15 };
    for (let i = 1; i <= 15; i++) literals[64 + i] = i;
    const bits = dynamicBlock(literals, [0]);
    for (let i = 1; i <= 15; i++) bits.code(`${"1".repeat(i - 1)}0`);
    const stream = bits.code("1".repeat(15)).bytes();
    for (const parts of [[stream], oneByOne(stream)]) {
      expect(new TextDecoder().decode(feed(parts).content)).toBe("ABCDEFGHIJKLMNO");
    }
  });
});

describe("inflating at once", () => {
  test("gives the same as in parts, with places counted from the input's first byte", () => {
    const bytes = mixed(200_000, 8);
    const stream = deflateRawSync(bytes);
    const input = new Uint8Array([9, 9, 9, ...stream, 1, 2]);
    const got = inflateStream(input, 3, bytes.length);
    equal(got.bytes, bytes);
    expect(got).toMatchObject({ end: stream.length + 3, damage: null });
    const cut = inflateStream(input.subarray(0, 1000), 3, bytes.length);
    equal(cut.bytes, bytes.subarray(0, cut.bytes.length));
    expect(cut.damage).toMatchObject({ reason: "truncated", offset: 1000 });
    const wrong = inflateStream(Uint8Array.of(9, 9, 7), 2, 10);
    expect(wrong.damage).toMatchObject({ reason: "malformed", offset: 2 });
  });

  test("gives bytes that the next call does not touch", () => {
    const [a, b] = [mixed(100, 10), mixed(100, 11)];
    const first = inflateStream(deflateRawSync(a), 0, 100).bytes;
    inflateStream(deflateRawSync(b), 0, 100);
    equal(first, a);
  });
});

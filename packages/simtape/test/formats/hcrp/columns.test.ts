import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromColumns } from "../../../src/formats/hcrp/columns/columns.ts";
import { toColumns } from "../../../src/formats/hcrp/columns/writing.ts";
import { hcrp } from "../../../src/formats/hcrp/format.ts";
import { LIMITS, writeVarInt } from "../../../src/formats/hcrp/layout/framing.ts";
import { writing } from "../../../src/formats/hcrp/writing.ts";
import { LayoutError, MemoryFiles, open as openRecording, type Recording, rewrite } from "../../../src/index.ts";
import { ByteBuilder, loadZstd } from "../../../src/kit.ts";
import { bundleOfFiles } from "../../conformance/mutate.ts";
import { walk } from "../../fixtures/hcrp/make.ts";
import { built, chunkBytes, compacted } from "../../fixtures/hcrp/recording.ts";
import { random, wildContent } from "../../record/wild.ts";
import { tries } from "../../soak.ts";

const zstd = await loadZstd();

function expectBack(raw: Uint8Array, hasSnapshot: boolean): void {
  const columns = new Uint8Array(toColumns(raw, hasSnapshot));
  expect(Buffer.compare(fromColumns(columns), raw)).toBe(0);
}

/** What comes of bytes that may be no columns: a chunk, or one error of ours. */
function outcomeOf(columns: Uint8Array<ArrayBuffer>): Uint8Array | LayoutError {
  try {
    return fromColumns(columns);
  } catch (error) {
    if (error instanceof LayoutError) return error;
    throw error;
  }
}

/** Bytes that are mostly tick records: numbers short, long and padded; moves with odd masks; unknown records. */
const wild: fc.Arbitrary<Uint8Array> = fc
  .array(
    fc.record({
      tick: fc.nat({ max: 200 }),
      isPadded: fc.constantFrom(false, false, false, false, false, false, false, true),
      events: fc.array(
        fc.oneof(
          {
            weight: 8,
            arbitrary: fc.tuple(fc.nat({ max: 300 }), fc.nat({ max: 127 }), fc.uint8Array({ size: "small" })),
          },
          { weight: 1, arbitrary: fc.tuple(fc.nat({ max: 2 ** 31 - 1 }), fc.nat({ max: 255 }), fc.uint8Array()) },
        ),
        { maxLength: 12 },
      ),
      others: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 2 }),
    }),
    { maxLength: 20 },
  )
  .map((records) =>
    built((out) => {
      let now = 0;
      for (const { tick, isPadded, events, others } of records) {
        now += tick;
        if (isPadded)
          out
            .u8((now & 0x7f) | 0x80)
            .u8(0x80)
            .u8(0);
        else writeVarInt(out, now);
        out.u16be(events.length + others.length);
        for (const [entity, mask, numbers] of events) {
          out.u8(0);
          writeVarInt(out, entity);
          out.u8(mask);
          writeNumbers(out, mask, numbers);
        }
        for (const body of others) {
          writeVarInt(out, 64);
          writeVarInt(out, body.length);
          out.raw(body);
        }
      }
    }),
  );

/** A number for each field of the mask, of one byte or of some. */
function writeNumbers(out: ByteBuilder, mask: number, bytes: Uint8Array): void {
  let at = 0;
  for (const bit of [1, 2, 4, 8, 16, 64]) {
    if ((mask & bit) === 0) continue;
    for (let length = 0; length < 6 && (bytes[at] ?? 0) >= 0x80; length++) out.u8(bytes[at++]!);
    out.u8((bytes[at++] ?? 0) & 0x7f);
  }
}

type Numbers = readonly number[];

/** Moves of a player who runs in circles and jumps: residuals x, y, z, change of yaw, and whether it ends on the ground. */
function runner(count: number): Numbers[] {
  const moves: Numbers[] = [];
  const place = [0, 0, 0];
  let before = [0, 0, 0];
  let [vx, vy, vz, heading, wasOnGround] = [0, 0, 0, 0, true];
  for (let i = 0; i < count; i++) {
    const isJump = wasOnGround && i % 3 > 0;
    const yaw = Math.round(300 * Math.sin(i / 9));
    heading += (yaw / 32_768) * Math.PI;
    const push = (wasOnGround ? 0.13 : 0.026) + (isJump ? 0.2 : 0);
    if (isJump) vy = 0.42;
    vx -= Math.sin(heading) * push;
    vz += Math.cos(heading) * push;
    const y = Math.max(0, place[1]! + vy);
    const isOnGround = y === 0;
    const step = [vx, y - place[1]!, vz];
    const now = step.map((value, k) => Math.round((place[k]! + value) * 4096) - Math.round(place[k]! * 4096));
    for (let k = 0; k < 3; k++) place[k]! += step[k]!;
    moves.push([...now.map((value, k) => value - before[k]!), yaw, isOnGround ? 1 : 0]);
    before = now;
    vy = isOnGround ? -0.0784 : (vy - 0.08) * 0.98;
    vx *= wasOnGround ? 0.546 : 0.91;
    vz *= wasOnGround ? 0.546 : 0.91;
    wasOnGround = isOnGround;
  }
  return moves;
}

/** A chunk of them, one a tick, of entity 7; every field stated, or those that are not 0; numbers of at least `least` bytes. */
function rawOf(moves: readonly Numbers[], isAll = false, least = 1): Uint8Array {
  return built((out) => {
    for (const [tick, numbers] of moves.entries()) {
      writeVarInt(out, tick);
      out.u16be(1).u8(0).u8(7);
      const fields = numbers.slice(0, 4).map((value) => value | 0);
      let mask = numbers[4] === 1 ? 32 : 0;
      for (const [k, value] of fields.entries()) if (isAll || value !== 0) mask |= 1 << k;
      out.u8(mask);
      for (const [k, value] of fields.entries()) {
        if ((mask & (1 << k)) === 0) continue;
        let rest = ((value << 1) ^ (value >> 31)) >>> 0;
        for (let n = 1; ; n++, rest >>>= 7) {
          const isLast = rest < 0x80 && n >= least;
          out.u8((rest & 0x7f) | (isLast ? 0 : 0x80));
          if (isLast) break;
        }
      }
    }
  });
}

/** What is stored of the fields of moves, by the README's words: x, y, z, yaw, without those that are not there. */
function differences(moves: readonly Numbers[]): number[][] {
  const reported: number[][] = [[], [], [], []];
  let [dx, dy, dz, lastYaw, px, pz, drag] = [0, 0, 0, 0, 0, 0, 0.91];
  let was = false;
  const strengths = new Map<string, number>();
  const near = (value: number): number => Math.floor(value + 0.5);
  for (const [x, y, z, yaw, ground] of moves as readonly (readonly [number, number, number, number, number])[]) {
    const is = ground === 1;
    const angle = (yaw * Math.PI) / 32_768;
    const [s, c] = [Math.sin(angle), Math.cos(angle)];
    const long = Math.hypot(px, pz);
    const strength = strengths.get(`${was}${is}`);
    const scale = strength === undefined || long <= 20 ? 1 : strength / long;
    const up = is ? 0 : was ? 1720 : (dy - 327.68) * 0.98;
    const expected = [
      near((px * c - pz * s) * scale - (1 - drag) * dx),
      near(up - dy),
      near((px * s + pz * c) * scale - (1 - drag) * dz),
      lastYaw,
    ];
    for (const [k, value] of [x, y, z, yaw].entries()) if (value !== 0) reported[k]!.push(value - expected[k]!);
    px = dx + x - drag * dx;
    pz = dz + z - drag * dz;
    strengths.set(`${was}${is}`, Math.hypot(px, pz));
    dx += x;
    dy += y;
    dz += z;
    lastYaw = yaw;
    drag = was ? 0.546 : 0.91;
    was = is;
  }
  return reported;
}

/** The streams of columns of version 2. */
function streamsOf(columns: Uint8Array): { readonly streams: readonly (readonly number[])[] } {
  let at = 1;
  const number = (): number => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = columns[at++]!;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  number();
  const sizes = Array.from({ length: 20 }, number);
  const streams = sizes.map((size) => {
    at += size;
    return [...columns.subarray(at - size, at)];
  });
  return { streams };
}

describe("row 25: columns", () => {
  test("are sorted as the README says", () => {
    const raw = Uint8Array.of(
      // a snapshot of two bytes
      ...[2, 7, 7],
      // tick 3: entity 5 moves by x = 1 and pitch = 150, on the ground; a swing of entity 9
      ...[3, 0, 2, 0, 5, 0x31, 2, 0xac, 2, 3, 9, 0],
      // tick 203: entities 6 and 5 move
      ...[0xcb, 1, 0, 2, 0, 6, 0x02, 0x81, 1, 0, 5, 0x01, 4],
      // tick 202 is before it
      ...[0xca, 1, 0, 0],
    );
    const streams: readonly (readonly number[])[] = [
      [2, 7, 7],
      [3, 2, 0, 3, 0xc8, 1, 2, 0, 0],
      [3, 9, 0],
      [5, 6],
      [0, 1, 0],
      [0x31, 0x01, 0x02],
      [2, 4],
      [0x81],
      [],
      [],
      [0xac],
      [],
      [],
      [1],
      [],
      [],
      [2],
      [],
      [0xca, 1, 0, 0],
    ];
    const first = [1, raw.length, ...streams.map(({ length }) => length), ...streams.flat()];
    expect([...fromColumns(Uint8Array.from(first))], "version 1").toEqual([...raw]);
    // entity 5 went 1, friction takes 0.09 of it: of the 2 that its x is more, 1 was to be expected
    const reported = [...streams.with(6, [2, 2]), [1, 0]];
    const expected = [2, raw.length, ...reported.map(({ length }) => length), ...reported.flat()];
    expect([...toColumns(raw, true)]).toEqual(expected);
    expectBack(raw, true);
  });

  test("tell of a runner only how it differs from the forecast that the README states", () => {
    const moves = runner(400);
    const raw = rawOf(moves);
    const { streams } = streamsOf(toColumns(raw, false));
    expect(streams[19]).toEqual([7]);
    const reported: [number[], number[], number[], number[]] = [[], [], [], []];
    for (const [k, numbers] of reported.entries())
      for (let i = 0, behind = 0; i < streams[6 + k]!.length; i++) {
        const bytes = [streams[6 + k]![i]!];
        while (bytes.at(-1)! >= 0x80) bytes.push(streams[12 + k]![behind++]!);
        const value = bytes.reduceRight((sum, byte) => sum * 128 + (byte & 0x7f), 0);
        numbers.push(value % 2 === 0 ? value / 2 : -(value + 1) / 2);
      }
    expect(reported).toEqual(differences(moves));
    const sizeOf = (numbers: Numbers): number => numbers.reduce((sum, value) => sum + Math.abs(value), 0);
    for (const k of [0, 1, 2]) expect(sizeOf(reported[k]!)).toBeLessThan(sizeOf(moves.map((move) => move[k]!)) / 3);
    expectBack(raw, false);
  });

  test("give back runners whose numbers are padded, huge, 0 and reported all the same", () => {
    const runs = { numRuns: tries(100, 5000) };
    const odd = fc.array(fc.tuple(fc.nat({ max: 299 }), fc.nat({ max: 3 }), fc.integer()), { maxLength: 4 });
    fc.assert(
      fc.property(odd, (changes) => {
        const moves = runner(300).map((move) => [...move]);
        for (const [at, field, value] of changes) moves[at]![field] = value;
        expectBack(rawOf(moves), false);
        expectBack(rawOf(moves, true), false);
        expectBack(rawOf(moves, false, 2), false);
      }),
      runs,
    );
  });

  test("no bytes are a chunk without snapshot and events", () => {
    expect(toColumns(new Uint8Array(0), false)).toHaveLength(0);
    expect(fromColumns(new Uint8Array(0))).toHaveLength(0);
  });

  test("give back every chunk of random recordings, and what is left of it when it is cut or bent", () => {
    for (let seed = 0; seed < tries(12, 400); seed++) {
      const roll = random(seed);
      for (const chunk of wildContent(seed).chunks) {
        const raw = chunkBytes(chunk);
        expectBack(raw, chunk.snapshot !== null);
        expectBack(raw.slice(0, roll(raw.length + 1)), chunk.snapshot !== null);
        const bent = raw.slice();
        if (bent.length > 0) bent[roll(bent.length)]! ^= 1 << roll(8);
        expectBack(bent, chunk.snapshot !== null);
      }
    }
  });

  test("give back what shrinks most: records without events, at ticks of five bytes", () => {
    const records = built((out) => {
      for (let tick = 2 ** 30; tick < 2 ** 30 + 50_000; tick++) {
        writeVarInt(out, tick);
        out.u16be(0);
      }
    });
    expect(records.length / toColumns(records, false).length).toBeGreaterThan(3.4);
    expectBack(records, false);
  });

  test("give back any bytes", () => {
    const runs = { numRuns: tries(400, 20_000) };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), expectBack), runs);
    fc.assert(fc.property(wild, fc.boolean(), expectBack), runs);
  });

  test("that are damaged give a chunk within the limits, or one error", () => {
    const chunks = wildContent(3).chunks.map((chunk) => toColumns(chunkBytes(chunk), chunk.snapshot !== null));
    const roll = random(8);
    let errors = 0;
    for (let i = 0; i < tries(3000, 300_000); i++) {
      const source = chunks[roll(chunks.length)]!;
      const columns = new Uint8Array(source.subarray(0, roll(8) === 0 ? roll(source.length) : source.length));
      for (let n = 1 + roll(4); n > 0 && columns.length > 0; n--)
        columns[roll(roll(2) === 0 ? Math.min(40, columns.length) : columns.length)] = roll(256);
      const outcome = outcomeOf(columns);
      if (outcome instanceof LayoutError) errors++;
      else expect(outcome.length).toBeLessThanOrEqual(columns.length * 4);
    }
    expect(errors).toBeGreaterThan(100);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        outcomeOf(new Uint8Array(bytes));
        outcomeOf(Uint8Array.of(1, ...bytes));
        outcomeOf(Uint8Array.of(2, ...bytes));
      }),
      { numRuns: tries(400, 20_000) },
    );
  });

  test.each([
    ["another version", [3], "expected version 1 or 2, found 3"],
    ["forecasts of too few", [2, 9, ...lengths({ 3: 1, 4: 1, 5: 1 }), 0, 5, 0, 0], "forecasts of 1 entities: found 0"],
    ["a forecast of another kind", [2, 9, ...lengths({ 3: 1, 4: 1, 5: 1 }), 1, 5, 0, 0, 8], "no forecast 8"],
    [
      "a forecast number that is too large",
      [2, 20, ...lengths({ 3: 1, 4: 1, 5: 1, 6: 1, 12: 3 }), 1, 5, 0, 1, 0x80, 0x80, 0x80, 0x7f, 1],
      "is out of range",
    ],
    ["a chunk that is longer than its columns can tell", [1, 90, ...lengths({})], "columns, length: expected at most"],
    ["a stream beyond the end", [1, 5, ...lengths({ 3: 9 })], "stream 3"],
    ["bytes behind", [1, 1, ...lengths({ 0: 1 }), 7, 7], "1 bytes follow"],
    ["a chunk that is shorter than stated", [1, 2, ...lengths({ 0: 1 }), 7], "columns, length: expected 1, found 2"],
    ["a chunk that is longer than stated", [1, 1, ...lengths({ 0: 2 }), 7, 7], "columns, length: expected 2, found 1"],
    ["a mover that is no entity", [1, 9, ...lengths({ 3: 1, 4: 1, 5: 1 }), 5, 1, 0], "stream 4"],
    ["fewer movers than moves", [1, 9, ...lengths({ 3: 1, 4: 1, 5: 2 }), 5, 0, 0, 0], "stream 4"],
    ["moves that the outline does not have", [1, 9, ...lengths({ 3: 1, 4: 1, 5: 1 }), 5, 0, 0], "stream 4"],
    ["numbers that no mask has", [1, 9, ...lengths({ 6: 1 }), 5], "stream 6"],
    ["numbers that end too early", [1, 9, ...lengths({ 3: 1, 4: 1, 5: 1, 6: 1 }), 5, 0, 1, 0x80], "stream 12"],
    ["an event that is not there", [1, 9, ...lengths({ 1: 3 }), 1, 1, 4], "stream 2"],
    ["an outline that ends early", [1, 9, ...lengths({ 1: 2 }), 1, 1], "stream 1"],
    ["more events than a record has", [1, 9, ...lengths({ 1: 4 }), 1, 0x80, 0x80, 4], "65536 events"],
  ])("refuse %s", (_, bytes, message) => {
    const outcome = outcomeOf(Uint8Array.from(bytes));
    expect(outcome).toBeInstanceOf(LayoutError);
    expect((outcome as LayoutError).message).toContain(message);
  });

  test("of little length ask for little memory", () => {
    const reported = new ByteBuilder();
    reported.u8(1);
    writeVarInt(reported, LIMITS.uncompressed + 1);
    for (const byte of lengths({ 0: 1 })) reported.u8(byte);
    const huge = new Uint8Array(LIMITS.uncompressed / 2);
    huge.set(reported.u8(0).take());
    for (const columns of [huge, huge.slice(0, 30)])
      expect(String(outcomeOf(columns))).toMatch(/columns, length: expected at most/);
  });
});

/** Lengths of 19 streams, each below 128. */
function lengths(reported: Readonly<Record<number, number>>): number[] {
  return Array.from({ length: 19 }, (_, stream) => reported[stream] ?? 0);
}

describe("a file with flag COLUMNS", () => {
  const open = (bytes: Uint8Array): Promise<Recording> =>
    openRecording(bundleOfFiles({ "a.hcrp": bytes }), { formats: [hcrp] });

  test("has the messages of one without", async () => {
    await using plain = await open(compacted(zstd, walk()));
    await using columns = await open(compacted(zstd, walk(), { columns: true }));
    expect(await messages(columns)).toEqual(await messages(plain));
    expect(columns.findings).toEqual([]);
  });

  test("is read all the same when its header is damaged beyond repair, as is one without", async () => {
    await using plain = await open(compacted(zstd, walk()));
    const expected = await messages(plain);
    for (const columns of [true, false])
      for (const flags of [5, 8 | 5, 4, 0]) {
        const bytes = compacted(zstd, walk(), { columns });
        bytes[6] = flags;
        // of what the header says of time and world nothing is left
        bytes.fill(0x5a, 10, 44);
        await using recording = await open(bytes);
        expect(await messages(recording), `${columns} ${flags}`).toEqual(expected);
      }
  });

  test("is written again as one without", async () => {
    const written = async (columns: boolean): Promise<Uint8Array> => {
      await using recording = await open(compacted(zstd, walk(), { columns }));
      const files = new MemoryFiles("b.hcrp");
      await rewrite(recording, writing, files);
      return files.bytes;
    };
    expect(await written(true)).toEqual(await written(false));
  });

  test("whose frames are not in columns has damaged chunks", async () => {
    const header = (
      each: Parameters<NonNullable<Parameters<typeof compacted>[2]>["header"] & object>[0],
    ): typeof each => ({
      ...each,
      flags: each.flags | 8,
    });
    await using recording = await open(compacted(zstd, walk(), { header }));
    expect(await messages(recording)).toEqual([]);
    expect(recording.findings.map(({ code }) => code)).toContain("damaged-chunk");
  });
});

async function messages(recording: Recording): Promise<string[]> {
  const reported: string[] = [];
  for await (const batch of recording.batches())
    for (let i = 0; i < batch.length; i++)
      reported.push(`${batch.time[i]} ${batch.channel[i]} ${Buffer.from(batch.payload(i)).toString("hex")}`);
  return reported;
}

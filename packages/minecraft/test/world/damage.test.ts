import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { memoryStore } from "simtape";
import { NBT, nbtCompound, type NbtTag, nbtText, writeNbt } from "simtape/kit";
import { decodeChunk, encodeChunk, type WorldName, WorldReader } from "simtape/world";
import { expect, test } from "vitest";
import { anvilChunk } from "../../src/world/anvil.ts";
import { Damage } from "../../src/world/damage.ts";
import { importWorld, type WorldImportReport } from "../../src/world/folder.ts";
import { int, listOf, oldChunk, packed, regionFile } from "../support/anvil.ts";
import { Folder } from "../support/demo.ts";

const WORLD: WorldName = { id: "5ba7a26a-0e4d-4b9c-8155-0123456789ab", version: "00".repeat(16) };
const OVERWORLD = "minecraft:overworld";
const GOOD = [0, 1, 2, 3].map((x) => ({ x, z: 0, kind: 2, bytes: deflateSync(oldChunk({ x })) }));
const REGION = regionFile(GOOD);

/** What comes of a region file, and the numbers (x) of the chunks that are in the store then. */
async function taken(folder: Folder, bytes: Uint8Array): Promise<{ report: WorldImportReport; there: number[] }> {
  writeFileSync(folder.at("r.0.0.mca"), bytes);
  const store = memoryStore();
  const report = await importWorld(folder.path, store, WORLD);
  const region = await new WorldReader(store, WORLD).region(OVERWORLD, 0, 0);
  const there = region === null ? [] : [...region].map(({ x, z }) => x + 32 * z);
  const problems = [];
  for await (const problem of new WorldReader(store, WORLD).check()) problems.push(problem);
  expect([problems, there.length]).toEqual([[], report.chunks]);
  return { report, there };
}

test("whatever byte of the tables is another: the other chunks come in, and each that does not is named", async () => {
  using folder = new Folder();
  const flaw = fc.record({ at: fc.nat(4 * 4 - 1), byte: fc.nat(255) });
  await fc.assert(
    fc.asyncProperty(flaw, async ({ at, byte }) => {
      const bytes = Buffer.from(REGION);
      bytes[at] = byte;
      const { report, there } = await taken(folder, bytes);
      const hit = at >> 2;
      expect(there.filter((x) => x !== hit)).toEqual([0, 1, 2, 3].filter((x) => x !== hit));
      const named = report.damaged.map(({ file, x, z, reason }) => [file, x, z, reason.length > 5]);
      expect(named).toEqual(there.includes(hit) ? [] : [["r.0.0.mca", hit, 0, true]]);
    }),
    { numRuns: 80 },
  );
  // a place of which there is none
  for (const at of [4 * 9, 4 * 500 + 1, 4 * 1023 + 3]) {
    const bytes = Buffer.from(REGION);
    bytes[at] = 1;
    const { report, there } = await taken(folder, bytes);
    expect([there.length, report.damaged.map(({ x, z }) => x! + 32 * z!)]).toEqual([4, [at >> 2]]);
  }
  // when a chunk was written does not matter
  const bytes = Buffer.from(REGION).fill(0xee, 4096, 8192);
  expect((await taken(folder, bytes)).report).toMatchObject({ chunks: 4, damaged: [] });
});

test("whatever byte of a chunk is another, and wherever the file ends: the chunks before it come in", async () => {
  using folder = new Folder();
  const end = 8192 + 3 * 4096 + 5 + GOOD[3]!.bytes.length;
  const flaw = fc.record({ at: fc.integer({ min: 8192, max: end - 1 }), byte: fc.nat(255), isCut: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(flaw, async ({ at, byte, isCut }) => {
      const bytes = Buffer.from(REGION);
      bytes[at] = byte;
      const { report, there } = await taken(folder, isCut ? bytes.subarray(0, at) : bytes);
      const hit = Math.floor((at - 8192) / 4096);
      const whole = [0, 1, 2, 3].filter((x) => (isCut ? x < hit : x !== hit));
      expect(there).toEqual(expect.arrayContaining(whole));
      expect([...there, ...report.damaged.map(({ x }) => x)].sort((a, b) => a! - b!)).toEqual([0, 1, 2, 3]);
    }),
    { numRuns: 80 },
  );
  for (const length of [1, 17, 4095]) {
    const { report } = await taken(folder, REGION.subarray(0, length));
    expect([report.chunks, report.damaged]).toEqual([
      0,
      [{ file: "r.0.0.mca", x: null, z: null, reason: "the file ends within the table of chunks" }],
    ]);
  }
  // the game leaves such behind
  expect((await taken(folder, Buffer.alloc(0))).report).toMatchObject({ chunks: 0, damaged: [] });
  expect((await taken(folder, REGION.subarray(0, 4096))).report.damaged).toHaveLength(4);
});

function newChunk(x: number, more: Readonly<Record<string, NbtTag>>): Uint8Array {
  const place = { DataVersion: int(3953), xPos: int(x), zPos: int(0), Status: nbtText("full") };
  return writeNbt({ root: nbtCompound({ ...place, ...more }), name: nbtText("") });
}

function section(y: number, more: Readonly<Record<string, NbtTag>>): NbtTag {
  return nbtCompound({ Y: int(y), ...more });
}

function states(names: readonly string[], data: NbtTag | null, properties?: NbtTag): NbtTag {
  const list = names.map((name) =>
    nbtCompound({ Name: nbtText(name), ...(properties === undefined ? {} : { Properties: properties }) }),
  );
  return nbtCompound({ palette: listOf(...list), ...(data === null ? {} : { data }) });
}

test("chunks that are not what they should be are named with the reason", async () => {
  using folder = new Folder();
  const stone = { block_states: states(["minecraft:stone"], null) };
  const cells = (of: number): NbtTag => packed(new Array<number>(4096).fill(of), 4, false);
  const nested = { more: { deep: Array.from({ length: 600 }).reduce<NbtTag>((of) => listOf(of), int(1)) } };
  const cases: [reason: string | RegExp, Uint8Array][] = [
    ["it says that it is at 7, 0", newChunk(7, { sections: listOf(section(0, stone)) })],
    ["a chunk of before 1.13, which has numbers for names", oldChunk({ x: 1, dataVersion: 1343 })],
    [
      "a chunk that does not say where it is",
      writeNbt({ root: nbtCompound({ DataVersion: int(3953) }), name: nbtText("") }),
    ],
    [/^a chunk of before 1.13/, writeNbt({ root: nbtCompound({}), name: nbtText("") })],
    [
      "sections from -2147483648 to 2147483647",
      newChunk(4, { sections: listOf(section(2 ** 31 - 1, stone), section(-(2 ** 31), stone)) }),
    ],
    [
      "the palette of 2 has no 2",
      newChunk(5, { sections: listOf(section(0, { block_states: states(["a", "b"], cells(2)) })) }),
    ],
    [
      "a palette of 2 and nothing that says what is where",
      newChunk(6, { sections: listOf(section(0, { block_states: states(["a", "b"], null) })) }),
    ],
    [
      "256 longs for numbers of 5 bits, not 342",
      newChunk(7, {
        sections: listOf(section(0, { block_states: states(new Array<string>(17).fill("a"), cells(2)) })),
      }),
    ],
    ["a palette of nothing", newChunk(8, { sections: listOf(section(0, { block_states: states([], null) })) })],
    [
      "a palette of more than 4096 blocks",
      newChunk(9, {
        sections: listOf(section(0, { block_states: states(new Array<string>(5000).fill("a"), cells(0)) })),
      }),
    ],
    [
      /^a block that is called ".*"$/,
      newChunk(10, { sections: listOf(section(0, { block_states: states(["minecraft:st\none"], null) })) }),
    ],
    [
      "properties that no block has: a",
      newChunk(11, {
        sections: listOf(section(0, { block_states: states(["a"], null, nbtCompound({ b: nbtText("c,d=e]") })) })),
      }),
    ],
    [
      `a biome that is called "${"x".repeat(100)}"`,
      newChunk(12, {
        sections: listOf(section(0, { ...stone, biomes: nbtCompound({ palette: listOf(nbtText("x".repeat(5000))) }) })),
      }),
    ],
    [/^NBT nested too deep/, oldChunk({ x: 13, ...nested })],
    ["NBT that begins with a tag 9", Buffer.from([9, 0, 0])],
    ["NBT of 0 bytes that goes on until 1", Buffer.alloc(0)],
  ];
  const slots = cases.map(([, bytes], x) => ({ x, z: 0, kind: 2, bytes: deflateSync(bytes) }));
  const { report, there } = await taken(
    folder,
    regionFile([...slots, { ...GOOD[0]!, z: 1, bytes: deflateSync(oldChunk({ z: 1 })) }]),
  );
  expect(there).toEqual([32]);
  expect(report.damaged.map(({ x, z }) => [x, z])).toEqual(cases.map((_, x) => [x, 0]));
  for (const [i, [reason]] of cases.entries()) expect(report.damaged[i]!.reason).toMatch(reason);
});

test("whatever byte of its NBT is another: a chunk that a store can give back, or damage", () => {
  const sign = nbtCompound({ id: nbtText("minecraft:sign"), x: int(3), y: int(60), z: int(3), Text: nbtText("a") });
  const half = packed(
    Array.from({ length: 4096 }, (_, i) => i & 1),
    4,
    false,
  );
  const biomes = nbtCompound({ palette: listOf(nbtText("minecraft:desert")) });
  const sections = listOf(section(-4, { block_states: states(["minecraft:stone", "minecraft:dirt"], half), biomes }));
  const whole = Buffer.from(newChunk(0, { sections, block_entities: listOf(sign, sign) }));
  // not in the array of longs, of which any byte may be any
  const longs = whole.indexOf(Buffer.from("data")) + 8;
  const at = fc.nat(whole.length - 1).filter((place) => place < longs || place >= longs + 2048);
  let taken = 0;
  fc.assert(
    fc.property(fc.array(fc.record({ at, byte: fc.nat(255) }), { minLength: 1, maxLength: 3 }), (flaws) => {
      const bytes = Buffer.from(whole);
      for (const flaw of flaws) bytes[flaw.at] = flaw.byte;
      try {
        const placed = anvilChunk(bytes);
        if (placed === null) return;
        decodeChunk(encodeChunk(placed.chunk));
        taken++;
      } catch (error) {
        expect(error).toBeInstanceOf(Damage);
      }
    }),
    { numRuns: 600 },
  );
  expect(taken).toBeGreaterThan(30);
});

test("little that becomes much is refused before it is there", async () => {
  using folder = new Folder();
  const zeros = Buffer.alloc(48 << 20);
  // a list of 30 million bytes, each of which would be a value
  const many = Buffer.concat([
    Buffer.from([10, 0, 0, 9, 0, 1, 0x61, 1, 1, 0xc9, 0xc3, 0x80]),
    Buffer.alloc(31_000_000),
  ]);
  const claims = Buffer.from([10, 0, 0, 12, 0, 1, 0x61, 0x7f, 0xff, 0xff, 0xff]);
  const block = Buffer.alloc(21);
  block.write("LZ4Block\x26");
  block.writeUInt32LE(0x7fffffff, 13);
  const slots = [
    { kind: 1, bytes: gzipSync(zeros) },
    { kind: 2, bytes: deflateSync(zeros) },
    { kind: 2, bytes: deflateSync(many) },
    { kind: 3, bytes: claims },
    { kind: 4, bytes: block },
    { kind: 0x82, bytes: Buffer.alloc(0) },
    { kind: 0x82, bytes: Buffer.alloc(0) },
  ].map((of, x) => ({ ...of, x, z: 0 }));
  writeFileSync(folder.at("c.5.0.mcc"), "");
  // a gigabyte of nothing
  truncateSync(folder.at("c.5.0.mcc"), 2 ** 30);
  mkdirSync(folder.at("c.6.0.mcc"));
  const before = process.memoryUsage();
  const { report } = await taken(
    folder,
    regionFile([...slots, { ...GOOD[0]!, z: 1, bytes: deflateSync(oldChunk({ z: 1 })) }]),
  );
  const after = process.memoryUsage();
  expect(report.chunks).toBe(1);
  expect(report.damaged.map(({ x, reason }) => [x, reason])).toEqual([
    [0, "more than 32 MiB"],
    [1, "more than 32 MiB"],
    [2, "a chunk of before 1.13, which has numbers for names"],
    [3, "NBT of 11 bytes that goes on until 17179869187"],
    [4, "a block of LZ4 with 0 bytes for 2147483647"],
    [5, "c.5.0.mcc: 1073741824 bytes"],
    [6, expect.stringMatching(/^c.6.0.mcc: \d+ bytes$/)],
  ]);
  expect(after.heapTotal - before.heapTotal).toBeLessThan(64 << 20);
});

test("a file that cannot be read is named, and the others come in", async () => {
  using folder = new Folder();
  writeFileSync(folder.at("r.0.0.mca"), REGION);
  symlinkSync(join(folder.path, "r.1.0.mca"), folder.at("r.1.0.mca"));
  symlinkSync("nowhere", folder.at("r.2.0.mca"));
  symlinkSync("/dev/zero", folder.at("r.3.0.mca"));
  writeFileSync(folder.at("r.4.0.mca"), REGION);
  chmodSync(folder.at("r.4.0.mca"), 0);
  // a folder of that name is no file of the game
  mkdirSync(folder.at("r.5.0.mca"));
  const report = await importWorld(folder.path, memoryStore(), WORLD);
  const reasons = Object.fromEntries(
    report.damaged.map(({ file, x, z, reason }) => [file, x === null && z === null ? reason : ""]),
  );
  // who may read all files finds chunks of another place there
  const denied = process.getuid?.() === 0 ? "" : "EACCES: permission denied";
  expect(reasons).toEqual({
    "r.1.0.mca": "ELOOP: too many symbolic links encountered",
    "r.2.0.mca": "ENOENT: no such file or directory",
    "r.3.0.mca": "not a file",
    "r.4.0.mca": denied,
  });
  expect(report.chunks).toBe(4);
});

test("what a store refuses ends the import", async () => {
  using folder = new Folder();
  writeFileSync(folder.at("r.0.0.mca"), REGION);
  const store = memoryStore();
  const full = {
    ...store,
    head: store.head.bind(store),
    put: () => Promise.reject(new Error("no room")),
  } as typeof store;
  await expect(importWorld(folder.path, full, WORLD)).rejects.toThrow("no room");
});

test("chunks of files for entities are no chunks of blocks", async () => {
  using folder = new Folder();
  const position = { type: NBT.intArray, value: Int32Array.of(0, 0) } as const;
  const root = nbtCompound({ DataVersion: int(3953), Position: position, Entities: listOf() });
  const bytes = writeNbt({ root, name: nbtText("") });
  const { report } = await taken(folder, regionFile([{ x: 0, z: 0, kind: 3, bytes }]));
  expect(report.damaged.map(({ reason }) => reason)).toEqual(["a chunk that does not say where it is"]);
});

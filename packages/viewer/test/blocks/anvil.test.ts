import fc from "fast-check";
import { zipSync } from "fflate";
import { memory } from "simtape/kit";
import type { WorldChunk } from "simtape/world";
import { describe, expect, test } from "vitest";
import { tries } from "../../../simtape/test/soak.ts";
import { anvilChunk } from "../../src/blocks/anvil/anvil-chunk.ts";
import { RegionFile } from "../../src/blocks/anvil/region-file.ts";
import { Regions } from "../../src/blocks/anvil/regions.ts";
import { kindOf } from "../../src/world/registry.ts";
import { type BlockAt, chunkNbt, type ChunkToWrite, compound, int, regionFile, regionOf } from "./anvil-writer.ts";

/** Data versions: 1.13, 1.15.2, 1.16, 1.17.1, 1.18, 1.21.4. */
const VERSIONS = [1519, 2230, 2566, 2730, 2860, 4189] as const;
const NAMES = ["air", "stone", "grass_block[snowy=false]", "oak_stairs[facing=north,half=top]", "water[level=0]"].map(
  (name) => `minecraft:${name}`,
);

/** Of so many names; the same place always has the same one. */
function ofNames(count: number, seed = 0): BlockAt {
  return (x, y, z) => {
    const hash = (Math.imul(x, 73_856_093) ^ Math.imul(y + seed, 19_349_663) ^ Math.imul(z, 83_492_791)) >>> 0;
    const number = hash % count;
    return NAMES[number] ?? `minecraft:block_${number}`;
  };
}

function nameAt({ minSection, sections }: WorldChunk, x: number, y: number, z: number): string | undefined {
  const cells = sections[Math.floor(y / 16) - minSection]?.blocks;
  return cells?.palette[cells.indices?.[((y & 15) << 8) | ((z & 15) << 4) | (x & 15)] ?? 0];
}

function folderOf(files: Readonly<Record<string, Uint8Array>>, name = "region"): Regions {
  return new Regions({
    kind: "files",
    name,
    files: Object.entries(files).map(([path, bytes]) => new File([bytes as Uint8Array<ArrayBuffer>], path)),
  });
}

describe("a region file", () => {
  test.each(VERSIONS.flatMap((version) => [1, 2, 5, 17, 300].map((count) => [version, count] as const)))(
    "of data version %i with %i blocks says what is where",
    async (dataVersion, count) => {
      const at = ofNames(count);
      const sections = dataVersion < 2844 ? [0, 3, 15] : [-4, 0, 19];
      const regions = folderOf({ "r.-1.0.mca": regionFile([{ x: -3, z: 7, at, sections, dataVersion }]) });
      const chunk = (await regions.chunk(-3, 7))!;
      expect(chunk.dataVersion).toBe(dataVersion);
      for (const section of sections)
        for (let i = 0; i < 4096; i++) {
          const [x, y, z] = [-48 + (i & 15), 16 * section + (i >> 8), 112 + ((i >> 4) & 15)];
          if (nameAt(chunk, x, y, z) !== at(x, y, z)) expect(nameAt(chunk, x, y, z)).toBe(at(x, y, z));
        }
      // between them is air, beside them nothing
      expect(nameAt(chunk, 0, 16 * (sections[0]! + 1), 0)).toBe("minecraft:air");
      expect(nameAt(chunk, 0, 16 * 30, 0)).toBeUndefined();
      expect(await regions.chunk(-4, 7)).toBeNull();
      expect(await regions.chunk(40, 7)).toBeNull();
    },
  );

  test.each(["gzip", "zlib", "none", "lz4", "lz4-stored"] as const)(
    "is read when chunks are packed by %s",
    async (packing) => {
      const at = ofNames(40);
      const chunks = [0, 1, 31].map((x): ChunkToWrite => ({ x, z: 31, at, sections: [4], dataVersion: 3465, packing }));
      const regions = folderOf({ "r.0.0.mca": regionFile(chunks) });
      for (const x of [0, 1, 31])
        expect(nameAt((await regions.chunk(x, 31))!, 16 * x + 5, 70, 500)).toBe(at(16 * x + 5, 70, 500));
    },
  );

  test("may have a chunk in a file of its own", async () => {
    const chunk = { x: 2, z: 3, at: ofNames(5), sections: [0], dataVersion: 3465 };
    const file = regionFile([{ ...chunk, packing: "none" }]);
    file.writeUInt32BE(1, 8192);
    file.writeUInt8(0x83, 8196);
    const beside = { "c.2.3.mcc": chunkNbt(chunk) };
    expect(nameAt((await folderOf({ "r.0.0.mca": file, ...beside }).chunk(2, 3))!, 33, 1, 49)).toBe(
      chunk.at(33, 1, 49),
    );
    await expect(folderOf({ "r.0.0.mca": file }).chunk(2, 3)).rejects.toThrow(/^chunk 2, 3: .* is missing/);
  });

  test("may have bytes behind the document of a chunk", async () => {
    const chunk = { x: 0, z: 0, at: ofNames(5), sections: [0], dataVersion: 3465 };
    const nbt = Buffer.concat([chunkNbt(chunk), Buffer.alloc(72, 7)]);
    const found = (await folderOf({ "r.0.0.mca": regionOf([{ x: 0, z: 0, nbt }]) }).chunk(0, 0))!;
    expect(nameAt(found, 3, 4, 5)).toBe(chunk.at(3, 4, 5));
  });

  test("has nothing of a chunk that the game has not finished, and may be empty", async () => {
    const chunk = { x: 0, z: 0, at: ofNames(5), sections: [0], dataVersion: 3465, status: "carvers" };
    expect(await folderOf({ "r.0.0.mca": regionFile([chunk]) }).chunk(0, 0)).toBeNull();
    expect(await folderOf({ "r.0.0.mca": new Uint8Array() }).chunk(0, 0)).toBeNull();
  });
});

describe("what is wrong is said, and the other chunks are read:", () => {
  const at = ofNames(30);
  const good: ChunkToWrite = { x: 1, z: 0, at, sections: [0], dataVersion: 3465 };
  const sound = regionFile([{ ...good, x: 0 }, good]);

  async function expectDamage(file: Buffer, message: RegExp): Promise<void> {
    const regions = folderOf({ "r.0.0.mca": file });
    await expect(regions.chunk(0, 0)).rejects.toThrow(message);
    expect(nameAt((await regions.chunk(1, 0))!, 20, 3, 4)).toBe(at(20, 3, 4));
  }

  function changed(change: (file: Buffer) => void): Buffer {
    const file = Buffer.from(sound);
    change(file);
    return file;
  }

  test.each<[string, (file: Buffer) => void, RegExp]>([
    [
      "a place in the table of chunks",
      (file) => file.writeUInt32BE(0x00_00_01_01, 0),
      /^chunk 0, 0: 1 sectors at byte 4096/,
    ],
    ["a place beyond the end", (file) => file.writeUInt32BE(0x7f_ff_ff_01, 0), /^chunk 0, 0: 1 sectors at byte/],
    ["a length of 4 GiB", (file) => file.writeUInt32BE(0xffff_ffff, 8192), /^chunk 0, 0: 4294967295 bytes in/],
    ["a compression that is not known", (file) => file.writeUInt8(9, 8196), /not known: 9/],
    ["a damaged stream", (file) => file.fill(0xa5, 8220, 8260), /^chunk 0, 0: its zlib stream is damaged/],
  ])("%s", async (_, change, message) => {
    await expectDamage(changed(change), message);
  });

  test("numbers for names, as before 1.13, once for the file", async () => {
    const nbt = Buffer.concat([
      Buffer.from([10, 0, 0]),
      compound({ DataVersion: int(1343), Level: compound({}) }).body,
    ]);
    const file = regionOf([
      { x: 0, z: 0, nbt },
      { x: 1, z: 0, nbt: chunkNbt(good) },
    ]);
    await expectDamage(file, /^r\.0\.0\.mca: it is too old/);
  });

  test("a chunk that says that it is elsewhere", async () => {
    const file = regionOf([
      { x: 0, z: 0, nbt: chunkNbt({ ...good, x: 5 }) },
      { x: 1, z: 0, nbt: chunkNbt(good) },
    ]);
    await expectDamage(file, /^chunk 0, 0: it says that it is at 5, 0/);
  });

  test("more than it may have when it is unpacked", async () => {
    const file = regionOf([
      { x: 0, z: 0, nbt: Buffer.alloc(40 << 20) },
      { x: 1, z: 0, nbt: chunkNbt(good) },
    ]);
    await expectDamage(file, /^chunk 0, 0: it has more than 32 MiB/);
  });

  test("a file that ends within its table", async () => {
    await expect(folderOf({ "r.0.0.mca": sound.subarray(0, 3000) }).chunk(0, 0)).rejects.toThrow(
      /^r\.0\.0\.mca: the file ends/,
    );
  });
});

describe("a zip of region files", () => {
  const at = ofNames(30);
  const region = (): Buffer => regionFile([{ x: 2, z: 3, at, sections: [0], dataVersion: 3465 }]);

  test("has the chunks of its folder of blocks, and no others", async () => {
    const zip = zipSync({
      "save/entities/r.0.0.mca": Buffer.from("of something else"),
      "save/region/r.0.0.mca": region(),
      "save/region/r.1.0.mca": regionFile([]),
    });
    const regions = folderOf({ "run.region.zip": zip }, "run.region.zip");
    expect(nameAt((await regions.chunk(2, 3))!, 37, 5, 60)).toBe(at(37, 5, 60));
    expect(await regions.chunk(3, 3)).toBeNull();
    expect(await regions.chunk(-1, 3)).toBeNull();
    expect(kindOf("run.region.zip")?.id).toBe("regions");
    expect(kindOf("pack.zip")?.id).toBe("textures");
  });

  test("that is none or damaged says so", async () => {
    for (const bytes of [Buffer.from("no zip at all"), Buffer.alloc(64 << 20), Buffer.alloc(0)]) {
      const none = folderOf({ "a.region.zip": bytes }, "a.region.zip");
      await expect(none.chunk(2, 3)).rejects.toThrow(/^a\.region\.zip is no zip$/);
    }
    const zip = zipSync({ "r.0.0.mca": region() });
    zip.fill(0x55, 60, 400);
    await expect(folderOf({ "b.region.zip": zip }, "b.region.zip").chunk(2, 3)).rejects.toThrow(/^r\.0\.0\.mca: /);
  });
});

test("a region file that is cut or changed anywhere gives chunks or errors in words, and never hangs", async () => {
  const at = ofNames(12);
  const sound = regionFile(
    (["zlib", "none", "lz4", "gzip"] as const).map((packing, x) => ({
      x,
      z: 0,
      at,
      sections: [0, 1],
      dataVersion: 3465,
      packing,
    })),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.nat(sound.length),
      fc.array(
        fc.tuple(fc.oneof(fc.nat(60), fc.integer({ min: 8192, max: 8300 }), fc.nat(sound.length - 1)), fc.nat(255)),
        { maxLength: 6 },
      ),
      fc.boolean(),
      async (length, changes, isCut) => {
        const file = Buffer.from(sound.subarray(0, isCut ? length : undefined));
        for (const [place, value] of changes) if (place < file.length) file[place] = value;
        const opened = await RegionFile.open(memory(file, "r.0.0.mca")).catch((error: Error) => error.name);
        if (typeof opened === "string") {
          expect(opened).toBe("LayoutError");
          return;
        }
        for (let x = 0; x < 4; x++) {
          const nbt = await opened.chunk(x, 0, async () => null).catch((error: Error) => error.name);
          if (typeof nbt === "string") expect(nbt).toBe("LayoutError");
          else if (nbt !== null) expect(() => outcomeOf(nbt)).not.toThrow();
        }
      },
    ),
    { numRuns: tries(60, 2000) },
  );
});

/** Throws what no damaged chunk should throw. */
function outcomeOf(nbt: Uint8Array): void {
  try {
    anvilChunk(nbt);
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== "LayoutError" && !message.startsWith("it is too old")) throw error;
  }
}

test("a folder is of the dimension that its path names, else of the overworld or a world of the server's own", () => {
  const isOf = (name: string, dimension: string): boolean => folderOf({}, name).isOf(`minecraft:${dimension}`);
  expect(["overworld", "the_nether", "parkour"].map((dimension) => isOf("save/region", dimension))).toEqual([
    true,
    false,
    true,
  ]);
  expect(["overworld", "the_nether", "the_end"].map((dimension) => isOf("save/DIM-1/region", dimension))).toEqual([
    false,
    true,
    false,
  ]);
  expect(["overworld", "the_end"].map((dimension) => isOf("save/DIM1/region", dimension))).toEqual([false, true]);
  expect(
    ["overworld", "parkour"].map((dimension) => isOf("save/dimensions/minecraft/parkour/region", dimension)),
  ).toEqual([false, true]);
});

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readZstdFrameHeader, zstdDictionaryId } from "../../src/codec/zstd.ts";
import { MemoryFiles } from "../../src/index.ts";
import { loadZstd } from "../../src/kit.ts";
import { demo } from "../../../demo/src/hcrp.ts";
import { StrictSource } from "../../src/record/compact/source.ts";
import { trainDictionary } from "../../src/record/dictionary/dictionary.ts";
import { huffmanDescription, normalized, tableDescription } from "../../src/record/dictionary/tables.ts";
import { traceRecording, traceRows } from "./trace.ts";
import { bundleOfMemory, random } from "./wild.ts";

/** Whether zstd's own command is there. */
const HAS_ZSTD = ((): boolean => {
  try {
    execFileSync("zstd", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

async function chunksOf(files: MemoryFiles): Promise<Uint8Array[]> {
  const source = await StrictSource.open(bundleOfMemory(files), {});
  const chunks: Uint8Array[] = [];
  for await (const { columns } of source.chunks()) chunks.push(columns!.bytes);
  await source.close();
  return chunks;
}

/** Races of three seconds, one player each. */
async function races(seeds: readonly number[]): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  for (const seed of seeds) {
    const files = new MemoryFiles("race.hcrp");
    await demo({ seconds: 3, entities: 1, seed }, files);
    found.push(...(await chunksOf(files)));
  }
  return found;
}

const seeds = (from: number): number[] => Array.from({ length: 8 }, (_, i) => from + i);

describe("dictionaries", () => {
  test("make recordings of a few seconds smaller, also those they were not made from", async () => {
    const zstd = await loadZstd();
    const dictionary = trainDictionary(zstd, await races(seeds(1)), { id: 40_000 });
    expect(dictionary.length).toBeLessThanOrEqual(4096);
    expect(zstdDictionaryId(dictionary)).toBe(40_000);
    for (const level of [3, 19]) {
      let [plain, shorter] = [0, 0];
      for (const chunk of await races(seeds(500))) {
        const frame = zstd.compress(chunk, { level, dictionary });
        expect(readZstdFrameHeader(frame).dictionaryId).toBe(40_000);
        expect(zstd.decompress(frame, { size: chunk.length, dictionary })).toEqual(chunk);
        shorter += frame.length;
        plain += zstd.compress(chunk, { level }).length;
      }
      expect(shorter / plain).toBeLessThan(0.74);
    }
  });

  test("are the same bytes for the same samples", async () => {
    const zstd = await loadZstd();
    const samples = await races([1, 2, 3, 4]);
    const [a, b] = [1, 2].map(() => trainDictionary(zstd, samples, { id: 32_768, size: 2048 }));
    expect(a).toEqual(b);
  });

  test.runIf(HAS_ZSTD)("are taken by zstd itself, and do about as well as its own", async () => {
    const zstd = await loadZstd();
    const samples = await races(seeds(1));
    const dictionary = trainDictionary(zstd, samples, { id: 33_000 });
    const folder = mkdtempSync(join(tmpdir(), "simtape-dictionary-"));
    try {
      const path = (name: string): string => join(folder, name);
      writeFileSync(path("own.dict"), dictionary);
      for (const [i, sample] of samples.entries()) writeFileSync(path(`sample${i}`), sample);
      const names = samples.map((_, i) => path(`sample${i}`));
      execFileSync("zstd", ["-q", "--train", ...names, "--maxdict=4096", "-o", path("zstd.dict")], { stdio: "ignore" });
      let [own, theirs] = [0, 0];
      for (const [i, chunk] of (await races(seeds(500))).entries()) {
        writeFileSync(path("in"), chunk);
        const packed = (name: string): number => {
          execFileSync("zstd", ["-q", "-f", "-19", "-D", path(name), path("in"), "-o", path("out")]);
          return readFileSync(path("out")).length;
        };
        own += packed("own.dict");
        if (i === 0) {
          // a frame of zstd's, with our dictionary
          const frame = new Uint8Array(readFileSync(path("out")));
          expect(zstd.decompress(frame, { size: chunk.length, dictionary })).toEqual(chunk);
          // and one of ours for zstd
          writeFileSync(path("ours.zst"), zstd.compress(chunk, { level: 19, dictionary }));
          const out = execFileSync("zstd", ["-q", "-d", "-c", "-D", path("own.dict"), path("ours.zst")]);
          expect(new Uint8Array(out)).toEqual(chunk);
        }
        theirs += packed("zstd.dict");
      }
      expect(own / theirs).toBeLessThan(1.2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("of random statistics are tables that zstd takes", async () => {
    const zstd = await loadZstd();
    for (let seed = 1; seed <= 6; seed++) {
      const roll = random(seed);
      // a few bytes are common, the more so the larger the seed
      const byte = (): number => (roll(10) < seed % 10 ? roll(1 + (seed % 7)) : roll(256));
      const samples = Array.from({ length: 6 }, () => Uint8Array.from({ length: 200 + roll(900) }, byte));
      for (const sample of samples) sample.set(new TextEncoder().encode("minecraft:something_long_enough"), roll(100));
      const dictionary = trainDictionary(zstd, samples, { id: 50_000 + seed, size: 512 + roll(3000) });
      for (const level of [1, 3, 19]) {
        const frame = zstd.compress(samples[0]!, { level, dictionary });
        expect(zstd.decompress(frame, { size: samples[0]!.length, dictionary })).toEqual(samples[0]);
      }
    }
  });

  test("are refused an id that is not theirs, a size that cannot be, and too little to go by", async () => {
    const zstd = await loadZstd();
    const samples = await races([1, 2]);
    expect(() => trainDictionary(zstd, samples, { id: 32_767 })).toThrow(/32768 to 65535/);
    expect(() => trainDictionary(zstd, samples, { id: 40_000, size: 10 })).toThrow(/512 to/);
    expect(() => trainDictionary(zstd, samples.slice(0, 1), { id: 40_000 })).toThrow(/1 samples/);
    const strangers = [
      Uint8Array.from({ length: 99 }, (_, i) => i),
      Uint8Array.from({ length: 99 }, (_, i) => 255 - i),
    ];
    expect(() => trainDictionary(zstd, strangers, { id: 40_000 })).toThrow(/nothing in common/);
  });

  test("have probabilities that fill their table", () => {
    for (const counts of [[1, 1], [1000, 1, 1, 1], Array.from({ length: 53 }, (_, i) => 1 + i * i)]) {
      const shares = normalized(counts, 9);
      expect(shares.reduce((sum, share) => sum + share)).toBe(512);
      expect(Math.min(...shares)).toBeGreaterThan(0);
    }
    // 4 bits for accuracy 5, then 17 in 5 bits, and 17 + 14 in 5 bits of what is left
    expect([...tableDescription([16, 16], 5)]).toEqual([0x10, 0x3f]);
    expect(huffmanDescription(Array.from({ length: 256 }, () => 1))[0]).toBeLessThan(128);
  });
});

const rows = traceRows();

describe.runIf(rows !== null)("a dictionary from real movement", () => {
  test("makes three seconds of other players smaller", async () => {
    const zstd = await loadZstd();
    const pieces = async (players: readonly number[]): Promise<Uint8Array[]> => {
      const found: Uint8Array[] = [];
      for (const player of players) {
        const options = { players: [player], from: 202, to: 2002, chunkTicks: 60 };
        found.push(...(await chunksOf(await traceRecording(rows!, options))));
      }
      return found;
    };
    const dictionary = trainDictionary(zstd, await pieces([0, 1, 3]), { id: 60_000 });
    let [plain, shorter] = [0, 0];
    for (const chunk of await pieces([4, 5, 7])) {
      plain += zstd.compress(chunk).length;
      shorter += zstd.compress(chunk, { dictionary }).length;
    }
    expect(shorter / plain).toBeLessThan(0.95);
  });
});

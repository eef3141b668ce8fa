/**
 * Reads mutated copies of every fixture and sample: `npm run fuzz -- [COUNT] [FORMAT…] [--seed N] [--repair]`, COUNT
 * copies for each format. Each copy must end in a typed error or in findings, within 2 s of processor time and without
 * a single allocation above 64 MiB. With `--repair` each copy is also repaired, and the result must be sound. Every
 * second copy of MCAP is changed inside a chunk; the chunk's checksum and compression fit the change. Copy K of seed N
 * is copy 0 of seed N + K, so that a long run can be done in parts.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import type { Content, Layout } from "../packages/simtape/test/fixtures/mcap/make.ts";

const LONGEST_MS = 2000;
const LARGEST = 64 << 20;

let largest = 0;
for (const name of [
  "ArrayBuffer",
  "Uint8Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "Float32Array",
  "Float64Array",
] as const) {
  const original = globalThis[name] as unknown as new (...words: unknown[]) => ArrayBufferView | ArrayBuffer;
  const width = (original as unknown as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1;
  (globalThis as Record<string, unknown>)[name] = new Proxy(original, {
    construct(target, words, newTarget) {
      if (typeof words[0] === "number") largest = Math.max(largest, words[0] * width);
      return Reflect.construct(target, words, newTarget) as object;
    },
  });
}

const { mutate, mutation, readsOrRefuses } = await import("../packages/simtape/test/conformance/mutate.ts");

const { mends } = await import("../packages/simtape/test/conformance/mends.ts");

const root = fileURLToPath(new URL("..", import.meta.url));
const words = process.argv.slice(2);
const seedAt = words.indexOf("--seed");
const seed = seedAt < 0 ? Date.now() % 1e9 : Number(words.splice(seedAt, 2)[1]);
const repairAt = words.indexOf("--repair");
if (repairAt >= 0) words.splice(repairAt, 1);
const count = Number(words[0] ?? 1000);
const ids = words.length > 1 ? words.slice(1) : ["nanover", "carla", "mira", "mcap", "flightgear", "hcrp"];

function filesOf(folder: string): Record<string, Uint8Array> {
  const found: Record<string, Uint8Array> = {};
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isRecording = !/\.(md|ts|json|txt|csv|gz|mcpr)$/.test(name) && statSync(path).isFile();
    if (isRecording && statSync(path).size < 1_200_000) found[name] = new Uint8Array(readFileSync(path));
  }
  return found;
}

/** A file to change, with the files beside it. The first is the main file. */
interface Specimen {
  readonly files: Record<string, Uint8Array>;
  /** Makes the main file with changed records in one of its chunks. Absent if it has no chunks that can be changed. */
  readonly inside?: (changed: (records: Uint8Array) => Uint8Array, chunk: number) => Promise<Uint8Array>;
}

/** Only the first so many bytes of a chunk's records are changed, and only in the first so many chunks. */
const INSIDE = 4096;
const CHUNKS = 8;

let failures = 0;
process.stderr.write(`seed ${seed}\n`);
for (const id of ids) {
  const folders = [
    `packages/simtape/test/fixtures/${id}`,
    `../shared/samples/${id}`,
    `../shared/samples/${id}/variants`,
  ].map((path) => join(root, path));
  for (const folder of [...folders]) {
    if (existsSync(folder))
      for (const name of readdirSync(folder))
        if (statSync(join(folder, name)).isDirectory()) folders.push(join(folder, name));
  }
  const specimens: Specimen[] = [];
  for (const folder of new Set(folders)) {
    const files = filesOf(folder);
    for (const [name, bytes] of Object.entries(files)) specimens.push({ files: { [name]: bytes, ...files } });
  }
  if (id === "carla") {
    const { makeTown, RELEASES } = await import("../packages/simtape/test/fixtures/carla/make.ts");
    for (const release of RELEASES) specimens.push({ files: { "town.log": makeTown(release) } });
  }
  if (id === "mcap") {
    const { LAYOUTS } = await import("../packages/simtape/test/fixtures/mcap/layouts.ts");
    const { makeMcap } = await import("../packages/simtape/test/fixtures/mcap/make.ts");
    const { patrol } = await import("../packages/simtape/test/fixtures/mcap/patrol.ts");
    const { makeVariant, variants } = await import("../packages/simtape/test/fixtures/mcap/conformance.ts");
    const { flatbufferContent, otherContent } = await import("../packages/simtape/test/fixtures/mcap/payloads.ts");
    const { placed } = await import("../packages/simtape/test/fixtures/mcap/placed.ts");
    const add = async (name: string, content: Content, layout: Layout): Promise<void> => {
      const files = { [name]: await makeMcap(content, layout) };
      const inside: Specimen["inside"] = (changed, chunk) =>
        makeMcap(content, { ...layout, changed: (records, k) => (k === chunk ? changed(records) : records) });
      specimens.push(layout.chunk === undefined ? { files } : { files, inside });
    };
    for (const layout of Object.values(LAYOUTS)) await add("patrol.mcap", patrol(), layout);
    for (const content of [flatbufferContent(), otherContent(), placed()]) {
      for (const layout of [{}, { chunk: 7 }, { chunk: 7, compression: "zstd" as const }])
        await add("payloads.mcap", content, layout);
    }
    for (const variant of variants()) specimens.push({ files: { "variant.mcap": makeVariant(variant) } });
  }
  const chunked = specimens.filter(({ inside }) => inside !== undefined);
  let slowest = 0;
  let insides = 0;
  largest = 0;
  const began = Date.now();
  for (let run = 0; run < count; run++) {
    // Small files are chosen more often, because few mutations reach every field of them.
    const isOfChunks = chunked.length > 0 && (seed + run) % 2 === 0;
    const among = isOfChunks ? chunked : specimens;
    const weights = among.map(({ files }) => 1 / Math.sqrt(Object.values(files)[0]!.length + 100));
    const { files, inside } = pick(among, weights, seed + run);
    const [name, bytes] = Object.entries(files)[0]!;
    const isInside = isOfChunks && inside !== undefined;
    const mutations = fc.sample(
      fc.array(mutation(isInside ? Math.min(INSIDE, bytes.length) : bytes.length), { minLength: 1, maxLength: 4 }),
      { seed: seed + run, numRuns: 1 },
    )[0]!;
    const chunk = mutations[0]!.value % CHUNKS;
    const changed = isInside ? await inside((records) => mutate(records, mutations), chunk) : mutate(bytes, mutations);
    if (isInside) insides++;
    const where = isInside ? `${name}, in chunk ${chunk}` : name;
    const before = process.cpuUsage();
    try {
      const mutated = { ...files, [name]: changed };
      await readsOrRefuses(mutated);
      if (repairAt >= 0) await mends(mutated);
    } catch (error) {
      failures++;
      console.log(
        `${id} ${where} ${JSON.stringify(mutations)}, seed ${seed + run}\n  ${error instanceof Error ? error.stack : String(error)}`,
      );
    }
    const { user, system } = process.cpuUsage(before);
    const took = (user + system) / 1000;
    slowest = Math.max(slowest, took);
    if (took > LONGEST_MS) {
      failures++;
      console.log(`${id} ${where} took ${took.toFixed(0)} ms: ${JSON.stringify(mutations)}`);
    }
    if (largest > LARGEST) {
      failures++;
      console.log(`${id} ${where} asked for ${largest} bytes at once: ${JSON.stringify(mutations)}`);
      largest = 0;
    }
  }
  const perCopy = ((Date.now() - began) / count).toFixed(1);
  console.log(
    `${id}: ${count} mutated copies of ${specimens.length} files${insides > 0 ? `, ${insides} of them inside a chunk` : ""}, ${perCopy} ms each, slowest ${slowest.toFixed(0)} ms, largest allocation ${(largest / 2 ** 20).toFixed(1)} MiB`,
  );
}
process.exit(failures > 0 ? 1 : 0);

function pick<T>(items: readonly T[], weights: readonly number[], from: number): T {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let at = ((Math.imul(from, 2654435761) >>> 0) / 2 ** 32) * total;
  for (let i = 0; i < items.length; i++) {
    at -= weights[i]!;
    if (at <= 0) return items[i]!;
  }
  return items.at(-1)!;
}

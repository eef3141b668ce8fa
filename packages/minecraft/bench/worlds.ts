/**
 * How fast a world's folder is imported: chunks a second of reading alone, into memory, and into a folder, beside
 * prismarine-provider-anvil, which reads the same regions. `npm run bench:worlds -- [FOLDER VERSION]`; without a folder,
 * regions of the game of 1.14.4 to 1.19.4.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { memoryStore, type Store } from "simtape";
import { directoryStore } from "simtape/node";
import { anvilChunk } from "../src/world/anvil.ts";
import { importWorld } from "../src/world/folder.ts";
import { chunksIn, regionIn } from "../src/world/region-file.ts";
import { anvilOf } from "../test/support/anvil.ts";

const WORLD = { id: "5ba7a26a-0e4d-4b9c-8155-0123456789ab", version: "00".repeat(16) };
const require = createRequire(import.meta.url);
const REAL = join(dirname(require.resolve("prismarine-provider-anvil/package.json")), "test/fixtures");
const [given, as] = process.argv.slice(2);
const sources =
  given === undefined
    ? ["1.14.4", "1.16", "1.17.1", "1.19.4"].map((of) => [join(REAL, of), of] as const)
    : [[given, as ?? "1.21.4"] as const];

/** Chunks that are whole in a folder of region files. */
async function read(folder: string): Promise<{ count: number; places: (readonly [number, number])[] }> {
  const places: (readonly [number, number])[] = [];
  for (const name of readdirSync(folder).filter((of) => regionIn(of) !== null))
    for await (const stored of chunksIn(join(folder, name)))
      if ("nbt" in stored && anvilChunk(stored.nbt) !== null) places.push([stored.x, stored.z]);
  return { count: places.length, places };
}

async function rate(count: number, work: () => Promise<unknown>): Promise<string> {
  const begin = performance.now();
  await work();
  return `${Math.round((1000 * count) / (performance.now() - begin))}`.padStart(6);
}

console.log("chunks a second    read  into memory  into a folder  prismarine reads");
for (const [source, version] of sources) {
  const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
  try {
    // prismarine opens files for writing
    cpSync(source, join(folder, "region"), { recursive: true });
    const region = join(folder, "region");
    const { count, places } = await read(region);
    const into = (store: Store) => async () => importWorld(region, store, WORLD);
    const anvil = anvilOf(version, region);
    const figures = [
      await rate(count, () => read(region)),
      await rate(count, into(memoryStore())),
      await rate(count, into(directoryStore(join(folder, "store")))),
      await rate(count, async () => {
        for (const [x, z] of places) await anvil.load(x, z);
      }),
    ];
    await anvil.close();
    console.log(`${version.padEnd(8)} ${String(count).padStart(5)}  ${figures.join("       ")}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
console.log(`most memory: ${Math.round(process.resourceUsage().maxRSS / 1024)} MiB with prismarine's own`);

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { showsWorld } from "simtape/serving";
import { joinDatabase, type Query } from "../database/database.ts";
import { newId } from "../ids.ts";
import type { Settings } from "../settings.ts";

const COMMAND = join(dirname(fileURLToPath(import.meta.resolve("simtape/package.json"))), "bin", "simtape.js");
const FORMATS = ["nanover", "carla", "mira", "flightgear", "hcrp"];
/** The recordings of the demo, by tag: arguments for `simtape demo`. */
const SIZES: Readonly<Record<string, readonly string[]>> = {
  short: ["--seconds", "10", "--seed", "1"],
  long: ["--seconds", "120", "--seed", "2"],
  crowd: ["--seconds", "20", "--seed", "3", "--entities", "24"],
};
/** Formats whose recordings form a collection. */
const TRAFFIC = ["carla", "mira"];
const LOOK_EVERY = 500;

/** Address of the running server. */
interface Running {
  readonly address: string;
  readonly isOpen: boolean;
}

/**
 * Fills a library with examples: recordings of the five simulations in some sizes, tags, a collection, and, where no
 * sign-in is needed, a report that waits for its review. What already exists stays; the promise settles when the
 * library has everything. Rejects with the reason of `signal`.
 */
export async function fillDemo(settings: Settings, { address, isOpen }: Running, signal: AbortSignal): Promise<void> {
  const keys = await makeRecordings(settings.store, signal);
  const database = await joinDatabase(settings.database);
  try {
    await indexed(database.query, keys, signal);
    await tag(database.query, keys);
    const report = await database.query.selectFrom("reviews").select("id").limit(1).executeTakeFirst();
    if (isOpen && report === undefined) await reportOne(database.query, address, signal);
  } finally {
    await database.close();
  }
}

/** Keys of the recordings, by size. */
async function makeRecordings(folder: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  await mkdir(folder, { recursive: true });
  // the server ignores it, as its name begins with a dot
  const making = join(folder, ".making");
  for (const [size, words] of Object.entries(SIZES)) {
    for (const format of FORMATS) {
      await rm(making, { recursive: true, force: true });
      const known = await madeOf(folder, size, format);
      if (known === null) await run(["demo", format, "-o", making, ...words], signal);
      // beside some are files that show their world
      const made = known === null ? await readdir(making) : [];
      for (const name of made) {
        const to = join(folder, `${size}-${format}-${name}`);
        await rename(join(making, name), to);
        // a map names its picture, which has another name here
        if (name.endsWith(".yaml"))
          await writeFile(to, (await readFile(to, "utf8")).replace(/^image: /m, `image: ${size}-${format}-`));
      }
      keys.set(known ?? `${size}-${format}-${made.find((name) => !showsWorld(name))!}`, size);
    }
  }
  await rm(making, { recursive: true, force: true });
  return keys;
}

async function madeOf(folder: string, size: string, format: string): Promise<string | null> {
  const names = await readdir(folder);
  return names.find((name) => name.startsWith(`${size}-${format}-`) && !showsWorld(name)) ?? null;
}

async function run(words: readonly string[], signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [COMMAND, ...words], { stdio: ["ignore", "ignore", "inherit"], signal });
  const [code] = (await once(child, "exit")) as [number | null];
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`simtape ${words.join(" ")} ended with ${code}`);
}

async function indexed(query: Query, keys: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
  for (;;) {
    const rows = await query
      .selectFrom("recordings")
      .select("id")
      .where("key", "in", [...keys.keys()])
      .where("state", "=", "indexed")
      .execute();
    if (rows.length === keys.size) return;
    await setTimeout(LOOK_EVERY, undefined, { signal });
  }
}

async function tag(query: Query, keys: ReadonlyMap<string, string>): Promise<void> {
  const rows = await query
    .selectFrom("recordings")
    .select(["id", "key", "format"])
    .where("key", "in", [...keys.keys()])
    .execute();
  await query
    .insertInto("tags")
    .values(rows.map(({ id, key }) => ({ recording: id, tag: keys.get(key)! })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await query
    .insertInto("collections")
    .values({ id: newId(), name: "traffic", public: "all" })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { id } = await query
    .selectFrom("collections")
    .select("id")
    .where("name", "=", "traffic")
    .executeTakeFirstOrThrow();
  await query
    .updateTable("recordings")
    .set({ collection: id })
    .where("key", "in", [...keys.keys()])
    .where("format", "in", TRAFFIC)
    .where("collection", "is", null)
    .execute();
}

async function reportOne(query: Query, address: string, signal: AbortSignal): Promise<void> {
  const { id } = await query
    .selectFrom("recordings")
    .select("id")
    .where("key", "like", "short-hcrp-%")
    .executeTakeFirstOrThrow();
  const answer = await fetch(`${address}/api/reports`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      recording: id,
      subject: "runner",
      text: "left the track before the second checkpoint",
      first: 2,
      last: 6,
      score: 0.8,
      flags: ["off-track"],
    }),
    signal,
  });
  if (!answer.ok) throw new Error(`the report of the demo: ${await answer.text()}`);
}

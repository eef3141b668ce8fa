import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordingsIn } from "../../src/cli/input/folders.ts";
import { recordingsInStore } from "../../src/cli/input/store-recordings.ts";
import { FORMATS, memoryStore } from "../../src/index.ts";

const TOWN = new URL("../../../../examples/town.log", import.meta.url).pathname;
const NANOVER = new URL("../../../../examples/buckyball.nanover.zip", import.meta.url).pathname;

let folder = "";
const { stat } = fs;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "simtape-folders-"));
});

afterEach(() => {
  fs.stat = stat;
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true, force: true });
});

/** Whatever is called so goes as soon as it was looked at: a writer gives its file another name, or removes it. */
function goes(name: string): void {
  fs.stat = (async (path: string, ...more: []) => {
    const found = await stat(path, ...more);
    if (basename(path) === name) rmSync(path, { recursive: true });
    return found;
  }) as typeof fs.stat;
  syncBuiltinESMExports();
}

test.each(["gone.hcrp", "gone"])("what goes while a folder is looked through is not in it: %s", async (name) => {
  if (name.includes(".")) writeFileSync(join(folder, name), "HCRP");
  else mkdirSync(join(folder, name));
  goes(name);
  await expect(recordingsIn(folder)).rejects.toThrow("a folder without recordings");
});

test("a folder that is not there is an error", async () => {
  await expect(recordingsIn(join(folder, "none"))).rejects.toThrow("ENOENT");
});

test("recordings are found at every depth, once each, in the order of their paths", async () => {
  const deep = join(folder, "2026", "11", "29", "night", "run 7");
  mkdirSync(deep, { recursive: true });
  for (const place of [folder, join(folder, "2026", "11"), deep]) copyFileSync(TOWN, join(place, "town.log"));
  symlinkSync(folder, join(deep, "all"));
  symlinkSync("..", join(deep, "up"));
  const found = await recordingsIn(folder);
  expect(found.map(({ path }) => relative(folder, path))).toEqual([
    join("2026", "11", "29", "night", "run 7", "town.log"),
    join("2026", "11", "town.log"),
    "town.log",
  ]);
});

test("what shows the world of a recording is none, whatever is in it", async () => {
  const files = ["race.region.zip", "town.xodr", "flight.tif", "robot.yaml", "robot.pgm", "peptide.pdb", "hero.glb"];
  for (const name of files) writeFileSync(join(folder, name), Uint8Array.of(0x50, 0x4b, 3, 4));
  copyFileSync(TOWN, join(folder, "town.log"));
  expect((await recordingsIn(folder)).map(({ path }) => relative(folder, path))).toEqual(["town.log"]);
  const store = memoryStore();
  for (const name of [...files, "town.log"]) await store.put(name, new Uint8Array(4));
  expect(await recordingsInStore(store, FORMATS)).toEqual(["town.log"]);
});

test("what is hidden is none: a server keeps its data so, and a writer a file that is not whole", async () => {
  const hidden = [".simtape/exports/7/town.log", ".town.log~1.part", "runs/.trash/town.log"];
  const store = memoryStore();
  for (const name of ["town.log", "runs/town.log", ...hidden]) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    copyFileSync(TOWN, join(folder, name));
    if (!name.endsWith(".part")) await store.put(name, new Uint8Array(4));
  }
  const seen = ["runs/town.log", "town.log"];
  expect((await recordingsIn(folder)).map(({ path }) => relative(folder, path))).toEqual(seen);
  expect([...(await recordingsInStore(store, FORMATS))].sort()).toEqual(seen);
  const named = await recordingsIn(join(folder, ".simtape"));
  expect(named.map(({ path }) => relative(folder, path))).toEqual([hidden[0]]);
});

test("a zip is one when it opens as one, or is called so", async () => {
  const content = new Uint8Array(readFileSync(NANOVER));
  const other = zipSync({ "time.npy": new Uint8Array(9), "position.npy": new Uint8Array(9) });
  const { "messages.msgpack": messages, "index.msgpack": index } = unzipSync(content);
  const late = zipSync({ ...unzipSync(other), "messages.msgpack": messages!, "index.msgpack": index! }, { level: 0 });
  const files = { "arrays.npz": other, "papers.zip": other, "run.zip": content, "late.zip": late };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  writeFileSync(join(folder, "empty.nanover.zip"), other);
  const found = await recordingsIn(folder);
  expect(found.map(({ path }) => relative(folder, path))).toEqual(["empty.nanover.zip", "late.zip", "run.zip"]);
});

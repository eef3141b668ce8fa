import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recordingsIn } from "../../src/cli/input/folders.ts";

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

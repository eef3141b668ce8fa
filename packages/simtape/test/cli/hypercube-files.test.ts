import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { simtape } from "./run.ts";

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));

test("an HCRP recording opens with the dictionary that is given, or that is beside it by its id", async () => {
  const folder = mkdtempSync(join(tmpdir(), "simtape-test-"));
  const recording = join(folder, "run.hcrp");
  copyFileSync(join(fixtures, "hypercube/dictionary.hcrp"), recording);
  const dictionary = join(fixtures, "codec/hcrp-32769.dict");
  const without = await simtape(["check", recording]);
  expect(without.exit).toBe(1);
  expect(without.stdout).toContain("there is no 32769.dict beside it");
  expect(await simtape(["check", recording, "--dictionary", dictionary])).toMatchObject({ exit: 0 });
  expect((await simtape(["check", "--dictionary", recording, recording])).exit).toBe(2);
  copyFileSync(dictionary, join(folder, "32769.dict"));
  expect(await simtape(["check", recording])).toMatchObject({ exit: 0 });
});

test("a folder with a metadata file is the recording, and one without is made again from its segments", async () => {
  const segmented = join(fixtures, "hypercube/segmented");
  expect((await simtape(["check", segmented])).stdout).toContain("sound");
  const folder = mkdtempSync(join(tmpdir(), "simtape-test-"));
  for (const name of ["seg-00000000.hcs", "seg-00000001.hcs"]) copyFileSync(join(segmented, name), join(folder, name));
  const rebuilt = await simtape(["check", folder]);
  expect(rebuilt.exit).toBe(3);
  expect(rebuilt.stdout).toContain("ticks 0 to 239 are kept");
});

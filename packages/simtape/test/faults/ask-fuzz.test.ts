import { expect, test } from "vitest";
import { fuzz } from "../ask/fuzzing.ts";

/** `SIMTAPE_RUNS=1000` runs fewer. */
const RUNS = Number(process.env["SIMTAPE_RUNS"] ?? 100_000);

test("a hundred thousand random texts are expressions, or one typed error each", async () => {
  const { answered, refused } = await fuzz(RUNS, 32);
  expect(answered).toBeGreaterThan(RUNS / 8);
  for (const code of ["syntax", "type", "unit", "path"]) expect(refused.get(code), code).toBeGreaterThan(RUNS / 1000);
}, 7_200_000);

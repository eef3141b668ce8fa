import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));

test("each key is of one command, on all pages together", () => {
  const texts = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(join(SOURCES, path), "utf8"));
  const keys = texts.flatMap((text) =>
    [...text.matchAll(/keys: (\[[^\]]+\]|\["\]"\]),/g)].flatMap(([, list]) => JSON.parse(list!) as string[]),
  );
  expect(keys.length).toBeGreaterThan(25);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

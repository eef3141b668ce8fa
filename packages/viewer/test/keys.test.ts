import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));

const isSource = (path: string): boolean => /\.tsx?$/.test(path);

test("keys of commands are heard in one place", () => {
  const hearing = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter(
      (path) => isSource(path) && /import .*\bkeyOf\b.*commands\.ts"/.test(readFileSync(join(SOURCES, path), "utf8")),
    )
    .map((path) => path.replaceAll("\\", "/"));
  expect(hearing).toEqual(["transport/listen.ts"]);
});

test("each key is of one command, on all pages together", () => {
  const texts = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter(isSource)
    .map((path) => readFileSync(join(SOURCES, path), "utf8"));
  const keys = texts.flatMap((text) =>
    [...text.matchAll(/keys: (\[[^\]]+\]|\["\]"\]),/g)].flatMap(([, list]) => JSON.parse(list!) as string[]),
  );
  expect(keys.length).toBeGreaterThan(25);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

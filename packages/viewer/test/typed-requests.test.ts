import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));
const SOURCES = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.tsx?$/.test(path));

/** Sends the bytes of files by the protocol tus, which has no types. */
const UPLOAD = "server/library/upload.ts";

function thoseWith(pattern: RegExp, folder = ""): string[] {
  return SOURCES.filter((path) => path.startsWith(folder) && pattern.test(readFileSync(SRC + path, "utf8")));
}

test("pages of the server ask it through the typed client alone", () => {
  expect(thoseWith(/"(?:GET|POST|PUT|PATCH|DELETE) \/api\//, "server/").length).toBeGreaterThan(10);
  expect(thoseWith(/(?<![#.\w])fetch\(/, "server/")).toEqual([UPLOAD]);
  expect(thoseWith(/["`]\/api\//)).toEqual([]);
});

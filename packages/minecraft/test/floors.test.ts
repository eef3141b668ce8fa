import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../src", import.meta.url));

/** Rooms of `src` from the lowest floor up. A file imports its own room and rooms below; neighbours do not know each other. */
const FLOORS = [
  ["game", "stored"],
  ["tickets", "world"],
  ["capture", "scene"],
  ["ghosts"],
  ["mcpr", "proxy", "serve"],
  ["demo"],
  [""],
];

test("rooms import what is below them", () => {
  const paths = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"));
  expect(paths).toContain("program.ts");
  expect(paths.flatMap((path) => problemsOf(path, readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
});

test.each([
  [[], "mcpr/import.ts", `import { Capture } from "../capture/capture.ts";`],
  [["capture/capture.ts imports mcpr/zip.ts"], "capture/capture.ts", `import { x } from "../mcpr/zip.ts";`],
  [["serve/lobby.ts imports proxy/tap.ts"], "serve/lobby.ts", `const { tap } = await import("../proxy/tap.ts");`],
  [["attic/box.ts has no floor"], "attic/box.ts", ""],
])("the check finds %j", (problems, path, text) => {
  expect(problemsOf(path, text)).toEqual(problems);
});

function problemsOf(path: string, text: string): string[] {
  const floor = floorOf(path);
  if (floor < 0) return [`${path} has no floor`];
  const targets = [...text.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)].map((match) =>
    posix.join(posix.dirname(path), match[1]!),
  );
  return targets
    .filter((target) => roomOf(target) !== roomOf(path) && floorOf(target) >= floor)
    .map((target) => `${path} imports ${target}`);
}

function floorOf(path: string): number {
  return FLOORS.findIndex((rooms) => rooms.includes(roomOf(path)));
}

/** `""`: of the files beside the rooms. */
function roomOf(path: string): string {
  return path.includes("/") ? path.split("/")[0]! : "";
}

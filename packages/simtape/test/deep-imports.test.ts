import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { checkDeepImports, entriesOf, type Exports, PublicNames } from "./deep-imports.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

function foldersIn(path: string): string[] {
  return readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${path}/${name}`);
}

describe("tests of the tree", () => {
  const folders = [...foldersIn("packages"), ...foldersIn("examples")];
  const paths = folders
    .flatMap((folder) => foldersIn(folder).filter((path) => /\/(src|test)$/.test(path)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map(
        (path) => `${folder}/${path.replaceAll("\\", "/")}`,
      ),
    )
    .filter((path) => path.endsWith(".ts"));
  const files = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
  const packages = new Map(
    foldersIn("packages").map((folder) => {
      const manifest = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as { exports?: Exports };
      return [folder, manifest.exports ?? {}] as const;
    }),
  );
  const entries = entriesOf(packages, files);
  const report = checkDeepImports(files, entries);

  test("take what is public from where it is public", () => {
    expect(report.wrong).toEqual([]);
  });

  test("were looked at: entries, names and tests were found", () => {
    expect(entries).toContain("packages/simtape/src/index.ts");
    expect(entries).toContain("packages/simtape/src/io/node/index.ts");
    expect(entries).toContain("packages/simtape/src/formats/carla/format.ts");
    const names = new PublicNames(files, entries);
    expect(names.of("packages/simtape/src/model/recording.ts", "Recording", false)).toEqual({
      entry: "packages/simtape/src/index.ts",
      name: "Recording",
    });
    expect(report.deep).toBeGreaterThan(100);
  });
});

describe("the check of what tests import", () => {
  const SOURCES: Readonly<Record<string, string>> = {
    "packages/a/src/index.ts": `export * from "./core.ts";\nimport { ALL } from "./all.ts";\nexport { ALL };`,
    "packages/a/src/core.ts": `export { type Box, open as openBox } from "./model/box.ts";\nexport type { Lid } from "./model/lid.ts";`,
    "packages/a/src/all.ts": "export const ALL = [];",
    "packages/a/src/model/box.ts": "export interface Box {}\nexport async function open(): Promise<Box> {}",
    "packages/a/src/model/lid.ts": "export class Lid {}\nexport const inner = 1;",
    "packages/a/src/formats/x/format.ts": "export const x = 1;",
    "packages/a/src/formats/x/layout.ts": `export { open } from "../../model/box.ts";`,
  };
  const EXPORTS: Exports = {
    ".": { default: "./dist/index.js" },
    "./core": { default: "./dist/core.js" },
    "./formats/*": { default: "./dist/formats/*/format.js" },
    "./package.json": "./package.json",
  };

  function check(path: string, text: string): { deep: number; wrong: readonly string[] } {
    const files = new Map(Object.entries({ ...SOURCES, [path]: text }));
    return checkDeepImports(files, entriesOf(new Map([["packages/a", EXPORTS]]), files));
  }

  test.each([
    ["a function", "{ open }", "model/box.ts", "open is openBox in packages/a/src/index.ts"],
    ["a type", "type { Box }", "model/box.ts", "Box is Box in packages/a/src/index.ts"],
    ["one of several", "{ inner, type Lid as Cover }", "model/lid.ts", "Lid is Lid in packages/a/src/index.ts"],
    ["what another file passes on", "{ open }", "formats/x/layout.ts", "open is openBox in packages/a/src/index.ts"],
    ["what an entry imports first", "{ ALL }", "all.ts", "ALL is ALL in packages/a/src/index.ts"],
  ])("finds %s that is public", (_, names, source, problem) => {
    const target = `../../src/${source}`;
    expect(check("packages/a/test/ops/a.test.ts", `import ${names} from "${target}";`)).toEqual({
      deep: 1,
      wrong: [`packages/a/test/ops/a.test.ts: ${problem}`],
    });
  });

  test.each([
    ["a name that no entry has", "packages/a/test/ops/a.test.ts", `import { inner } from "../../src/model/lid.ts";`, 1],
    [
      "a class of which only the type is public",
      "packages/a/test/ops/a.test.ts",
      `import { Lid } from "../../src/model/lid.ts";`,
      1,
    ],
    ["an entry", "packages/a/test/ops/a.test.ts", `import { x } from "../../src/formats/x/format.ts";`, 0],
    [
      "the folder it is for",
      "packages/a/test/model/deep/a.test.ts",
      `import { open } from "../../../src/model/box.ts";`,
      0,
    ],
    [
      "the format it is for",
      "packages/a/test/formats/x/a.test.ts",
      `import { open } from "../../../src/formats/x/layout.ts";`,
      0,
    ],
    ["a test's support", "packages/a/test/ops/a.test.ts", `import { open } from "../support/box.ts";`, 0],
  ])("lets a test import %s", (_, path, text, deep) => {
    expect(check(path, text)).toEqual({ deep, wrong: [] });
  });

  test("knows a folder of another package as another's", () => {
    const text = `import {\n  open,\n} from "../../../a/src/model/box.ts";`;
    expect(check("packages/b/test/model/a.test.ts", text).wrong).toHaveLength(1);
  });
});

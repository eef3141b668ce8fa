import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { cyclesIn } from "./cycles.ts";

const PACKAGES = fileURLToPath(new URL("../../", import.meta.url));

describe("files of a package import one another in no circle, types included", () => {
  test.each(readdirSync(PACKAGES).filter((name) => existsSync(`${PACKAGES}${name}/src`)))("%s", (name) => {
    const src = `${PACKAGES}${name}/src`;
    const paths = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
    const files = new Map(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(`${src}/${path}`, "utf8")]));
    expect(files.size).toBeGreaterThan(3);
    expect(cyclesIn(files)).toEqual([]);
  });
});

describe("the check", () => {
  const found = (files: Readonly<Record<string, string>>): string[][] => cyclesIn(new Map(Object.entries(files)));

  test("finds nothing where imports run one way", () => {
    const shared = {
      "a/one.ts": `import "../b/two.ts";\nimport "./three.ts";`,
      "a/three.ts": `export * from "../b/two.ts";`,
    };
    expect(found({ ...shared, "b/two.ts": `import type { X } from "zod";\n// import "../a/one.ts";` })).toEqual([]);
  });

  test.each([
    ["import", `import { a } from "../a.ts";`],
    ["type", `import type { A } from "../a.ts";`],
    ["export", `export * from "../a.ts";`],
    ["import at run time", `const a = () => import("../a.ts");`],
  ])("finds a circle that an %s closes", (_, closing) => {
    const files = { "a.ts": `import { b } from "./in/b.ts";`, "in/b.ts": `import "./c.ts";`, "in/c.ts": closing };
    expect(found({ ...files, "other.ts": `import "./a.ts";` })).toEqual([["a.ts", "in/b.ts", "in/c.ts"]]);
  });

  test("finds each of two circles, also where one leads to the other", () => {
    const first = { "a.ts": `import "./b.ts";`, "b.ts": `import "./a.ts";\nimport "./c.ts";` };
    const second = { "c.ts": `import "./d.ts";`, "d.ts": `import "./c.ts";` };
    expect(found({ ...first, ...second })).toEqual([
      ["c.ts", "d.ts"],
      ["a.ts", "b.ts"],
    ]);
  });
});

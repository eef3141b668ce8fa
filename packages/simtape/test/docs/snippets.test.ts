import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** TypeScript blocks of a page, in order. */
function snippetsOf(page: string): string[] {
  return [...readFileSync(join(root, page), "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
}

/** README and all pages of the documentation. */
function allPages(): string[] {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  return [
    "README.md",
    "packages/core/README.md",
    "packages/simtape/README.md",
    "packages/client/README.md",
    ...docs.filter((name) => name.endsWith(".md") && !name.startsWith("api")).map((name) => `docs/${name}`),
  ];
}

test("the code in README and docs has no syntax that Node 20 does not know", () => {
  const unknown = allPages().filter((page) => snippetsOf(page).some((text) => /^\s*(await )?using /m.test(text)));
  expect(unknown).toEqual([]);
});

test("the code in README and docs compiles against the library", () => {
  const folder = mkdtempSync(join(root, "packages/simtape/test/docs/.snippets-"));
  try {
    let count = 0;
    for (const page of allPages()) {
      for (const [i, snippet] of snippetsOf(page).entries()) {
        writeFileSync(join(folder, `${page.replace(/\W/g, "-")}-${i}.ts`), `${snippet}\nexport {};\n`);
        count++;
      }
    }
    expect(count).toBeGreaterThan(0);
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../../../../tsconfig.json",
        compilerOptions: {
          noUnusedLocals: false,
          paths: {
            simtape: ["../../../src/index.ts"],
            "simtape-core": ["../../../src/library.ts"],
            "simtape-core/formats": ["../../../src/formats.ts"],
            "simtape-core/node": ["../../../src/io/node/index.ts"],
            "simtape/kit": ["../../../src/kit.ts"],
            "simtape/compare": ["../../../src/compare/index.ts"],
            "simtape/stats": ["../../../src/stats/index.ts"],
            "simtape/race": ["../../../src/race/index.ts"],
            "simtape/core": ["../../../src/core.ts"],
            "simtape/node": ["../../../src/io/node/index.ts"],
            "simtape/live": ["../../../src/live/index.ts"],
            "simtape/record": ["../../../src/record/index.ts"],
            "simtape/retention": ["../../../src/record/retain/index.ts"],
            "simtape/carla-queries": ["../../../src/formats/carla/queries/index.ts"],
            "simtape/world": ["../../../src/world/index.ts"],
            "simtape/lake": ["../../../src/lake/index.ts"],
            "simtape/ask": ["../../../src/ask/index.ts"],
            "simtape/sql": ["../../../src/sql/index.ts"],
            "simtape/testing": ["../../../src/testing/index.ts"],
            "simtape/formats/*": ["../../../src/formats/*/format.ts"],
          },
        },
        include: ["*.ts"],
      }),
    );
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    throw stdout === undefined ? error : new Error(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * Writes into `to` a module for each entry of the package at `home`. It exports the sources of the entry, and has the
 * name that a program imports, because typedoc names its pages by the modules.
 */
export function writeEntries(home: string, to: string): void {
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly types?: string }>>;
  };
  rmSync(to, { recursive: true, force: true });
  for (const [entry, value] of Object.entries(exports)) {
    // the entry `simtape` exports all of `simtape/core`
    if (typeof value === "string" || value.types === undefined || entry === "./core") continue;
    const source = value.types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts");
    const names = source.includes("*") ? readdirSync(join(home, source.split("*")[0]!)) : [""];
    for (const name of names) {
      const file = join(to, `${join("simtape", entry).replace("*", name)}.ts`);
      const from = relative(dirname(file), join(home, source.replace("*", name))).replaceAll("\\", "/");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `export * from "${from}";\n`);
    }
  }
}

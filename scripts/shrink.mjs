/**
 * Makes the build of simtape small. It removes comments and indents from the code, because the declarations have the
 * comments, and it removes declarations that no entry of simtape and simtape-core needs. Lines stay short, so that positions in a stack trace are
 * useful.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const home = fileURLToPath(new URL("../packages/simtape/", import.meta.url));
const entries = ["simtape", "core"].flatMap((name) =>
  Object.values(JSON.parse(readFileSync(`${home}../${name}/package.json`, "utf8")).exports),
);
const paths = readdirSync(`${home}dist`, { recursive: true, encoding: "utf8" }).map(
  (path) => `dist/${path.replaceAll("\\", "/")}`,
);

for (const path of paths.filter((path) => path.endsWith(".js"))) {
  const options = { format: "esm", target: "es2023", minifyWhitespace: true, lineLimit: 400, legalComments: "none" };
  writeFileSync(home + path, transformSync(readFileSync(home + path, "utf8"), options).code);
}

const needed = new Set();
const declarations = new Set(paths.filter((path) => path.endsWith(".d.ts")));
for (const { types } of entries) if (types !== undefined) needDeclarations(types.slice("./".length));
for (const path of declarations) if (!needed.has(path)) rmSync(home + path);
// the next build must not take these files for its own
rmSync(new URL("../node_modules/.cache/simtape-build/simtape", import.meta.url), { force: true });

/** Marks a declaration, and all declarations that it imports, as needed. `*` stands for each folder. */
function needDeclarations(path) {
  if (path.includes("*")) {
    const [before, behind] = path.split("*");
    for (const found of declarations)
      if (
        found.startsWith(before) &&
        found.endsWith(behind) &&
        !found.slice(before.length, -behind.length).includes("/")
      )
        needDeclarations(found);
    return;
  }
  if (needed.has(path)) return;
  needed.add(path);
  const code = readFileSync(home + path, "utf8").replace(/^\s*(\/\/|\/?\*).*$/gm, "");
  for (const [, target] of code.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g))
    needDeclarations(posix.join(posix.dirname(path), target.replace(/\.[jt]s$/, ".d.ts")));
}

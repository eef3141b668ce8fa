import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache/simtape-viewer");
/** All that the built page is made of. */
const SOURCES = [
  "package-lock.json",
  "packages/viewer/index.html",
  "packages/viewer/offline.ts",
  "packages/viewer/policy.ts",
  "packages/viewer/public",
  "packages/viewer/src",
  "packages/viewer/vite.config.ts",
  "packages/viewer/vite.player.config.ts",
  "packages/simtape/src",
];
/** Builds that were not asked for since are removed, milliseconds. */
const KEPT = 3_600_000;

/** The folder of the page built from the sources as they are now: made once for all who ask. No `dist` is touched. */
export async function builtPage(): Promise<string> {
  const folder = join(CACHE, await digestOf(SOURCES));
  if (existsSync(folder)) return folder;
  await forgetOld();
  const made = join(CACHE, randomUUID());
  await buildInto(made);
  // The first wins: the others have built the same.
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }));
  return folder;
}

/** Builds the page into `folder` as its next version: it says so in its console as `version`, so its parts have other names. */
export async function buildNext(folder: string): Promise<void> {
  await buildInto(folder, [
    {
      name: "next-version",
      transform: (code, id) => (id.endsWith("/src/main.tsx") ? `${code}\nglobalThis.version = "next";` : null),
    },
  ]);
}

async function buildInto(folder: string, plugins: readonly Plugin[] = []): Promise<void> {
  // Under NODE_ENV=test, which vitest sets, Vite does not build for production.
  const before = process.env["NODE_ENV"];
  process.env["NODE_ENV"] = "production";
  try {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const common = { root, logLevel: "warn" } as const;
    await build({
      ...common,
      plugins: [...plugins],
      build: { outDir: folder, emptyOutDir: true, manifest: "manifest.json" },
    });
    const configFile = join(root, "vite.player.config.ts");
    await build({ ...common, configFile, build: { outDir: folder, manifest: "manifest-player.json" } });
  } finally {
    if (before === undefined) delete process.env["NODE_ENV"];
    else process.env["NODE_ENV"] = before;
  }
}

async function digestOf(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) {
    const isFolder = (await stat(join(ROOT, path))).isDirectory();
    const entries = isFolder ? await readdir(join(ROOT, path), { recursive: true, withFileTypes: true }) : [];
    const inside = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of isFolder ? inside.sort() : [join(ROOT, path)]) hash.update(file).update(await readFile(file));
  }
  return hash.digest("hex").slice(0, 16);
}

async function forgetOld(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  for (const name of await readdir(CACHE)) {
    const folder = join(CACHE, name);
    const found = await stat(folder).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > KEPT) await rm(folder, { recursive: true, force: true });
  }
}

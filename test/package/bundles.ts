import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import * as vite from "vite";

/** What a page loads of a bundle; sizes in bytes, without zstd.wasm. */
export interface Size {
  /** Compressed size of the scripts that load before the page opens a recording. */
  readonly start: number;
  /** Size of all scripts that the page can load. */
  readonly minified: number;
  readonly gzip: number;
}

/** Scripts of a bundle: those that load with the page, and all. */
interface Built {
  readonly start: readonly string[];
  readonly all: readonly string[];
}

/** Bundles `entry`, a module of the project, into `folder` as `main.js`, minified. No other option is set. */
type Bundler = (entry: string, folder: string) => Promise<Built>;

export const BUNDLERS: Readonly<Record<string, Bundler>> = { esbuild: byEsbuild, vite: byVite, webpack: byWebpack };

/** Bundles a page, and says how large it is. */
export async function sizeOf(bundler: string, entry: string, folder: string): Promise<Size> {
  const { start, all } = await BUNDLERS[bundler]!(entry, folder);
  await writeFile(join(folder, "index.html"), '<!doctype html><script type="module" src="main.js"></script>');
  const scripts = new Map(all.map((name) => [name, readFileSync(join(folder, name))]));
  const sum = (lengths: readonly number[]): number => lengths.reduce((one, other) => one + other, 0);
  return {
    start: sum(start.map((name) => gzipSync(scripts.get(name)!).length)),
    minified: sum([...scripts.values()].map(({ length }) => length)),
    gzip: sum([...scripts.values()].map((bytes) => gzipSync(bytes).length)),
  };
}

async function byEsbuild(entry: string, folder: string): Promise<Built> {
  const { metafile } = await esbuild.build({
    entryPoints: { main: entry },
    bundle: true,
    minify: true,
    format: "esm",
    splitting: true,
    outdir: folder,
    absWorkingDir: folder,
    metafile: true,
    logLevel: "error",
  });
  const importsOf = (name: string, isWanted: (kind: string) => boolean): string[] =>
    metafile.outputs[name]!.imports.filter(({ kind, external }) => isWanted(kind) && external !== true).map(
      ({ path }) => path,
    );
  // not all files of the folder: esbuild also makes a chunk of a module if only code that it leaves out imports it
  return {
    start: closure("main.js", (name) => importsOf(name, (kind) => kind === "import-statement")),
    all: closure("main.js", (name) => importsOf(name, () => true)),
  };
}

async function byVite(entry: string, folder: string): Promise<Built> {
  const built = await vite.build({
    root: folder,
    configFile: false,
    logLevel: "error",
    build: {
      outDir: folder,
      assetsDir: "",
      modulePreload: false,
      rolldownOptions: { input: { main: entry }, output: { entryFileNames: "[name].js" } },
    },
  });
  const { output } = built as { output: readonly { fileName: string; type: string; imports?: readonly string[] }[] };
  const chunks = new Map(output.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  const start = closure("main.js", (name) => chunks.get(name)!.imports ?? []);
  return { start, all: [...chunks.keys()] };
}

/** The part of webpack that is used here; its own types are missing until the tools are installed. */
type Webpack = (options: object, done: (error: Error | null, stats: WebpackStats) => void) => void;
interface WebpackStats {
  hasErrors(): boolean;
  toJson(): { readonly entrypoints: { readonly main: { readonly assets: readonly { readonly name: string }[] } } } & {
    readonly assets: readonly { readonly name: string }[];
  };
  toString(): string;
}

async function byWebpack(entry: string, folder: string): Promise<Built> {
  const webpack = createRequire(new URL("tools/", import.meta.url))("webpack") as Webpack;
  const stats = await new Promise<WebpackStats>((resolve, reject) => {
    webpack({ mode: "production", entry: { main: entry }, output: { path: folder } }, (error, result) =>
      error === null ? resolve(result) : reject(error),
    );
  });
  if (stats.hasErrors()) throw new Error(stats.toString());
  const { entrypoints, assets } = stats.toJson();
  const scripts = (list: readonly { readonly name: string }[]): string[] =>
    list.map(({ name }) => name).filter((name) => name.endsWith(".js"));
  return { start: scripts(entrypoints.main.assets), all: scripts(assets) };
}

/** The scripts that load with `name`, itself included. */
function closure(name: string, importsOf: (name: string) => readonly string[]): string[] {
  const found = new Set([name]);
  for (const each of found) for (const other of importsOf(each)) found.add(basename(other));
  return [...found];
}

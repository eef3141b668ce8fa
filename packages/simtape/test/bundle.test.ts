import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { FORMATS } from "../src/index.ts";

const src = fileURLToPath(new URL("../src", import.meta.url));

/** Files of the library in a page that opens one format. */
async function filesWith(format: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: {
      contents: `import { open } from "./core.ts"; import { ${format} } from "./formats/${format}/format.ts";
        globalThis.opened = (address) => open(address, { formats: [${format}] });`,
      resolveDir: src,
    },
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: src,
    write: false,
    metafile: true,
    logLevel: "error",
  });
  // esbuild makes a chunk of a module that only code imports that is left out: what counts is what can be loaded
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [path.replace(/^.*\//, ""), output]),
  );
  const loaded = new Set(["stdin.js"]);
  const files: string[] = [];
  for (const name of loaded) {
    const { imports, inputs } = outputs.get(name)!;
    for (const { path, external } of imports) if (external !== true) loaded.add(path.replace(/^.*\//, ""));
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput > 0) files.push(path.replace(/^.*simtape\/src\//, ""));
    }
  }
  return files;
}

test.each(FORMATS.map(({ id }) => id))("a page with %s alone has the code of no other format", async (format) => {
  const files = await filesWith(format);
  const inFormats = files.filter((path) => path.startsWith("formats/"));
  expect(inFormats.length).toBeGreaterThan(5);
  expect(inFormats.filter((path) => !path.startsWith(`formats/${format}/`))).toEqual([]);
  expect(files.some((path) => path.startsWith("codec/zstd-heap"))).toBe(["hcrp", "mcap", "mira"].includes(format));
  expect(files.filter((path) => /^(ops|play|record|cli|demo|testing)\//.test(path))).toEqual([]);
});

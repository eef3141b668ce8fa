import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin, type UserConfig } from "vite";
import { FORMATS } from "../simtape/src/formats.ts";
import { installable } from "./offline.ts";
import { CONTENT_SECURITY_POLICY } from "./policy.ts";

/** Small modules that the worker has at once, in one file: each of its own would weigh more than what is in it. */
const AT_ONCE =
  /\/simtape\/src\/(bytes\/(budget|builder|crc32(-tables|-words)?|cursor|error|varint)|io\/source\/(gate|source)|model\/(axes\/(axes-transform|rotation|standard-axes)|error|kept\/scans|scope|state\/(growth|late|path)|values\/(same-value|text-room|time|value)))\.ts$/;
/** What every page of a recording has at once, likewise: dialogs that are loaded on use share it. */
const SHELL =
  /\/viewer\/src\/(afar|clock|engine\/preview|hooks|kept|long-query|scene\/(panel\/settings|surroundings\/(follow|use)-world)|timeline\/plot-box|measures|observable|placement|subject|use-(time-scale|unit-system)|ask\/(asking|use-asking)|compare\/comparing|events\/event-list|(export|video)\/shown|open\/files|shell\/(layout\/(kept-layout|layout|place)|sharing\/share)|timeline\/(lanes|use-window|window)|transport\/(commands|listen)|ui\/(dialog|icons|menu))\.tsx?$|\/node_modules\/(react|scheduler)\//;
/** What every scene has at once and parts that are loaded on use share, likewise. */
const SCENE =
  /\/viewer\/src\/(blocks\/block-look|measure\/measuring|scene\/(camera\/gaze|drawing\/(compose|copies|grain|instances|lighting|look|quick|srgb)|things\/pick|presenters\/(cells|molecules\/(settings|structure)))|world\/registry)\.ts$|\/simtape\/src\/model\/(axes\/(axes-transform|geodesy|rotation|standard-axes)|poses\/pose-columns|values\/same-value)\.ts$|\/three\/examples\/jsm\/utils\/BufferGeometryUtils\.js$/;
/** Of all formats, which a worker asks for what things are called. */
const TRAITS = /\/simtape\/src\/formats\/\w+\/traits\.ts$/;

/** How long a build takes on a busy machine is no warning. */
const QUIET = { bundlerTimings: false } as const;

/** What the page and the element for other pages are built with. */
export const shared = {
  // Relative addresses throughout, so that what is built works under any path and from any static server.
  base: "./",
  // The library as it is now, whatever was built of it last.
  resolve: {
    alias: [
      { find: /^simtape$/, replacement: library("index.ts") },
      { find: "simtape/kit", replacement: library("kit.ts") },
      { find: "simtape-client", replacement: library("../../client/src/index.ts") },
      { find: "simtape-server/rooms", replacement: library("../../server/src/rooms/index.ts") },
      { find: "#crc32", replacement: library("bytes/crc32-words.ts") },
      { find: "#files", replacement: library("io/source/no-files.ts") },
      { find: "#native-zstd", replacement: library("codec/no-native-zstd.ts") },
      { find: "#zstd-wasm", replacement: library("codec/zstd-wasm.ts") },
      { find: /^simtape\/(ask|compare|race|stats|world)$/, replacement: library("$1/index.ts") },
      { find: /^simtape\/formats\/(\w+)$/, replacement: library("formats/$1/format.ts") },
    ],
  },
  // What can be opened, as in a sentence: the page shows it before anything of a format is loaded.
  define: {
    FORMAT_NAMES: JSON.stringify(
      new Intl.ListFormat("en-GB", { type: "disjunction" }).format(FORMATS.map(({ name }) => name)),
    ),
    FORMAT_TITLES: JSON.stringify(Object.fromEntries(FORMATS.map(({ id, name }) => [id, name]))),
  },
  css: { postcss: { plugins: [{ postcssPlugin: "themes", Rule: keepUsed }] } },
  worker: {
    format: "es",
    rolldownOptions: {
      checks: QUIET,
      output: {
        codeSplitting: {
          groups: [
            { name: "base", test: AT_ONCE },
            { name: "traits", test: TRAITS },
          ],
        },
      },
    },
  },
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rolldownOptions: { checks: QUIET },
  },
} as const satisfies UserConfig;

export default defineConfig({
  ...shared,
  plugins: [react(), policy(), libraryLicenses(), installable()],
  build: {
    ...shared.build,
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      ...shared.build.rolldownOptions,
      output: {
        codeSplitting: {
          groups: [
            { name: "shell", test: SHELL },
            { name: "scene", test: SCENE },
          ],
        },
      },
    },
  },
});

/** dockview ships all of its themes in one file; the page has two of them. */
function keepUsed(rule: { selectors: string[]; remove(): unknown }): void {
  const used = rule.selectors.filter((selector) => !/\.dockview-theme-(?!(dark|light)(?![\w-]))/.test(selector));
  if (used.length === 0) rule.remove();
  else if (used.length < rule.selectors.length) rule.selectors = used;
}

function library(file: string): string {
  return `${fileURLToPath(new URL("../simtape/src/", import.meta.url))}${file}`;
}

/** Writes the policy into the page, for servers that send no headers of their own. */
function policy(): Plugin {
  return {
    name: "content-security-policy",
    apply: "build",
    transformIndexHtml: () => [
      {
        tag: "meta",
        attrs: { "http-equiv": "Content-Security-Policy", content: CONTENT_SECURITY_POLICY },
        injectTo: "head-prepend",
      },
    ],
  };
}

/** The page's own packages have their licences in `licenses.md`; this adds those of what the worker is made of. */
function libraryLicenses(): Plugin {
  const plain = ["fflate", "@rgrove/parse-xml", "aws4fetch", "@uwdata/flechette"];
  const forExports = ["hyparquet-writer", "hyparquet"];
  const forModels = ["three", "yaml"];
  const forHeights = ["geotiff", "pako", "xml-utils", "zstddec", "web-worker", "@petamoriken/float16"];
  const modules = [
    ...[...plain, ...forExports, ...forModels, ...forHeights].map((name) => `../../node_modules/${name}/LICENSE`),
    // Others have theirs under other names, or in what tells of them.
    ...["quick-lru/license", "parse-headers/LICENCE", "lerc/README.md"].map((path) => `../../node_modules/${path}`),
  ];
  return {
    name: "library-licenses",
    apply: "build",
    generateBundle() {
      const texts = ["../simtape/LICENSE", "../simtape/src/codec/zstd.LICENSE", ...modules].map(
        (path) =>
          `${path.replace(/^.*(node_modules|\.\.)\//, "")}\n\n${readFileSync(new URL(path, import.meta.url), "utf8")}`,
      );
      this.emitFile({ type: "asset", fileName: "licenses-worker.txt", source: texts.join("\n\n") });
    },
  };
}

import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import simtape from "./packages/simtape/package.json" with { type: "json" };
import { built } from "./test/built.ts";

/**
 * Suites of tests that take long, by their mode: those of queries ask about whole recordings, those of the command run it
 * on every format, those of programs hand recordings to other programs and real stores or take them from there, the
 * server's start many processes of it, those of pages a browser, and those of faults kill processes and damage files.
 * Every other test is part of `npm test`.
 */
const SUITES: Readonly<Record<string, readonly string[]>> = {
  queries: [
    "packages/simtape/test/model/query/**/*.test.ts",
    "packages/simtape/test/model/side-car.test.ts",
    "packages/simtape/test/{ask,compare,race,stats}/**/*.test.ts",
  ],
  command: ["packages/simtape/test/cli/**/*.test.ts", "packages/simtape/test/docs/jobs.test.ts"],
  programs: [
    "packages/simtape/test/{export,lake,live,record,sql}/**/*.test.ts",
    "packages/simtape/test/docs/{lake,sql}.test.ts",
    "packages/simtape/test/io/{s3,store-bundle,store-directory,stores}.test.ts",
  ],
  server: ["packages/server/test/!(floors|pages).test.ts", "packages/server/test/*/**/*.test.ts"],
  pages: [
    "packages/viewer/test/page/**/*.test.ts",
    "packages/simtape/test/browser/**/*.test.ts",
    "packages/server/test/pages.test.ts",
    "examples/*/test/viewer.test.ts",
  ],
  faults: ["packages/simtape/test/faults/**/*.test.ts"],
};
const EVERY = ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "test/**/*.test.ts"];
/** A package with dependencies, and tests, of its own. */
const APART = "packages/minecraft/**";
/** Tests that replace modules of the source by others, or load them twice. */
const REPLACING = [
  "packages/simtape/test/cli/gate.test.ts",
  "packages/simtape/test/io/store-crash.test.ts",
  "packages/simtape/test/model/error.test.ts",
];
/**
 * Tests that leave nothing changed in their process: their files share processes, and the modules loaded there. A process
 * for each file costs a fifth of the time of all.
 */
const SHARING = [
  "packages/simtape/test/{bytes,codec,conformance,docs,formats,io,model,ops,play,support,testing,world}/**/*.test.ts",
  "packages/simtape/test/*.test.ts",
  "packages/demo/test/**/*.test.ts",
  "packages/viewer/test/**/*.test.ts",
];

export default defineConfig(({ mode }) => {
  const suite = SUITES[mode];
  // files that are named run, whichever suite they belong to
  const isNamed = process.argv.slice(2).some((word) => !word.startsWith("-") && word.includes("test/"));
  const usual = [APART, ...(mode === "soak" || isNamed ? [] : Object.values(SUITES).flat())];
  // `npm test` and CI run what is built; `npx vitest run FILE` runs the sources as they are now
  const isBuilt = process.env["SIMTAPE_BUILT"] === "1";
  const project = (name: string, test: TestProjectInlineConfiguration["test"], usesBuilt = isBuilt) => ({
    extends: true as const,
    plugins: usesBuilt ? [built()] : [],
    // The mode of a project is always "test": the variable says whether tests try as often as `npm run soak` wants.
    test: { name, env: { SIMTAPE_SOAK: mode === "soak" ? "1" : "" }, ...test },
  });
  return {
    // What a package's own `imports` gives on Node, and `simtape` where other packages import it: the sources, so that no
    // module is there twice, as a source and as it was built last.
    resolve: {
      alias: [
        { find: "#crc32", replacement: source("io/node/crc32.ts") },
        { find: "#files", replacement: source("io/node/file.ts") },
        { find: "#native-zstd", replacement: source("io/node/native-zstd.ts") },
        { find: "#zstd-wasm", replacement: source("io/node/zstd-wasm.ts") },
        ...entries(),
      ],
    },
    test: {
      reporters: ["default", "./test/summary-reporter.ts"],
      setupFiles: ["./test/setup.ts"],
      globalSetup: [
        "./packages/simtape/test/support/ceph-setup.ts",
        "./packages/server/test/support/postgres-setup.ts",
        "./packages/server/test/support/demos-setup.ts",
      ],
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // In CI a test that fails is tried once more; the summary names every test that needed it.
      retry: process.env["CI"] === "true" ? 1 : 0,
      // A page on a busy machine takes longer than the second that is usual.
      expect: { poll: { timeout: 30_000 } },
      // Those that wait for processes and pages do so for most of their time.
      maxWorkers: suite === undefined ? 2 : 3,
      projects:
        suite === undefined
          ? [
              project("shared", { include: SHARING, exclude: [...usual, ...REPLACING], isolate: false }),
              project("alone", { include: EVERY, exclude: [...usual, ...SHARING, ...REPLACING] }),
              project("replacing", { include: REPLACING }, false),
            ]
          : [project(mode, { include: [...suite], exclude: [APART, ...REPLACING] })],
    },
  };
});

/** `simtape`, `simtape/node`, ... by their sources. */
function entries(): { find: RegExp; replacement: string }[] {
  return Object.entries(simtape.exports).flatMap(([name, entry]) => {
    const path = typeof entry === "string" ? entry : entry.default;
    if (!path.endsWith(".js")) return [];
    const [find, replacement] = [`simtape${name.slice(1)}`, path.replace("./dist/", "").replace(/\.js$/, ".ts")];
    return [
      { find: new RegExp(`^${find.replace("*", "([^/]+)")}$`), replacement: source(replacement.replace("*", "$1")) },
    ];
  });
}

function source(path: string): string {
  return fileURLToPath(new URL(`packages/simtape/src/${path}`, import.meta.url));
}

import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/**
 * Tests of the server that start many processes of it: `npm run test:server`. The others are part of every run, so that
 * `npm test` stays short.
 */
const SERVER = "packages/server/test/**/*.test.ts";
/** A package with dependencies, and tests, of its own. */
const APART = "packages/minecraft/**";
const USUAL = ["catalog", "floors", "pages"];

export default defineConfig(({ mode }) => ({
  // What a package's own `imports` gives on Node, and what the simulations are made with, as it is now, whatever was
  // built of it last.
  resolve: {
    alias: {
      "#files": source("io/node/file.ts"),
      "#zstd-wasm": source("io/node/zstd-wasm.ts"),
      "simtape/making": source("making.ts"),
    },
  },
  test: {
    include:
      mode === "server"
        ? [SERVER]
        : ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude:
      mode === "server"
        ? usual()
        : mode === "soak"
          ? [APART]
          : [APART, `packages/server/test/!(${USUAL.join("|")}).test.ts`, "packages/server/test/*/**"],
    reporters: ["default", "./test/summary-reporter.ts"],
    setupFiles: ["./test/setup.ts"],
    globalSetup: ["./packages/simtape/test/support/ceph-setup.ts", "./packages/server/test/support/postgres-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // In CI a test that fails is tried once more; the summary names every test that needed it.
    retry: process.env["CI"] === "true" ? 1 : 0,
    // A page on a busy machine takes longer than the second that is usual.
    expect: { poll: { timeout: 30_000 } },
    // Those of the server wait for most of their time.
    maxWorkers: mode === "server" ? 3 : 2,
  },
}));

function usual(): string[] {
  return USUAL.map((name) => `packages/server/test/${name}.test.ts`);
}

function source(path: string): string {
  return fileURLToPath(new URL(`packages/simtape/src/${path}`, import.meta.url));
}

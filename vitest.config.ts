import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // What a package's own `imports` gives on Node, as it is now, whatever was built of it last.
  resolve: { alias: { "#files": source("io/node/file.ts"), "#zstd-wasm": source("io/node/zstd-wasm.ts") } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/*/test/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default", "./test/summary-reporter.ts"],
    setupFiles: ["./test/setup.ts"],
    globalSetup: ["./packages/simtape/test/support/ceph-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});

function source(path: string): string {
  return fileURLToPath(new URL(`packages/simtape/src/${path}`, import.meta.url));
}

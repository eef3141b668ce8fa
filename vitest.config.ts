import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default", "./test/summary-reporter.ts"],
    setupFiles: ["./test/setup.ts"],
    globalSetup: ["./packages/simtape/test/support/ceph-setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});

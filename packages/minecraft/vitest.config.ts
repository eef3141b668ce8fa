import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    reporters: ["default", "../../test/summary-reporter.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // In CI a test that fails is tried once more; the summary names every test that needed it.
    retry: process.env["CI"] === "true" ? 1 : 0,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
});

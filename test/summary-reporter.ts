import type { Reporter, TestModule } from "vitest/node";

/**
 * Ends a run with one plain line, "tests: N passed, N failed, N skipped", for people and scripts alike. Before it, the
 * names of tests that passed only in a second attempt: they need a repair.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    let passed = 0;
    let failed = 0;
    let skipped = 0;
    for (const module of modules) {
      if (module.state() === "failed" && module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (test.diagnostic()?.flaky === true) process.stdout.write(`passed when tried again: ${test.fullName}\n`);
        if (state === "passed") passed++;
        else if (state === "failed") failed++;
        else skipped++;
      }
    }
    process.stdout.write(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}

import { afterAll, expect, test } from "vitest";
import { CONSOLE, ConsolePage } from "./console-page.ts";

const page = new ConsolePage("jobs.md");
afterAll(() => page.remove());

/** `npx vitest run packages/simtape/test/docs/jobs.test.ts -u` writes the page again. */
test("the jobs of docs/jobs.md are commands with their true output", async () => {
  expect(page.text.match(/^### \d+\. /gm)).toHaveLength(32);
  expect(page.text.match(CONSOLE)).toHaveLength(32);
  await expect(page.shown()).toMatchFileSnapshot(page.path);
});

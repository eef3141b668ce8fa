import { afterAll, expect, test } from "vitest";
import { CONSOLE, ConsolePage } from "./console-page.ts";

const page = new ConsolePage("sql.md");
afterAll(() => page.remove());

/** `npx vitest run packages/simtape/test/docs/sql.test.ts -u` writes the page again. */
test("the questions of docs/sql.md are five commands with their true output", async () => {
  expect(page.text.match(CONSOLE)).toHaveLength(5);
  const shown = page.shown();
  await expect(shown).toMatchFileSnapshot(page.path);
  expect(shown).not.toMatch(/^simtape: /m);
});

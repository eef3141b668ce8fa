import { afterAll, beforeAll, expect, test } from "vitest";
import { CONSOLE, ConsolePage } from "./console-page.ts";

const page = new ConsolePage("jobs.md");

/** The programs that the jobs of "While a program runs" speak to. */
beforeAll(async () => {
  await page.usesPorts(38801, 38802, 8765, 8766, 8767, 8000);
  page.copiesExamples("library");
  await page.runsBeside("play examples/buckyball.nanover.zip --into nanover --port 38801 --repeat");
  await page.runsBeside("play examples/patrol.tape --into foxglove --port 8765 --repeat");
  const server = await page.runsBeside(
    "serve library --port 8000 --from nanover=ws://127.0.0.1:38801 --into foxglove=8766,nanover=38802",
  );
  const says = async (path: string, words: string): Promise<boolean> =>
    (await (await fetch(server + path)).text()).includes(words);
  while (!(await says("/api/outlets", '"offered":5')) || !(await says("/api/programs", '"phase":"recording"')))
    await new Promise((resolve) => setTimeout(resolve, 200));
}, 150_000);

afterAll(() => page.remove());

/** `npx vitest run packages/simtape/test/docs/jobs.test.ts -u` writes the page again. */
test("the jobs of docs/jobs.md are commands with their true output", async () => {
  expect(page.text.match(/^### \d+\. /gm)).toHaveLength(38);
  expect(page.text.match(CONSOLE)).toHaveLength(38);
  await expect(page.shown()).toMatchFileSnapshot(page.path);
});

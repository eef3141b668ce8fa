import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** What axe finds serious in a page, a line for each; "" when there is nothing. */
export async function violations(page: Page): Promise<string> {
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() =>
    (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" ")}`)
    .join("\n");
}

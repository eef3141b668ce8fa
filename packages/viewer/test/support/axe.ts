import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** What can be pressed and is too small for a finger, with its size; links in running text are not meant. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const targets =
      "button, summary, select, input:not([type=checkbox]), label:has(input[type=checkbox]), [role=tab], [role=option], [role=treeitem], [role=slider]";
    return [...document.querySelectorAll(targets)].flatMap((element) => {
      const { width, height } = element.getBoundingClientRect();
      const isShown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (!isShown || (width >= 43.5 && height >= 43.5)) return [];
      return [`${Math.round(width)} × ${Math.round(height)}: ${element.outerHTML.slice(0, 90)}`];
    });
  });
}

/** What is serious or critical, by rule and element, and what is too faint to be read. */
export async function violations(page: Page): Promise<string> {
  await page.evaluate(axe.source);
  const found: AxeResults = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ["violations"] }),
  );
  const serious = found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, target }) => `${id} ${String(target)} ${html.slice(0, 100)}`));
  return [...serious, ...(await faintTexts(page))].join("\n");
}

/**
 * Texts whose contrast with what is behind them is below 4.5, with the number: axe leaves out what others may cover, as
 * rows of lists. What is behind a see-through colour is what its ancestors have.
 */
function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Color = readonly [red: number, green: number, blue: number, alpha: number];
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
    const known = new Map<string, Color>();
    const read = (text: string): Color => {
      const found = known.get(text);
      if (found !== undefined) return found;
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = text;
      context.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
      const color = [red!, green!, blue!, alpha! / 255] as const;
      known.set(text, color);
      return color;
    };
    const over = ([r, g, b, a]: Color, below: Color, part = 1): Color => {
      const mixed = [r, g, b].map((value, i) => value * a * part + below[i]! * (1 - a * part));
      return [mixed[0]!, mixed[1]!, mixed[2]!, 1];
    };
    const behind = (element: Element | null): Color => {
      if (element === null) return [255, 255, 255, 1];
      return over(read(getComputedStyle(element).backgroundColor), behind(element.parentElement));
    };
    const opacity = (element: Element | null): number =>
      element === null ? 1 : Number(getComputedStyle(element).opacity) * opacity(element.parentElement);
    const light = (color: Color): number => {
      const [r, g, b] = color.slice(0, 3).map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    };
    const faint = (element: Element, text: string, ink: string): string[] => {
      const below = behind(element);
      const lights = [light(over(read(ink), below, opacity(element))), light(below)].sort((a, b) => a - b);
      const contrast = (lights[1]! + 0.05) / (lights[0]! + 0.05);
      return contrast >= 4.5 ? [] : [`${contrast.toFixed(2)} ${element.className}: ${text.trim().slice(0, 40)}`];
    };
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement!;
      const isShown = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      const isOff = element.closest(":disabled, option, svg, .hex-bytes") !== null;
      if (node.textContent!.trim() === "" || !isShown || isOff) continue;
      found.push(...faint(element, node.textContent!, getComputedStyle(element).color));
    }
    for (const field of document.querySelectorAll<HTMLInputElement>("input[placeholder]")) {
      if (field.checkVisibility())
        found.push(...faint(field, field.placeholder, getComputedStyle(field, "::placeholder").color));
    }
    return [...new Set(found)];
  });
}

/**
 * Draws the icons of the installed page from `icon.svg` in Chromium: /usr/bin/chromium, or the program that `CHROMIUM`
 * names. A maskable icon has no rounded corners: the system cuts it to a shape that keeps at least the middle four
 * fifths.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const folder = fileURLToPath(new URL("../packages/viewer/public/", import.meta.url));
const drawing = readFileSync(`${folder}icon.svg`, "utf8");
const uncut = drawing.replace(/ rx="[^"]*"/, "");
if (uncut === drawing)
  throw new Error("icon.svg has no rounded background (rx): change how this script makes a maskable icon of it");

const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage();
for (const [name, size, svg] of [
  ["icon-192.png", 192, drawing],
  ["icon-512.png", 512, drawing],
  ["icon-maskable-512.png", 512, uncut],
] as const) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>body { margin: 0 } svg { display: block; width: 100vw; height: 100vh }</style>${svg}`);
  writeFileSync(folder + name, await page.screenshot({ omitBackground: true }));
  console.log(`${folder}${name}`);
}
await browser.close();

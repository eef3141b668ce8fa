import { readFileSync, writeFileSync } from "node:fs";
import type { Size } from "./bundles.ts";

const PAGE = new URL("../../docs/size.md", import.meta.url);

/** Share by which a size may differ from the one that the page states. */
const TOLERANCE = 0.08;

/** The size of each bundle, by its formats and its bundler. */
export type Sizes = ReadonlyMap<string, Size>;

export function keyOf(formats: string, bundler: string): string {
  return `${formats} ${bundler}`;
}

/** Writes the table of docs/size.md. */
export function writeSizes(sizes: Sizes): void {
  const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`;
  const rows = [...sizes].map(
    ([key, { start, minified, gzip }]) =>
      `| ${key.replace(" ", " | ")} | ${kilobytes(start)} | ${kilobytes(gzip)} | ${kilobytes(minified)} |`,
  );
  const text = readFileSync(PAGE, "utf8");
  writeFileSync(PAGE, text.replace(/(\|---.*\|\n)(\|.*\|\n)*/, `$1${rows.join("\n")}\n`));
}

/** A sentence for each outdated line in the table of docs/size.md. */
export function outdatedSizes(sizes: Sizes): string[] {
  const text = readFileSync(PAGE, "utf8");
  const said = new Map(
    [...text.matchAll(/^\| (\w+) \| (\w+) \| (\d+) kB \| (\d+) kB \| (\d+) kB \|$/gm)].map(
      ([, formats, bundler, ...numbers]) => [keyOf(formats!, bundler!), numbers.map((kilobytes) => +kilobytes * 1000)],
    ),
  );
  const wrong: string[] = [];
  for (const [key, { start, minified, gzip }] of sizes) {
    const row = said.get(key);
    if (row === undefined) wrong.push(`docs/size.md does not have ${key}`);
    for (const [i, found] of [start, gzip, minified].entries()) {
      const stated = row?.[i] ?? found;
      // the page rounds sizes to a kilobyte
      if (Math.abs(found - stated) <= Math.max(1000, stated * TOLERANCE)) continue;
      wrong.push(`docs/size.md says ${stated / 1000} kB of ${key}, found ${(found / 1000).toFixed(1)} kB`);
    }
  }
  for (const key of said.keys()) if (!sizes.has(key)) wrong.push(`docs/size.md has ${key}, which is not built`);
  return wrong;
}

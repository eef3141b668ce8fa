import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The dead links of the built site at `folder`, which is served under `base`: a line for each link to a page or place
 * of the site that is missing.
 */
export function deadLinks(folder: string, base: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".html"));
  const ids = new Map(files.map((path) => [join(folder, path), idsOf(readFileSync(join(folder, path), "utf8"))]));
  const dead = new Set<string>();
  for (const file of files) {
    const html = readFileSync(join(folder, file), "utf8");
    for (const [, link] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const [path = "", hash = ""] = decodeURI(link!.replaceAll("&amp;", "&")).split("#");
      if (/^[a-z]+:|^\/\//.test(path)) continue;
      const to = pathOf(path.replace(/\?.*$/, ""), join(folder, file), folder, base);
      if (to === null) dead.add(`${file}: ${link} is missing`);
      else if (hash !== "" && ids.has(to) && !ids.get(to)!.has(hash)) dead.add(`${file}: ${link} has no such place`);
    }
  }
  return [...dead];
}

function idsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id!.replaceAll("&amp;", "&")));
}

/** The file that an address stands for; null if it is missing. */
function pathOf(path: string, from: string, folder: string, base: string): string | null {
  if (path === "") return from;
  if (path.startsWith("/") && !path.startsWith(base)) return null;
  const place = path.startsWith("/") ? join(folder, path.slice(base.length)) : join(dirname(from), path);
  return (
    [place, `${place}.html`, join(place, "index.html")].find((each) => /\.\w+$/.test(each) && existsSync(each)) ?? null
  );
}

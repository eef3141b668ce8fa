import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { citationsIn, linksOf, type Page, readPage } from "./citations.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const PAGES = "docs/formats";
const SOURCES = /\.(ts|tsx|js|mjs|md|css|html)$/;

/** Paths of files below a folder that are kept in the repository, from its root on, with `/`. */
function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : filesIn(path);
    return SOURCES.test(entry.name) ? [path] : [];
  });
}

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const pages: ReadonlyMap<string, Page> = new Map(
  filesIn(PAGES).map((path): [string, Page] => [basename(path, ".md"), readPage(read(path))]),
);
const packages = filesIn("packages").filter((path) => !path.includes("/test/docs/citations"));
const others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...filesIn("docs")].filter(
  (path) => !path.startsWith(PAGES),
);
const sources = [...packages, ...filesIn("scripts"), ...filesIn("bench"), ...filesIn("test"), ...others];

/** A file in a folder `formats/<x>` of sources, tests or fixtures is of that format. */
function formatOf(path: string): string | null {
  return /\/(?:formats|fixtures)\/([a-z]+)\//.exec(path)?.[1] ?? null;
}

/** A sentence for each citation that leads nowhere. */
function wrongIn(path: string, format: string | null, page: string | null): string[] {
  const { citations, wrong } = citationsIn(read(path), format, page);
  const lost = citations.flatMap((citation) => {
    if (citation.page === null || pages.get(citation.page)?.sections.has(citation.section) === true) return [];
    const what = pages.has(citation.page) ? `has no §${citation.section}` : "is not there";
    return [`line ${citation.line}: ${PAGES}/${citation.page}.md ${what}`];
  });
  return [...wrong, ...lost].map((sentence) => `${path}, ${sentence}`);
}

test("every citation of a specification in code and comments leads to a heading", () => {
  expect(sources.flatMap((path) => wrongIn(path, formatOf(path), null))).toEqual([]);
});

test("the format pages cite sections that are there", () => {
  const names = [...pages.keys()].filter((name) => name !== "README");
  expect(names.flatMap((name) => wrongIn(`${PAGES}/${name}.md`, name.split("-")[0]!, name))).toEqual([]);
});

test("nothing cites a specification that is not in the repository", () => {
  const outside = /shared\/formats|\b(spec|semantics|events)\.md\b/;
  const wrong = [...sources, ...filesIn(PAGES)].filter((path) =>
    outside.test(read(path).replace(/-(semantics|events)\.md/g, "")),
  );
  expect(wrong).toEqual([]);
});

test("no number stands before two headings of one page", () => {
  for (const [name, { twice }] of pages) expect(twice, name).toEqual([]);
});

test("links in pages lead to files and headings that are there", () => {
  const markdown = [...others, ...filesIn(PAGES), ...packages].filter((path) => path.endsWith(".md"));
  const wrong = markdown.flatMap((path) => {
    const folder = dirname(join(ROOT, path));
    return linksOf(read(path))
      .filter((link) => {
        const [target = "", anchor] = link.split("#");
        const file = target === "" ? join(ROOT, path) : resolve(folder, target);
        if (!existsSync(file) || relative(ROOT, file).startsWith(`..${sep}`)) return true;
        if (anchor === undefined || statSync(file).isDirectory()) return false;
        return !readPage(readFileSync(file, "utf8")).anchors.has(anchor);
      })
      .map((link) => `${path}: ${link}`);
  });
  expect(wrong).toEqual([]);
});

test("each format has a specification, and the index names every page", () => {
  for (const name of ["nanover", "carla", "mira", "flightgear", "hcrp", "mcap"])
    expect([...pages.keys()]).toContain(name);
  const index = linksOf(read(`${PAGES}/README.md`));
  for (const name of pages.keys()) if (name !== "README") expect(index).toContain(`${name}.md`);
});

describe("reading citations", () => {
  const reported = (text: string, format: string | null = "carla", page: string | null = null): string[] => {
    const { citations, wrong } = citationsIn(text, format, page);
    return [...citations.map((one) => `${one.page} ${one.section}`), ...wrong];
  };

  test("a list cites each of its sections", () => {
    expect(reported("// spec §4.2, §5 and §6.1 to §6.3")).toEqual(["carla 4.2", "carla 5", "carla 6.1", "carla 6.3"]);
    expect(reported("/** Spec §3, semantics §2.1; events §7. */")).toEqual([
      "carla 3",
      "carla-semantics 2.1",
      "carla-events 7",
    ]);
  });

  test("a citation goes on in the next line of a comment", () => {
    expect(reported("/**\n * As stated (spec\n * §2,\n * §3).\n */\n// spec\n// §4")).toEqual([
      "carla 2",
      "carla 3",
      "carla 4",
    ]);
  });

  test("elsewhere a format must be named, and wins where it is", () => {
    expect(reported("// HCRP spec §4, HCRP events §2", null)).toEqual(["hcrp 4", "hcrp-events 2"]);
    expect(reported("// HCRP spec §4")).toEqual(["hcrp 4"]);
    expect(reported("\n// spec §4", null)).toEqual(['line 2: "spec §4" does not name its format']);
  });

  test("a number without a document is wrong, but in a page it is a section of its own", () => {
    expect(reported("// as §13 says")).toEqual(['line 1: "§13 says" names no document']);
    expect(reported("see §13.1", "carla", "carla-semantics")).toEqual(["carla-semantics 13.1"]);
  });

  test("public documents may be cited by their numbers", () => {
    expect(reported("// RFC 8878 §3.1.1, §5")).toEqual(["null 3.1.1", "null 5"]);
  });

  test("headings have numbers with and without a point, once each, and none in code", () => {
    const { sections, twice, anchors } = readPage("# Title\n## 1 One\n### 1.1. Two `x`\n```\n## 7 no\n```\n## 1 One\n");
    expect([...sections]).toEqual(["1", "1.1"]);
    expect(twice).toEqual(["1"]);
    expect([...anchors]).toEqual(["title", "1-one", "11-two-x", "1-one-1"]);
  });
});

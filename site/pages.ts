import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** Where files of the repository are that are no pages of the site. */
const REPOSITORY = "https://github.com/simtape/simtape";

/** Pages from files outside docs. */
const OTHERS: Readonly<Record<string, string>> = {
  "README.md": "start.md",
  "CHANGELOG.md": "changelog.md",
  "ARCHITECTURE.md": "architecture.md",
  "CONTRIBUTING.md": "contributing.md",
  "packages/simtape/README.md": "package.md",
  "packages/viewer/README.md": "viewer.md",
  "packages/corpus/README.md": "corpus.md",
  "packages/client/README.md": "client.md",
};

/**
 * Copies the Markdown of the repository at `root` into `to`, as pages. A relative link leads to the page of its file,
 * or to the repository if its file is no page. Throws if the file of a link is missing.
 */
export function copyPages(root: string, to: string): void {
  const pages = pagesOf(root);
  for (const [file, page] of pages) {
    const text = linked(readFileSync(join(root, file), "utf8"), (link) => target(root, pages, file, link));
    mkdirSync(dirname(join(to, page)), { recursive: true });
    writeFileSync(join(to, page), text);
  }
  cpSync(join(root, "docs/pictures"), join(to, "public/pictures"), { recursive: true });
}

/** Pages by the files that they are made of, both with `/` between folders. */
function pagesOf(root: string): ReadonlyMap<string, string> {
  const pages = new Map(Object.entries(OTHERS));
  for (const path of readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })) {
    const name = path.replaceAll("\\", "/");
    if (!name.endsWith(".md") || name.startsWith("api/")) continue;
    pages.set(`docs/${name}`, name.replace(/README\.md$/, "index.md"));
  }
  const formats = "packages/simtape/src/formats";
  for (const id of readdirSync(join(root, formats))) {
    if (existsSync(join(root, formats, id, "README.md"))) {
      pages.set(`${formats}/${id}/README.md`, `formats/in-simtape/${id}.md`);
    }
  }
  return pages;
}

/**
 * `text` with the targets of its links replaced, and without elements: a page would take a name in angle brackets for
 * one.
 */
function linked(text: string, replaced: (link: string) => string): string {
  const code = /(^```[\s\S]*?^```|`[^`\n]*`)/m;
  return text
    .split(code)
    .map((part, i) => {
      if (i % 2 === 1) return part;
      const links = part.replace(/\]\(([^()\s]+)\)/g, (_, link: string) => `](${replaced(link)})`);
      return links.replace(/<(?!https?:)/g, "&lt;");
    })
    .join("");
}

/** Where `link` of a file leads on the site. */
function target(root: string, pages: ReadonlyMap<string, string>, file: string, link: string): string {
  if (/^([a-z]+:|#)/.test(link)) return link;
  const [path = "", anchor] = link.split("#");
  const wanted = posix.normalize(posix.join(posix.dirname(file), path)).replace(/\/$/, "");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  const page = pages.get(wanted) ?? pages.get(`${wanted}/README.md`);
  if (page !== undefined) return `/${page.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}${hash}`;
  if (wanted.startsWith("docs/pictures/")) return `/${wanted.slice("docs/".length)}`;
  if (!existsSync(join(root, wanted))) throw new Error(`${file}: a link leads to ${link}, which is missing`);
  return `${REPOSITORY}/${statSync(join(root, wanted)).isDirectory() ? "tree" : "blob"}/main/${wanted}${hash}`;
}

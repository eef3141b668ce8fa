/** Copies the page about formats of other packages into the package; links to other pages become links to the repository. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const REPOSITORY = "https://github.com/simtape/simtape/blob/main/";
const root = new URL("..", import.meta.url);
const page = new URL("docs/kit.md", root);
const folder = new URL("packages/simtape/docs/", root);

const text = readFileSync(page, "utf8").replace(/\]\((?![a-z]+:|#)([^)]+)\)/g, (_, link) => {
  const path = new URL(link, page).href.slice(root.href.length);
  return `](${REPOSITORY}${path})`;
});
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("kit.md", folder), text);

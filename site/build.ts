/**
 * Builds the documentation site into site/dist: guides, formats, commands, API, and the viewer with the example
 * recordings. The library and the viewer must be built. `SITE_BASE` is the path that the site will be served under.
 */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installOnce } from "../scripts/install-once.ts";
import { commandsPage } from "./commands.ts";
import { writeEntries } from "./entries.ts";
import { deadLinks } from "./links.ts";
import { copyPages } from "./pages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const site = join(root, "site");
const pages = join(site, "pages");
const dist = join(site, "dist");

installOnce(site);
rmSync(pages, { recursive: true, force: true });
copyPages(root, pages);
cpSync(join(site, "index.md"), join(pages, "index.md"));
cpSync(join(root, "packages/viewer/public/icon.svg"), join(pages, "public/icon.svg"));
writeFileSync(join(pages, "commands.md"), commandsPage(join(root, "packages/simtape/bin/simtape.js")));
writeEntries(join(root, "packages/simtape"), join(site, "entries"));
run("typedoc/bin/typedoc", "--options", join(site, "typedoc.json"));
run("vitepress/bin/vitepress.js", "build", site);
copyViewer();
const dead = deadLinks(dist, process.env["SITE_BASE"] ?? "/");
for (const line of dead) console.error(line);
console.log(`site: ${readdirSync(dist, { recursive: true }).length} files in ${dist}, ${dead.length} dead links`);
process.exitCode = dead.length === 0 ? 0 : 1;

function run(script: string, ...words: readonly string[]): void {
  execFileSync(process.execPath, [join(site, "node_modules", script), ...words], { cwd: site, stdio: "inherit" });
}

/** The built page with the examples, as `simtape view` would serve them. */
function copyViewer(): void {
  const view = join(dist, "view");
  cpSync(join(root, "packages/viewer/dist"), view, { recursive: true });
  const examples = readdirSync(join(root, "examples"), { withFileTypes: true }).filter((entry) => entry.isFile());
  const list = examples.map(({ name }) => {
    cpSync(join(root, "examples", name), join(view, "recordings", name));
    return { name, url: `recordings/${name}`, bytes: statSync(join(root, "examples", name)).size };
  });
  writeFileSync(join(view, "recordings.json"), JSON.stringify(list));
  const index = join(view, "index.html");
  const page = readFileSync(index, "utf8");
  writeFileSync(
    index,
    page.replace('name="simtape-recordings" content=""', 'name="simtape-recordings" content="recordings.json"'),
  );
}

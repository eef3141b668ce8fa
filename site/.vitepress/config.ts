import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import api from "../pages/api/typedoc-sidebar.json" with { type: "json" };

const FORMATS = { nanover: "NanoVer", carla: "CARLA", mira: "MIRA", flightgear: "FlightGear", hcrp: "HCRP" };

const BASE = process.env["SITE_BASE"] ?? "/";
const RECORDING = ["recording", "line-protocol", "compaction", "retention"];
const PROJECT = ["changelog", "architecture", "contributing", "viewer"];
const FIRST = ["index", "start", "package", "play", "size"];

interface Item {
  readonly text: string;
  readonly link: string;
}

/** The item of a page, with the text of the page's first heading. */
function item(name: string): Item {
  const text = readFileSync(new URL(`../pages/${name}.md`, import.meta.url), "utf8");
  return { text: /^# (.+)$/m.exec(text)?.[1] ?? name, link: `/${name}` };
}

/** The pages of a folder, but for those that are elsewhere in the sidebar. */
function rest(folder: string, ...others: readonly string[]): Item[] {
  const names = readdirSync(fileURLToPath(new URL(`../pages/${folder}`, import.meta.url)));
  return names
    .filter((name) => name.endsWith(".md") && !others.includes(name.slice(0, -3)))
    .map((name) => item(`${folder}${name.slice(0, -3)}`));
}

/** Anchors as GitHub makes them, so that links work in both places. */
function slugify(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}

/** `pages.ts` copies the pages to `pages`. A link to a missing page fails the build. */
export default defineConfig({
  title: "simtape",
  description: "Opens, reads, converts, repairs, records and plays simulation recordings",
  base: BASE,
  head: [["link", { rel: "icon", href: `${BASE}icon.svg` }]],
  srcDir: "pages",
  outDir: "dist",
  cleanUrls: false,
  markdown: { languageAlias: { ndjson: "json" }, anchor: { slugify } },
  // build.ts adds the viewer when the pages are built
  ignoreDeadLinks: [/^\/view\//],
  themeConfig: {
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: "https://github.com/simtape/simtape" }],
    outline: { level: [2, 3] },
    nav: [
      { text: "Guides", link: "/start" },
      { text: "Formats", link: "/formats/" },
      { text: "Commands", link: "/cli" },
      { text: "API", link: "/api/" },
      { text: "Viewer", link: "/view/", target: "_self" },
    ],
    sidebar: {
      "/api/": api,
      "/": [
        {
          text: "Guides",
          items: [
            { text: "Start", link: "/start" },
            { text: "The package", link: "/package" },
            ...rest("guides/"),
            item("play"),
            item("size"),
          ],
        },
        {
          text: "Recording live",
          items: RECORDING.map(item),
        },
        {
          text: "Reference",
          items: rest("", ...FIRST, ...RECORDING, ...PROJECT),
        },
        {
          text: "Formats",
          items: [
            { text: "Overview", link: "/formats/" },
            ...Object.entries(FORMATS).map(([id, name]) => ({
              text: name,
              collapsed: true,
              items: [
                { text: "Specification", link: `/formats/${id}` },
                {
                  text: id === "hcrp" ? "Events" : "Meaning",
                  link: `/formats/${id}-${id === "hcrp" ? "events" : "semantics"}`,
                },
                { text: "In simtape", link: `/formats/in-simtape/${id}` },
              ],
            })),
          ],
        },
        {
          text: "Project",
          items: PROJECT.map(item),
        },
      ],
    },
  },
});

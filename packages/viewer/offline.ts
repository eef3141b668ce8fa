import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type HtmlTagDescriptor, type Plugin, transformWithOxc } from "vite";
import { FORMATS } from "../simtape/src/formats.ts";

/** File of the web app manifest (W3C Web Application Manifest). */
const MANIFEST = "simtape.webmanifest";
/** Colour of the icon, and of the light page. */
const [THEME, GROUND] = ["#0b7285", "#f4f6f8"];
const SOURCE = fileURLToPath(new URL("src/offline/service-worker.ts", import.meta.url));

/** Makes the built page an application that can be installed and opens without its server: manifest and service worker. */
export function installable(): Plugin {
  return {
    name: "installable",
    apply: "build",
    transformIndexHtml: () => [
      link("manifest", MANIFEST),
      link("apple-touch-icon", "icon-192.png"),
      { tag: "meta", attrs: { name: "theme-color", content: THEME }, injectTo: "head" },
    ],
    generateBundle() {
      this.emitFile({ type: "asset", fileName: MANIFEST, source: JSON.stringify(manifest(), null, 2) });
    },
    // All files of the page are there then, those of workers too.
    async writeBundle({ dir }) {
      await writeFile(join(dir!, "sw.js"), await serviceWorker(dir!));
    },
  };
}

function link(rel: string, file: string): HtmlTagDescriptor {
  return { tag: "link", attrs: { rel, href: `./${file}` }, injectTo: "head" };
}

/** Relative addresses throughout: the page works under any path. */
function manifest(): object {
  const icon = (file: string, size: number, purpose: string): object => ({
    src: file,
    sizes: `${size}x${size}`,
    type: "image/png",
    purpose,
  });
  return {
    name: "simtape",
    short_name: "simtape",
    description: "Plays recordings of simulations",
    lang: "en",
    start_url: "./",
    scope: "./",
    display: "standalone",
    theme_color: THEME,
    background_color: GROUND,
    icons: [
      { src: "icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" },
      icon("icon-192.png", 192, "any"),
      icon("icon-512.png", 512, "any"),
      icon("icon-maskable-512.png", 512, "maskable"),
    ],
    file_handlers: [{ action: "./?alone", accept: accepted() }],
    launch_handler: { client_mode: "navigate-new" },
  };
}

/** Endings of the files of each format, and of those that they may need beside them, by a media type of their own. */
function accepted(): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    FORMATS.map(({ id, extensions, options = [] }) => [
      `application/x-simtape-${id}`,
      [...extensions.map((extension) => `.${extension}`), ...options.map(({ ending }) => ending)],
    ]),
  );
}

/** The service worker of the page built in `folder`, with the names of its files. */
async function serviceWorker(folder: string): Promise<string> {
  const assets = (await readdir(join(folder, "assets"))).filter((name) => !name.startsWith("player-"));
  const icons = (await readdir(folder)).filter((name) => /^icon.*\.(svg|png)$/.test(name));
  const parts = [...assets.map((name) => `assets/${name}`), ...icons, MANIFEST].sort();
  const { code } = await transformWithOxc(await readFile(SOURCE, "utf8"), SOURCE);
  const digest = createHash("sha256").update(code).update(parts.join("\n"));
  for (const name of ["index.html", ...icons, MANIFEST]) digest.update(await readFile(join(folder, name)));
  const version = digest.digest("hex").slice(0, 16);
  return `const VERSION = ${JSON.stringify(version)};\nconst PARTS = ${JSON.stringify(parts)};\n${code}`;
}

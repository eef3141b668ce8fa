import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";

/** Packages whose tests import their sources, and that are built file by file. */
const PACKAGES = ["simtape", "server"].map((name) => ({
  src: fileURLToPath(new URL(`../packages/${name}/src/`, import.meta.url)),
  dist: fileURLToPath(new URL(`../packages/${name}/dist/`, import.meta.url)),
}));

/**
 * Gives a test the built module where it imports a source. This is what users have; Node loads it itself, in half the
 * time. A source stays if it is not built yet, or if a test replaces it by `vi.mock`.
 */
export function built(): Plugin {
  return {
    name: "built",
    enforce: "pre",
    // without this, vitest also transforms built modules
    config: () => ({ test: { server: { deps: { external: [/\/packages\/(?:simtape|server)\/dist\/.*\.js$/] } } } }),
    async resolveId(id, importer, options) {
      if (importer === undefined || !id.endsWith(".ts")) return null;
      const found = await this.resolve(id, importer, { ...options, skipSelf: true });
      const home = PACKAGES.find(({ src }) => found?.id.startsWith(src) === true);
      if (found === null || home === undefined) return null;
      const path = home.dist + found.id.slice(home.src.length).replace(/\.ts$/, ".js");
      return existsSync(path) ? { id: path, external: true } : null;
    },
  };
}

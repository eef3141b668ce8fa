import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../run/failure.ts";

/** The folder of the built page, from the package `simtape-viewer`. */
export function builtViewer(): string {
  let manifest: string;
  try {
    manifest = fileURLToPath(import.meta.resolve("simtape-viewer/package.json"));
  } catch {
    throw new UsageError(
      "the viewer is a package of its own: npm install simtape-viewer (with -g where simtape was installed so)",
    );
  }
  const folder = join(dirname(manifest), "dist");
  if (!existsSync(join(folder, "index.html"))) {
    throw new UsageError(`the viewer is not built: npm run build:viewer (nothing in ${folder})`);
  }
  return folder;
}

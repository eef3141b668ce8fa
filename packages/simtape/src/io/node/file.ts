import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkFileName } from "../source/bundle.ts";
import { type SourceBundle, SourceError } from "../source/source.ts";
import { fileSource, codeOf, failure } from "./file-source.ts";

/** The recording in the file at a path or file URL, with the files of the same folder as its siblings. */
export function fromFile(location: string | URL): SourceBundle {
  const path = typeof location === "string" ? location : fileURLToPath(location);
  return {
    name: basename(path),
    open: async (name) => {
      if (name !== undefined) checkFileName(name, dirname(path));
      const target = name === undefined ? path : join(dirname(path), name);
      try {
        const found = await stat(target);
        if (found.isDirectory()) throw new SourceError("failed", `a folder, not a file: ${target}`);
        if (!found.isFile()) throw new SourceError("failed", `not a file that can be read in ranges: ${target}`);
      } catch (error) {
        if (name !== undefined && codeOf(error) === "ENOENT") return null;
        throw failure(error, target);
      }
      return fileSource(target);
    },
    // loaded on use: nothing else of a page's or a program's needs it
    stamp: async (name) => {
      if (name !== undefined) checkFileName(name, dirname(path));
      return (await import("./side-cars.ts")).stampOf(name === undefined ? path : join(dirname(path), name));
    },
    sideCar: async () => (await import("./side-cars.ts")).sideCarOf(path),
  };
}

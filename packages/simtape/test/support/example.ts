import { fileURLToPath } from "node:url";
import { allFormats } from "../../src/cli/input/formats.ts";
import { open, type Recording } from "../../src/index.ts";
import { fromFile } from "../../src/io/node/index.ts";

/** The path of a recording in `examples/`. */
export function example(name: string): string {
  return fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
}

/** Opens a recording in `examples/`; the caller closes it. */
export function openExample(name: string): Promise<Recording> {
  return open(fromFile(example(name)), { formats: allFormats(), seekIndex: false });
}

import { fileURLToPath } from "node:url";
import { allFormats } from "../../src/cli/input/formats.ts";
import { fromFile } from "../../src/io/node/file.ts";
import { openBundle } from "../../src/model/open.ts";
import type { Recording } from "../../src/model/recording.ts";

/** The path of a recording in `examples/`. */
export function example(name: string): string {
  return fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
}

/** Opens a recording in `examples/`; the caller closes it. */
export function openExample(name: string): Promise<Recording> {
  return openBundle(fromFile(example(name)), allFormats(), { seekIndex: false });
}

import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileSource, fromFile, toFile } from "../../io/node/index.ts";
import { whenDone, whenOver } from "../run/ending.ts";
import { UsageError } from "../run/failure.ts";
import { listed } from "./listed.ts";
import { preceded } from "./preceded.ts";
import type { Target } from "./target.ts";
import { UNFINISHED } from "../run/unfinished.ts";

/** Bytes written at once. */
const PIECE = 1 << 20;

/** A file that is written to standard output when the command has succeeded: until then it is a temporary one. */
export async function pouredOut(): Promise<Target> {
  if (process.stdout.isTTY === true)
    throw new UsageError("a recording is no text for a terminal: lead standard output into a file or a pipe");
  const folder = await mkdtemp(join(tmpdir(), "simtape-"));
  UNFINISHED.add(folder);
  whenOver(async () => {
    await rm(folder, { recursive: true, force: true });
    UNFINISHED.delete(folder);
  });
  const path = join(folder, "recording");
  const files = new Map<string, number>();
  const { sink: first, before } = preceded(toFile(path));
  const sink = listed(first, files, "-");
  whenDone(async () => {
    const length = files.get("-");
    if (length !== undefined) await pour(path, length);
  });
  return {
    path: "-",
    main: "-",
    written: fromFile(path),
    mode: undefined,
    force: false,
    files,
    isStandardOutput: true,
    before,
    sink: {
      name: null,
      open: (name) => (name === undefined ? sink.open() : Promise.reject(new UsageError(ONE_FILE))),
    },
    put: () => Promise.reject(new UsageError(ONE_FILE)),
  };
}

const ONE_FILE =
  "standard output takes one file, and this recording has more: write it to a name, or as one file (--dialect)";

async function pour(path: string, length: number): Promise<void> {
  const source = fileSource(path);
  try {
    for (let at = 0; at < length; at += PIECE) {
      const bytes = await source.read(at, PIECE);
      if (!process.stdout.write(bytes)) await once(process.stdout, "drain");
    }
  } finally {
    await source.close();
  }
}

import { createHash } from "node:crypto";
import type { Library } from "../../library/library.ts";

/** The digests by which content is recognised. */
export interface Digests {
  /** SHA-256 of the file; when there are several, of their digests, the main file's first. */
  readonly whole: string;
  /** The digest of each file. */
  readonly files: readonly string[];
}

/** Null: one of the files no longer exists. `progress` from 0 to 1. */
export async function digestsOf(
  library: Library,
  keys: readonly string[],
  signal: AbortSignal | undefined,
  progress: (part: number) => void = () => undefined,
): Promise<Digests | null> {
  const files: string[] = [];
  for (const [index, key] of keys.entries()) {
    const digest = await digestOf(library, key, signal, (part) => progress((index + part) / keys.length));
    if (digest === null) return null;
    files.push(digest);
  }
  const whole = files.length === 1 ? files[0]! : createHash("sha256").update(files.join("\n")).digest("hex");
  return { whole, files };
}

async function digestOf(
  library: Library,
  key: string,
  signal: AbortSignal | undefined,
  progress: (part: number) => void,
): Promise<string | null> {
  const opened = await library.open(key);
  if (opened === null) return null;
  try {
    const { bytes } = opened.file;
    const hash = createHash("sha256");
    let done = 0;
    if (bytes > 0) {
      for await (const piece of opened.stream(0, bytes)) {
        signal?.throwIfAborted();
        hash.update(piece as Buffer);
        done += (piece as Buffer).length;
        progress(done / bytes);
      }
    }
    return hash.digest("hex");
  } finally {
    await opened.close();
  }
}

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Bytes of all files in a folder, which may be changed meanwhile; 0 where there is none. */
export function bytesIn(folder: string): number {
  let bytes = 0;
  try {
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
      bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    // it is not there yet
  }
  return bytes;
}

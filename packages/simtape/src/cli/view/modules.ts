import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";

/** Where the page finds a format module, from itself on: the `index`th that was named. */
export function moduleAddress(path: string, index: number): string {
  return `formats/${index}/${encodeURIComponent(basename(path))}`;
}

/**
 * What the page asks for at an address below `formats/`: a module that was named, or a script beside or below it, which it
 * may import. Null: nothing else is given out, wherever links lead. `modules` are real paths.
 */
export async function scriptAt(address: string, modules: readonly string[]): Promise<Buffer | null> {
  const [, index, name] = /^formats\/(\d+)\/(.+\.m?js)$/.exec(address) ?? [];
  const module = modules[Number(index)];
  if (module === undefined) return null;
  const folder = dirname(module);
  try {
    const real = await realpath(join(folder, name!));
    return real.startsWith(folder + sep) && /\.m?js$/.test(real) ? await readFile(real) : null;
  } catch {
    return null;
  }
}

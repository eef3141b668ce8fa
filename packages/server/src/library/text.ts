import type { Library } from "./library.ts";

/** Most bytes of a small file. */
const MOST = 16 << 20;

/** Reads a small file of the library as text; null: it does not exist, or is too large. */
export async function readText(library: Library, key: string): Promise<string | null> {
  const opened = await library.open(key);
  if (opened === null) return null;
  try {
    const { bytes } = opened.file;
    return bytes > MOST ? null : new TextDecoder().decode(await opened.read(0, bytes));
  } finally {
    await opened.close();
  }
}

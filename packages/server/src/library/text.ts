import type { Library } from "./library.ts";

/** Bytes of a small file at most. */
const MOST = 16 << 20;

/** A small file of the library as text; null: it is not there, or is none that is small. */
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

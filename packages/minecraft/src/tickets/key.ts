import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { UsageError } from "simtape/command";

const BYTES = 32;

/**
 * Reads the key from a file of 64 hexadecimal digits. Throws `UsageError` when the file is missing or has other
 * content.
 */
export async function readKey(path: string): Promise<Uint8Array> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`the key cannot be read (${error.code}): ${path}; simtape-mc ticket makes one`);
  });
  if (!/^[0-9a-f]{64}\s*$/i.test(text)) throw new UsageError(`a key has 64 hexadecimal digits: ${path}`);
  return Buffer.from(text.trim(), "hex");
}

/** Like `readKey`; makes a missing file, readable for its owner alone. */
export async function readOrMakeKey(path: string): Promise<{ readonly key: Uint8Array; readonly isNew: boolean }> {
  const key = randomBytes(BYTES);
  try {
    await writeFile(path, `${key.toString("hex")}\n`, { flag: "wx", mode: 0o600 });
    return { key, isNew: true };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return { key: await readKey(path), isNew: false };
    throw new UsageError(`the key cannot be made (${code}): ${path}`);
  }
}

import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Thrown when another process has locked a folder. */
export class LockedError extends Error {
  override readonly name = "LockedError";
}

/**
 * A lock that ends with its process, whatever ends it: a socket whose name is made of the folder's path. On Linux the
 * name is abstract, so no file stays behind. Throws `LockedError`.
 */
export async function locked(folder: string): Promise<{ release(): Promise<void> }> {
  const name = `simtape-${createHash("sha256")
    .update(await realpath(folder))
    .digest("hex")
    .slice(0, 32)}`;
  const path = process.platform === "linux" ? `\0${name}` : join(tmpdir(), name);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE";
      reject(isTaken ? new LockedError(`another simtape server has its data in ${folder}`) : error);
    });
    server.listen(path, resolve);
  });
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

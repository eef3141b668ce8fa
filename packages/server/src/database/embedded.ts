import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { createHash } from "node:crypto";
import { locked } from "./lock.ts";
import { unpack } from "./unpack.ts";

/** What the worker gets at its start. */
export interface EmbeddedOptions {
  readonly folder: string;
  /** Path of its socket. */
  readonly socket: string;
}

/** A database within this process. */
export interface Embedded {
  /** Address for clients. */
  readonly socketFolder: string;
  /** Settles when the database has ended: after `close`, or with an error. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** The port in the name of the socket, as clients need it. */
export const EMBEDDED_PORT = 5432;

/** File with the path of the socket. */
const SOCKET = "socket";

/** A database with all tables, which was made when this release was built: creating an empty one takes long. */
const PREPARED = fileURLToPath(new URL("../prepared-database.tar.gz", import.meta.url));

/**
 * Opens the database in `folder`, or makes it with the tables of this release, unless `isPrepared` is false. One
 * process at a time may open it: two would lose what they commit. Throws `LockedError` when another process has it
 * open.
 */
export async function openEmbedded(folder: string, isPrepared = true): Promise<Embedded> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await locked(folder);
  try {
    // a short path of its own, as paths of sockets are limited
    const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
    const socketFolder = join(tmpdir(), `simtape-${process.getuid?.() ?? 0}-${name}`);
    await rm(socketFolder, { recursive: true, force: true });
    await mkdir(socketFolder, { mode: 0o700 });
    const data = join(folder, "data");
    const isNew = !(await readdir(data).catch((): string[] => [])).includes("PG_VERSION");
    if (isNew && isPrepared && existsSync(PREPARED)) {
      // left by a first start without a prepared database, which was killed
      await rm(data, { recursive: true, force: true });
      await unpack(PREPARED, data);
    }
    const options = { folder: data, socket: join(socketFolder, `.s.PGSQL.${EMBEDDED_PORT}`) };
    const embedded = await started(options, socketFolder, lock);
    await writeFile(join(folder, SOCKET), socketFolder, { mode: 0o600 });
    return embedded;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Address of the database in `folder` that another process has open; null: that process has not written it. */
export async function socketFolderOf(folder: string): Promise<string | null> {
  return readFile(join(folder, SOCKET), "utf8").catch(() => null);
}

async function started(
  options: EmbeddedOptions,
  socketFolder: string,
  lock: { release(): Promise<void> },
): Promise<Embedded> {
  const { thread, ended } = await startedThread(options);
  return {
    socketFolder,
    ended,
    close: async () => {
      thread.postMessage("close");
      await ended.catch(() => undefined);
      await rm(socketFolder, { recursive: true, force: true });
      await lock.release();
    },
  };
}

/** Resolves to a thread when it has reported that it is ready. Rejects when the thread ends before that. */
async function startedThread(workerData: EmbeddedOptions): Promise<{ thread: Worker; ended: Promise<void> }> {
  const thread = new Worker(new URL("./embedded-worker.js", import.meta.url), {
    workerData,
    // this thread makes few objects besides the database itself
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  const ended = new Promise<void>((resolve, reject) => {
    thread.once("error", reject);
    thread.once("exit", () => resolve());
  });
  const ready = new Promise<void>((resolve) => thread.once("message", () => resolve()));
  await Promise.race([
    ready,
    ended.then(() => {
      throw new Error("the embedded database ended while it started");
    }),
  ]);
  return { thread, ended };
}

import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { createHash } from "node:crypto";
import { locked } from "./lock.ts";
import { unpack } from "./unpack.ts";

/** What the worker is given. */
export interface EmbeddedOptions {
  readonly folder: string;
  /** Path of the socket to listen at. */
  readonly socket: string;
}

/** A database of this process. */
export interface Embedded {
  /** Where clients connect to. */
  readonly socketFolder: string;
  /** Settles when it has ended: by `close`, or with an error. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Of clients: the port in the name of the socket. */
export const EMBEDDED_PORT = 5432;

/** Where the path of its socket is written. */
const SOCKET = "socket";

/** A database with all tables, made when this release was built: the first start of an empty one is costly. */
const PREPARED = fileURLToPath(new URL("../prepared-database.tar.gz", import.meta.url));

/**
 * Opens the database in `folder`, or makes one, which has the tables of this release unless `isPrepared` is false. One
 * process at a time has it: two would lose what they commit. Throws `LockedError` when another has it.
 */
export async function openEmbedded(folder: string, isPrepared = true): Promise<Embedded> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await locked(folder);
  try {
    // a path of its own, as those of sockets are short
    const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
    const socketFolder = join(tmpdir(), `simtape-${process.getuid?.() ?? 0}-${name}`);
    await rm(socketFolder, { recursive: true, force: true });
    await mkdir(socketFolder, { mode: 0o700 });
    const data = join(folder, "data");
    const isNew = !(await readdir(data).catch((): string[] => [])).includes("PG_VERSION");
    if (isNew && isPrepared && existsSync(PREPARED)) {
      // what a first start without a prepared one has left, that was killed
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

/** Where clients reach the database in `folder` that another process has; null: it has left no word. */
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

/** A thread that has said that it is ready. Rejects when it ends before. */
async function startedThread(workerData: EmbeddedOptions): Promise<{ thread: Worker; ended: Promise<void> }> {
  const thread = new Worker(new URL("./embedded-worker.js", import.meta.url), {
    workerData,
    // little is made here beside the database itself
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

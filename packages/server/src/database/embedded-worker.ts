/** The embedded database: PGlite in a thread of its own, behind a socket that ordinary clients connect to. */
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import type { EmbeddedOptions } from "./embedded.ts";

/** The memory for pages is allocated at the start as a whole; the system also caches the files. */
const SETTINGS: readonly string[] = ["shared_buffers=32MB", "max_wal_size=64MB", "min_wal_size=32MB"];

const { folder, socket } = workerData as EmbeddedOptions;
const database = await PGlite.create({
  dataDir: folder,
  // committed data survives a crash of the machine, too
  relaxedDurability: false,
  startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ["-c", setting])],
});
const server = new PGLiteSocketServer({ db: database, path: socket, maxConnections: 64 });
await server.start();
parentPort!.once("message", () => {
  void (async () => {
    await server.stop();
    await database.close();
    parentPort!.postMessage("closed");
    parentPort!.close();
  })();
});
parentPort!.postMessage("open");

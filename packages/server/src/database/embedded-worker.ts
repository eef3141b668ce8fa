/** The embedded database: PGlite in a thread of its own, behind a socket that ordinary clients connect to. */
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import type { EmbeddedOptions } from "./embedded.ts";

/** The memory for pages is allocated at the start as a whole; the system also caches the files. */
const SETTINGS: readonly string[] = ["shared_buffers=32MB", "max_wal_size=64MB", "min_wal_size=32MB"];

/** Messages that another one of the same statement follows: Parse, Bind, Describe, Execute, Close. */
const PARTS: ReadonlySet<number> = new Set(Buffer.from("PBDEC", "latin1"));

const { folder, socket } = workerData as EmbeddedOptions;
const database = await PGlite.create({
  dataDir: folder,
  // committed data survives a crash of the machine, too
  relaxedDurability: false,
  startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ["-c", setting])],
});
const server = new PGLiteSocketServer({ db: database, path: socket, maxConnections: 64 });
keepTogether(server);
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

/**
 * Hands over the messages of a statement at once, as far as the one that ends it: the server takes them one by one, and behind
 * a transaction it would take those of other clients between them, which share the unnamed statement.
 */
function keepTogether(to: PGLiteSocketServer): void {
  const { queryQueue } = to as unknown as { readonly queryQueue: MessageQueue };
  const enqueue = queryQueue.enqueue.bind(queryQueue);
  const held = new Map<number, Uint8Array[]>();
  queryQueue.enqueue = (client, message, onData) => {
    const before = held.get(client) ?? [];
    if (PARTS.has(message[0]!)) {
      held.set(client, [...before, message]);
      return Promise.resolve(0);
    }
    held.delete(client);
    return enqueue(client, Buffer.concat([...before, message]), onData);
  };
}

/** Where the server keeps messages of its clients. */
interface MessageQueue {
  enqueue(client: number, message: Uint8Array, onData: (data: Uint8Array) => void): Promise<number>;
}

/** A thread that does jobs, so that a long job does not delay requests. */
import { parentPort, workerData } from "node:worker_threads";
import { localBus } from "../bus/local.ts";
import { openBus } from "../bus/open.ts";
import { connectDatabase } from "../database/database.ts";
import type { Settings } from "../settings.ts";
import { work } from "./work.ts";

interface BusMessage {
  readonly topic: string;
  readonly message: string;
}

const { settings, address } = workerData as { settings: Settings; address: string };
const database = await connectDatabase(address);
const local = localBus((topic, message) => parentPort!.postMessage({ topic, message } satisfies BusMessage));
const bus = settings.bus === "local" ? local : await openBus(settings.bus, database);
const worker = await work(settings, database, bus);
parentPort!.on("message", (received: BusMessage | "stop") => {
  if (received !== "stop") {
    local.receive(received.topic, received.message);
    return;
  }
  void (async () => {
    await worker.stop();
    await bus.close();
    await database.close();
    parentPort!.close();
  })();
});
parentPort!.postMessage("ready");

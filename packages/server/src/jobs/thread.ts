/** A thread that does jobs, so that a long one keeps no request waiting. */
import { parentPort, workerData } from "node:worker_threads";
import { localBus } from "../bus/local.ts";
import { openBus } from "../bus/bus.ts";
import { connectDatabase } from "../database/database.ts";
import type { Settings } from "../settings.ts";
import { work } from "./work.ts";

interface Told {
  readonly topic: string;
  readonly message: string;
}

const { settings, address } = workerData as { settings: Settings; address: string };
const database = await connectDatabase(address);
const local = localBus((topic, message) => parentPort!.postMessage({ topic, message } satisfies Told));
const bus = settings.bus === "local" ? local : await openBus(settings.bus, database);
const worker = await work(settings, database, bus);
parentPort!.on("message", (told: Told | "stop") => {
  if (told !== "stop") {
    local.receive(told.topic, told.message);
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

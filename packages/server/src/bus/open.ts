import type { Database } from "../database/database.ts";
import { type Bus, BusError } from "./bus.ts";
import { localBus } from "./local.ts";
import { postgresBus } from "./postgres.ts";

/**
 * `local`: within this process; `postgres`: LISTEN and NOTIFY of the database; `nats://…`. Throws `RangeError` for any
 * other address.
 */
export async function openBus(address: string, database: Database): Promise<Bus> {
  if (address === "local") return localBus();
  if (address === "postgres") {
    // all clients of an embedded database share one session, so notifications do not arrive
    if (database.isEmbedded) throw new RangeError("bus postgres: needs --database postgres://…");
    return postgresBus(database.connect);
  }
  if (address.startsWith("nats://") || address.startsWith("tls://")) {
    // loaded here, as most servers have no such bus
    const { natsBus } = await import("./nats.ts");
    return natsBus(address).catch((error: Error) => {
      throw new BusError(`the bus at ${new URL(address).host} cannot be reached: ${error.message}`);
    });
  }
  throw new RangeError(`bus: local, postgres or nats://HOST:PORT is expected`);
}

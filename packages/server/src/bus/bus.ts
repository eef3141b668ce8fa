import { localBus } from "./local.ts";
import { natsBus } from "./nats.ts";
import { postgresBus } from "./postgres.ts";
import type { Database } from "../database/database.ts";

/** Longest message, in bytes of UTF-8: what PostgreSQL takes. */
export const LONGEST_MESSAGE = 7900;

/** Thrown when a bus cannot be reached at the start; afterwards it is waited for. */
export class BusError extends Error {
  override readonly name = "BusError";
}

/**
 * Small messages between the nodes of one server: wake-ups, clocks, what is live. A message may be lost when a
 * connection breaks; what must not be lost is in the database.
 */
export interface Bus {
  /** To all who hear that topic, on this node too. Letters, digits, `._-`; throws `RangeError` for a long message. */
  publish(topic: string, message: string): void;
  /** Call what it gives to stop. */
  subscribe(topic: string, hear: (message: string) => void): () => void;
  /** Whether messages reach other nodes now. */
  readonly isConnected: boolean;
  close(): Promise<void>;
}

/**
 * `local`: within this process; `postgres`: LISTEN and NOTIFY of the database; `nats://…`. Throws `RangeError` for
 * another address.
 */
export async function openBus(address: string, database: Database): Promise<Bus> {
  if (address === "local") return localBus();
  if (address === "postgres") {
    // all clients of an embedded one share a session, so that notifications do not arrive
    if (database.isEmbedded) throw new RangeError("bus postgres: needs --database postgres://…");
    return postgresBus(database.connect);
  }
  if (address.startsWith("nats://") || address.startsWith("tls://")) {
    return natsBus(address).catch((error: Error) => {
      throw new BusError(`the bus at ${new URL(address).host} cannot be reached: ${error.message}`);
    });
  }
  throw new RangeError(`bus: local, postgres or nats://HOST:PORT is expected`);
}

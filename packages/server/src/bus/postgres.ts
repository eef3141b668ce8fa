import type pg from "pg";
import { type Bus, LONGEST_MESSAGE } from "./bus.ts";
import { Hearers } from "./local.ts";

const CHANNEL = "simtape";
/** Milliseconds until the bus tries to connect again. */
const AGAIN = 500;

/** A bus over LISTEN and NOTIFY: all topics share one channel. */
export async function postgresBus(connect: () => Promise<pg.Client>): Promise<Bus> {
  const hearers = new Hearers();
  let client: pg.Client | null = await listening();
  let isClosed = false;
  let again: NodeJS.Timeout | undefined;

  async function listening(): Promise<pg.Client> {
    const made = await connect();
    made.on("notification", ({ payload = "" }) => {
      const space = payload.indexOf(" ");
      hearers.tell(payload.slice(0, space), payload.slice(space + 1));
    });
    const lost = (): void => {
      if (client !== made) return;
      client = null;
      if (!isClosed) again = setTimeout(reconnect, AGAIN);
    };
    made.on("error", lost);
    made.on("end", lost);
    await made.query(`listen ${CHANNEL}`);
    return made;
  }

  function reconnect(): void {
    listening().then(
      (made) => {
        // the bus was closed while it connected
        if (isClosed) void made.end();
        else client = made;
      },
      () => {
        if (!isClosed) again = setTimeout(reconnect, AGAIN);
      },
    );
  }

  return {
    publish: (topic, message) => {
      const payload = `${topic} ${message}`;
      if (Buffer.byteLength(payload) > LONGEST_MESSAGE) throw new RangeError(`a message of ${payload.length} bytes`);
      client?.query("select pg_notify($1, $2)", [CHANNEL, payload]).catch(() => undefined);
    },
    subscribe: (topic, hear) => hearers.add(topic, hear),
    get isConnected() {
      return client !== null;
    },
    close: async () => {
      isClosed = true;
      clearTimeout(again);
      await client?.end();
    },
  };
}

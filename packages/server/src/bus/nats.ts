import { setTimeout } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";
import { type Bus, LONGEST_MESSAGE } from "./bus.ts";
import { Hearers } from "./local.ts";

const PREFIX = "simtape.";
/** Milliseconds for what is still to be sent when it is closed. */
const LAST = 2000;

/** A bus over NATS: a topic is a subject. The client connects again by itself. */
export async function natsBus(address: string): Promise<Bus> {
  const { username, password, host, protocol } = new URL(address);
  const connection = await connect({
    servers: `${protocol}//${host}`,
    ...(username === "" ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    name: "simtape",
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
  });
  const hearers = new Hearers();
  let isConnected = true;
  connection.subscribe(`${PREFIX}>`, {
    callback: (error, message) => {
      if (error === null) hearers.tell(message.subject.slice(PREFIX.length), message.string());
    },
  });
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") isConnected = false;
      if (type === "reconnect") isConnected = true;
    }
  })();
  return {
    publish: (topic, message) => {
      if (Buffer.byteLength(message) > LONGEST_MESSAGE) throw new RangeError(`a message of ${message.length} bytes`);
      connection.publish(PREFIX + topic, message);
    },
    subscribe: (topic, hear) => hearers.add(topic, hear),
    get isConnected() {
      return isConnected;
    },
    close: async () => {
      // what was published is sent first; where the bus is away, that would wait for its return
      if (isConnected) {
        const sent = connection.drain().catch(() => undefined);
        await Promise.race([sent, setTimeout(LAST, undefined, { ref: false })]);
      }
      await connection.close();
    },
  };
}

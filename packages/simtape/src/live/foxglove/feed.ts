import { mcap } from "../../formats/mcap/format.ts";
import type { Link, LinkMessage } from "../../io/sink/link.ts";
import type { Feed, Intake } from "../feed.ts";
import { MESSAGE_HEAD, schemaBytes, schemaEncodingOf, SERVER_OP, SUBSCRIPTION_AT, TIME_AT } from "./protocol.ts";

/** Connects to a server that speaks one of the `PROTOCOLS`; `connectLink` of `simtape/node` does. */
export type ConnectToFoxglove = (signal: AbortSignal) => Promise<Link>;

/** What is recorded of a server. Everything is optional. */
export interface FoxgloveFeedOptions {
  /** Whether a topic is recorded; default all. */
  readonly wants?: ((topic: string) => boolean) | undefined;
}

/** A channel that the server has, and what is known of it here. */
interface Heard {
  /** Of the intake. */
  readonly channel: number;
  readonly subscription: number;
}

const HALF = 0x1_0000_0000;
/** Characters of a schema that a recording can hold. */
const LONGEST_SCHEMA = 16 << 20;
/** Channels of a take: an MCAP file has at most 65,535, and a journal some of its own. */
const MOST = 65_000;
/** The largest opcode of a server. */
const LAST = SERVER_OP.playbackState;

/**
 * What a running server says on its channels: a ROS robot behind a bridge, or anything that speaks the Foxglove WebSocket
 * protocol. Payloads, encodings and schemas are kept as they are, and the log time of each message is its time.
 */
export function foxgloveFeed(address: string, connect: ConnectToFoxglove, options: FoxgloveFeedOptions = {}): Feed {
  // over all connections: a channel that comes back under the same name with the same schema is the same
  const kept = new Names();
  const clock = new SourceClock();
  return {
    name: `the Foxglove server at ${address}`,
    format: mcap,
    keepsTimes: true,
    run: async (intake, signal) => {
      const link = await connect(signal);
      await new Listener(link, intake, options.wants ?? (() => true), kept, clock).run(signal);
    },
  };
}

/** The first log time of a take is its time 0. */
class SourceClock {
  #high = 0;
  #low = 0;
  #isSet = false;

  /** Nanoseconds since the first time; exact up to a hundred days from there. */
  time(high: number, low: number, intake: Intake): number {
    if (!this.#isSet) {
      this.#isSet = true;
      this.#high = high;
      this.#low = low;
      intake.describe({ epoch: (BigInt(high) << 32n) | BigInt(low) });
    }
    return (high - this.#high) * HALF + (low - this.#low);
  }
}

/** Names of channels here: a topic, and a number behind it where another schema had the topic before. */
class Names {
  readonly #bySpec = new Map<string, string>();
  readonly #taken = new Set<string>();

  /** Null: there are as many channels as a recording can have. */
  of(topic: string, spec: string): string | null {
    const found = this.#bySpec.get(spec);
    if (found !== undefined) return found;
    if (this.#taken.size >= MOST) return null;
    let name = topic;
    for (let n = 2; this.#taken.has(name); n++) name = `${topic}#${n}`;
    this.#taken.add(name);
    this.#bySpec.set(spec, name);
    return name;
  }
}

class Listener {
  readonly #link: Link;
  readonly #intake: Intake;
  readonly #wants: (topic: string) => boolean;
  readonly #names: Names;
  readonly #clock: SourceClock;
  /** By the id of the server's channel. */
  readonly #heard = new Map<number, Heard>();
  /** By subscription: the channel of the intake. */
  readonly #channels = new Map<number, number>();
  #nextSubscription = 1;

  constructor(link: Link, intake: Intake, wants: (topic: string) => boolean, names: Names, clock: SourceClock) {
    this.#link = link;
    this.#intake = intake;
    this.#wants = wants;
    this.#names = names;
    this.#clock = clock;
  }

  /** Resolves when the server has ended the connection in order, or with the signal; rejects when it broke. */
  run(signal: AbortSignal): Promise<void> {
    const link = this.#link;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        // nothing is taken while both say goodbye: the recording may be closed by then
        link.onMessage = () => undefined;
        link.close();
        resolve();
      };
      signal.addEventListener("abort", stop);
      if (signal.aborted) {
        stop();
        return;
      }
      link.onMessage = (message) => {
        this.#take(message);
        const { ready } = this.#intake;
        if (ready === null) return;
        link.pause();
        void ready.then(
          () => link.resume(),
          () => link.close(),
        );
      };
      link.onEnd = (failure) => {
        signal.removeEventListener("abort", stop);
        if (failure === null || signal.aborted) resolve();
        else reject(failure);
      };
    });
  }

  #take(message: LinkMessage): void {
    const wrong = typeof message === "string" ? this.#text(message) : this.#bytes(message);
    if (wrong !== null) this.#intake.lost(wrong);
  }

  /** Null; or what is wrong with it. */
  #bytes(message: Uint8Array): string | null {
    const op = message[0];
    // the time of the server, answers, its playback: nothing that belongs into a recording
    if (op !== SERVER_OP.message)
      return op !== undefined && op > 0 && op <= LAST ? null : "a message with an unknown opcode";
    if (message.length < MESSAGE_HEAD) return "a message that is cut off";
    const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
    const channel = this.#channels.get(view.getUint32(SUBSCRIPTION_AT, true));
    if (channel === undefined) return "a message of a channel that is not subscribed";
    const time = this.#clock.time(view.getUint32(TIME_AT + 4, true), view.getUint32(TIME_AT, true), this.#intake);
    this.#intake.write(channel, message.subarray(MESSAGE_HEAD), time);
    return null;
  }

  #text(message: string): string | null {
    let json: unknown;
    try {
      json = JSON.parse(message);
    } catch {
      return "a text that is no JSON";
    }
    if (!isMembers(json)) return "JSON that is no object";
    if (json["op"] === "advertise" && Array.isArray(json["channels"])) this.#advertised(json["channels"]);
    else if (json["op"] === "unadvertise" && Array.isArray(json["channelIds"])) this.#unadvertised(json["channelIds"]);
    // another session of the server: its channels are advertised once more
    else if (json["op"] === "serverInfo") this.#unadvertised([...this.#heard.keys()]);
    return null;
  }

  #advertised(channels: readonly unknown[]): void {
    const subscriptions: { readonly id: number; readonly channelId: number }[] = [];
    for (const one of channels) {
      if (!isChannel(one)) {
        this.#intake.lost("a channel that is not described as the protocol has it");
        continue;
      }
      if (this.#heard.has(one.id) || !this.#wants(one.topic)) continue;
      const channel = this.#channel(one);
      if (channel === null) continue;
      const subscription = this.#nextSubscription++;
      this.#heard.set(one.id, { channel, subscription });
      this.#channels.set(subscription, channel);
      subscriptions.push({ id: subscription, channelId: one.id });
    }
    if (subscriptions.length > 0) this.#link.send(JSON.stringify({ op: "subscribe", subscriptions }));
  }

  #unadvertised(ids: readonly unknown[]): void {
    for (const id of ids) {
      const heard = this.#heard.get(id as number);
      if (heard === undefined) continue;
      this.#heard.delete(id as number);
      this.#channels.delete(heard.subscription);
    }
  }

  /** The channel of the intake; null: its schema cannot be read. */
  #channel(channel: HeardChannel): number | null {
    const { topic, encoding, schemaName, schema } = channel;
    const schemaEncoding = schemaName === "" && schema === "" ? "" : schemaEncodingOf(channel);
    if (schema.length > LONGEST_SCHEMA) {
      this.#intake.lost(`the schema of ${topic.slice(0, 200)} is longer than ${LONGEST_SCHEMA >> 20} MiB`);
      return null;
    }
    const definition = schemaBytes(schema, schemaEncoding);
    if (definition === null) {
      this.#intake.lost(`the schema of ${topic.slice(0, 200)} is no base64`);
      return null;
    }
    const name = this.#names.of(topic, JSON.stringify([topic, encoding, schemaName, schemaEncoding, schema]));
    if (name === null) {
      this.#intake.lost(`more than ${MOST} channels`);
      return null;
    }
    const hasSchema = schemaName !== "" || schema !== "" || schemaEncoding !== "";
    return this.#intake.channel({
      name,
      ...(name === topic ? {} : { topic }),
      schema: schemaName,
      ...(hasSchema ? { definition } : {}),
      metadata: { encoding, ...(hasSchema ? { schemaEncoding } : {}) },
    });
  }
}

interface HeardChannel {
  readonly id: number;
  readonly topic: string;
  readonly encoding: string;
  readonly schemaName: string;
  readonly schema: string;
  readonly schemaEncoding?: string | undefined;
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isChannel(value: unknown): value is HeardChannel {
  if (!isMembers(value)) return false;
  const { id, schemaEncoding } = value;
  const isSound = typeof id === "number" && Number.isSafeInteger(id) && id >= 0;
  const texts = ["topic", "encoding", "schemaName", "schema"].every((name) => typeof value[name] === "string");
  return isSound && texts && (schemaEncoding === undefined || typeof schemaEncoding === "string");
}

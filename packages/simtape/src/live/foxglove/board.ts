import { base64, jsonOf } from "../../export/mcap/json.ts";
import { Clock } from "../../export/mcap/clock.ts";
import type { TopicSink } from "../../export/mcap/topic-sink.ts";
import type { Time } from "../../model/values/time.ts";
import type { Value } from "../../model/values/value.ts";
import type { Client, Subscription } from "./client.ts";
import { type Advertised, MESSAGE_HEAD, schemaText, SERVER_OP, SUBSCRIPTION_AT, TIME_AT } from "./protocol.ts";

const UTF8 = new TextEncoder();

/** A channel of what is loaded. */
interface BoardChannel {
  readonly advertised: Advertised;
  readonly subscriptions: Subscription[];
  /** Keeps its last message for clients that subscribe later. */
  readonly isKept: boolean;
  /** The last message as it was sent last; null: none. */
  last: Uint8Array | null;
}

interface BoardSchema {
  readonly name: string;
  readonly encoding: string;
  readonly data: Uint8Array;
}

/** Channels and clients: what is written to it goes to the clients that have subscribed. */
export class Board implements TopicSink {
  readonly clients: Set<Client> = new Set();
  readonly #schemas: BoardSchema[] = [];
  /** By id, which no two channels of the server have. */
  readonly #channels = new Map<number, BoardChannel>();
  #nextId = 1;
  /** Channels of which the clients do not know yet. */
  #unsaid: Advertised[] = [];
  #scratch = new Uint8Array(64 << 10);
  readonly #tick = new Uint8Array(9);
  clock: Clock = new Clock(0n);
  /** Only these are fed, while it is not null. */
  only: ReadonlySet<Subscription> | null = null;
  /** Topics that begin so keep their last message. */
  #kept = "";
  /** Answers of `isAnyWanted`, until subscriptions change. */
  readonly #wanted = new Map<string, boolean>();
  /** Of clients that have left. */
  readonly gone = { sentMessages: 0, sentBytes: 0, skipped: 0 };

  /** Takes away all channels. The next ones have times of that clock; topics below `kept` keep their last message. */
  begin(clock: Clock, kept: string): void {
    const channelIds = [...this.#channels.keys()].filter((id) => !this.#unsaid.some((one) => one.id === id));
    if (channelIds.length > 0) for (const client of this.clients) client.say({ op: "unadvertise", channelIds });
    for (const client of this.clients) {
      client.subscriptions.clear();
      client.channels.clear();
      client.stale.clear();
    }
    this.#wanted.clear();
    this.#channels.clear();
    this.#schemas.length = 0;
    this.#unsaid = [];
    this.clock = clock;
    this.#kept = kept;
    this.only = null;
  }

  schema(name: string, encoding: string, data: Uint8Array): number {
    this.#schemas.push({ name, encoding, data });
    return this.#schemas.length;
  }

  channel(topic: string, schema: number, encoding: string): number {
    const id = this.#nextId++;
    const of = this.#schemas[schema - 1];
    const advertised: Advertised = {
      ...{ id, topic, encoding, schemaName: of?.name ?? "" },
      schema: of === undefined ? "" : schemaText(of.data, of.encoding, base64),
      schemaEncoding: of === undefined || of.encoding === "" ? undefined : of.encoding,
    };
    const isKept = this.#kept !== "" && topic.startsWith(this.#kept);
    this.#channels.set(id, { advertised, subscriptions: [], isKept, last: null });
    this.#unsaid.push(advertised);
    return id;
  }

  /** Advertises new channels. */
  flush(): void {
    if (this.#unsaid.length === 0) return;
    const channels = this.#unsaid;
    this.#unsaid = [];
    for (const client of this.clients) client.say({ op: "advertise", channels });
  }

  /** New channels count as advertised: every client is given all of them. */
  settle(): void {
    this.#unsaid = [];
  }

  /** Everything that is advertised, for a new client; before it, `flush`. */
  get advertised(): readonly Advertised[] {
    return [...this.#channels.values()].map(({ advertised }) => advertised);
  }

  has(channel: number): boolean {
    return this.#channels.has(channel);
  }

  /** Whether a message of the channel would be sent to any client. */
  isWanted(channel: number): boolean {
    return (this.#channels.get(channel)?.subscriptions.length ?? 0) > 0;
  }

  /** Whether any channel is wanted whose topic begins so. */
  isAnyWanted(prefix: string): boolean {
    let isWanted = this.#wanted.get(prefix);
    if (isWanted === undefined) {
      isWanted = [...this.#channels.values()].some(
        ({ advertised, subscriptions }) => subscriptions.length > 0 && advertised.topic.startsWith(prefix),
      );
      this.#wanted.set(prefix, isWanted);
    }
    return isWanted;
  }

  subscribe(subscription: Subscription): void {
    this.#wanted.clear();
    this.#channels.get(subscription.channel)!.subscriptions.push(subscription);
    subscription.client.subscriptions.set(subscription.id, subscription);
    subscription.client.channels.add(subscription.channel);
  }

  unsubscribe(subscription: Subscription): void {
    this.#wanted.clear();
    const subscriptions = this.#channels.get(subscription.channel)?.subscriptions;
    const at = subscriptions?.indexOf(subscription) ?? -1;
    if (at >= 0) subscriptions!.splice(at, 1);
    subscription.client.subscriptions.delete(subscription.id);
    subscription.client.channels.delete(subscription.channel);
    subscription.client.stale.delete(subscription.channel);
  }

  leave(client: Client): void {
    if (!this.clients.delete(client)) return;
    for (const subscription of client.subscriptions.values()) this.unsubscribe(subscription);
    this.gone.sentMessages += client.sentMessages;
    this.gone.sentBytes += client.sentBytes;
    this.gone.skipped += client.skipped;
  }

  bytes(channel: number, time: Time, _sequence: number, payload: Uint8Array): void {
    const of = this.#channels.get(channel);
    if (of === undefined || (of.subscriptions.length === 0 && !of.isKept)) return;
    const frame = new Uint8Array(MESSAGE_HEAD + payload.length);
    frame.set(payload, MESSAGE_HEAD);
    this.#give(of, frame, time);
  }

  json(channel: number, time: Time, _sequence: number, value: Value): void {
    const of = this.#channels.get(channel);
    if (of === undefined || (of.subscriptions.length === 0 && !of.isKept)) return;
    const text = jsonOf(value);
    // at most three bytes for one of UTF-16
    const room = MESSAGE_HEAD + 3 * text.length;
    if (this.#scratch.length < room) this.#scratch = new Uint8Array(2 * room);
    const { written } = UTF8.encodeInto(text, this.#scratch.subarray(MESSAGE_HEAD));
    this.#give(of, this.#scratch.slice(0, MESSAGE_HEAD + written), time);
  }

  /** Sends the last message of a channel to a subscription, if it has one and the subscription had none. */
  feed(subscription: Subscription): void {
    const of = this.#channels.get(subscription.channel);
    if (of === undefined || of.last === null || subscription.isFed) return;
    this.#send(subscription, stamped(of.last, subscription.id));
  }

  /** The last messages no longer say what holds. */
  forget(): void {
    for (const channel of this.#channels.values()) channel.last = null;
  }

  /** The present time, for all. */
  tick(time: Time): void {
    // each is on its way for a while: not the same bytes again
    const frame = this.#tick.slice();
    frame[0] = SERVER_OP.time;
    this.clock.put(new DataView(frame.buffer), 1, time);
    for (const client of this.clients) client.tick(frame);
  }

  #give(of: BoardChannel, frame: Uint8Array, time: Time): void {
    const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
    frame[0] = SERVER_OP.message;
    this.clock.put(view, TIME_AT, time);
    if (of.isKept) of.last = frame;
    let own = frame;
    let id = -1;
    for (const subscription of of.subscriptions) {
      if (this.only !== null && !this.only.has(subscription)) continue;
      if (id === -1) {
        id = subscription.id;
        view.setUint32(SUBSCRIPTION_AT, id, true);
      } else if (subscription.id !== id) {
        id = subscription.id;
        own = stamped(frame, id);
      }
      this.#send(subscription, own);
    }
  }

  #send(subscription: Subscription, frame: Uint8Array): void {
    subscription.isFed = true;
    subscription.client.send(subscription.channel, frame);
  }
}

/** The same message for another subscription: what was sent must not change. */
function stamped(frame: Uint8Array, id: number): Uint8Array {
  const copy = frame.slice();
  new DataView(copy.buffer).setUint32(SUBSCRIPTION_AT, id, true);
  return copy;
}

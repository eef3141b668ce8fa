import type { Link, LinkMessage } from "../../io/sink/link.ts";
import { LEVEL, SDK_PROTOCOL } from "./protocol.ts";

/** One channel that a client listens to. */
export interface Subscription {
  /** Chosen by the client: it is in every message. */
  readonly id: number;
  readonly channel: number;
  readonly client: Client;
  /** A message of the channel was sent since the subscription. */
  isFed: boolean;
}

/** Bytes that may wait for the network of one client. Everything else is skipped for it until they are gone. */
export const WAITING: number = 16 << 20;
/** A client that asks on and on, and does not read the answers, is let go at so many times as much. */
const MOST_WAITING = 4;
/** Subscriptions of one client: as many as an MCAP file can have channels. */
export const MOST_SUBSCRIPTIONS = 0xffff;

/** A client of the server, with what waits for it. */
export class Client {
  readonly link: Link;
  /** It knows the SDK's messages. */
  readonly isSdk: boolean;
  readonly subscriptions: Map<number, Subscription> = new Map();
  /** The channels of its subscriptions. */
  readonly channels: Set<number> = new Set();
  /** Names of parameters whose changes it wants. */
  readonly parameters: Set<string> = new Set();
  /** Requests of playback control that are answered when the place they ask for is shown. */
  readonly seeking: Set<string> = new Set();
  /** Channels of which messages were skipped since it lagged. */
  readonly stale: Set<number> = new Set();
  readonly #most: number;
  isLagging = false;
  sentMessages = 0;
  sentBytes = 0;
  /** Messages that it did not get, in all, and since it lags. */
  skipped = 0;
  #skippedNow = 0;

  constructor(link: Link, most: number) {
    this.link = link;
    this.isSdk = link.protocol === SDK_PROTOCOL;
    this.#most = most;
  }

  /** A message of a channel, or false: it lags, and the message was skipped. */
  send(channel: number, frame: Uint8Array): boolean {
    if (this.isLagging || this.link.waiting > this.#most) {
      if (!this.isLagging) this.#lag();
      this.stale.add(channel);
      this.skipped++;
      this.#skippedNow++;
      return false;
    }
    this.#send(frame);
    return true;
  }

  /** The time, which a client that lags gets later. */
  tick(frame: Uint8Array): void {
    if (!this.isLagging) this.#send(frame);
  }

  /** What every client must know: a channel, an answer. One that does not read it in the long run is let go. */
  say(message: object | Uint8Array): void {
    if (this.link.waiting > MOST_WAITING * this.#most) {
      this.link.close(1008, "the client does not read");
      return;
    }
    this.#send(message instanceof Uint8Array ? message : JSON.stringify(message));
  }

  status(level: keyof typeof LEVEL, message: string, id?: string): void {
    this.say({ op: "status", level: LEVEL[level], message, ...(id === undefined ? {} : { id }) });
  }

  /** Whether it has just caught up: then it needs what its stale channels say now. */
  hasCaughtUp(): boolean {
    if (!this.isLagging || this.link.waiting > this.#most / 4) return false;
    this.isLagging = false;
    this.link.resume();
    this.status("warning", `${this.#skippedNow} messages were skipped: they were not read fast enough`, "skipped");
    this.#skippedNow = 0;
    return true;
  }

  #lag(): void {
    this.isLagging = true;
    // it shall read before it asks for more
    this.link.pause();
  }

  #send(message: LinkMessage): void {
    this.sentMessages++;
    this.sentBytes += message.length;
    this.link.send(message);
  }
}

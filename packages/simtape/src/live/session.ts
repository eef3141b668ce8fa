import type { Time } from "../model/values/time.ts";
import type { FeedChannel, Intake, TakeDescription } from "./feed.ts";
import type { Gap, LostNote } from "./journal.ts";

/** Where a session puts what arrives: a journal, or a ring. */
export interface Keeper {
  channel(channel: FeedChannel): number;
  write(channel: number, arrival: Time, time: Time, payload: Uint8Array): void;
  describe(at: Time, create: TakeDescription): void;
  gap(gap: Gap): void;
  lost(note: LostNote): void;
  readonly ready: Promise<void> | null;
}

/** Bytes of a payload at most: what a journal, and recordings, can hold. */
const LONGEST = 63 << 20;
/** Nanoseconds either side of zero that a clock of a source may say: as many as fit into a recording. */
const FARTHEST: Time = 2 ** 63;

/** A source whose clock falls back by more than this has begun again. */
const RESTART: Time = 1e9;

/**
 * The intake of one take, over all connections. Times of the take begin at 0. Those of the source are laid so that its
 * first message after each connection stands at its arrival; from there its own clock counts.
 */
export class Session implements Intake {
  readonly #keeper: Keeper;
  /** Nanoseconds since the take began; never falls back. */
  readonly #now: () => Time;
  readonly #keepsTimes: boolean;
  readonly #channels = new Map<string, number>();
  /** Time of the take minus time of the source; NaN until a message says one. */
  #offset = Number.NaN;
  #lastSent = Number.NEGATIVE_INFINITY;
  #lostSince: Time | null = null;
  /** When the last message arrived. */
  #arrived: Time = 0;
  messages = 0;
  bytes = 0;
  /** How often the clock of the source fell back, other than with a new connection. */
  clockFalls = 0;
  /** Time of the last message. */
  end: Time = 0;
  readonly gaps: Gap[] = [];
  readonly losses: Map<string, number> = new Map();
  /** How much later than the source's clock says a message arrived: the least and the most; null without such a clock. */
  lateness: { least: Time; most: Time } | null = null;

  /** `keepsTimes`: times of the source are those of the take. */
  constructor(keeper: Keeper, now: () => Time, keepsTimes = false) {
    this.#keeper = keeper;
    this.#now = now;
    this.#keepsTimes = keepsTimes;
  }

  channel(channel: FeedChannel): number {
    const found = this.#channels.get(channel.name);
    if (found !== undefined) return found;
    const id = this.#keeper.channel(channel);
    this.#channels.set(channel.name, id);
    return id;
  }

  write(channel: number, payload: Uint8Array, sent: Time = Number.NaN): void {
    const refused =
      payload.length > LONGEST
        ? `a message of more than ${LONGEST >> 20} MiB`
        : Math.abs(sent) > FARTHEST
          ? "a message whose time is none"
          : null;
    if (refused !== null) {
      this.lost(refused);
      return;
    }
    const arrival = this.#now();
    if (this.#lostSince !== null) this.#join(this.#keepsTimes && !Number.isNaN(sent) ? sent : arrival);
    this.#arrived = arrival;
    let time = arrival;
    if (this.#keepsTimes && !Number.isNaN(sent)) {
      time = sent;
      this.#look(sent);
      if (Number.isNaN(this.#offset)) this.#offset = arrival - sent;
      this.#measure(arrival - this.#offset - sent);
    } else if (!Number.isNaN(sent)) {
      const isBack = this.#look(sent);
      if (Number.isNaN(this.#offset) || isBack) this.#anchor(arrival, sent);
      time = sent + this.#offset;
      this.#measure(arrival - time);
    }
    this.#keeper.write(channel, arrival, time, payload);
    this.messages++;
    this.bytes += payload.length;
    this.end = Math.max(this.end, time);
  }

  describe(create: TakeDescription): void {
    this.#keeper.describe(this.#now(), create);
  }

  lost(reason: string, count = 1): void {
    this.losses.set(reason, (this.losses.get(reason) ?? 0) + count);
    this.#keeper.lost({ at: this.#now(), reason, count });
  }

  get ready(): Promise<void> | null {
    return this.#keeper.ready;
  }

  /**
   * The connection is gone: from the last message until the next there is a gap. A connection that stands still is found
   * to be broken much later.
   */
  cut(reason: string): void {
    this.#lostSince ??= this.messages === 0 ? null : this.#keepsTimes ? this.end : this.#arrived;
    this.#reason = reason;
    this.#offset = Number.NaN;
    this.#lastSent = Number.NEGATIVE_INFINITY;
  }

  #reason = "";

  #join(until: Time): void {
    const from = this.#lostSince!;
    const isBack = until < from;
    const why = isBack ? `${this.#reason}; its clock then stood ${seconds(from - until)} s further back` : this.#reason;
    const gap = { from, until: isBack ? from : until, reason: why };
    this.#lostSince = null;
    this.gaps.push(gap);
    this.#keeper.gap(gap);
  }

  /** Gives whether the clock of the source has begun again, and says so. */
  #look(sent: Time): boolean {
    const isBack = sent < this.#lastSent - RESTART;
    if (isBack) {
      this.clockFalls++;
    }
    this.#lastSent = sent;
    return isBack;
  }

  #anchor(arrival: Time, sent: Time): void {
    // never before what the take has
    this.#offset = Math.max(arrival, this.end) - sent;
  }

  #measure(late: Time): void {
    const { lateness } = this;
    if (lateness === null) this.lateness = { least: late, most: late };
    else if (late < lateness.least) lateness.least = late;
    else if (late > lateness.most) lateness.most = late;
  }
}

function seconds(time: Time): string {
  return (time / 1e9).toFixed(3);
}

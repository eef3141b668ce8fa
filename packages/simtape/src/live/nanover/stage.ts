import { MessagePackFloat } from "../../codec/messagepack.ts";
import { FRAME_INDEX, SERVER_TIMESTAMP, SIMULATION_NAME } from "../../formats/nanover/layout/layout.ts";
import { type Entry, stateOf } from "../../formats/nanover/write/entries.ts";
import type { Link } from "../../io/sink/link.ts";
import { withBothPoses } from "./pose.ts";
import { emptied, entryOf, frameMessage, Said } from "./said.ts";

/** Bytes that may wait for a client's network; a client above it gets nothing until it has taken them. */
const WAITING = 1 << 20;
/** Milliseconds between two looks at clients that lag: NanoVer's own server sends at most 30 times a second (NanoVer semantics §5.1). */
const LOOK_EVERY = 33;

const COUNTER = "system.simulation.counter";
/** What the server itself says in a frame, and no recording decides. */
const OWN: ReadonlySet<string> = new Set([FRAME_INDEX, SERVER_TIMESTAMP]);

/**
 * What a NanoVer server says to all its clients: frames as deltas, and the shared state. A client that does not keep up
 * misses messages, and later gets the newest value of every key that it missed, in one message of each kind.
 */
export class NanoverStage {
  readonly frame: Said = new Said();
  readonly shared: Said = new Said();
  readonly #seats = new Map<Link, Seat>();
  readonly #timer: ReturnType<typeof setInterval>;
  /** Keys of former simulations, without content. */
  readonly #emptied = new Map<string, Uint8Array>();
  /** Of the next frame: it runs on over all simulations. */
  #index = 1;
  #counter = 0;
  sentMessages = 0;
  sentBytes = 0;
  skippedFrames = 0;

  constructor() {
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY);
    this.#timer.unref();
  }

  get clients(): number {
    return this.#seats.size;
  }

  /** Bytes that wait for the networks of all clients. */
  get waiting(): number {
    let sum = 0;
    for (const link of this.#seats.keys()) sum += link.waiting;
    return sum;
  }

  /** A client gets all that holds now, and then what follows. */
  join(link: Link): void {
    this.#seats.set(link, new Seat());
    if (this.frame.size > 0) this.#send(link, frameMessage(this.#allOfFrame(), 0));
    this.#send(link, stateOf(this.shared.entriesOf(this.shared.keys()), "zip"));
  }

  leave(link: Link): void {
    this.#seats.delete(link);
  }

  /** Sends one client something of its own. */
  tell(link: Link, message: Uint8Array): void {
    this.#send(link, message);
  }

  /**
   * Another simulation begins: clients that merge for ever get the old one's keys without content, those that clear get
   * index 0 (NanoVer semantics §2, §5.4). Without effect before the first frame of a simulation.
   */
  reset(name: string): void {
    const former: Entry[] = [];
    for (const key of this.frame.keys()) {
      const empty = emptied(key, this.frame.get(key)!);
      if (empty === null) continue;
      former.push(empty);
      this.#emptied.set(key, empty.bytes);
    }
    if (former.length > 0) {
      const message = frameMessage(bytesOf(former), this.#index++);
      this.#frame(message, former);
    }
    this.frame.clear();
    const opening = [entryOf(COUNTER, this.#counter++), entryOf(SIMULATION_NAME, name)];
    for (const entry of opening) this.frame.put(entry);
    const message = frameMessage(bytesOf(opening), 0);
    for (const [link, seat] of this.#seats) {
      if (this.#isBehind(link, seat)) seat.isReset = true;
      this.#offer(link, seat, message, opening, seat.frame);
    }
  }

  /** The next frame: entries of a message that stays as it is. Those that the server says itself are left out. */
  put(entries: readonly Entry[]): void {
    const own = entries.filter(({ key }) => !OWN.has(key));
    for (const entry of own) this.frame.put(entry);
    const stamp = entryOf(SERVER_TIMESTAMP, new MessagePackFloat(performance.now() / 1000));
    this.#frame(frameMessage([...bytesOf(own), stamp.bytes], this.#index++), own);
  }

  /**
   * A change of the shared state: updates apply first, then removals (NanoVer spec §3.2). As from NanoVer's server,
   * nothing is sent of a change of nothing.
   */
  update(given: readonly Entry[], removals: readonly string[]): void {
    if (given.length + removals.length === 0) return;
    const entries = withBothPoses(given);
    for (const entry of entries) this.shared.put(entry);
    for (const key of removals) this.shared.delete(key);
    const message = stateOf(bytesOf(entries), "zip", removals);
    const keys = [...entries, ...removals.map((key) => ({ key }))];
    for (const [link, seat] of this.#seats) this.#offer(link, seat, message, keys, seat.shared);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#seats.clear();
  }

  #frame(message: Uint8Array, entries: readonly Pick<Entry, "key">[]): void {
    for (const [link, seat] of this.#seats) {
      if (!this.#offer(link, seat, message, entries, seat.frame)) this.skippedFrames++;
    }
  }

  /** Sends, or notes what was missed; false: missed. */
  #offer(
    link: Link,
    seat: Seat,
    message: Uint8Array,
    entries: readonly Pick<Entry, "key">[],
    missed: Set<string>,
  ): boolean {
    if (!this.#isBehind(link, seat)) {
      this.#send(link, message);
      return true;
    }
    for (const { key } of entries) missed.add(key);
    return false;
  }

  #isBehind(link: Link, seat: Seat): boolean {
    return seat.hasMissed || link.waiting > WAITING;
  }

  #look(): void {
    for (const [link, seat] of this.#seats) {
      if (!seat.hasMissed || link.waiting > WAITING / 4) continue;
      if (seat.isReset) this.#send(link, frameMessage([], 0));
      if (seat.frame.size > 0) {
        const gone = [...seat.frame].filter((key) => this.frame.get(key) === undefined);
        const empties = gone.flatMap((key) => this.#emptied.get(key) ?? []);
        const newest = seat.isReset ? this.#allOfFrame() : this.frame.entriesOf(seat.frame);
        this.#send(link, frameMessage([...empties, ...newest], this.#index++));
      }
      if (seat.shared.size > 0) {
        const removals = [...seat.shared].filter((key) => this.shared.get(key) === undefined);
        this.#send(link, stateOf(this.shared.entriesOf(seat.shared), "zip", removals));
      }
      seat.caughtUp();
    }
  }

  #allOfFrame(): Uint8Array[] {
    return this.frame.entriesOf(this.frame.keys());
  }

  #send(link: Link, message: Uint8Array): void {
    link.send(message);
    this.sentMessages++;
    this.sentBytes += message.length;
  }
}

/** What a client has missed: at most as many keys as there are. */
class Seat {
  readonly frame = new Set<string>();
  readonly shared = new Set<string>();
  isReset = false;

  get hasMissed(): boolean {
    return this.isReset || this.frame.size > 0 || this.shared.size > 0;
  }

  caughtUp(): void {
    this.frame.clear();
    this.shared.clear();
    this.isReset = false;
  }
}

function bytesOf(entries: readonly Entry[]): Uint8Array[] {
  return entries.map(({ bytes }) => bytes);
}

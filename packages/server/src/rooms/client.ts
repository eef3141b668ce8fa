import { type Clock, type Move, positionAt } from "./clock.ts";
import { Offset } from "./offset.ts";
import {
  type FromClient,
  type FromServer,
  type Lead,
  type Member,
  type Note,
  type Pointer,
  ROOM_GONE,
} from "./protocol.ts";

/** A connection to a room; a WebSocket fits. */
export interface Connection {
  send(text: string): void;
  close(): void;
}

/** The functions that a connection calls. */
export interface ConnectionEvents {
  opened(): void;
  heard(text: string): void;
  /** Called with the close code of the WebSocket. */
  closed(code: number): void;
}

export interface RoomClientOptions {
  /** `wss://…/api/rooms/{id}/socket`. */
  readonly url: string;
  readonly name: string;
  /**
   * Random text by which this client is the same member when it connects again. Keep it for the session of the page.
   */
  readonly secret: string;
  /** Makes a WebSocket: that of a page, or of the library `ws`. */
  readonly connect: (url: string, events: ConnectionEvents) => Connection;
  /** Called with every message, after the client has applied it. */
  readonly heard?: ((message: FromServer) => void) | undefined;
  /**
   * Called when the client has connected, and when it has lost the connection. `gone`: the room does not exist, or this
   * user may not read it.
   */
  readonly changed?: ((state: ConnectionState) => void) | undefined;
  /** Milliseconds of a clock that never jumps; default: `performance.now`. */
  readonly now?: (() => number) | undefined;
}

export type ConnectionState = "connecting" | "connected" | "gone";

/**
 * Milliseconds between two pings: just after connecting, while the error of the time may exceed `EXACT`, and later; and
 * the number of pings of the first kind, and of the first and second together. A page that is loading handles an answer
 * long after it has arrived.
 */
const QUICK = 80;
const DOUBTFUL = 320;
const SLOW = 5000;
const QUICK_ONES = 6;
const DOUBTFUL_ONES = 100;
const EXACT = 20;
/** Milliseconds until a broken connection is tried again; doubled each time. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 3000;
/** Milliseconds without an answer after which the client gives up a connection. */
const SILENT = 12_000;

/**
 * A client of a room without a page: it keeps the clock, the server's time and the members, and connects again by
 * itself. While it is disconnected, the clock goes on.
 */
export class RoomClient {
  readonly #options: RoomClientOptions;
  readonly #now: () => number;
  readonly #offset = new Offset();
  readonly #members = new Map<string, Member>();
  readonly #notes = new Map<string, Note>();
  #socket: Connection | null = null;
  #state: ConnectionState = "connecting";
  #lead: Lead | null = null;
  #you = "";
  #count = 0;
  #pause = FIRST_PAUSE;
  #pings = 0;
  #isClosed = false;
  #isFree = false;
  #heardAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RoomClientOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#connect();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Null before the first welcome. */
  get lead(): Lead | null {
    return this.#lead;
  }

  get clock(): Clock | null {
    return this.#lead?.clock ?? null;
  }

  /** Id of this member; empty before the first welcome. */
  get you(): string {
    return this.#you;
  }

  get isLeader(): boolean {
    return this.#lead !== null && this.#lead.leader === this.#you;
  }

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  /** Number of members; the client may know the names of fewer. */
  get count(): number {
    return this.#count;
  }

  get notes(): readonly Note[] {
    return [...this.#notes.values()];
  }

  /** The server's time, Unix milliseconds. */
  serverTime(now: number = this.#now()): number {
    return now + this.#offset.value;
  }

  /**
   * Seconds of the recording that all members see at `now`; null before the first welcome, and until the server's time
   * is known.
   */
  position(now: number = this.#now()): number | null {
    return this.#lead === null || !this.#offset.isKnown ? null : positionAt(this.#lead.clock, this.serverTime(now));
  }

  control(move: Move): void {
    this.#send({ type: "control", move });
  }

  takeLead(): void {
    this.#send({ type: "lead", lead: "take" });
  }

  giveLead(to: string): void {
    this.#send({ type: "lead", lead: "give", to });
  }

  releaseLead(): void {
    this.#send({ type: "lead", lead: "release" });
  }

  point(pointer: Pointer): void {
    this.#send({ type: "pointer", ...pointer });
  }

  chat(text: string): void {
    this.#send({ type: "chat", text });
  }

  note(note: { recording?: string; time: number; thing: string | null; text: string }): void {
    this.#send({ type: "note", ...note });
  }

  follow(): void {
    this.#isFree = false;
    this.#send({ type: "follow" });
  }

  free(): void {
    this.#isFree = true;
    this.#send({ type: "free" });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #connect(): void {
    const isPresent = (): boolean => socket === this.#socket;
    const socket: Connection = this.#options.connect(this.#options.url, {
      opened: () => {
        const { name, secret } = this.#options;
        if (isPresent()) this.#send({ type: "hello", name, secret });
      },
      heard: (text) => {
        if (isPresent()) this.#hear(JSON.parse(text) as FromServer);
      },
      closed: (code) => {
        if (isPresent()) this.#lost(code);
      },
    });
    this.#socket = socket;
  }

  #lost(code: number): void {
    this.#socket = null;
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const isGone = code === ROOM_GONE;
    this.#become(isGone ? "gone" : "connecting");
    if (isGone) return;
    this.#timer = setTimeout(() => this.#connect(), this.#pause);
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
  }

  #become(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.changed?.(state);
  }

  #hear(message: FromServer): void {
    this.#heardAt = this.#now();
    switch (message.type) {
      case "welcome":
        this.#welcome(message);
        break;
      case "clock":
        this.#take(message.lead);
        break;
      case "joined":
        for (const member of message.members) this.#members.set(member.id, member);
        this.#count = message.count;
        break;
      case "left":
        for (const id of message.members) this.#members.delete(id);
        this.#count = message.count;
        break;
      case "note":
        this.#notes.set(message.note.id, message.note);
        break;
      case "pong":
        this.#offset.add(message.sent, message.time, this.#heardAt);
        break;
      default:
    }
    this.#options.heard?.(message);
  }

  #welcome({ you, lead, members, count, notes }: Extract<FromServer, { type: "welcome" }>): void {
    this.#you = you;
    this.#members.clear();
    for (const member of members) this.#members.set(member.id, member);
    this.#count = count;
    this.#notes.clear();
    for (const note of notes) this.#notes.set(note.id, note);
    this.#take(lead);
    this.#pause = FIRST_PAUSE;
    this.#pings = 0;
    // another server may have answered, or the same server after a restart
    this.#offset.doubt();
    this.#become("connected");
    if (this.#isFree) this.#send({ type: "free" });
    this.#ping();
  }

  /** An old clock that arrives late changes nothing. */
  #take(lead: Lead): void {
    if (this.#lead === null || lead.generation >= this.#lead.generation) this.#lead = lead;
  }

  #ping(): void {
    clearTimeout(this.#timer);
    const now = this.#now();
    if (now - this.#heardAt > SILENT) {
      const silent = this.#socket;
      this.#lost(0);
      silent?.close();
      return;
    }
    this.#send({ type: "ping", sent: now });
    this.#timer = setTimeout(() => this.#ping(), this.#pauseBetween(++this.#pings));
  }

  #pauseBetween(pings: number): number {
    if (pings < QUICK_ONES) return QUICK;
    return pings < DOUBTFUL_ONES && this.#offset.error > EXACT ? DOUBTFUL : SLOW;
  }

  #send(message: FromClient): void {
    try {
      this.#socket?.send(JSON.stringify(message));
    } catch {
      // the socket is not open: the message is lost, and the caller sends it again if needed
    }
  }
}

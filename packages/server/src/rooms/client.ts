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

/** A connection to a room, as a WebSocket makes it. */
export interface Connection {
  send(text: string): void;
  close(): void;
}

/** What a connection calls. */
export interface ConnectionEvents {
  opened(): void;
  heard(text: string): void;
  /** With the code of the WebSocket. */
  closed(code: number): void;
}

export interface RoomClientOptions {
  /** `wss://…/api/rooms/{id}/socket`. */
  readonly url: string;
  readonly name: string;
  /** Random text that makes this client the same member when it connects again. Keep it for the session of the page. */
  readonly secret: string;
  /** Makes a WebSocket: that of a page, or of `ws`. */
  readonly connect: (url: string, events: ConnectionEvents) => Connection;
  /** Called with every message, behind what it has changed here. */
  readonly heard?: ((message: FromServer) => void) | undefined;
  /** Called when it is connected, and when it is not. `gone`: the room is, or is not for this person. */
  readonly changed?: ((state: ConnectionState) => void) | undefined;
  /** Milliseconds of a clock that is never set; default: `performance.now`. */
  readonly now?: (() => number) | undefined;
}

export type ConnectionState = "connecting" | "connected" | "gone";

/** Milliseconds between two pings when it has just connected, and later; and how many are quick. */
const QUICK = 80;
const SLOW = 5000;
const QUICK_ONES = 6;
/** Milliseconds until a broken connection is tried again: doubled each time. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 3000;
/** Milliseconds without an answer after which a connection is given up. */
const SILENT = 12_000;

/**
 * One who watches in a room, without a page: keeps the clock, the server's time and who is there, and connects again by
 * itself. Between two connections the clock goes on.
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

  /** How many are there; may be more than are known by name. */
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

  /** Seconds of the recording that all see at `now`; null before the first welcome. */
  position(now: number = this.#now()): number | null {
    return this.#lead === null ? null : positionAt(this.#lead.clock, this.serverTime(now));
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
    this.#become("connected");
    if (this.#isFree) this.#send({ type: "free" });
    this.#ping();
  }

  /** An old clock, which a slower way has brought, changes nothing. */
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
    this.#timer = setTimeout(() => this.#ping(), ++this.#pings < QUICK_ONES ? QUICK : SLOW);
  }

  #send(message: FromClient): void {
    try {
      this.#socket?.send(JSON.stringify(message));
    } catch {
      // it is not open: what was to be said is lost, and said by who wants to
    }
  }
}

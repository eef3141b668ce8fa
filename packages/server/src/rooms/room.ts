import { createHash } from "node:crypto";
import type { WebSocket } from "ws";
import { LONGEST_MESSAGE } from "../bus/bus.ts";
import type { Log } from "../log.ts";
import { hasRole, type Person } from "../people/person.ts";
import { moved } from "./clock.ts";
import { Presence } from "./presence.ts";
import {
  type FromClient,
  type FromServer,
  type Lead,
  type Member,
  type Note,
  type Pointer,
  ROOM_GONE,
} from "./protocol.ts";
import type { RoomStore, StoredRoom } from "./store.ts";
import type { ServerTime } from "./time.ts";
import { wordOf } from "./words.ts";

/** What nodes say to each other about a room. */
type Said =
  | { readonly said: "lead"; readonly lead: Lead }
  | { readonly said: "who" }
  | { readonly said: "here"; readonly members: readonly Member[] }
  | { readonly said: "left"; readonly members: readonly string[] }
  | { readonly said: "word"; readonly word: Extract<FromServer, { type: "chat" | "note" }> }
  | { readonly said: "pointers"; readonly pointers: readonly (Pointer & { readonly member: string })[] }
  | { readonly said: "gone" };

export interface RoomOptions {
  readonly node: string;
  readonly store: RoomStore;
  readonly time: ServerTime;
  readonly log: Log;
  readonly publish: (message: string) => void;
}

interface Connection {
  readonly socket: WebSocket;
  readonly person: Person;
  member: string | null;
  /** Messages that a connection may still send, and when this was counted. */
  allowance: number;
  countedAt: number;
}

/** Most names that a new member gets at once. */
const FIRST_NAMES = 200;
/** Milliseconds between two lists of members who came and left, and between two lists of pointers. */
const TELL_EVERY = 150;
const POINT_EVERY = 100;
const MOST_POINTERS = 32;
/** Milliseconds for which a leader may be disconnected. */
const LEADER_AWAY = 4000;
/** Most bytes that may wait for a client that reads too slowly. */
const MOST_WAITING = 1 << 20;
/** Messages that a connection may send in a second, and at once. */
const ALLOWED = 40;
const ALLOWED_AT_ONCE = 120;
const TRIES = 4;

/** The part of a room on this node: the node's own connections, and what the other nodes publish. */
export class Room {
  readonly id: string;
  readonly #options: RoomOptions;
  readonly #room: StoredRoom;
  readonly #connections = new Set<Connection>();
  readonly #presence = new Presence();
  #lead: Lead;
  /** Changes for the next list. */
  #joined = new Map<string, Member>();
  #left = new Set<string>();
  #pointers = new Map<string, Pointer & { member: string }>();
  #ownPointers = new Map<string, Pointer & { member: string }>();
  #telling: NodeJS.Timeout | undefined;
  #pointing: NodeJS.Timeout | undefined;
  #leaderLeft: number | null = null;
  /** Changes of the leader run one after another. */
  #changing: Promise<void> = Promise.resolve();

  constructor(room: StoredRoom, options: RoomOptions) {
    this.id = room.id;
    this.#room = room;
    this.#lead = room.lead;
    this.#options = options;
    this.#publish({ said: "who" });
  }

  get isEmpty(): boolean {
    return this.#connections.size === 0;
  }

  get lead(): Lead {
    return this.#lead;
  }

  /** How many members are connected to this node. */
  get viewers(): number {
    return this.#presence.here().length;
  }

  add(socket: WebSocket, person: Person): void {
    const connection: Connection = {
      socket,
      person,
      member: null,
      allowance: ALLOWED_AT_ONCE,
      countedAt: performance.now(),
    };
    this.#connections.add(connection);
    socket.on("message", (data) => {
      const word = this.#mayTalk(connection) ? wordOf((data as Buffer).toString("utf8")) : null;
      if (word === null)
        return send(socket, { type: "refused", what: "message", why: "too many messages, or an unknown message" });
      this.#hear(connection, word).catch((error: unknown) => {
        const isWrong = error instanceof RangeError;
        if (!isWrong) this.#options.log.warn({ room: this.id, error: String(error) }, "a message was not taken");
        send(socket, { type: "refused", what: word.type, why: isWrong ? error.message : "the server has failed" });
      });
    });
    socket.once("close", () => {
      this.#connections.delete(connection);
      const { member } = connection;
      if (member === null || !this.#presence.go(member)) return;
      this.#publish({ said: "left", members: [member] });
      this.#leave([member]);
    });
  }

  /** Handles what another node, or this one, has published. */
  heard(node: string, said: Said): void {
    if (said.said === "gone") this.close();
    if (said.said === "gone" || node === this.#options.node) return;
    switch (said.said) {
      case "lead":
        this.#take(said.lead);
        break;
      case "who":
        this.sayWho();
        break;
      case "here":
        this.#join(this.#presence.hear(node, said.members, performance.now()));
        break;
      case "left":
        this.#leave(this.#presence.hearGone(node, said.members));
        break;
      case "word":
        this.#tell(said.word);
        break;
      case "pointers":
        for (const pointer of said.pointers) this.#point(pointer);
        break;
      default:
        said satisfies never;
    }
  }

  /** Publishes who is connected here to the other nodes: repeatedly, as a message may be lost. */
  sayWho(): void {
    this.#publishAll(this.#presence.here(), (members) => ({ said: "here", members }));
  }

  /** Reads the leader from the database, where no message has named it. */
  refresh(lead: Lead): void {
    this.#take(lead);
  }

  /** Runs once a second: forgets the members of nodes that are gone, and replaces a leader that is gone. */
  look(): void {
    const now = performance.now();
    this.#leave(this.#presence.expire(now));
    const { leader } = this.#lead;
    const isThere = leader === null || this.#presence.get(leader) !== undefined;
    if (isThere) this.#leaderLeft = null;
    else this.#leaderLeft ??= now;
    if (this.#leaderLeft === null || now - this.#leaderLeft < LEADER_AWAY) return;
    const [next] = this.#presence.first(1);
    // the node that has the next leader publishes it
    if (next === undefined || !this.#presence.isHere(next.id)) return;
    void this.#change((lead) => (lead.leader === leader ? { ...lead, leader: next.id } : null)).catch(() => undefined);
  }

  close(): void {
    clearTimeout(this.#telling);
    clearTimeout(this.#pointing);
    for (const { socket } of this.#connections) socket.close(ROOM_GONE, "the room is gone");
  }

  async #hear(connection: Connection, word: FromClient): Promise<void> {
    const { socket, person } = connection;
    if (word.type === "ping") return send(socket, { type: "pong", sent: word.sent, time: this.#options.time.now() });
    if (word.type === "hello") return this.#welcome(connection, word.name, word.secret);
    const member = connection.member === null ? undefined : this.#presence.get(connection.member);
    if (member === undefined) throw new RangeError("hello comes first");
    switch (word.type) {
      case "control":
        return this.#change((lead) => {
          if (lead.leader !== member.id) throw new RangeError("only the leader moves the clock");
          return { ...lead, clock: moved(lead.clock, word.move, this.#options.time.now()) };
        });
      case "lead":
        return this.#change((lead) => this.#passed(lead, word, member.id, person));
      case "pointer": {
        const pointer = { at: word.at, thing: word.thing, camera: word.camera, member: member.id };
        this.#ownPointers.set(member.id, pointer);
        return this.#point(pointer);
      }
      case "chat": {
        const { id, name } = member;
        return this.#say({ type: "chat", member: id, name, text: word.text, at: this.#options.time.now() });
      }
      case "note":
        return this.#note(word, member);
      case "follow":
      case "free": {
        const changed = { ...member, isFree: word.type === "free" };
        this.#presence.change(changed);
        this.#publish({ said: "here", members: [changed] });
        return this.#join([changed]);
      }
      default:
        return word satisfies never;
    }
  }

  async #welcome(connection: Connection, name: string, secret: string): Promise<void> {
    if (connection.member !== null) throw new RangeError("hello comes once");
    const { person, socket } = connection;
    const { store, time } = this.#options;
    const notes = await store.notes(this.#room.recordings);
    if (socket.readyState !== socket.OPEN) return;
    const isAlone = this.#presence.count === 0;
    // the secret cannot be found from the id, and the id is the same on every node; the same secret of another account
    // gives another id
    const id = createHash("sha256").update(`${this.id} ${person.id} ${secret}`).digest("base64url").slice(0, 16);
    // a user with an account has the account's name
    const shown = person.via === "open" || person.name === "" ? name.trim() || "guest" : person.name;
    const member = this.#presence.come({ id, name: shown, isFree: false, since: Math.round(time.now()) });
    connection.member = id;
    this.#publish({ said: "here", members: [member] });
    this.#join([member]);
    const { name: roomName, recordings } = this.#room;
    send(socket, {
      type: "welcome",
      room: { id: this.id, name: roomName, recordings },
      you: id,
      lead: this.#lead,
      members: [member, ...this.#presence.first(FIRST_NAMES).filter((other) => other.id !== id)],
      count: this.#presence.count,
      notes,
    });
    // the first member always leads
    if (isAlone && this.#lead.generation === 0)
      await this.#change((lead) => (lead.generation === 0 ? { ...lead, leader: id } : null));
  }

  /** Throws `RangeError` for what this member may not do. */
  #passed(lead: Lead, word: Extract<FromClient, { type: "lead" }>, member: string, person: Person): Lead | null {
    if (word.lead === "take") {
      if (lead.leader !== null && lead.leader !== member && !hasRole(person, "staff"))
        throw new RangeError("there is a leader; only the leader can give the lead");
      return lead.leader === member ? null : { ...lead, leader: member };
    }
    if (lead.leader !== member) throw new RangeError("only the leader gives the lead");
    if (!("to" in word)) return { ...lead, leader: null };
    if (this.#presence.get(word.to) === undefined) throw new RangeError("that member is not here");
    return { ...lead, leader: word.to };
  }

  async #note(
    { recording, time, thing, text }: Extract<FromClient, { type: "note" }>,
    { name }: Member,
  ): Promise<void> {
    const about = recording ?? this.#room.recordings[0]!;
    if (!this.#room.recordings.includes(about)) throw new RangeError("the recording is not in this room");
    const note: Note = await this.#options.store.addNote({ recording: about, author: name, time, thing, text });
    this.#say({ type: "note", note });
  }

  /**
   * Changes the leader in the database, and publishes the change; when `next` returns null, nothing changes. Throws
   * what `next` throws.
   */
  #change(next: (lead: Lead) => Lead | null): Promise<void> {
    const work = this.#changing.then(async () => {
      const { store } = this.#options;
      for (let tries = 0; tries < TRIES; tries++) {
        const wanted = next(this.#lead);
        if (wanted === null) return;
        const lead = { ...wanted, generation: this.#lead.generation + 1 };
        if (await store.replace(this.id, lead)) {
          this.#take(lead);
          this.#publish({ said: "lead", lead });
          return;
        }
        // another node changed it first
        const kept = (await store.leads([this.id])).get(this.id);
        if (kept === undefined) return this.close();
        this.#take(kept);
      }
      throw new RangeError("others changed it at the same time; try again");
    });
    this.#changing = work.catch(() => undefined);
    return work;
  }

  #take(lead: Lead): void {
    if (lead.generation <= this.#lead.generation) return;
    this.#lead = lead;
    this.#tell({ type: "clock", lead });
  }

  /** Sends a message to all members, on every node. */
  #say(word: Extract<FromServer, { type: "chat" | "note" }>): void {
    this.#tell(word);
    this.#publish({ said: "word", word });
  }

  #join(members: readonly Member[]): void {
    for (const member of members) {
      this.#left.delete(member.id);
      this.#joined.set(member.id, member);
    }
    if (members.length > 0) this.#tellSoon();
  }

  #leave(ids: readonly string[]): void {
    for (const id of ids) {
      this.#joined.delete(id);
      this.#left.add(id);
      this.#pointers.delete(id);
      this.#ownPointers.delete(id);
    }
    if (ids.length > 0) this.#tellSoon();
  }

  #tellSoon(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      const { count } = this.#presence;
      if (this.#joined.size > 0) this.#tell({ type: "joined", members: [...this.#joined.values()], count });
      if (this.#left.size > 0) this.#tell({ type: "left", members: [...this.#left], count });
      this.#joined.clear();
      this.#left.clear();
    }, TELL_EVERY);
  }

  #point(pointer: Pointer & { readonly member: string }): void {
    this.#pointers.set(pointer.member, pointer);
    this.#pointing ??= setTimeout(() => {
      this.#pointing = undefined;
      this.#tell({ type: "pointer", pointers: [...this.#pointers.values()].slice(0, MOST_POINTERS) });
      this.#publishAll([...this.#ownPointers.values()].slice(0, MOST_POINTERS), (pointers) => ({
        said: "pointers",
        pointers,
      }));
      this.#pointers.clear();
      this.#ownPointers.clear();
    }, POINT_EVERY);
  }

  /** The text is made once and sent to all. */
  #tell(message: FromServer): void {
    const text = JSON.stringify(message);
    for (const { socket, member } of this.#connections) {
      if (member === null) continue;
      if (socket.bufferedAmount > MOST_WAITING) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.send(text);
    }
  }

  #mayTalk(connection: Connection): boolean {
    const now = performance.now();
    const earned = ((now - connection.countedAt) / 1000) * ALLOWED;
    connection.allowance = Math.min(ALLOWED_AT_ONCE, connection.allowance + earned) - 1;
    connection.countedAt = now;
    if (connection.allowance < -ALLOWED_AT_ONCE) connection.socket.close(1008, "too many messages");
    return connection.allowance >= 0;
  }

  #publish(said: Said): void {
    this.#options.publish(JSON.stringify({ node: this.#options.node, ...said }));
  }

  /** Splits the message as the bus needs it. */
  #publishAll<T>(items: readonly T[], say: (items: readonly T[]) => Said): void {
    let part: T[] = [];
    let bytes = 0;
    for (const item of items) {
      const own = Buffer.byteLength(JSON.stringify(item)) + 1;
      if (part.length > 0 && bytes + own > LONGEST_MESSAGE - 500) {
        this.#publish(say(part));
        part = [];
        bytes = 0;
      }
      part.push(item);
      bytes += own;
    }
    if (part.length > 0) this.#publish(say(part));
  }
}

/** A message of the bus. */
export type { Said };

function send(socket: WebSocket, message: FromServer): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
}

import type { LiveEvent, LiveEventOf, LiveEvents } from "simtape/record";
import type { Stance } from "../capture/body.ts";
import { Echo } from "./echo.ts";

type Id = LiveEvents["leave"]["id"];

/** A client that sees things of the world. */
export interface Seer {
  /** The position of a thing as this client sees it; null: it does not see the thing. */
  stanceOf(id: Id): Stance | null;
}

/** A thing in the recording. */
interface Thing<Client> {
  /** The client whose view of the thing is recorded. */
  recorded: Client;
  /** All clients that see the thing. */
  readonly seers: Set<Client>;
  /** Whether it is a player whose own client sends its moves. */
  readonly isOwn: boolean;
  /** What clients saw of a player who has no position yet; null: the player has one. */
  early: EventOfThing[] | null;
  /** The recorded position of a player. */
  readonly name: string | null;
}

/** An event about one thing. */
type EventOfThing = Extract<LiveEvent, { readonly value: { readonly id: Id } }>;

/** Facts about a player that its own client does not send, and other clients see. */
const OF_OTHERS: ReadonlySet<LiveEvent["kind"]> = new Set(["equipment", "hurt", "effect", "mount", "view"]);

/**
 * Merges what the clients in one dimension of a server see. The server uses the same numbers for all clients: a thing
 * that several see is recorded as the first of them sees it, and leaves when none sees it any more. For a player who
 * connects through the proxy, the packets of its own client are recorded.
 */
export class SharedWorld<Client extends Seer> {
  readonly #write: (event: LiveEvent) => void;
  readonly #isOwn: (uuid: string) => boolean;
  readonly #things = new Map<Id, Thing<Client>>();
  readonly #echo = new Echo<Client>();

  /** `isOwn`: whether the client of the player with that UUID connects through the proxy, or is about to. */
  constructor(write: (event: LiveEvent) => void, isOwn: (uuid: string) => boolean) {
    this.#write = write;
    this.#isOwn = isOwn;
  }

  /**
   * The player of a client will have this number; positions of it that others see are ignored. A player that others
   * have seen first stays the same thing.
   */
  enter(client: Client, id: Id): void {
    const there = this.#things.get(id);
    const early = there === undefined ? [] : there.early;
    this.#things.set(id, { recorded: client, seers: new Set(), isOwn: true, early, name: there?.name ?? null });
  }

  /** Adds an event that a client sends about its own player. */
  says(event: EventOfThing): void {
    const thing = this.#things.get(event.value.id);
    if (thing === undefined) return;
    if (event.kind === "join") {
      this.#join(event, thing);
      return;
    }
    this.#write(event);
    if (event.kind === "leave") thing.early = [];
  }

  /** Adds an event that a client sees. */
  sees(client: Client, event: LiveEvent): void {
    switch (event.kind) {
      case "block":
      case "chat":
      case "sound":
      case "world":
        if (this.#echo.isNew(client, JSON.stringify(event))) this.#write(event);
        return;
      case "dimension":
      case "clearBlocks":
        // these events are about this client alone
        return;
      case "spawn":
        this.#appear(client, event);
        return;
      case "remove":
        this.#lose(client, event.value.id);
        return;
      default:
        if (isOfThing(event)) this.#change(client, event);
    }
  }

  /** A client no longer sees anything. */
  forget(client: Client): void {
    for (const id of this.#things.keys()) this.#lose(client, id);
  }

  /** A client has left, with its player. */
  leave(client: Client): void {
    for (const [id, { recorded, isOwn }] of this.#things) if (isOwn && recorded === client) this.#things.delete(id);
    this.forget(client);
  }

  #join(event: LiveEventOf<"join">, thing: Thing<Client>): void {
    const { early, name } = thing;
    if (early === null) {
      this.#turnsOut(event, name);
      return;
    }
    this.#write(event);
    this.#concern(event);
    thing.early = null;
    for (const each of early) this.#refer(each);
  }

  /** The recording is about this player; a player with a profile is its subject by the UUID of the profile. */
  #concern({ value: { id, uuid, name, properties } }: LiveEventOf<"join">): void {
    if (properties === undefined) this.#write({ kind: "subject", value: { id, uuid, name } });
  }

  /** A thing that others have seen turns out to be the player of a client here; `known`: the name that they saw. */
  #turnsOut(event: LiveEventOf<"join">, known: string | null): void {
    const { id, uuid, name, properties, ...where } = event.value;
    if (known !== name) {
      this.#write({ kind: "remove", value: { id } });
      this.#write(event);
      this.#concern(event);
      return;
    }
    const profile = properties === undefined ? {} : { properties };
    this.#write({ kind: "subject", value: { id, uuid, name, ...profile } });
    this.#write({ kind: "teleport", value: { id, ...where } });
  }

  #appear(client: Client, event: LiveEventOf<"spawn">): void {
    const { id, type, uuid, name = null } = event.value;
    if (uuid !== undefined && this.#isOwn(uuid)) return;
    const thing = this.#things.get(id);
    if (thing !== undefined) {
      thing.seers.add(client);
      return;
    }
    const known = type === "minecraft:player" ? name : null;
    this.#things.set(id, { recorded: client, seers: new Set([client]), isOwn: false, early: null, name: known });
    this.#write(event);
  }

  #lose(client: Client, id: Id): void {
    const thing = this.#things.get(id);
    if (thing === undefined || thing.isOwn || !thing.seers.delete(client)) return;
    const [next] = thing.seers;
    if (next === undefined) {
      this.#things.delete(id);
      this.#write({ kind: "remove", value: { id } });
    } else if (thing.recorded === client) {
      thing.recorded = next;
      const stance = next.stanceOf(id);
      if (stance !== null) this.#write({ kind: "move", value: { id, ...stance } });
    }
  }

  #change(client: Client, event: EventOfThing): void {
    const thing = this.#things.get(event.value.id);
    if (thing === undefined) return;
    if (!thing.isOwn) {
      if (thing.recorded === client) this.#refer(event);
    } else if (OF_OTHERS.has(event.kind) && this.#echo.isNew(client, JSON.stringify(event))) {
      if (thing.early === null) this.#refer(event);
      else thing.early.push(event);
    }
  }

  /** Writes an event; leaves out references to things that are not in the recording. */
  #refer(event: EventOfThing): void {
    const isThere = (id: Id): boolean => this.#things.get(id)?.early === null;
    if (event.kind === "mount") {
      const passengers = event.value.passengers.filter(isThere);
      this.#write({ kind: "mount", value: { ...event.value, passengers } });
    } else if (event.kind === "hurt" && event.value.attacker !== undefined && !isThere(event.value.attacker)) {
      const { attacker: _, ...value } = event.value;
      this.#write({ kind: "hurt", value });
    } else this.#write(event);
  }
}

function isOfThing(event: LiveEvent): event is EventOfThing {
  return typeof event.value === "object" && "id" in event.value && event.value.id !== undefined;
}

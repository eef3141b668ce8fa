import type { Line } from "../capture/capture.ts";
import { Echo } from "./echo.ts";

/** A client that sees things. */
export interface Seer {
  /** Where it sees a thing now, as lines have it; null: it does not see it. */
  stanceOf(id: number): object | null;
}

/** Something in the recording. */
interface Thing<Client> {
  /** Whose view of it is recorded. */
  teller: Client;
  /** All clients that see it. */
  readonly seers: Set<Client>;
  /** A player who tells of itself. */
  readonly isOwn: boolean;
  /** What was said of a player who is nowhere yet; null: it is there. */
  early: Line[] | null;
  /** Of a player, as it is recorded. */
  readonly name: string | null;
}

interface Told {
  readonly id: number;
  readonly type?: string;
  readonly uuid?: string;
  readonly name?: string;
  readonly passengers?: readonly number[];
  readonly attacker?: number;
}

/** What is said of no thing. */
const AT_LARGE: ReadonlySet<string> = new Set(["block", "chat", "sound", "world"]);
/** What others know of a player and it does not say itself. */
const OF_OTHERS: ReadonlySet<string> = new Set(["equipment", "hurt", "effect", "mount", "view"]);
/** What a client says of where it is alone. */
const OF_CLIENT: ReadonlySet<string> = new Set(["dimension", "clearBlocks"]);

/**
 * What the clients in one dimension of a server see, as one. The server numbers things alike for all of them: one that
 * several see is recorded as the first of them sees it, and goes when none sees it any more. Players tell of themselves.
 */
export class SharedWorld<Client extends Seer> {
  readonly #write: (line: Line) => void;
  readonly #tellsOfItself: (uuid: string) => boolean;
  readonly #things = new Map<number, Thing<Client>>();
  readonly #echo = new Echo<Client>();

  /** `tellsOfItself`: whether the player of that UUID does, or is about to. */
  constructor(write: (line: Line) => void, tellsOfItself: (uuid: string) => boolean) {
    this.#write = write;
    this.#tellsOfItself = tellsOfItself;
  }

  /**
   * A player who tells of itself will have this number; what others see of it does not count. One whom others have seen
   * first stays the same thing.
   */
  enter(client: Client, id: number): void {
    const there = this.#things.get(id);
    const early = there === undefined ? [] : there.early;
    this.#things.set(id, { teller: client, seers: new Set(), isOwn: true, early, name: there?.name ?? null });
  }

  /** A player tells of itself. */
  says(line: Line): void {
    const [word, { id }] = partsOf(line);
    const thing = this.#things.get(id);
    if (thing === undefined) return;
    const { early } = thing;
    if (word === "join" && early === null) {
      this.#turnsOut(line, thing.name);
      return;
    }
    this.#write(line);
    if (word === "join") this.#concern(line);
    if (word === "leave") thing.early = [];
    if (word !== "join" || early === null) return;
    thing.early = null;
    for (const each of early) this.#refer(each);
  }

  /** A client sees something. */
  sees(client: Client, line: Line): void {
    const [word, told] = partsOf(line);
    if (AT_LARGE.has(word)) {
      if (this.#echo.isNew(client, JSON.stringify(line))) this.#write(line);
    } else if (word === "spawn") this.#appear(client, told, line);
    else if (word === "remove") this.#lose(client, told.id);
    else if (!OF_CLIENT.has(word)) this.#change(client, word, told.id, line);
  }

  /** A client sees nothing any more. */
  forget(client: Client): void {
    for (const id of this.#things.keys()) this.#lose(client, id);
  }

  /** A client is gone, and its player. */
  leave(client: Client): void {
    for (const [id, { teller, isOwn }] of this.#things) if (isOwn && teller === client) this.#things.delete(id);
    this.forget(client);
  }

  /** The recording is about its player; one with a profile is its subject by that. */
  #concern(line: Line): void {
    const { id, uuid, name, properties } = line["join"] as Told & { readonly properties?: unknown };
    if (properties === undefined) this.#write({ subject: { id, uuid, name } });
  }

  /** What others have seen is a player who tells of itself from now on; `known`: as whom they have seen it. */
  #turnsOut(line: Line, known: string | null): void {
    const { id, uuid, name, properties, ...where } = line["join"] as Told & Record<string, unknown>;
    if (known !== name) {
      this.#write({ remove: { id } });
      this.#write(line);
      this.#concern(line);
      return;
    }
    this.#write({ subject: { id, uuid, name, ...(properties === undefined ? {} : { properties }) } });
    this.#write({ teleport: { id, ...where } });
  }

  #appear(client: Client, { id, type, uuid, name }: Told, line: Line): void {
    if (uuid !== undefined && this.#tellsOfItself(uuid)) return;
    const thing = this.#things.get(id);
    if (thing !== undefined) {
      thing.seers.add(client);
      return;
    }
    const known = type === "minecraft:player" ? (name ?? null) : null;
    this.#things.set(id, { teller: client, seers: new Set([client]), isOwn: false, early: null, name: known });
    this.#write(line);
  }

  #lose(client: Client, id: number): void {
    const thing = this.#things.get(id);
    if (thing === undefined || thing.isOwn || !thing.seers.delete(client)) return;
    const [next] = thing.seers;
    if (next === undefined) {
      this.#things.delete(id);
      this.#write({ remove: { id } });
    } else if (thing.teller === client) {
      thing.teller = next;
      const stance = next.stanceOf(id);
      if (stance !== null) this.#write({ move: { id, ...stance } });
    }
  }

  #change(client: Client, word: string, id: number, line: Line): void {
    const thing = this.#things.get(id);
    if (thing === undefined) return;
    if (!thing.isOwn) {
      if (thing.teller === client) this.#refer(line);
    } else if (OF_OTHERS.has(word) && this.#echo.isNew(client, JSON.stringify(line))) {
      if (thing.early === null) this.#refer(line);
      else thing.early.push(line);
    }
  }

  /** Writes a line without those whom it names and who are not there. */
  #refer(line: Line): void {
    const [word, { passengers, attacker, ...told }] = partsOf(line);
    const isThere = (id: number): boolean => this.#things.get(id)?.early === null;
    this.#write({
      [word]: {
        ...told,
        ...(passengers === undefined ? {} : { passengers: passengers.filter(isThere) }),
        ...(attacker === undefined || !isThere(attacker) ? {} : { attacker }),
      },
    });
  }
}

function partsOf(line: Line): [word: string, told: Told] {
  return Object.entries(line)[0] as [string, Told];
}

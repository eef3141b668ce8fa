import type { LiveEvent, LiveEvents } from "simtape/record";
import type { Person } from "./world-ring.ts";

/** Most players that are remembered. */
const MOST = 10_000;

type Id = LiveEvents["leave"]["id"];

/** A player that clients have seen in a world. */
export interface Known extends Person {
  /** Its number in the recording; null: it is not in the world now. */
  readonly id: Id | null;
}

/** The players seen in a world, by name. */
export class People {
  readonly #known = new Map<string, Known>();
  /** Names of the players in the world, by number. */
  readonly #there = new Map<Id, string>();

  /** Adds an event of the world. */
  see({ kind, value }: LiveEvent): void {
    if (kind === "leave" || kind === "remove") this.#lose(value.id);
    else if (kind === "join" || (kind === "spawn" && value.type === "minecraft:player")) this.#add(value);
  }

  /** Finds a player in any case of letters; null: no such player was seen. */
  named(name: string): Known | null {
    return this.#known.get(name.toLowerCase()) ?? null;
  }

  #add({ id, uuid, name }: Pick<LiveEvents["spawn"], "id" | "uuid" | "name">): void {
    if (uuid === undefined || name === undefined || this.#known.size >= MOST) return;
    this.#known.set(name.toLowerCase(), { uuid, name, id });
    this.#there.set(id, name.toLowerCase());
  }

  #lose(id: Id): void {
    const name = this.#there.get(id);
    const known = name === undefined ? undefined : this.#known.get(name);
    this.#there.delete(id);
    if (known?.id === id) this.#known.set(name!, { ...known, id: null });
  }
}

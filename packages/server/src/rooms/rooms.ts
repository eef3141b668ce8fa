import type { Context } from "../context.ts";
import { newId } from "../ids.ts";
import type { Lead } from "./protocol.ts";
import { Room, type Said } from "./room.ts";
import { RoomStore, type StoredRoom } from "./store.ts";
import { ServerTime } from "./time.ts";

/** Milliseconds between two checks of the rooms of this node. */
const LOOK_EVERY = 1000;

/** The rooms that have members on this node. */
export class Rooms {
  readonly store: RoomStore;
  readonly time: ServerTime;
  readonly #context: Context;
  readonly #node = newId();
  readonly #open = new Map<string, { readonly room: Room; readonly unsubscribe: () => void }>();
  #looking: NodeJS.Timeout | undefined;

  constructor(context: Context) {
    this.#context = context;
    this.store = new RoomStore(context.query);
    this.time = new ServerTime(context.database);
  }

  async start(): Promise<void> {
    await this.time.start();
    this.#looking = setInterval(() => void this.#look(), LOOK_EVERY);
  }

  stop(): void {
    clearInterval(this.#looking);
    this.time.stop();
    for (const { unsubscribe } of this.#open.values()) unsubscribe();
    this.#open.clear();
  }

  /** Returns the room on this node, and opens it when it is not open. */
  enter(stored: StoredRoom): Room {
    const known = this.#open.get(stored.id);
    if (known !== undefined) {
      known.room.refresh(stored.lead);
      return known.room;
    }
    const { bus, log } = this.#context;
    const { store, time } = this;
    const topic = `room.${stored.id}`;
    const room = new Room(stored, {
      ...{ node: this.#node, store, time, log },
      publish: (message) => bus.publish(topic, message),
    });
    const unsubscribe = bus.subscribe(topic, (message) => {
      const { node, ...said } = JSON.parse(message) as { node: string } & Said;
      room.heard(node, said);
    });
    this.#open.set(stored.id, { room, unsubscribe });
    return room;
  }

  /** Number of members in the rooms of this node. */
  get viewers(): number {
    return [...this.#open.values()].reduce((sum, { room }) => sum + room.viewers, 0);
  }

  /** The leader as this node knows it; null: the room has no viewer on this node. */
  leadOf(id: string): Lead | null {
    return this.#open.get(id)?.room.lead ?? null;
  }

  /** Ends the room on every node. */
  async remove(id: string): Promise<void> {
    await this.store.remove(id);
    this.#context.bus.publish(`room.${id}`, JSON.stringify({ node: this.#node, said: "gone" }));
  }

  async #look(): Promise<void> {
    for (const [id, { room, unsubscribe }] of this.#open) {
      if (room.isEmpty) {
        unsubscribe();
        this.#open.delete(id);
        continue;
      }
      room.sayWho();
      room.look();
    }
    const ids = [...this.#open.keys()];
    if (ids.length === 0) return;
    try {
      const leads = await this.store.leads(ids);
      for (const id of ids) {
        const lead = leads.get(id);
        if (lead === undefined) this.#open.get(id)?.room.close();
        else this.#open.get(id)?.room.refresh(lead);
      }
    } catch (error) {
      this.#context.log.warn({ error: String(error) }, "rooms: the database cannot be reached; trying again");
    }
  }
}

import type { World } from "../live/world.ts";
import type { LiveTarget } from "./live-target.ts";
import type { Id, LiveEventOf, LiveEvents, Look, Point } from "./live-event.ts";

/** What happens in a world. */
export type WorldEvent = LiveEventOf<
  Exclude<
    LiveEventOf["kind"],
    "tick" | "set" | "sets" | "entities" | "event" | "commit" | "snapshot" | "session" | "versions" | "reset"
  >
>;

/** What makes it the same thing. */
interface Kind {
  readonly type: string;
  /** 32 lower-case digits; null: it has none. */
  readonly uuid: string | null;
}

/** Where a thing is now; what an event leaves out stays as it was. */
interface Thing extends Kind {
  readonly entity: number;
  readonly stance: {
    x: number;
    y: number;
    z: number;
    yaw: number;
    pitch: number;
    onGround: boolean;
    headYaw: number | undefined;
  };
  pose: number;
  flags: number;
}

/** What a recorder has for a world. */
type Host = Pick<LiveTarget, "world" | "subject">;

/** Where an event says that a thing is. */
interface Standing {
  readonly at?: Point;
  readonly look?: Look;
  readonly head?: number;
  readonly onGround?: boolean;
  readonly still?: boolean;
}

/** Events of a world, whose things have ids of the sender's own. */
export class Things {
  readonly world: World;
  readonly #host: Host;
  readonly #things = new Map<Id, Thing>();

  constructor(host: Host) {
    this.world = host.world;
    this.#host = host;
  }

  /** Throws `RangeError` for what cannot be, and has recorded nothing of it then. */
  record(event: WorldEvent): void {
    const { world } = this;
    switch (event.kind) {
      case "spawn":
        this.#spawn(event.value);
        return;
      case "join":
        this.#join(event.value);
        return;
      case "leave":
        world.leave(this.entity(event.value.id));
        this.#things.delete(event.value.id);
        return;
      case "remove":
        world.remove(this.entity(event.value.id));
        this.#things.delete(event.value.id);
        return;
      case "move": {
        const { entity, stance } = this.#thing(event.value.id);
        put(stance, event.value);
        world.move(entity, stance);
        return;
      }
      case "teleport": {
        const { entity, stance } = this.#thing(event.value.id);
        put(stance, event.value);
        world.teleport(entity, stance);
        return;
      }
      case "velocity":
        world.velocity(this.entity(event.value.id), event.value.velocity);
        return;
      case "exact": {
        const { id, at, look, velocity } = event.value;
        world.exact(this.entity(id), { x: at[0], y: at[1], z: at[2], yaw: look[0], pitch: look[1] }, velocity);
        return;
      }
      case "mount": {
        const { id, passengers } = event.value;
        // those that found no room sit nowhere
        const sitting = passengers.map((passenger) => this.entity(passenger)).filter((entity) => entity >= 0);
        world.mount(this.entity(id), sitting);
        return;
      }
      case "state": {
        const thing = this.#thing(event.value.id);
        thing.pose = event.value.pose ?? thing.pose;
        thing.flags = event.value.flags ?? thing.flags;
        world.state(thing.entity, thing.pose, thing.flags);
        return;
      }
      case "equipment":
        world.equipment(this.entity(event.value.id), event.value.items);
        return;
      case "heldSlot":
        world.heldSlot(this.entity(event.value.id), event.value.slot);
        return;
      case "itemUse":
        world.itemUse(this.entity(event.value.id), event.value.use);
        return;
      case "swing":
        world.swing(this.entity(event.value.id), event.value.hand);
        return;
      case "hurt": {
        const { id, attacker, yaw } = event.value;
        world.hurt(this.entity(id), this.#entityOrNull(attacker), yaw);
        return;
      }
      case "metadata": {
        const { id, entries } = event.value;
        const decoded = Object.entries(entries).map(([key, bytes]) => [indexOf(key), bytesOf(bytes)] as const);
        world.metadata(this.entity(id), new Map(decoded));
        return;
      }
      case "effect": {
        const { id, name, amplifier, ticks } = event.value;
        world.effect(this.entity(id), name, amplifier ?? 0, ticks);
        return;
      }
      case "vitals": {
        const { id, health, food, xp } = event.value;
        world.vitals(this.entity(id), health, food, xp);
        return;
      }
      case "view": {
        const { id, gameMode, camera } = event.value;
        world.view(this.entity(id), gameMode, this.#entityOrNull(camera));
        return;
      }
      case "block":
        world.block(event.value.at, event.value.state);
        return;
      case "clearBlocks":
        world.clearBlocks();
        return;
      case "dimension":
        world.dimension(event.value);
        return;
      case "world":
        world.world(event.value.time ?? null, event.value.weather ?? null);
        return;
      case "chat":
        world.chat(event.value.text, this.#entityOrNull(event.value.from));
        return;
      case "sound": {
        const { name, at, volume, pitch, category } = event.value;
        world.sound(name, at, volume, pitch, category);
        return;
      }
      case "particles": {
        const { name, at, count, spread } = event.value;
        world.particles(name, at, count, spread);
        return;
      }
      case "mark": {
        const { kind = "bookmark", label, id, severity } = event.value;
        world.mark(kind, label, this.#entityOrNull(id), severity);
        return;
      }
      case "subject": {
        const { id, uuid, name, properties } = event.value;
        this.#host.subject(this.entity(id), uuid, name, properties);
        return;
      }
      default:
        event satisfies never;
    }
  }

  /** Nothing is there any more. */
  reset(): void {
    this.world.clear();
    this.#things.clear();
  }

  #spawn(spawn: LiveEvents["spawn"]): void {
    const { type, uuid, name } = spawn;
    if ((uuid === undefined) !== (name === undefined)) throw new RangeError("uuid and name go together");
    const identity = uuid === undefined ? null : { uuid, name: name! };
    this.#add(spawn, type, uuid, (stance, own) => this.world.spawn(type, stance, identity, own));
  }

  #join(join: LiveEvents["join"]): void {
    const { id, uuid, name, properties } = join;
    const isNew = this.#add(join, "minecraft:player", uuid, (stance, own) => this.world.join(join, stance, own));
    // the recording is about a player of whom it has more than a name
    if (isNew && properties !== undefined) this.#host.subject(this.entity(id), uuid, name, properties);
  }

  /** Throws `RangeError` when there is none of that id. */
  #thing(of: Id): Thing {
    const found = this.#things.get(of);
    if (found === undefined) throw new RangeError(`nothing has the id ${JSON.stringify(of)}: spawn it first`);
    return found;
  }

  /** Throws `RangeError` when there is none of that id. */
  entity(of: Id): number {
    return this.#thing(of).entity;
  }

  /**
   * Throws `RangeError` when there is one of this id that the event does not say is still there. Gives whether it is new;
   * `make` gets the name by which it is found again.
   */
  #add(
    event: Standing & { readonly id: Id },
    type: string,
    uuid: string | undefined,
    make: (stance: Thing["stance"], own: string) => number,
  ): boolean {
    const { id } = event;
    const kind: Kind = { type, uuid: plainUuid(uuid) };
    const own = JSON.stringify(id);
    const there = this.#things.get(id) ?? this.#inherited(own);
    if (there !== null && event.still === true && there.type === type && there.uuid === kind.uuid) {
      put(there.stance, event);
      this.world.keep(there.entity, there.stance);
      this.#things.set(id, there);
      return false;
    }
    if (this.#things.has(id) && event.still !== true)
      throw new RangeError(`something has the id ${own} already: remove it first`);
    if (there !== null) this.world.remove(there.entity);
    const stance = { x: 0, y: 0, z: 0, yaw: 0, pitch: 0, onGround: false, headYaw: undefined };
    put(stance, event);
    this.#things.set(id, { entity: make(stance, own), ...kind, stance, pose: 0, flags: 0 });
    return true;
  }

  /** What the recording holds that is gone on with, when nothing was said of it yet. */
  #inherited(own: string): Thing | null {
    const found = this.world.inherited(own);
    if (found === null) return null;
    const { entity, type, uuid } = found;
    const { pose, flags, ...stance } = this.world.stanceOf(entity);
    return { entity, type, uuid: plainUuid(uuid), stance, pose, flags };
  }

  #entityOrNull(of: Id | undefined): number | null {
    return of === undefined ? null : this.entity(of);
  }
}

function plainUuid(uuid: string | null | undefined): string | null {
  return uuid == null ? null : uuid.replaceAll("-", "").toLowerCase();
}

function put(stance: Thing["stance"], { at, look, head, onGround }: Standing): void {
  if (at !== undefined) {
    stance.x = at[0];
    stance.y = at[1];
    stance.z = at[2];
  }
  if (look !== undefined) {
    stance.yaw = look[0];
    stance.pitch = look[1];
  }
  if (head !== undefined) stance.headYaw = head;
  if (onGround !== undefined) stance.onGround = onGround;
}

function indexOf(key: string): number {
  const index = Number(key);
  if (index > 254) throw new RangeError(`metadata.entries: expected indexes from 0 to 254, found ${key}`);
  return index;
}

/** Throws `RangeError` for what is not base64. */
export function bytesOf(encoded: string): Uint8Array {
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new RangeError("the base64 does not decode", { cause });
  }
}

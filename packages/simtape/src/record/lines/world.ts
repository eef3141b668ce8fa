import * as v from "valibot";
import {
  boolean,
  dictionary,
  list,
  matching,
  number,
  object,
  oneOf,
  orNull,
  type Shape,
  text,
  whole,
} from "../../model/shape.ts";
import {
  base64,
  byte,
  type Command,
  cell,
  command,
  count,
  id,
  look,
  maybe,
  name,
  point,
  turn,
  uuid,
  yes,
} from "./shapes.ts";
import type { Identity } from "../live/body.ts";
import type { ProfileProperty } from "../live/notes.ts";
import type { Recorder } from "../live/recorder.ts";
import { MARK_KINDS, type Point, type World } from "../live/world.ts";

type Id = string | number;

/** Where a thing of the sender's is now; what a line leaves out stays as it was. */
interface Thing {
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
type Host = Pick<Recorder, "world" | "subject">;

/** A world, and the things in it by the sender's own ids. */
export class WorldLines {
  readonly world: World;
  readonly #host: Host;
  readonly #things = new Map<Id, Thing>();

  constructor(host: Host) {
    this.world = host.world;
    this.#host = host;
  }

  /** A player who has come is one whom the recording is about: there is more of it than a name. */
  subject(of: Id, { uuid, name }: Identity, properties: readonly ProfileProperty[]): void {
    this.#host.subject(this.entity(of), uuid, name, properties);
  }

  /** Throws `RangeError` when there is none of that id. */
  thing(of: Id): Thing {
    const found = this.#things.get(of);
    if (found === undefined) throw new RangeError(`nothing has the id ${JSON.stringify(of)}: spawn it first`);
    return found;
  }

  entity(of: Id): number {
    return this.thing(of).entity;
  }

  /** Throws `RangeError` when there is one already. */
  add(of: Id, where: Stand, make: (stance: Thing["stance"]) => number): void {
    if (this.#things.has(of))
      throw new RangeError(`something has the id ${JSON.stringify(of)} already: remove it first`);
    const stance = { x: 0, y: 0, z: 0, yaw: 0, pitch: 0, onGround: false, headYaw: undefined };
    put(stance, where);
    this.#things.set(of, { entity: make(stance), stance, pose: 0, flags: 0 });
  }

  take(of: Id, remove: (entity: number) => void): void {
    remove(this.entity(of));
    this.#things.delete(of);
  }

  /** Nothing is there any more. */
  reset(): void {
    this.world.clear();
    this.#things.clear();
  }
}

const slot = matching(/^\d{1,5}$/, "the number of a slot");

interface Stand {
  readonly at?: Point;
  readonly look?: readonly [yaw: number, pitch: number];
  readonly head?: number;
  readonly onGround?: boolean;
}

const SIGNED = "a text of at most 8 KiB";
const signed = v.pipe(v.string(SIGNED), v.maxLength(8192, SIGNED));
/** Of a player's profile, as a server has it: the skin is one. */
export const PROFILE_PROPERTY: Shape<ProfileProperty> = object({ name, value: signed, signature: maybe(signed) });

const STAND = { look: maybe(look), head: maybe(turn), onGround: maybe(boolean) };

/** One entry for each method of `World`, under its name. */
export const WORLD_COMMANDS: Readonly<Record<string, Command<WorldLines>>> = {
  spawn: command(
    object({ id, type: name, at: point, ...STAND, uuid: maybe(uuid), name: maybe(name) }),
    (lines, line) => {
      if ((line.uuid === undefined) !== (line.name === undefined)) throw new RangeError("uuid and name go together");
      const who = line.uuid === undefined ? null : { uuid: line.uuid, name: line.name! };
      lines.add(line.id, line, (stance) => lines.world.spawn(line.type, stance, who));
    },
  ),
  join: command(
    object({ id, uuid, name, at: point, ...STAND, properties: maybe(list(PROFILE_PROPERTY)) }),
    (lines, line) => {
      lines.add(line.id, line, (stance) => lines.world.join(line, stance));
      if (line.properties !== undefined) lines.subject(line.id, line, line.properties);
    },
  ),
  leave: command(object({ id }), (lines, line) => lines.take(line.id, (entity) => lines.world.leave(entity))),
  remove: command(object({ id }), (lines, line) => lines.take(line.id, (entity) => lines.world.remove(entity))),

  move: command(object({ id, at: maybe(point), ...STAND }), (lines, line) => {
    const { entity, stance } = lines.thing(line.id);
    put(stance, line);
    lines.world.move(entity, stance);
  }),
  teleport: command(object({ id, at: point, ...STAND }), (lines, line) => {
    const { entity, stance } = lines.thing(line.id);
    put(stance, line);
    lines.world.teleport(entity, stance);
  }),
  velocity: command(object({ id, velocity: point }), (lines, line) => {
    lines.world.velocity(lines.entity(line.id), line.velocity);
  }),
  exact: command(object({ id, at: point, look, velocity: point }), (lines, line) => {
    const [x, y, z] = line.at;
    const [yaw, pitch] = line.look;
    lines.world.exact(lines.entity(line.id), { x, y, z, yaw, pitch }, line.velocity);
  }),
  mount: command(object({ id, passengers: list(id) }), (lines, line) => {
    // those that found no room sit nowhere
    const passengers = line.passengers.map((passenger) => lines.entity(passenger)).filter((entity) => entity >= 0);
    lines.world.mount(lines.entity(line.id), passengers);
  }),

  state: command(object({ id, pose: maybe(byte), flags: maybe(byte) }), (lines, line) => {
    const thing = lines.thing(line.id);
    thing.pose = line.pose ?? thing.pose;
    thing.flags = line.flags ?? thing.flags;
    lines.world.state(thing.entity, thing.pose, thing.flags);
  }),
  equipment: command(object({ id, items: dictionary(orNull(text), slot) }), (lines, line) => {
    lines.world.equipment(lines.entity(line.id), line.items);
  }),
  heldSlot: command(object({ id, slot: byte }), (lines, line) =>
    lines.world.heldSlot(lines.entity(line.id), line.slot),
  ),
  itemUse: command(object({ id, use: oneOf(0, 1, 2) }), (lines, line) => {
    lines.world.itemUse(lines.entity(line.id), line.use);
  }),
  swing: command(object({ id, hand: maybe(oneOf(0, 1)) }), (lines, line) => {
    lines.world.swing(lines.entity(line.id), line.hand);
  }),
  hurt: command(object({ id, attacker: maybe(id), yaw: maybe(turn) }), (lines, line) => {
    const attacker = line.attacker === undefined ? null : lines.entity(line.attacker);
    lines.world.hurt(lines.entity(line.id), attacker, line.yaw);
  }),
  metadata: command(object({ id, entries: dictionary(base64, slot) }), (lines, line) => {
    const entries = Object.entries(line.entries).map(([key, bytes]) => [indexOf(key), bytesOf(bytes)] as const);
    lines.world.metadata(lines.entity(line.id), new Map(entries));
  }),
  effect: command(object({ id, name, ticks: count, amplifier: maybe(byte) }), (lines, line) => {
    lines.world.effect(lines.entity(line.id), line.name, line.amplifier ?? 0, line.ticks);
  }),
  vitals: command(object({ id, health: number, food: byte, xp: count }), (lines, line) => {
    lines.world.vitals(lines.entity(line.id), line.health, line.food, line.xp);
  }),
  view: command(object({ id, gameMode: byte, camera: maybe(id) }), (lines, line) => {
    const camera = line.camera === undefined ? null : lines.entity(line.camera);
    lines.world.view(lines.entity(line.id), line.gameMode, camera);
  }),

  block: command(object({ at: cell, state: name }), (lines, line) => {
    lines.world.block(line.at, line.state);
  }),
  clearBlocks: command(yes, ({ world }) => world.clearBlocks()),
  dimension: command(name, ({ world }, dimension) => world.dimension(dimension)),
  world: command(
    object({ time: maybe(whole(0, Number.MAX_SAFE_INTEGER)), weather: maybe(oneOf(0, 1, 2)) }),
    (lines, line) => {
      lines.world.world(line.time ?? null, line.weather ?? null);
    },
  ),
  chat: command(object({ text, from: maybe(id) }), (lines, line) => {
    lines.world.chat(line.text, line.from === undefined ? null : lines.entity(line.from));
  }),
  sound: command(
    object({ name, at: point, volume: maybe(number), pitch: maybe(number), category: maybe(byte) }),
    ({ world }, line) => {
      world.sound(line.name, line.at, line.volume, line.pitch, line.category);
    },
  ),
  particles: command(object({ name, at: point, count, spread: maybe(point) }), ({ world }, line) => {
    world.particles(line.name, line.at, line.count, line.spread);
  }),
  mark: command(
    object({ label: text, kind: maybe(oneOf(...MARK_KINDS)), id: maybe(id), severity: maybe(whole(0, 127)) }),
    (lines, line) => {
      const entity = line.id === undefined ? null : lines.entity(line.id);
      lines.world.mark(line.kind ?? "bookmark", line.label, entity, line.severity);
    },
  ),
};

function put(stance: Thing["stance"], { at, look: turned, head, onGround }: Stand): void {
  if (at !== undefined) {
    stance.x = at[0];
    stance.y = at[1];
    stance.z = at[2];
  }
  if (turned !== undefined) {
    stance.yaw = turned[0];
    stance.pitch = turned[1];
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

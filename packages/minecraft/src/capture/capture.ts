import { GameData } from "../game/data.ts";
import { Body } from "./body.ts";
import { CONDITION } from "./condition.ts";
import { SOUNDS } from "./sounds.ts";
import { STILL_THINGS } from "./still-things.ts";
import { plainText } from "./text.ts";

/** A line of simtape's line protocol, without a tick. */
export type Line = Readonly<Record<string, unknown>>;

/** What becomes of packets of one name. */
export interface Tally {
  /** In the recording. */
  carried: number;
  /** Not in it, or not all of what they say: it has no place for that. */
  left: number;
  /** Of a thing that the client was never shown, or no more: it passes over them, too. */
  stray: number;
}

export type Fate = keyof Tally;

export interface CaptureOptions {
  readonly version: string;
}

/** A packet's fields, as minecraft-data names them. */
// biome-ignore lint/suspicious/noExplicitAny: each packet has fields of its own, which no type of the library tells
export type Params = any;
/** Adds what a packet says to lines. */
export type Carry = (capture: Capture, params: Params, lines: Line[]) => Fate;

interface Known {
  readonly name: string;
  readonly properties: readonly { name: string; value: string; signature?: string }[];
}

/** Slots that others see. */
const WORN = 6;
const AIR = "minecraft:air";
const SINCE_1_17 = 2724;

/**
 * What one client is shown, as lines of the line protocol: packets of the state `play`, from 1.16 on. Places are added
 * up on the protocol's own grid, which is that of the recording, so nothing is rounded but what came as fractions.
 */
export class Capture {
  readonly data: GameData;
  /** By the names of packets. */
  readonly tally: Map<string, Tally> = new Map();
  readonly #bodies = new Map<number, Body>();
  /** What a thing was from its beginning: kind, name. */
  readonly #born = new Map<number, Line>();
  readonly #known = new Map<string, Known>();
  readonly #told = new Set<string>();
  readonly #gameModes = new Map<string, number>();
  #dimension: string | null = null;

  constructor({ version }: CaptureOptions) {
    this.data = GameData.of(version);
  }

  /** Adds what a packet to the client says. */
  clientbound(name: string, params: object, lines: Line[]): void {
    this.count(name, CARRIED.get(name)?.(this, params, lines) ?? "left");
  }

  count(name: string, fate: Fate): void {
    let tally = this.tally.get(name);
    if (tally === undefined) {
      tally = { carried: 0, left: 0, stray: 0 };
      this.tally.set(name, tally);
    }
    tally[fate]++;
  }

  /** Whether packets of this name may be carried. */
  static carries(name: string): boolean {
    return CARRIED.has(name);
  }

  /** Names of all packets that may be carried. */
  static get names(): readonly string[] {
    return [...CARRIED.keys()];
  }

  /**
   * The client's own player, whom no packet brings in: what is said of it has a place from now on. Its body is moved by
   * those who know where it is.
   */
  own(id: number, uuid: string, lines: Line[]): Body {
    const body = new Body();
    this.#bodies.set(id, body);
    this.#born.set(id, { id, uuid });
    const gameMode = this.#gameModes.get(uuid);
    if (gameMode !== undefined) lines.push({ view: { id, gameMode } });
    return body;
  }

  /** What the profile of a player has; the skin is one. */
  profileOf(uuid: string): Known["properties"] {
    return this.#known.get(uuid)?.properties ?? [];
  }

  /** The dimension that the client is in; null: none yet. */
  get dimension(): string | null {
    return this.#dimension;
  }

  /** Where the thing of that number is; undefined: it was never seen. */
  body(id: number): Body | undefined {
    return this.#bodies.get(id);
  }

  /** @internal for the table below */
  appear(id: number, body: Body, born: Line, lines: Line[]): Fate {
    if (this.#bodies.has(id)) lines.push({ remove: { id } });
    this.#bodies.set(id, body);
    this.#born.set(id, born);
    lines.push({ spawn: { ...born, ...body.stance } });
    return "carried";
  }

  /** @internal */
  disappear(ids: readonly number[], lines: Line[]): Fate {
    for (const id of ids) {
      if (!this.#bodies.delete(id)) continue;
      this.#born.delete(id);
      lines.push({ remove: { id } });
    }
    return "carried";
  }

  /** @internal A thing is seen to be elsewhere. */
  goes(id: number, how: "move" | "teleport", change: (body: Body) => void, lines: Line[]): Fate {
    const body = this.#bodies.get(id);
    if (body === undefined) return "stray";
    change(body);
    lines.push({ [how]: { id, ...body.stance } });
    return "carried";
  }

  /** @internal */
  player(id: number, uuid: string, body: Body, lines: Line[]): Fate {
    const { name, properties } = this.#known.get(uuid) ?? { name: `#${id}`, properties: [] };
    this.appear(id, body, { id, type: "minecraft:player", uuid, name }, lines);
    const gameMode = this.#gameModes.get(uuid);
    if (gameMode !== undefined) lines.push({ view: { id, gameMode } });
    if (properties.length > 0 && !this.#told.has(uuid)) {
      this.#told.add(uuid);
      lines.push({ subject: { id, uuid, name, properties } });
    }
    return "carried";
  }

  /** @internal */
  know(uuid: string, name: string, given: readonly Params[] = []): void {
    const properties = given.map(({ name: of, value, signature }) =>
      signature == null ? { name: of, value } : { name: of, value, signature },
    );
    this.#known.set(uuid, { name, properties });
  }

  /** @internal A player, seen or not, plays in that mode. */
  plays(uuid: string, gameMode: number, lines: Line[]): void {
    this.#gameModes.set(uuid, gameMode);
    for (const [id, born] of this.#born) if (born["uuid"] === uuid) lines.push({ view: { id, gameMode } });
  }

  /** @internal Another dimension: nothing of the one before is left. */
  enter(dimension: string, lines: Line[]): Fate {
    this.disappear([...this.#bodies.keys()], lines);
    if (this.#dimension !== null && this.#dimension !== dimension) lines.push({ clearBlocks: true });
    this.#dimension = dimension;
    lines.push({ dimension });
    return "carried";
  }

  /** @internal Flags and pose; whatever else there is has no place. */
  looks(id: number, entries: readonly Params[], lines: Line[]): Fate {
    const body = this.#bodies.get(id);
    if (body === undefined) return "stray";
    let isAll = true;
    let isNew = false;
    for (const { key, type, value } of entries) {
      const isPose = key === 6 && (type === "pose" || type === 18);
      if (key === 0) body.flags = (value & 0xfb) | (body.flags & 0x04);
      else if (isPose) body.pose = this.data.dataVersion < SINCE_1_17 && value >= 6 ? value + 1 : value;
      else isAll = false;
      isNew ||= key === 0 || isPose;
    }
    if (isNew) lines.push({ state: { id, pose: this.#poseOf(body), flags: body.flags } });
    return isAll ? "carried" : "left";
  }

  /** As the version that is recorded has it: a recording's numbers are those of its data version. */
  #poseOf({ pose }: Body): number {
    return this.data.dataVersion < SINCE_1_17 && pose >= 7 ? pose - 1 : pose;
  }

  /** @internal */
  wears(id: number, equipments: readonly { slot: number; item: Params }[], lines: Line[]): Fate {
    if (!this.#bodies.has(id)) return "stray";
    const items: Record<string, string | null> = {};
    for (const { slot, item } of equipments) {
      const isThere = item?.present === true || item?.itemCount > 0;
      if (slot < WORN) items[slot] = isThere ? this.data.itemName(item.itemId) : null;
    }
    lines.push({ equipment: { id, items } });
    return "carried";
  }

  /** @internal */
  block(x: number, y: number, z: number, state: number, lines: Line[]): Fate {
    lines.push({ block: { at: [x, y, z], state: this.data.nameOf(state) ?? AIR } });
    return "carried";
  }
}

function stand({ x, y, z, yaw, pitch, headPitch }: Params): Body {
  const body = new Body();
  body.put(x, y, z);
  body.turn(yaw, pitch);
  body.head = headPitch === undefined ? body.yaw : (headPitch * 360) / 256;
  return body;
}

/** Something that is no player, or a player where the protocol makes no difference. */
function thing(capture: Capture, params: Params, lines: Line[]): Fate {
  const { entityId: id, type } = params;
  const uuid = params.entityUUID ?? params.objectUUID;
  const kind = capture.data.kindName(type);
  const body = stand(params);
  if (kind === "minecraft:player") return capture.player(id, uuid, body, lines);
  return capture.appear(id, body, { id, type: kind ?? `minecraft:#${type}` }, lines);
}

const relative: Carry = (capture, params, lines) => {
  const { entityId, dX, dY, dZ, yaw, pitch, onGround } = params;
  const change = (body: Body): void => {
    body.move(dX, dY, dZ);
    if (yaw !== undefined) body.turn(yaw, pitch);
    body.onGround = onGround;
  };
  return capture.goes(entityId, "move", change, lines);
};

const CARRIED: ReadonlyMap<string, Carry> = new Map<string, Carry>([
  ...CONDITION,
  ...SOUNDS,
  ...STILL_THINGS,
  ["login", login],
  ["respawn", login],
  [
    "named_entity_spawn",
    (capture, params, lines) => {
      return capture.player(params.entityId, params.playerUUID, stand(params), lines);
    },
  ],
  ["spawn_entity_living", thing],
  ["spawn_entity", thing],
  [
    "entity_destroy",
    (capture, { entityIds }, lines) => {
      return capture.disappear(entityIds, lines);
    },
  ],
  ["rel_entity_move", relative],
  ["entity_move_look", relative],
  [
    "entity_look",
    (capture, { entityId, yaw, pitch, onGround }, lines) => {
      const change = (body: Body): void => {
        body.turn(yaw, pitch);
        body.onGround = onGround;
      };
      return capture.goes(entityId, "move", change, lines);
    },
  ],
  [
    "entity_teleport",
    (capture, { entityId, x, y, z, yaw, pitch, onGround, flags }, lines) => {
      const change = (body: Body): void => {
        // Since 1.21.2 in degrees, and what flags name is added to what is.
        const { x: isX, y: isY, z: isZ, yaw: isYaw, pitch: isPitch } = flags ?? {};
        const [ox, oy, oz] = body.place;
        body.put(isX ? ox + x : x, isY ? oy + y : y, isZ ? oz + z : z);
        if (flags === undefined) body.turn(yaw, pitch);
        else {
          body.yaw = isYaw ? body.yaw + yaw : yaw;
          body.pitch = isPitch ? body.pitch + pitch : pitch;
        }
        body.onGround = onGround;
      };
      return capture.goes(entityId, "teleport", change, lines);
    },
  ],
  [
    "sync_entity_position",
    (capture, { entityId, x, y, z, yaw, pitch, onGround }, lines) => {
      const change = (body: Body): void => {
        body.put(x, y, z);
        Object.assign(body, { yaw, pitch, onGround });
      };
      return capture.goes(entityId, "teleport", change, lines);
    },
  ],
  [
    "entity_head_rotation",
    (capture, { entityId, headYaw }, lines) => {
      const change = (body: Body): void => {
        body.head = (headYaw * 360) / 256;
      };
      return capture.goes(entityId, "move", change, lines);
    },
  ],
  [
    "entity_metadata",
    (capture, { entityId, metadata }, lines) => {
      return capture.looks(entityId, metadata, lines);
    },
  ],
  [
    "entity_equipment",
    (capture, { entityId, equipments }, lines) => {
      return capture.wears(entityId, equipments, lines);
    },
  ],
  [
    "animation",
    (capture, { entityId: id, animation }, lines) => {
      if (capture.body(id) === undefined) return "stray";
      if (![0, 1, 3].includes(animation)) return "left";
      lines.push(animation === 1 ? { hurt: { id } } : { swing: { id, hand: animation === 3 ? 1 : 0 } });
      return "carried";
    },
  ],
  [
    "hurt_animation",
    (capture, { entityId: id, yaw }, lines) => {
      if (capture.body(id) === undefined) return "stray";
      lines.push({ hurt: { id, yaw } });
      return "carried";
    },
  ],
  [
    "set_passengers",
    (capture, { entityId: id, passengers }, lines) => {
      if (capture.body(id) === undefined) return "stray";
      lines.push({ mount: { id, passengers: passengers.filter((of: number) => capture.body(of) !== undefined) } });
      return "carried";
    },
  ],
  [
    "block_change",
    (capture, { location: { x, y, z }, type }, lines) => {
      return capture.block(x, y, z, type, lines);
    },
  ],
  [
    "multi_block_change",
    (capture, { chunkCoordinates: { x, y, z }, records }, lines) => {
      for (const record of records) {
        // The state, and below it four bits each of x, z and y in the section.
        const bits = Number(BigInt(Array.isArray(record) ? 0 : record) & 0xfffn);
        const state = Number(BigInt(record) >> 12n);
        capture.block(x * 16 + (bits >> 8), y * 16 + (bits & 15), z * 16 + ((bits >> 4) & 15), state, lines);
      }
      return "carried";
    },
  ],
  [
    "player_info",
    (capture, { action, data }, lines) => {
      // Before 1.19.3 one thing is told, since then several are.
      const isAdded = action === "add_player" || action?.add_player === true;
      const hasMode = isAdded || action === "update_game_mode" || action?.update_game_mode === true;
      for (const { uuid, name, properties, player, gamemode } of data) {
        if (isAdded) capture.know(uuid, player?.name ?? name, player?.properties ?? properties);
        if (hasMode && gamemode !== undefined) capture.plays(uuid, gamemode & 0xff, lines);
      }
      return hasMode ? "carried" : "left";
    },
  ],
  [
    "chat",
    (_, { message, position }, lines) => {
      // The action bar is no talk.
      if (position === 2) return "left";
      lines.push({ chat: { text: plainText(message) } });
      return "carried";
    },
  ],
  [
    "system_chat",
    (_, { content, isActionBar }, lines) => {
      if (isActionBar === true) return "left";
      lines.push({ chat: { text: plainText(content) } });
      return "carried";
    },
  ],
  [
    "profileless_chat",
    (_, { message, name }, lines) => {
      lines.push({ chat: { text: `<${plainText(name)}> ${plainText(message)}` } });
      return "carried";
    },
  ],
  [
    "player_chat",
    (_, { plainMessage, unsignedChatContent, networkName }, lines) => {
      const text = unsignedChatContent == null ? plainMessage : plainText(unsignedChatContent);
      lines.push({ chat: { text: `<${plainText(networkName)}> ${text}` } });
      return "carried";
    },
  ],
  [
    "update_time",
    (_, { time }, lines) => {
      const ticks = Array.isArray(time) ? time[0] * 2 ** 32 + (time[1] >>> 0) : Number(time);
      // Negative while the day stands still.
      lines.push({ world: { time: Math.abs(ticks) } });
      return "carried";
    },
  ],
  [
    "game_state_change",
    (_, { reason }, lines) => {
      if (reason !== "start_raining" && reason !== "stop_raining") return "left";
      lines.push({ world: { weather: reason === "start_raining" ? 1 : 0 } });
      return "carried";
    },
  ],
]);

function login(capture: Capture, { worldName, worldState }: Params, lines: Line[]): Fate {
  const name = worldName ?? worldState?.name;
  return typeof name === "string" ? capture.enter(name, lines) : "left";
}

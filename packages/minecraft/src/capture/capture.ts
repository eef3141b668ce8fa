import type { LiveEvent } from "simtape/record";
import { GameData } from "../game/data.ts";
import { Body } from "./body.ts";
import type { Carry, Kind, Outcome, Params, Shown, Tally } from "./carry.ts";
import { CONDITION } from "./condition.ts";
import { SOUNDS } from "./sounds.ts";
import { STILL_THINGS } from "./still-things.ts";
import { plainText } from "./text.ts";

export interface CaptureOptions {
  readonly version: string;
}

interface Known {
  readonly name: string;
  readonly properties: readonly { name: string; value: string; signature?: string }[];
}

/** Slots that other players see. */
const WORN = 6;
const AIR = "minecraft:air";
const SINCE_1_17 = 2724;

/**
 * Turns the packets that one client gets into events: those of the state `play`, from 1.16 on. Positions are added up
 * on the protocol's own grid, which the recording shares, so only positions that came as fractions are rounded.
 */
export class Capture implements Shown {
  readonly data: GameData;
  /** Handlers by the names of packets. */
  readonly tally: Map<string, Tally> = new Map();
  readonly #bodies = new Map<number, Body>();
  /** UUIDs of the players among the things. */
  readonly #uuids = new Map<number, string | undefined>();
  readonly #known = new Map<string, Known>();
  /** Players whose profile is in the recording. */
  readonly #subjects = new Set<string>();
  readonly #gameModes = new Map<string, number>();
  #dimension: string | null = null;

  constructor({ version }: CaptureOptions) {
    this.data = GameData.of(version);
  }

  /** Adds the content of a packet to the client. */
  clientbound(name: string, params: object, events: LiveEvent[]): void {
    this.count(name, CARRIED.get(name)?.(this, params, events) ?? "left");
  }

  count(name: string, outcome: Outcome): void {
    let tally = this.tally.get(name);
    if (tally === undefined) {
      tally = { carried: 0, left: 0, unknown: 0 };
      this.tally.set(name, tally);
    }
    tally[outcome]++;
  }

  /** Whether packets of this name can be recorded. */
  static carries(name: string): boolean {
    return CARRIED.has(name);
  }

  /** Names of all packets that can be recorded. */
  static get names(): readonly string[] {
    return [...CARRIED.keys()];
  }

  /**
   * The client's own player, which no packet adds: from now on, facts about it are recorded. The caller moves its body.
   */
  own(id: number, uuid: string, events: LiveEvent[]): Body {
    const body = new Body();
    this.#bodies.set(id, body);
    this.#uuids.set(id, uuid);
    const gameMode = this.#gameModes.get(uuid);
    if (gameMode !== undefined) events.push({ kind: "view", value: { id, gameMode } });
    return body;
  }

  /** The properties of a player's profile, such as the skin. */
  profileOf(uuid: string): Known["properties"] {
    return this.#known.get(uuid)?.properties ?? [];
  }

  /** The dimension that the client is in; null: none yet. */
  get dimension(): string | null {
    return this.#dimension;
  }

  /** Position of the thing with that number; undefined: no packet has added it. */
  body(id: number): Body | undefined {
    return this.#bodies.get(id);
  }

  /** @internal for the table below */
  appear(id: number, body: Body, kind: Kind, events: LiveEvent[]): Outcome {
    if (this.#bodies.has(id)) events.push({ kind: "remove", value: { id } });
    this.#bodies.set(id, body);
    this.#uuids.set(id, kind.uuid);
    events.push({ kind: "spawn", value: { ...kind, ...body.stance } });
    return "carried";
  }

  /** @internal */
  disappear(ids: readonly number[], events: LiveEvent[]): Outcome {
    for (const id of ids) {
      if (!this.#bodies.delete(id)) continue;
      this.#uuids.delete(id);
      events.push({ kind: "remove", value: { id } });
    }
    return "carried";
  }

  /** @internal The client sees a thing at another position. */
  goes(id: number, how: "move" | "teleport", change: (body: Body) => void, events: LiveEvent[]): Outcome {
    const body = this.#bodies.get(id);
    if (body === undefined) return "unknown";
    change(body);
    events.push({ kind: how, value: { id, ...body.stance } });
    return "carried";
  }

  /** @internal */
  player(id: number, uuid: string, body: Body, events: LiveEvent[]): Outcome {
    const { name, properties } = this.#known.get(uuid) ?? { name: `#${id}`, properties: [] };
    this.appear(id, body, { id, type: "minecraft:player", uuid, name }, events);
    const gameMode = this.#gameModes.get(uuid);
    if (gameMode !== undefined) events.push({ kind: "view", value: { id, gameMode } });
    if (properties.length > 0 && !this.#subjects.has(uuid)) {
      this.#subjects.add(uuid);
      events.push({ kind: "subject", value: { id, uuid, name, properties } });
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

  /** @internal A player, visible or not, has another game mode. */
  plays(uuid: string, gameMode: number, events: LiveEvent[]): void {
    this.#gameModes.set(uuid, gameMode);
    for (const [id, of] of this.#uuids) if (of === uuid) events.push({ kind: "view", value: { id, gameMode } });
  }

  /** @internal The client enters another dimension: all things of the previous one are gone. */
  enter(dimension: string, events: LiveEvent[]): Outcome {
    this.disappear([...this.#bodies.keys()], events);
    if (this.#dimension !== null && this.#dimension !== dimension) events.push({ kind: "clearBlocks", value: true });
    this.#dimension = dimension;
    events.push({ kind: "dimension", value: dimension });
    return "carried";
  }

  /** @internal Reads flags and pose; a recording has no place for the rest. */
  looks(id: number, entries: readonly Params[], events: LiveEvent[]): Outcome {
    const body = this.#bodies.get(id);
    if (body === undefined) return "unknown";
    let isAll = true;
    let isNew = false;
    for (const { key, type, value } of entries) {
      const isPose = key === 6 && (type === "pose" || type === 18);
      if (key === 0) body.flags = (value & 0xfb) | (body.flags & 0x04);
      else if (isPose) body.pose = this.data.dataVersion < SINCE_1_17 && value >= 6 ? value + 1 : value;
      else isAll = false;
      isNew ||= key === 0 || isPose;
    }
    if (isNew) events.push({ kind: "state", value: { id, pose: this.#poseOf(body), flags: body.flags } });
    return isAll ? "carried" : "left";
  }

  /** Numbers of the recorded version: those in a recording belong to its data version. */
  #poseOf({ pose }: Body): number {
    return this.data.dataVersion < SINCE_1_17 && pose >= 7 ? pose - 1 : pose;
  }

  /** @internal */
  wears(id: number, equipments: readonly { slot: number; item: Params }[], events: LiveEvent[]): Outcome {
    if (!this.#bodies.has(id)) return "unknown";
    const items: Record<string, string | null> = {};
    for (const { slot, item } of equipments) {
      const isThere = item?.present === true || item?.itemCount > 0;
      if (slot < WORN) items[slot] = isThere ? this.data.itemName(item.itemId) : null;
    }
    events.push({ kind: "equipment", value: { id, items } });
    return "carried";
  }

  /** @internal */
  block(x: number, y: number, z: number, state: number, events: LiveEvent[]): Outcome {
    events.push({ kind: "block", value: { at: [x, y, z], state: this.data.nameOf(state) ?? AIR } });
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

/** A thing that is no player, or a player where the protocol makes no difference. */
function thing(capture: Capture, params: Params, events: LiveEvent[]): Outcome {
  const { entityId: id, type } = params;
  const uuid = params.entityUUID ?? params.objectUUID;
  const kind = capture.data.kindName(type);
  const body = stand(params);
  if (kind === "minecraft:player") return capture.player(id, uuid, body, events);
  return capture.appear(id, body, { id, type: kind ?? `minecraft:#${type}` }, events);
}

const relative: Carry<Capture> = (capture, params, events) => {
  const { entityId, dX, dY, dZ, yaw, pitch, onGround } = params;
  const change = (body: Body): void => {
    body.move(dX, dY, dZ);
    if (yaw !== undefined) body.turn(yaw, pitch);
    body.onGround = onGround;
  };
  return capture.goes(entityId, "move", change, events);
};

const CARRIED: ReadonlyMap<string, Carry<Capture>> = new Map<string, Carry<Capture>>([
  ...CONDITION,
  ...SOUNDS,
  ...STILL_THINGS,
  ["login", login],
  ["respawn", login],
  [
    "named_entity_spawn",
    (capture, params, events) => {
      return capture.player(params.entityId, params.playerUUID, stand(params), events);
    },
  ],
  ["spawn_entity_living", thing],
  ["spawn_entity", thing],
  [
    "entity_destroy",
    (capture, { entityIds }, events) => {
      return capture.disappear(entityIds, events);
    },
  ],
  ["rel_entity_move", relative],
  ["entity_move_look", relative],
  [
    "entity_look",
    (capture, { entityId, yaw, pitch, onGround }, events) => {
      const change = (body: Body): void => {
        body.turn(yaw, pitch);
        body.onGround = onGround;
      };
      return capture.goes(entityId, "move", change, events);
    },
  ],
  [
    "entity_teleport",
    (capture, { entityId, x, y, z, yaw, pitch, onGround, flags }, events) => {
      const change = (body: Body): void => {
        // Since 1.21.2 angles are in degrees, and the values that flags name are relative.
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
      return capture.goes(entityId, "teleport", change, events);
    },
  ],
  [
    "sync_entity_position",
    (capture, { entityId, x, y, z, yaw, pitch, onGround }, events) => {
      const change = (body: Body): void => {
        body.put(x, y, z);
        Object.assign(body, { yaw, pitch, onGround });
      };
      return capture.goes(entityId, "teleport", change, events);
    },
  ],
  [
    "entity_head_rotation",
    (capture, { entityId, headYaw }, events) => {
      const change = (body: Body): void => {
        body.head = (headYaw * 360) / 256;
      };
      return capture.goes(entityId, "move", change, events);
    },
  ],
  [
    "entity_metadata",
    (capture, { entityId, metadata }, events) => {
      return capture.looks(entityId, metadata, events);
    },
  ],
  [
    "entity_equipment",
    (capture, { entityId, equipments }, events) => {
      return capture.wears(entityId, equipments, events);
    },
  ],
  [
    "animation",
    (capture, { entityId: id, animation }, events) => {
      if (capture.body(id) === undefined) return "unknown";
      if (![0, 1, 3].includes(animation)) return "left";
      events.push(
        animation === 1
          ? { kind: "hurt", value: { id } }
          : { kind: "swing", value: { id, hand: animation === 3 ? 1 : 0 } },
      );
      return "carried";
    },
  ],
  [
    "hurt_animation",
    (capture, { entityId: id, yaw }, events) => {
      if (capture.body(id) === undefined) return "unknown";
      events.push({ kind: "hurt", value: { id, yaw } });
      return "carried";
    },
  ],
  [
    "set_passengers",
    (capture, { entityId: id, passengers }, events) => {
      if (capture.body(id) === undefined) return "unknown";
      events.push({
        kind: "mount",
        value: { id, passengers: passengers.filter((of: number) => capture.body(of) !== undefined) },
      });
      return "carried";
    },
  ],
  [
    "block_change",
    (capture, { location: { x, y, z }, type }, events) => {
      return capture.block(x, y, z, type, events);
    },
  ],
  [
    "multi_block_change",
    (capture, { chunkCoordinates: { x, y, z }, records }, events) => {
      for (const record of records) {
        // The number of the state; its lower bits hold x, z and y in the section, four bits each.
        const bits = Number(BigInt(Array.isArray(record) ? 0 : record) & 0xfffn);
        const state = Number(BigInt(record) >> 12n);
        capture.block(x * 16 + (bits >> 8), y * 16 + (bits & 15), z * 16 + ((bits >> 4) & 15), state, events);
      }
      return "carried";
    },
  ],
  [
    "player_info",
    (capture, { action, data }, events) => {
      // Before 1.19.3 the packet removes one thing, since then several.
      const isAdded = action === "add_player" || action?.add_player === true;
      const hasMode = isAdded || action === "update_game_mode" || action?.update_game_mode === true;
      for (const { uuid, name, properties, player, gamemode } of data) {
        if (isAdded) capture.know(uuid, player?.name ?? name, player?.properties ?? properties);
        if (hasMode && gamemode !== undefined) capture.plays(uuid, gamemode & 0xff, events);
      }
      return hasMode ? "carried" : "left";
    },
  ],
  [
    "chat",
    (_, { message, position }, events) => {
      // The action bar is no chat.
      if (position === 2) return "left";
      events.push({ kind: "chat", value: { text: plainText(message) } });
      return "carried";
    },
  ],
  [
    "system_chat",
    (_, { content, isActionBar }, events) => {
      if (isActionBar === true) return "left";
      events.push({ kind: "chat", value: { text: plainText(content) } });
      return "carried";
    },
  ],
  [
    "profileless_chat",
    (_, { message, name }, events) => {
      events.push({ kind: "chat", value: { text: `<${plainText(name)}> ${plainText(message)}` } });
      return "carried";
    },
  ],
  [
    "player_chat",
    (_, { plainMessage, unsignedChatContent, networkName }, events) => {
      const text = unsignedChatContent == null ? plainMessage : plainText(unsignedChatContent);
      events.push({ kind: "chat", value: { text: `<${plainText(networkName)}> ${text}` } });
      return "carried";
    },
  ],
  [
    "update_time",
    (_, { time }, events) => {
      const ticks = Array.isArray(time) ? time[0] * 2 ** 32 + (time[1] >>> 0) : Number(time);
      // Negative while the time of day stands still.
      events.push({ kind: "world", value: { time: Math.abs(ticks) } });
      return "carried";
    },
  ],
  [
    "game_state_change",
    (_, { reason }, events) => {
      if (reason !== "start_raining" && reason !== "stop_raining") return "left";
      events.push({ kind: "world", value: { weather: reason === "start_raining" ? 1 : 0 } });
      return "carried";
    },
  ],
]);

function login(capture: Capture, { worldName, worldState }: Params, events: LiveEvent[]): Outcome {
  const name = worldName ?? worldState?.name;
  return typeof name === "string" ? capture.enter(name, events) : "left";
}

import minecraftData from "minecraft-data";

// The game's own rules, from the description of its protocol and minecraft-data alone: what the ordinary client would
// pass over, not draw, or leave the server for, though a client of a library takes it.

// biome-ignore lint/suspicious/noExplicitAny: each packet has fields of its own
type Params = any;

/** Kinds that `spawn_entity` brings in before 1.19: "objects" of the protocol. Beside them are mobs, player, orb and painting. */
const OBJECTS = new Set(
  `area_effect_cloud arrow boat chest_minecart command_block_minecart dragon_fireball egg end_crystal ender_pearl
  evoker_fangs experience_bottle eye_of_ender falling_block fireball firework_rocket fishing_bobber furnace_minecart
  glow_item_frame hopper_minecart item item_frame leash_knot lightning_bolt llama_spit marker minecart potion
  shulker_bullet small_fireball snowball spawner_minecart spectral_arrow tnt tnt_minecart trident wither_skull`.split(
    /\s+/,
  ),
);
/** Poses of a version: the number of the first one that it does not have. */
const POSES: Readonly<Record<string, number>> = { "1.16.5": 7, "1.18.2": 8, "1.19.4": 15, "1.20.1": 15 };
const POSES_SINCE_1_20_3 = 18;
const SKIN_PARTS: Readonly<Record<string, number>> = { "1.16.5": 16 };
/** The border of the world, in blocks each way; and up and down. */
const FARTHEST = 3e7;
const HIGHEST = 2e7;
/** A client keeps chunks that far beyond the distance that it is given, and at least 2 (ClientChunkCache). */
const SPARE = 3;
/** Packets about one entity that the client must have. */
const ABOUT_ONE = new Set(
  `rel_entity_move entity_move_look entity_look entity_teleport sync_entity_position entity_head_rotation
  entity_metadata entity_equipment animation hurt_animation entity_effect remove_entity_effect entity_velocity
  entity_update_attributes set_passengers damage_event entity_status entity_sound_effect`.split(/\s+/),
);

/** Holds packets to one client against the rules of its version. */
export class Rules {
  /** Rules that were broken, in order. */
  readonly problems: string[] = [];
  /** Blocks and things that were sent into chunks which the client does not have, and does not show there. */
  readonly outside: string[] = [];
  /** Kinds of the things that are there, by number. */
  readonly things = new Map<number, string>();
  readonly sounds: { readonly name: string; readonly at: readonly number[]; readonly category: number }[] = [];
  readonly #version: string;
  readonly #data: minecraftData.IndexedData;
  readonly #order: number;
  /** Game modes by UUID. */
  readonly #listed = new Map<string, number>();
  readonly #uuids = new Map<string, number>();
  readonly #teams = new Set<string>();
  /** By chunk: the blocks that were sent into it. */
  readonly #chunks = new Map<string, Map<string, number>>();
  #state = "login";
  #registries = 0;
  #self: number | null = null;
  #uuid = "";
  #mode = -1;
  /** Its camera is at a thing that is gone. */
  #isLost = false;
  #camera: number | null = null;
  #hasSpawn = false;
  #isPut = false;
  /** The chunk that it was put into and does not have. */
  #awaited: string | null = null;
  #center: readonly [number, number] = [0, 0];
  #distance = 2;
  #mayLoad: boolean;

  constructor(version: string) {
    this.#version = version;
    this.#data = minecraftData(version);
    this.#order = this.#data.version.version!;
    // Since 1.20.3 the client waits for the word that chunks come.
    this.#mayLoad = this.#order < 765;
  }

  /** All packets have come. */
  end(): void {
    if (!this.#isPut) this.#broken("the player was put nowhere");
    if (this.#awaited !== null) this.#broken(`no chunk ${this.#awaited}, where it was put: it waits for the terrain`);
    if (this.#listed.get(this.#uuid) !== this.#mode)
      this.#broken(`its game mode is ${this.#mode}, in its list ${this.#listed.get(this.#uuid)}`);
    if (this.#isLost) this.#broken("its camera stays at a thing that is gone");
    if (!this.#hasSpawn) this.#broken("no spawn_position: since 1.18.2 the client waits for it");
    if (!this.#mayLoad) this.#broken("no level_chunks_load_start: since 1.20.3 the client waits for it");
  }

  /** The block that the client shows there, of those that were sent alone; null: none, or it has no chunk there. */
  blockAt(x: number, y: number, z: number): string | null {
    const type = this.#chunks.get(chunkAt({ x, z }))?.get(placeOf({ x, y, z }));
    return type === undefined ? null : this.#data.blocksByStateId[type]!.name;
  }

  hear(state: string, name: string, params: Params): void {
    if (state === "login") {
      if (this.#state !== "login") this.#broken(`${name} of the state login in the state ${this.#state}`);
      if (name === "success") this.#uuid = params.uuid;
      if (name === "success") this.#state = this.#order >= 764 ? "configuration" : "play";
    } else if (state === "configuration") {
      if (this.#state !== "configuration") this.#broken(`${name} of the configuration in the state ${this.#state}`);
      if (name === "registry_data") this.#registries++;
      if (name === "finish_configuration") {
        if (this.#registries === 0) this.#broken("a configuration without registries");
        this.#state = "play";
      }
    } else if (state === "play") {
      if (this.#state !== "play") this.#broken(`${name} in the state ${this.#state}`);
      if (this.#self === null && name !== "login") this.#broken(`${name} before login`);
      this.#play(name, params);
    }
  }

  #play(name: string, params: Params): void {
    const { entityId } = params;
    if (ABOUT_ONE.has(name)) this.#known(entityId, name);
    switch (name) {
      case "login":
        if (this.#self !== null) this.#broken("a second login");
        this.#self = entityId;
        this.#mode = modeOf(params.gameMode ?? params.worldState.gamemode);
        this.#distance = params.viewDistance;
        return;
      case "respawn":
        this.things.clear();
        this.#uuids.clear();
        this.#chunks.clear();
        return;
      case "spawn_position":
        this.#hasSpawn = true;
        return;
      case "position":
        if (!this.#hasSpawn) this.#broken("position before spawn_position");
        this.#isPut = true;
        this.#awaited = this.#chunks.has(chunkAt(params)) ? null : chunkAt(params);
        this.#place(name, params);
        return;
      case "game_state_change":
        if (params.reason === "level_chunks_load_start" || params.reason === 13) this.#mayLoad = true;
        if (params.reason === "change_game_mode") {
          this.#mode = params.gameMode;
          if (![0, 1, 2, 3].includes(params.gameMode)) this.#broken(`game mode ${params.gameMode}`);
        }
        return;
      case "update_view_position":
        this.#center = [params.chunkX, params.chunkZ];
        this.#forget();
        return;
      case "update_view_distance":
        this.#distance = params.viewDistance;
        this.#forget();
        return;
      case "map_chunk":
        if (!this.#mayLoad) this.#broken("a chunk before level_chunks_load_start");
        if (!this.#isNear(params.x, params.z)) this.#broken(`chunk ${params.x},${params.z} is out of view`);
        else this.#chunks.set(`${params.x},${params.z}`, new Map());
        if (this.#awaited === `${params.x},${params.z}`) this.#awaited = null;
        return;
      case "unload_chunk":
        this.#chunks.delete(`${params.chunkX},${params.chunkZ}`);
        return;
      case "block_change":
        if (this.#data.blocksByStateId[params.type] === undefined) this.#broken(`no block state ${params.type}`);
        this.#within(name, params.location)?.set(placeOf(params.location), params.type);
        return;
      case "player_info":
        this.#list(params);
        return;
      case "player_remove":
        for (const uuid of params.players) this.#unlist(uuid);
        return;
      case "spawn_entity":
      case "spawn_entity_living":
      case "named_entity_spawn":
      case "spawn_entity_experience_orb":
      case "spawn_entity_painting":
        this.#spawn(name, params);
        return;
      case "entity_destroy":
        for (const id of params.entityIds) {
          this.#isLost ||= id === this.#camera;
          for (const [uuid, of] of this.#uuids) if (of === id) this.#uuids.delete(uuid);
          if (!this.things.delete(id)) this.#broken(`entity_destroy of ${id}, which is not there`);
        }
        return;
      case "entity_teleport":
      case "sync_entity_position":
        this.#place(name, params);
        return;
      case "entity_metadata":
        for (const entry of params.metadata) this.#entry(entityId, entry);
        return;
      case "entity_equipment":
        if (!this.#isLiving(this.things.get(entityId))) this.#broken(`equipment of a ${this.things.get(entityId)}`);
        for (const { slot, item } of params.equipments) {
          if (!(slot >= 0 && slot <= 5)) this.#broken(`equipment in slot ${slot}`);
          const isThere = item.present === true || item.itemCount > 0;
          if (isThere && this.#data.items[item.itemId] === undefined) this.#broken(`no item ${item.itemId}`);
        }
        return;
      case "camera":
        if (params.cameraId !== this.#self) this.#known(params.cameraId, name);
        this.#isLost = false;
        this.#camera = params.cameraId;
        return;
      case "teams":
        if (params.mode === 0 || params.mode === "add") this.#teams.add(params.team);
        else if (!this.#teams.has(params.team)) this.#broken(`team ${params.team} is not there`);
        return;
      case "sound_effect":
      case "named_sound_effect":
        this.#sound(params);
        return;
    }
  }

  #spawn(packet: string, params: Params): void {
    const { entityId, type } = params;
    const kind =
      packet === "named_entity_spawn"
        ? "player"
        : packet === "spawn_entity_experience_orb"
          ? "experience_orb"
          : packet === "spawn_entity_painting"
            ? "painting"
            : this.#data.entities[type]?.name;
    if (kind === undefined) {
      this.#broken(`no kind ${type}`);
      return;
    }
    const wanted = this.#packetFor(kind);
    if (packet !== wanted) this.#broken(`${kind} by ${packet}, not ${wanted}`);
    if (this.things.has(entityId) || entityId === this.#self) this.#broken(`${entityId} is there already`);
    const uuid = params.playerUUID ?? params.objectUUID ?? params.entityUUID;
    // Since 1.17 the client does not show a thing whose UUID another one has.
    if (uuid !== undefined && (uuid === this.#uuid || this.#uuids.has(uuid))) this.#broken(`a second ${uuid}`);
    if (uuid !== undefined) this.#uuids.set(uuid, entityId);
    if (kind === "player" && !this.#listed.has(uuid)) this.#broken("a player who is not in the list");
    // Only the four sides hold a painting; a face of a block holds a frame.
    if (kind === "painting") {
      const direction = packet === "spawn_entity" ? params.objectData - 2 : params.direction;
      if (![0, 1, 2, 3].includes(direction)) this.#broken(`a painting that looks ${direction}`);
    } else if (kind.endsWith("item_frame") && !(params.objectData >= 0 && params.objectData <= 5))
      this.#broken(`an item frame at face ${params.objectData}`);
    if (kind === "falling_block" && ["air", undefined].includes(this.#data.blocksByStateId[params.objectData]?.name))
      this.#broken("a falling block of nothing, which is gone at once");
    this.things.set(entityId, kind);
    const place = params.location ?? params;
    this.#place(packet, place);
    this.#within(packet, place);
  }

  /** Which packet brings in a kind. */
  #packetFor(kind: string): string {
    if (kind === "player") return this.#order < 764 ? "named_entity_spawn" : "spawn_entity";
    if (kind === "experience_orb") return "spawn_entity_experience_orb";
    if (this.#order >= 759) return "spawn_entity";
    if (kind === "painting") return "spawn_entity_painting";
    return OBJECTS.has(kind) ? "spawn_entity" : "spawn_entity_living";
  }

  #isLiving(kind: string | undefined): boolean {
    return kind !== undefined && kind !== "painting" && kind !== "experience_orb" && !OBJECTS.has(kind);
  }

  #entry(id: number, { key, type, value }: Params): void {
    const kind = this.things.get(id);
    const poses = POSES[this.#version] ?? POSES_SINCE_1_20_3;
    const parts = SKIN_PARTS[this.#version] ?? 17;
    if (key === 0 && (type === 0 || type === "byte")) return;
    if (key === 6 && (type === 18 || type === "pose")) {
      if (!(value >= 0 && value < poses)) this.#broken(`pose ${value}`);
    } else if (!(key === parts && kind === "player" && (type === 0 || type === "byte")))
      this.#broken(`metadata ${key} of type ${type} of a ${kind}`);
  }

  #list({ action, data }: Params): void {
    const isAdded = action === "add_player" || action?.add_player === true;
    for (const { uuid, name, player, gamemode } of data) {
      if (action === "remove_player") {
        this.#unlist(uuid);
        continue;
      }
      if (isAdded) {
        const text = player?.name ?? name;
        if (text.length < 1 || text.length > 16) this.#broken(`a player called ${JSON.stringify(text)}`);
        // Before 1.19.3 that is another entry, and a body keeps the one that it has.
        if (this.#order < 761 && this.#listed.has(uuid)) this.#broken(`${text} is in the list already`);
        this.#listed.set(uuid, gamemode ?? 0);
      } else if (!this.#listed.has(uuid)) this.#broken("news of a player who is not in the list");
      if (gamemode !== undefined) this.#listed.set(uuid, gamemode);
      if (gamemode !== undefined && ![0, 1, 2, 3, -1].includes(gamemode)) this.#broken(`game mode ${gamemode}`);
    }
  }

  #unlist(uuid: string): void {
    if (!this.#listed.delete(uuid)) this.#broken("a player leaves the list who is not in it");
  }

  #sound({ soundName, soundId, sound, soundCategory, x, y, z, volume, pitch }: Params): void {
    const sounds = (this.#data as unknown as { soundsArray: readonly { id: number; name: string }[] }).soundsArray;
    const number = sound?.soundId ?? soundId;
    const of = number === undefined ? undefined : sounds[number]?.name;
    const known = of === undefined ? undefined : `minecraft:${of}`;
    const name = soundName ?? sound?.data?.soundName ?? known;
    if (typeof name !== "string" || name === "") {
      this.#broken(`no sound ${number}`);
      return;
    }
    if (!(volume >= 0 && pitch > 0)) this.#broken(`a sound with volume ${volume} and pitch ${pitch}`);
    const words = "master music record weather block hostile neutral player ambient voice".split(" ");
    const category = typeof soundCategory === "number" ? soundCategory : words.indexOf(soundCategory);
    if (!(category >= 0 && category < words.length)) this.#broken(`no category of sounds ${soundCategory}`);
    this.sounds.push({ name, at: [x / 8, y / 8, z / 8], category });
  }

  #place(packet: string, { x, y, z }: Params): void {
    const isInside = Math.abs(x) <= FARTHEST && Math.abs(z) <= FARTHEST && Math.abs(y) <= HIGHEST;
    if (!isInside) this.#broken(`${packet} to ${x},${y},${z}`);
  }

  /** The blocks of the chunk there. */
  #within(packet: string, place: Params): Map<string, number> | undefined {
    const key = chunkAt(place);
    const blocks = this.#chunks.get(key);
    if (blocks === undefined) this.outside.push(`${packet} in chunk ${key}`);
    return blocks;
  }

  #isNear(x: number, z: number): boolean {
    const radius = Math.max(2, this.#distance) + SPARE;
    return Math.abs(x - this.#center[0]) <= radius && Math.abs(z - this.#center[1]) <= radius;
  }

  #forget(): void {
    for (const key of this.#chunks.keys()) {
      const [x, z] = key.split(",").map(Number) as [number, number];
      if (!this.#isNear(x, z)) this.#chunks.delete(key);
    }
  }

  #known(id: number, packet: string): void {
    if (id !== this.#self && !this.things.has(id)) this.#broken(`${packet} of ${id}, which is not there`);
  }

  #broken(problem: string): void {
    this.problems.push(problem);
  }
}

function modeOf(mode: number | string): number {
  return typeof mode === "number" ? mode : ["survival", "creative", "adventure", "spectator"].indexOf(mode);
}

function placeOf({ x, y, z }: Params): string {
  return `${x},${y},${z}`;
}

function chunkAt({ x, z }: Params): string {
  return `${Math.floor(x / 16)},${Math.floor(z / 16)}`;
}

import { encodedAll } from "../game/encoding.ts";
import type { ServerClient } from "../game/protocol.ts";
import type { Packet } from "../game/packet.ts";
import type { Adapter, Mode, Place } from "../scene/adapter.ts";
import { difference, edit, type Skin } from "../scene/difference.ts";
import { type Blocks, EMPTY, type Scene } from "../scene/scene.ts";
import { GRID, isOther, type Thing } from "../scene/thing.ts";
import { setTimeout as pause } from "node:timers/promises";
import type { Asker } from "./access.ts";
import type { Role } from "./points.ts";
import type { Scenery } from "./scenery.ts";

/** Bytes that wait for a client; above this it gets no frames until it has taken them. */
const MOST_WAITING = 256 << 10;
/** Bytes that wait for a client which gets no frames; above this it is disconnected. */
const TOO_MUCH = 8 << 20;
/** Milliseconds between two checks of which chunks it needs. */
const CHUNKS_EVERY = 50;
/** Chunks in each direction around a viewer. */
const DISTANCE = 4;
/** Bytes that may wait for a client which gets one more chunk of a world: it can still take frames. */
const ROOM = 64 << 10;
/** Milliseconds until the next check whether there is room. */
const DRAINING = 10;
/** Chunks that are requested from the store at once. */
const AHEAD = 8;
/** The viewer's own number. */
const SELF = 1;

/** The socket inside the library's client; null: it has none yet. */
interface Outside {
  readonly compressor: Waiting | null;
  readonly framer: Waiting | null;
  readonly socket: Pick<Waiting, "writableLength"> | null;
}

/** Bytes that a stream holds. */
interface Waiting {
  readonly writableLength: number;
  readonly readableLength: number;
}

/** Position of a chunk. */
type Spot = readonly [x: number, z: number];

/** A client that watches. */
export class Viewer {
  readonly client: ServerClient;
  readonly adapter: Adapter;
  /** What it sees at present. */
  shown: Scene = EMPTY;
  mode: Mode = "spectator";
  place: Place = { x: 0, y: 80, z: 0, yaw: 0, pitch: 0 };
  /** UUID of the player whose eyes it looks through, whenever that player is present; null: its own eyes. */
  #eyes: string | null = null;
  /** The thing that its camera is attached to, as it was shown last; null: its own body. */
  #camera: Thing | null = null;
  /** Why it may see the recording. */
  role: Role = "public";
  /** The selected slot of the hotbar. */
  slot = 0;
  /** The person, as `Access` knows it. */
  readonly asker: Asker;
  readonly #chunks = new Set<string>();
  #wanted: ReadonlyMap<string, Spot> = new Map();
  #scenery: Scenery | null = null;
  #dimension = EMPTY.dimension;
  #isFilling = false;
  /** The chunk that it was last centred on. */
  #center = "";
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(client: ServerClient, adapter: Adapter) {
    this.client = client;
    this.adapter = adapter;
    const { uuid, username: name, socket } = client;
    this.asker = { uuid, name, address: socket?.remoteAddress ?? "" };
  }

  get name(): string {
    return this.client.username;
  }

  /** It looks through the eyes of a player: the position that it sends is ignored. */
  get isAway(): boolean {
    return this.#camera !== null;
  }

  /** The client reads too slowly: it gets no more frames until it has caught up. */
  get isBehind(): boolean {
    return this.waiting > MOST_WAITING;
  }

  /** Bytes in the library's streams, which hold them while the socket takes no more. */
  get waiting(): number {
    const { compressor, framer, socket } = this.client as unknown as Outside;
    let bytes = socket?.writableLength ?? 0;
    for (const stream of [compressor, framer]) bytes += (stream?.writableLength ?? 0) + (stream?.readableLength ?? 0);
    return bytes;
  }

  get isGone(): boolean {
    return this.client.ended;
  }

  send(packets: readonly Packet[]): void {
    this.sendEncoded(encodedAll(this.adapter.version, packets));
  }

  sendEncoded(buffers: readonly Buffer[]): void {
    if (this.isGone) return;
    if (this.waiting > TOO_MUCH) this.client.end("The connection does not take any data.");
    else for (const buffer of buffers) this.client.writeRaw(buffer);
  }

  /** Sends a line of chat; a client that is behind gets none. */
  tell(text: string, color?: string): void {
    if (!this.isBehind) this.send(this.adapter.chat({ text, color }));
  }

  /** Starts the game for it, over an empty world. */
  begin(most: number): void {
    this.send(this.adapter.login(SELF, most));
    this.send(this.adapter.self(this.client.uuid, this.name, this.mode));
    this.become(this.mode);
    this.put(this.place);
  }

  become(mode: Mode): void {
    this.mode = mode;
    this.send(this.adapter.mode(this.client.uuid, mode));
  }

  put(place: Place): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.goes(place);
    this.send(this.adapter.put(place));
  }

  /**
   * It has moved there: adds chunks around it, removes those far away. A client sends its position all the time, so a
   * skipped one does not matter.
   */
  goes(place: Place): void {
    this.place = place;
    const now = performance.now();
    if (this.isBehind || now - this.#lookedAt < CHUNKS_EVERY) return;
    this.#lookedAt = now;
    const [chunkX, chunkZ] = [Math.floor(place.x / 16), Math.floor(place.z / 16)];
    const wanted = new Map<string, Spot>();
    for (let x = chunkX - DISTANCE; x <= chunkX + DISTANCE; x++)
      for (let z = chunkZ - DISTANCE; z <= chunkZ + DISTANCE; z++) wanted.set(`${x},${z}`, [x, z]);
    if ([...wanted.keys()].every((key) => this.#chunks.has(key))) return;
    const center = `${chunkX},${chunkZ}`;
    if (center !== this.#center) this.send(this.adapter.around(chunkX, chunkZ, DISTANCE));
    this.#center = center;
    for (const key of this.#chunks) {
      if (wanted.has(key)) continue;
      const [x, z] = key.split(",").map(Number) as [number, number];
      this.send(this.adapter.forgetChunk(x, z));
      this.#chunks.delete(key);
    }
    this.#wanted = wanted;
    if (this.#scenery !== null) void this.#fill();
    else for (const [key, spot] of wanted) if (!this.#chunks.has(key)) this.#showChunk(key, spot, null);
  }

  /** Puts another world below it, or none. */
  over(scenery: Scenery | null, dimension: string = EMPTY.dimension): void {
    if (scenery === this.#scenery && dimension === this.#dimension) return;
    this.#scenery = scenery;
    this.#dimension = dimension;
    this.#chunks.clear();
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.goes(this.place);
  }

  /** Changes what it sees to a scene. */
  show(scene: Scene, skin: Skin, isJump: boolean): void {
    const base = this.#scenery?.backdrop.base(this.shown.dimension);
    this.sees(scene, encodedAll(this.adapter.version, difference(this.shown, scene, this.adapter, skin, isJump, base)));
  }

  /** It sees a scene after these packets. */
  sees(scene: Scene, buffers: readonly Buffer[]): void {
    this.sendEncoded(buffers);
    this.shown = scene;
    this.#aim();
    if (this.#scenery !== null && scene !== EMPTY) this.over(this.#scenery, scene.dimension);
  }

  /**
   * Looks through the eyes of the player with that UUID, now and whenever the player returns; null: through its own.
   */
  look(uuid: string | null): void {
    this.#eyes = uuid;
    this.#aim();
  }

  /** Moves the camera to where its eyes are; the world follows. */
  #aim(): void {
    if (this.#eyes === null && this.#camera === null) return;
    const thing = this.#eyes === null ? null : thingOf(this.shown, this.#eyes);
    if (thing !== null) {
      const { x, y, z, yaw, pitch } = thing;
      this.goes({ x: x / GRID, y: y / GRID, z: z / GRID, yaw, pitch });
    }
    const before = this.#camera;
    this.#camera = thing;
    // a thing that the client has lost and got again is another one, even under the same number
    if (before === thing) return;
    if (before !== null && thing !== null && before.id === thing.id && !isOther(before, thing)) return;
    this.send(this.adapter.camera(thing, SELF));
    // its body stands where its camera was last
    if (thing === null) this.put(this.place);
  }

  /** Sends chunks of the world as fast as the client takes them, the nearest first. */
  async #fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    const { version } = this.adapter;
    for (let missing = this.#missing(); missing.length > 0 && !this.isGone; missing = this.#missing()) {
      const [scenery, dimension] = [this.#scenery, this.#dimension];
      const [key, spot] = missing[0]!;
      const ahead = missing.slice(0, AHEAD).map(([, [x, z]]) => scenery?.chunk(version, dimension, x, z) ?? null);
      const buffers = await ahead[0]!;
      while (this.waiting > ROOM && !this.isGone) await pause(DRAINING);
      // the viewer may have moved meanwhile
      const isStill = this.#scenery === scenery && this.#dimension === dimension && this.#wanted.has(key);
      if (isStill) this.#showChunk(key, spot, buffers);
    }
    this.#isFilling = false;
  }

  #missing(): (readonly [string, Spot])[] {
    const distance = ([x, z]: Spot): number => Math.hypot(16 * x + 8 - this.place.x, 16 * z + 8 - this.place.z);
    return [...this.#wanted]
      .filter(([key]) => !this.#chunks.has(key))
      .sort(([, a], [, b]) => distance(a) - distance(b));
  }

  /** Sends a chunk of the world, or an empty one, with its edits. */
  #showChunk(key: string, [x, z]: Spot, buffers: readonly Buffer[] | null): void {
    this.#chunks.add(key);
    if (buffers === null) this.send(this.adapter.emptyChunk(x, z));
    else this.sendEncoded(buffers);
    const { blocks } = this.shown;
    for (const place of editsIn(blocks, key)) this.send(edit(place, blocks.get(place)!, this.adapter));
  }
}

function thingOf({ things }: Scene, uuid: string): Thing | null {
  for (const thing of things.values()) if (thing.uuid === uuid) return thing;
  return null;
}

const byChunk = new WeakMap<Blocks, Map<string, string[]>>();

/** Places of edits in a chunk, `"x,z"`. */
function editsIn(blocks: Blocks, key: string): readonly string[] {
  let places = byChunk.get(blocks);
  if (places === undefined) {
    places = new Map();
    for (const place of blocks.keys()) {
      const [x, , z] = place.split(",").map(Number) as [number, number, number];
      const chunk = `${Math.floor(x / 16)},${Math.floor(z / 16)}`;
      const there = places.get(chunk);
      if (there === undefined) places.set(chunk, [place]);
      else there.push(place);
    }
    byChunk.set(blocks, places);
  }
  return places.get(key) ?? [];
}

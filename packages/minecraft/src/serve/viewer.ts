import { encodedAll } from "../game/encoding.ts";
import type { ServerClient } from "../game/protocol.ts";
import type { Packet } from "../game/packet.ts";
import type { Adapter, Mode, Place } from "../scene/adapter.ts";
import { difference, edit, type Skin } from "../scene/difference.ts";
import { type Blocks, EMPTY, type Scene } from "../scene/scene.ts";
import { setTimeout as pause } from "node:timers/promises";
import type { Asker } from "./access.ts";
import type { Scenery } from "./scenery.ts";

/** Bytes that wait for a client: with more it gets no frames until it has taken them. */
const MOST_WAITING = 256 << 10;
/** Bytes that wait for a client which gets no frames: with more it is sent away. */
const TOO_MUCH = 8 << 20;
/** Milliseconds between two looks at which chunks it needs. */
const CHUNKS_EVERY = 50;
/** Chunks each way around a viewer. */
const DISTANCE = 4;
/** Bytes that may wait for a client which gets one more chunk of a world: it stays fit for frames. */
const ROOM = 64 << 10;
/** Milliseconds until it is looked again whether there is room. */
const DRAINING = 10;
/** Chunks that are asked of the store at once. */
const AHEAD = 8;
/** The viewer's own number. */
const SELF = 1;

/** What the library keeps inside a client; null: it has none yet. */
interface Outside {
  readonly compressor: Waiting | null;
  readonly framer: Waiting | null;
  readonly socket: Pick<Waiting, "writableLength"> | null;
}

/** Bytes that a stream keeps. */
interface Waiting {
  readonly writableLength: number;
  readonly readableLength: number;
}

/** Where a chunk is. */
type Spot = readonly [x: number, z: number];

/** A client that looks on. */
export class Viewer {
  readonly client: ServerClient;
  readonly adapter: Adapter;
  /** What it sees at present. */
  shown: Scene = EMPTY;
  mode: Mode = "spectator";
  place: Place = { x: 0, y: 80, z: 0, yaw: 0, pitch: 0 };
  /** Of the recording's numbers: through whose eyes it looks; null: its own. */
  eyes: number | null = null;
  /** The slot of the hotbar that it holds. */
  slot = 0;
  /** As it asks for recordings. */
  readonly asker: Asker;
  readonly #chunks = new Set<string>();
  #wanted: ReadonlyMap<string, Spot> = new Map();
  #scenery: Scenery | null = null;
  #dimension = EMPTY.dimension;
  #isFilling = false;
  /** The chunk around which it was last said to be. */
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

  get self(): number {
    return SELF;
  }

  /** It has not taken what it was sent: it gets no more for now. */
  get isBehind(): boolean {
    return this.waiting > MOST_WAITING;
  }

  /** Bytes on their way through the library's streams: it keeps them there while the socket takes no more. */
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
    if (this.waiting > TOO_MUCH) this.client.end("The connection takes nothing.");
    else for (const buffer of buffers) this.client.writeRaw(buffer);
  }

  /** A line of chat; none to a client that is behind. */
  tell(text: string, color?: string): void {
    if (!this.isBehind) this.send(this.adapter.chat({ text, color }));
  }

  /** Begins the game for it, over nothing. */
  begin(most: number): void {
    this.send(this.adapter.login(SELF, most));
    this.send(this.adapter.self(this.client.uuid, this.name, this.mode));
    this.become(this.mode);
    this.put(this.place);
  }

  become(mode: Mode): void {
    this.mode = mode;
    this.send(this.adapter.self(this.client.uuid, this.name, mode));
    this.send(this.adapter.mode(mode));
  }

  put(place: Place): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.goes(place);
    this.send(this.adapter.put(place));
  }

  /**
   * It is there now: chunks around it come, those far away go. A client says where it is all the time, so what is passed
   * over is made up for.
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

  /** Puts another world below it, or nothing. */
  over(scenery: Scenery | null, dimension: string = EMPTY.dimension): void {
    if (scenery === this.#scenery && dimension === this.#dimension) return;
    this.#scenery = scenery;
    this.#dimension = dimension;
    this.#chunks.clear();
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.goes(this.place);
  }

  /** Brings it from what it sees to a scene. */
  show(scene: Scene, skin: Skin, isJump: boolean): void {
    const base = this.#scenery?.backdrop.base(this.shown.dimension);
    this.sees(scene, encodedAll(this.adapter.version, difference(this.shown, scene, this.adapter, skin, isJump, base)));
  }

  /** It sees a scene with these packets. */
  sees(scene: Scene, buffers: readonly Buffer[]): void {
    this.sendEncoded(buffers);
    this.shown = scene;
    if (this.#scenery !== null && scene !== EMPTY) this.over(this.#scenery, scene.dimension);
  }

  /** Sends chunks of the world as fast as they are taken, the nearest first. */
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
      // it may have gone on meanwhile, or elsewhere
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

  /** A chunk of the world, or of nothing, and what is edited in it. */
  #showChunk(key: string, [x, z]: Spot, buffers: readonly Buffer[] | null): void {
    this.#chunks.add(key);
    if (buffers === null) this.send(this.adapter.emptyChunk(x, z));
    else this.sendEncoded(buffers);
    const { blocks } = this.shown;
    for (const place of editsIn(blocks, key)) this.send(edit(place, blocks.get(place)!, this.adapter));
  }
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

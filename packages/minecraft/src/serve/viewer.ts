import { encodedAll } from "../game/encoding.ts";
import type { ServerClient } from "../game/protocol.ts";
import type { Packet } from "../game/packet.ts";
import type { Adapter, Mode, Place } from "../scene/adapter.ts";
import { difference, edit, type Skin } from "../scene/difference.ts";
import { EMPTY, type Scene } from "../scene/scene.ts";
import type { Asker } from "./access.ts";

/** Bytes that wait for a client: with more it gets no frames until it has taken them. */
const MOST_WAITING = 256 << 10;
/** Bytes that wait for a client which gets no frames: with more it is sent away. */
const TOO_MUCH = 8 << 20;
/** Milliseconds between two looks at which chunks it needs. */
const CHUNKS_EVERY = 50;
/** Chunks each way around a viewer. */
const DISTANCE = 4;
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
    const wanted = new Map<string, readonly [number, number]>();
    for (let x = chunkX - DISTANCE; x <= chunkX + DISTANCE; x++)
      for (let z = chunkZ - DISTANCE; z <= chunkZ + DISTANCE; z++) wanted.set(`${x},${z}`, [x, z]);
    if (this.#chunks.has(`${chunkX},${chunkZ}`) && [...wanted.keys()].every((key) => this.#chunks.has(key))) return;
    this.send(this.adapter.around(chunkX, chunkZ, DISTANCE));
    for (const key of this.#chunks) {
      if (wanted.has(key)) continue;
      const [x, z] = key.split(",").map(Number) as [number, number];
      this.send(this.adapter.forgetChunk(x, z));
      this.#chunks.delete(key);
    }
    for (const [key, [x, z]] of wanted) if (!this.#chunks.has(key)) this.#showChunk(key, x, z);
  }

  /** Brings it from what it sees to a scene. */
  show(scene: Scene, skin: Skin, isJump: boolean): void {
    this.send(difference(this.shown, scene, this.adapter, skin, isJump));
    this.shown = scene;
  }

  #showChunk(key: string, x: number, z: number): void {
    this.#chunks.add(key);
    this.send(this.adapter.emptyChunk(x, z));
    for (const [place, name] of this.shown.blocks) {
      const [bx, , bz] = place.split(",").map(Number) as [number, number, number];
      if (Math.floor(bx / 16) === x && Math.floor(bz / 16) === z) this.send(edit(place, name, this.adapter));
    }
  }
}

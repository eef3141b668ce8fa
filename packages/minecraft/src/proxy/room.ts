import type { Store } from "simtape";
import type { LiveEvent } from "simtape/record";
import type { HeaderOptions } from "simtape/serving";
import type { GameData } from "../game/data.ts";
import { worldVersionOf } from "../world/names.ts";
import { ChunkSink } from "../world/sink.ts";
import { Ground } from "./ground.ts";
import { plain, stamp } from "./names.ts";
import type { OwnEvent } from "./own-moves.ts";
import { People } from "./people.ts";
import { type Seer, SharedWorld } from "./shared-world.ts";
import { type Ended, WorldRecording } from "./world-recording.ts";
import { type RingLengths, WorldRing } from "./world-ring.ts";

/** Store for the chunks that clients are shown. */
export interface Worlds {
  readonly store: Store;
  /** A UUID. */
  readonly id: string;
  /** Hexadecimal digits; absent: each recording has a version of its own, as the world was when it began. */
  readonly version?: string | undefined;
}

export interface RoomOptions {
  /** Folder of the recordings. */
  readonly store: string;
  readonly dimension: string;
  /** Version of the game. */
  readonly data: GameData;
  /** Whether the player with that UUID connects through the proxy. */
  readonly isOwn: (uuid: string) => boolean;
  /** Keeps only the last minutes, in memory; absent: everything is recorded. */
  readonly ring?: RingLengths | undefined;
  /** Absent: chunks are not kept. */
  readonly worlds?: Worlds | undefined;
  /** Called when the dimension cannot be recorded. */
  readonly failed: (id: string, error: unknown) => void;
}

/** A dimension of the server while players are in it: one recording, or one ring. */
export class Room {
  readonly id: string;
  readonly dimension: string;
  /** Metadata about the game. */
  readonly header: HeaderOptions;
  /** The recording or the ring; null: the other one is used. */
  readonly recording: WorldRecording | null;
  readonly ring: WorldRing | null;
  readonly events: (WorldRecording | WorldRing)["events"];
  readonly people = new People();
  readonly world: SharedWorld<Seer>;
  /** Null: chunks are not kept. */
  readonly ground: Ground | null;
  readonly players = new Set<Seer>();

  constructor({ store, dimension, data, isOwn, ring, worlds, failed }: RoomOptions) {
    this.dimension = dimension;
    this.id = `${plain(dimension.replace(/^minecraft:/, "")) || "world"}-${stamp()}`;
    const { version, protocol, dataVersion } = data;
    const header: HeaderOptions = { protocol, dataVersion, server: `minecraft ${version}, simtape-mc proxy` };
    const world = worlds && { id: worlds.id, version: worlds.version ?? worldVersionOf(this.id) };
    this.header = world === undefined ? header : { ...header, worldId: world.id, worldVersion: world.version };
    const fails = (error: unknown): void => failed(this.id, error);
    this.recording = ring === undefined ? new WorldRecording(store, this.id, this.header, fails) : null;
    this.ring = ring === undefined ? null : new WorldRing(store, this.header, ring, fails);
    this.events = (this.recording ?? this.ring)!.events;
    this.world = new SharedWorld((event) => this.write(event), isOwn);
    this.ground =
      worlds === undefined || world === undefined
        ? null
        : new Ground({
            sink: new ChunkSink(worlds.store, world),
            ...{ dimension, data },
            write: (event) => this.events.give(event),
            failed: (error) => failed(`${this.id}: the world`, error),
          });
    this.write({ kind: "dimension", value: dimension });
  }

  write(event: LiveEvent): void {
    this.people.see(event);
    this.ground?.hear(event);
    this.events.give(event);
  }

  /** Adds an event that a player's client sends about the player. */
  says(client: Seer, event: OwnEvent): void {
    this.events.speaks(client);
    this.world.says(event);
    this.events.speaks(null);
  }

  /** Adds an event that follows from the last event of the player. */
  adds(client: Seer, event: LiveEvent): void {
    this.events.speaks(client);
    this.events.giveToo(event);
    this.events.speaks(null);
  }

  /** Call this a few times in a second, when all received events were added. */
  poll(): void {
    this.events.poll();
    this.ground?.poll();
  }

  /** Null: nothing was recorded. */
  async close(): Promise<Ended | null> {
    await this.ground?.close();
    await this.ring?.close();
    return (await this.recording?.close()) ?? null;
  }
}

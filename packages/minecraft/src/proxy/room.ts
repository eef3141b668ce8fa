import type { Store } from "simtape";
import type { Line } from "../capture/capture.ts";
import type { GameData } from "../game/data.ts";
import { worldVersionOf } from "../world/names.ts";
import { ChunkSink } from "../world/sink.ts";
import type { Connection } from "./connection.ts";
import { Ground } from "./ground.ts";
import { plain, stamp } from "./names.ts";
import { People } from "./people.ts";
import { SharedWorld } from "./shared-world.ts";
import { type Ended, WorldRecording } from "./world-recording.ts";
import { type RingLengths, WorldRing } from "./world-ring.ts";

/** Where the chunks go that clients are shown. */
export interface Worlds {
  readonly store: Store;
  /** A UUID. */
  readonly id: string;
  /** Hexadecimal digits; absent: each recording has a version of its own, as the world was when it began. */
  readonly version?: string | undefined;
}

export interface RoomOptions {
  /** Folder of recordings. */
  readonly store: string;
  readonly dimension: string;
  /** The game that is played. */
  readonly data: GameData;
  /** Whether the player of that UUID comes through the proxy. */
  readonly isOwn: (uuid: string) => boolean;
  /** Only the last minutes are kept, in memory; absent: all is recorded. */
  readonly ring?: RingLengths | undefined;
  /** Absent: chunks are not kept. */
  readonly worlds?: Worlds | undefined;
  /** Called when it cannot be recorded. */
  readonly failed: (id: string, error: unknown) => void;
}

/** A dimension of the server, while there are players in it: one recording, or one ring. */
export class Room {
  readonly id: string;
  readonly dimension: string;
  /** First line of recordings of the game that is played. */
  readonly header: Line;
  /** What keeps what happens; null: the other one does. */
  readonly recording: WorldRecording | null;
  readonly ring: WorldRing | null;
  readonly lines: (WorldRecording | WorldRing)["lines"];
  readonly people = new People();
  readonly world: SharedWorld<Connection>;
  /** Null: chunks are not kept. */
  readonly ground: Ground | null;
  readonly players = new Set<Connection>();

  constructor({ store, dimension, data, isOwn, ring, worlds, failed }: RoomOptions) {
    this.dimension = dimension;
    this.id = `${plain(dimension.replace(/^minecraft:/, "")) || "world"}-${stamp()}`;
    const { version, protocol, dataVersion } = data;
    const header = { simtape: 1, protocol, dataVersion, server: `minecraft ${version}, simtape-mc proxy` };
    const world = worlds && { id: worlds.id, version: worlds.version ?? worldVersionOf(this.id) };
    this.header = world === undefined ? header : { ...header, worldId: world.id, worldVersion: world.version };
    const fails = (error: unknown): void => failed(this.id, error);
    this.recording = ring === undefined ? new WorldRecording(store, this.id, this.header, fails) : null;
    this.ring = ring === undefined ? null : new WorldRing(store, this.header, ring, fails);
    this.lines = (this.recording ?? this.ring)!.lines;
    this.world = new SharedWorld((line) => this.write(line), isOwn);
    this.ground =
      worlds === undefined || world === undefined
        ? null
        : new Ground({
            sink: new ChunkSink(worlds.store, world),
            ...{ dimension, data },
            write: (line) => this.lines.give(line),
            failed: (error) => failed(`${this.id}: the world`, error),
          });
    this.write({ dimension });
  }

  write(line: Line): void {
    this.people.hear(line);
    this.ground?.hear(line);
    this.lines.give(line);
  }

  /** To be called a few times in a second. */
  poll(): void {
    this.lines.poll();
    this.ground?.poll();
  }

  /** Null: it was no recording. */
  async close(): Promise<Ended | null> {
    await this.ground?.close();
    await this.ring?.close();
    return (await this.recording?.close()) ?? null;
  }
}

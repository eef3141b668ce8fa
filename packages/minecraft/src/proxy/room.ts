import type { Line } from "../capture/capture.ts";
import type { GameData } from "../game/data.ts";
import type { Connection } from "./connection.ts";
import { plain, stamp } from "./names.ts";
import { SharedWorld } from "./shared-world.ts";
import { WorldRecording } from "./world-recording.ts";

export interface RoomOptions {
  /** Folder of recordings. */
  readonly store: string;
  readonly dimension: string;
  /** The game that is played. */
  readonly data: GameData;
  /** Whether the player of that UUID comes through the proxy. */
  readonly isOwn: (uuid: string) => boolean;
  /** Called when it cannot be recorded. */
  readonly failed: (id: string, error: unknown) => void;
}

/** A dimension of the server, while there are players in it: one recording. */
export class Room {
  readonly id: string;
  readonly dimension: string;
  /** First line of recordings of the game that is played. */
  readonly header: Line;
  readonly recording: WorldRecording;
  readonly world: SharedWorld<Connection>;
  readonly players = new Set<Connection>();

  constructor({ store, dimension, data, isOwn, failed }: RoomOptions) {
    this.dimension = dimension;
    this.id = `${plain(dimension.replace(/^minecraft:/, "")) || "world"}-${stamp()}`;
    const { version, protocol, dataVersion } = data;
    this.header = { simtape: 1, protocol, dataVersion, server: `minecraft ${version}, simtape-mc proxy` };
    this.recording = new WorldRecording(store, this.id, this.header, (error) => failed(this.id, error));
    this.world = new SharedWorld((line) => this.write(line), isOwn);
    this.write({ dimension });
  }

  write(line: Line): void {
    this.recording.give(line);
  }

  /** To be called a few times in a second. */
  poll(): void {
    this.recording.poll();
  }
}

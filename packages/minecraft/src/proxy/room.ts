import type { Line } from "../capture/capture.ts";
import type { GameData } from "../game/data.ts";
import type { Connection } from "./connection.ts";
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
  readonly recording: WorldRecording;
  readonly world: SharedWorld<Connection>;
  readonly players = new Set<Connection>();

  constructor({ store, dimension, data, isOwn, failed }: RoomOptions) {
    this.dimension = dimension;
    const at = new Date().toISOString().replaceAll(/[-:]/g, "").replace(".", "-");
    this.id = `${dimension.replace(/^minecraft:/, "").replaceAll(/[^\w]/g, "-") || "world"}-${at}`;
    const { version, protocol, dataVersion } = data;
    const header = { simtape: 1, protocol, dataVersion, server: `minecraft ${version}, simtape-mc proxy` };
    this.recording = new WorldRecording(store, this.id, header, (error) => failed(this.id, error));
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

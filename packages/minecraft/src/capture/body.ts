import type { LiveEvents } from "simtape/record";
import { degreesOf } from "../game/angles.ts";

/** Steps of the protocol's relative moves in a block; a recording uses the same steps. */
const GRID = 4096;

/** Position and direction of a thing. */
export type Stance = Required<Pick<LiveEvents["teleport"], "at" | "look" | "head" | "onGround">>;

/** Position of a thing, as a client of the game adds it up: on the grid, with angles in bytes or degrees. */
export class Body {
  x = 0;
  y = 0;
  z = 0;
  /** Degrees. */
  yaw = 0;
  pitch = 0;
  head = 0;
  onGround = false;
  /** Numbers as since 1.17. */
  pose = 0;
  flags = 0;

  /** Moves to a position in blocks. */
  put(x: number, y: number, z: number): void {
    this.x = Math.round(x * GRID);
    this.y = Math.round(y * GRID);
    this.z = Math.round(z * GRID);
  }

  /** Moves by steps of the grid. */
  move(dX: number, dY: number, dZ: number): void {
    this.x += dX;
    this.y += dY;
    this.z += dZ;
  }

  /** Turns to angles in bytes. */
  turn(yaw: number, pitch: number): void {
    this.yaw = degreesOf(yaw);
    this.pitch = degreesOf(pitch);
  }

  /** Blocks. */
  get place(): [x: number, y: number, z: number] {
    return [this.x / GRID, this.y / GRID, this.z / GRID];
  }

  /** In the form of events. */
  get stance(): Stance {
    const { yaw, pitch, head, onGround } = this;
    return { at: this.place, look: [yaw, pitch], head, onGround };
  }
}

/** A visible thing in a scene: a player or another entity. It never changes once it is made. */
export interface Thing {
  /** The recording's number for it. */
  readonly id: number;
  /** In the form `minecraft:player`. */
  readonly kind: string;
  /** Empty: it has none. */
  readonly name: string;
  readonly uuid: string;
  /** On the grid of 1/4096 block. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** Degrees; yaw grows clockwise seen from above, pitch is positive downwards. */
  readonly yaw: number;
  readonly pitch: number;
  readonly head: number;
  readonly onGround: boolean;
  readonly pose: number;
  /** Fire, sneak, riptide, sprint, swim, invisible, glow, elytra, from bit 0 on. */
  readonly flags: number;
  /** Game mode of a player; null: not known. */
  readonly gameMode: number | null;
  /** Items by slot, in the form `minecraft:stone`. */
  readonly items: ReadonlyMap<number, string>;
}

/** Steps of the grid in a block: the protocol's relative moves use the same steps. */
export const GRID = 4096;

/** Whether a client must remove one thing to show the other. */
export function isOther(before: Thing, after: Thing): boolean {
  return before.kind !== after.kind || before.uuid !== after.uuid || before.name !== after.name;
}

export function isPlayer({ kind }: Thing): boolean {
  return kind === "minecraft:player";
}

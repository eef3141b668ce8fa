import { type GridPlace, PLACE_ON_GROUND, quantize, turnOf } from "../../formats/hcrp/layout/motion.ts";

/** Who a player is. */
export interface Identity {
  /** With or without dashes. */
  readonly uuid: string;
  readonly name: string;
}

/** Where a player or an entity is and looks: blocks, degrees. */
export interface Stance {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly onGround?: boolean | undefined;
  /** Degrees, as `yaw`; absent: the head looks where the body does. */
  readonly headYaw?: number | undefined;
}

/** A place on the grid, and where it looks: as `Body` has them. */
export interface Target {
  x: number;
  y: number;
  z: number;
  yaw: number;
  pitch: number;
  head: number;
  onGround: boolean;
}

/** A thing as readers know it: what a snapshot says of it, and what moves are relative to. */
export class Body {
  readonly entity: number;
  readonly type: string;
  uuid: string | null;
  name: string | null;
  /** What its sender calls it; null: nothing that is kept. */
  own: string | null = null;
  /** On the grid of 1/4096 block, and the last displacement there (HCRP events §2). */
  qx = 0;
  qy = 0;
  qz = 0;
  dx = 0;
  dy = 0;
  dz = 0;
  /** 1/65536 turn; the head's against the body. */
  yaw = 0;
  pitch = 0;
  head = 0;
  onGround = false;
  /** Where the present tick leads it; written at the tick's end. Null: it has not moved. */
  target: Target | null = null;
  pose = 0;
  flags = 0;
  heldSlot = 0;
  itemUse = 0;
  /** Item by slot. */
  readonly items: Map<number, string> = new Map();
  readonly metadata: Map<number, Uint8Array> = new Map();
  readonly effects: Map<string, { readonly amplifier: number; readonly until: number }> = new Map();
  passengers: Uint32Array | null = null;
  /** Health is × 6 (HCRP events §2, id 20). */
  vitals: { readonly health: number; readonly food: number; readonly xp: number } | null = null;
  view: { readonly gameMode: number; readonly camera: number | null } | null = null;

  constructor(entity: number, type: string, who: Identity | null) {
    this.entity = entity;
    this.type = type;
    this.uuid = who?.uuid ?? null;
    this.name = who?.name ?? null;
  }

  /** Puts it somewhere, at rest. */
  put(stance: Stance): void {
    this.target = null;
    this.qx = quantize(stance.x);
    this.qy = quantize(stance.y);
    this.qz = quantize(stance.z);
    this.rest();
    this.yaw = turnOf(stance.yaw);
    this.pitch = turnOf(stance.pitch);
    this.head = 0;
    this.onGround = stance.onGround ?? false;
  }

  /** At a chunk's start nothing is on its way (HCRP events §2). */
  rest(): void {
    this.dx = 0;
    this.dy = 0;
    this.dz = 0;
  }

  place(flags: number): GridPlace {
    const q = Float64Array.of(this.qx, this.qy, this.qz);
    return { q, yaw: this.yaw, pitch: this.pitch, flags: flags | (this.onGround ? PLACE_ON_GROUND : 0) };
  }
}

import type { MutableColumn } from "../../../model/state/column.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { ColumnName } from "./columns.ts";
import { Destinations } from "./destinations.ts";
import type { Dialect, PacketKind } from "../layout/layout.ts";
import type { Narrowing } from "./narrowing.ts";

/** Writes one record, whose id is at `at`, into the row of its actor. */
type Put = (view: DataView, at: number, columns: readonly MutableColumn[], row: number) => void;

/** Where the numbers of a column are in a record, one behind the other, and what each is; a flag is 0 or 1. */
export interface CellPlace {
  readonly at: number;
  readonly type: "f64" | "f32" | "i32" | "u32" | "u8" | "flag";
}

/** Packets of one kind, each of records of one width. */
export interface Movement {
  /** Bytes of a record. */
  readonly width: number;
  readonly destinations: Destinations;
  readonly put: Put;
  /** By name of a column. */
  readonly cells: Readonly<Partial<Record<ColumnName, CellPlace>>>;
}

/** Two vectors of f32. */
const putPair32: Put = (view, at, [first, second], row) => {
  first!.put3(row, view.getFloat32(at + 4, true), view.getFloat32(at + 8, true), view.getFloat32(at + 12, true));
  second!.put3(row, view.getFloat32(at + 16, true), view.getFloat32(at + 20, true), view.getFloat32(at + 24, true));
};

/** Two vectors of f64. */
const putPair64: Put = (view, at, [first, second], row) => {
  first!.put3(row, view.getFloat64(at + 4, true), view.getFloat64(at + 12, true), view.getFloat64(at + 20, true));
  second!.put3(row, view.getFloat64(at + 28, true), view.getFloat64(at + 36, true), view.getFloat64(at + 44, true));
};

/**
 * Packets of what moves in every frame, which are most of a file: records of one width, each of one actor, read without
 * an object for any of them (spec §4.6 to §4.10, §4.12).
 */
export class Motion {
  readonly #movements: ReadonlyMap<PacketKind, Movement>;
  readonly #narrowing: Narrowing | null;
  /** Of the bytes folded last: most packets are of the same batch as the one before. */
  #view: DataView = new DataView(new ArrayBuffer(0));
  #bytes: Uint8Array | null = null;

  /** `narrowing` says whose records count, where not all do. */
  constructor({ scalar }: Dialect, narrowing: Narrowing | null = null) {
    this.#narrowing = narrowing;
    const pair = { width: 4 + 6 * scalar, put: scalar === 4 ? putPair32 : putPair64 };
    const type = scalar === 4 ? "f32" : "f64";
    const first = { at: 4, type } as const;
    const second = { at: 4 + 3 * scalar, type } as const;
    // by the type that is taken for an actor never added: other, vehicle, walker, traffic light (spec §4.2)
    this.#movements = new Map<PacketKind, Movement>([
      [
        "position",
        {
          ...pair,
          destinations: new Destinations(["position", "rotation"], 0),
          cells: { position: first, rotation: second },
        },
      ],
      [
        "kinematics",
        {
          ...pair,
          destinations: new Destinations(["velocity", "angular-velocity"], 1),
          cells: { velocity: first, "angular-velocity": second },
        },
      ],
      [
        "state",
        {
          width: 10,
          destinations: new Destinations(["state", "frozen", "state-time"], 3),
          cells: {
            frozen: { at: 4, type: "flag" },
            "state-time": { at: 5, type: "f32" },
            state: { at: 9, type: "u8" },
          },
          put: (view, at, [state, frozen, time], row) => {
            frozen!.put(row, view.getUint8(at + 4) === 0 ? 0 : 1);
            time!.put(row, view.getFloat32(at + 5, true));
            state!.put(row, view.getUint8(at + 9));
          },
        },
      ],
      [
        "anim-vehicle",
        {
          width: 21,
          destinations: new Destinations(["steering", "throttle", "brake", "handbrake", "gear"], 1),
          cells: {
            steering: { at: 4, type: "f32" },
            throttle: { at: 8, type: "f32" },
            brake: { at: 12, type: "f32" },
            handbrake: { at: 16, type: "flag" },
            gear: { at: 17, type: "i32" },
          },
          put: (view, at, [steering, throttle, brake, handbrake, gear], row) => {
            steering!.put(row, view.getFloat32(at + 4, true));
            throttle!.put(row, view.getFloat32(at + 8, true));
            brake!.put(row, view.getFloat32(at + 12, true));
            handbrake!.put(row, view.getUint8(at + 16) === 0 ? 0 : 1);
            gear!.put(row, view.getInt32(at + 17, true));
          },
        },
      ],
      [
        "anim-walker",
        {
          width: 8,
          destinations: new Destinations(["speed"], 2),
          cells: { speed: { at: 4, type: "f32" } },
          put: (view, at, [speed], row) => speed!.put(row, view.getFloat32(at + 4, true)),
        },
      ],
      [
        "vehicle-light",
        {
          width: 8,
          destinations: new Destinations(["lights"], 1),
          cells: { lights: { at: 4, type: "u32" } },
          put: (view, at, [lights], row) => lights!.put(row, view.getUint32(at + 4, true)),
        },
      ],
    ]);
  }

  /** Folds a packet, as many records as are whole; false when it is of another kind. */
  apply(state: MutableState, kind: PacketKind, bytes: Uint8Array, start: number, end: number): boolean {
    const movement = this.#movements.get(kind);
    if (movement === undefined) return false;
    if (end - start < 2) return true;
    const { width, destinations, put } = movement;
    const wanted = this.#narrowing?.of(state, kind, destinations.names) ?? null;
    if (wanted?.size === 0) return true;
    if (bytes !== this.#bytes) {
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#bytes = bytes;
    }
    const view = this.#view;
    const total = Math.min(view.getUint16(start, true), Math.floor((end - start - 2) / width));
    destinations.begin(state);
    for (let n = 0, at = start + 2; n < total; n++, at += width) {
      const id = view.getUint32(at, true);
      if (wanted !== null && !wanted.has(id)) continue;
      const row = destinations.row(id, n);
      put(view, at, destinations.columns, row);
    }
    return true;
  }

  /** Null: packets of this kind are not of motion, or not in records of one width. */
  of(kind: PacketKind): Movement | null {
    return this.#movements.get(kind) ?? null;
  }

  /** To be called when an actor that is there may be of another type from now on. */
  forget(): void {
    for (const { destinations } of this.#movements.values()) destinations.forget();
  }
}

import type { Dialect, PacketKind } from "../layout/layout.ts";
import type { ColumnName } from "./columns.ts";

/** How a number lies in a packet; all are little-endian. `flag`: 0, or anything else for 1. */
export type NumberType = "f32" | "f64" | "flag" | "u8" | "u32" | "i32" | "u64";

/** A number in a packet of one value, or in a record that begins with an actor's id. */
export interface NumberField {
  readonly at: number;
  readonly type: NumberType;
}

/** Records of one width, each of one actor: where the numbers of its columns are. */
export interface RecordShape {
  readonly width: number;
  readonly columns: Readonly<Partial<Record<ColumnName, readonly NumberField[]>>>;
}

/** A value that one kind of packet says: where it is, and bytes that the packet has at least. */
export interface ValueShape {
  readonly kind: PacketKind;
  readonly bytes: number;
  readonly field: NumberField;
}

/** Values that are numbers by themselves (spec §4.0, §4.14, §4.20). */
export const VALUES: Readonly<Record<string, ValueShape>> = {
  frame: { kind: "frame-start", bytes: 24, field: { at: 0, type: "u64" } },
  "frame-duration": { kind: "frame-start", bytes: 24, field: { at: 8, type: "f64" } },
  "platform-time": { kind: "platform-time", bytes: 8, field: { at: 0, type: "f64" } },
  "visual-time": { kind: "visual-time", bytes: 8, field: { at: 0, type: "f64" } },
};

const one = (at: number, type: NumberType): readonly NumberField[] => [{ at, type }];

/** Kinds of packets that do not depend on how long Unreal's numbers are (spec §4.7 to §4.10, §4.22). */
const SHAPES: Readonly<Partial<Record<PacketKind, RecordShape>>> = {
  state: { width: 10, columns: { frozen: one(4, "flag"), "state-time": one(5, "f32"), state: one(9, "u8") } },
  "anim-vehicle": {
    width: 21,
    columns: {
      steering: one(4, "f32"),
      throttle: one(8, "f32"),
      brake: one(12, "f32"),
      handbrake: one(16, "flag"),
      gear: one(17, "i32"),
    },
  },
  "anim-walker": { width: 8, columns: { speed: one(4, "f32") } },
  "vehicle-light": { width: 8, columns: { lights: one(4, "u32") } },
  biker: { width: 12, columns: { "forward-speed": one(4, "f32"), "rpm-ratio": one(8, "f32") } },
};

/** How packets of a kind are laid out; null: not in records of one width that say numbers of actors. */
export function shapeOf(kind: PacketKind, { scalar }: Dialect): RecordShape | null {
  const type = scalar === 4 ? "f32" : "f64";
  const vector = (at: number): readonly NumberField[] => [0, 1, 2].map((k) => ({ at: at + k * scalar, type }));
  const [first, second] = [vector(4), vector(4 + 3 * scalar)];
  const width = 4 + 6 * scalar;
  if (kind === "position") return { width, columns: { position: first, rotation: second } };
  if (kind === "kinematics") return { width, columns: { velocity: first, "angular-velocity": second } };
  return SHAPES[kind] ?? null;
}

/** Where a number of a column is in a record; null: it is not in it. */
export function fieldOf({ columns }: RecordShape, column: string, item: number): NumberField | null {
  return Object.hasOwn(columns, column) ? (columns[column as ColumnName]![item] ?? null) : null;
}

/** A number of a packet. */
export function numberAt(view: DataView, at: number, type: NumberType): number {
  switch (type) {
    case "f32":
      return view.getFloat32(at, true);
    case "f64":
      return view.getFloat64(at, true);
    case "flag":
      return view.getUint8(at) === 0 ? 0 : 1;
    case "u8":
      return view.getUint8(at);
    case "u32":
      return view.getUint32(at, true);
    case "i32":
      return view.getInt32(at, true);
    case "u64":
      return view.getUint32(at + 4, true) * 0x1_0000_0000 + view.getUint32(at, true);
    default:
      return type satisfies never;
  }
}

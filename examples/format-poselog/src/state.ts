import type { Axes, ColumnSpec, StateModel } from "simtape/kit";
import { type Dialect, POSE, rotationWidth } from "./layout.ts";

/** Name of the set. */
export const THINGS = "things";

/** As in OpenXR: y is up, and a thing without rotation looks along -z. */
export const AXES: Axes = {
  handed: "right",
  up: "y",
  kind: "local",
  angles: { order: "yaw-pitch-roll", roll: "right", pitch: "up", yaw: "left", zero: "-z" },
  own: { forward: "-z", up: "y" },
};

const POSITION: ColumnSpec = { kind: "f64", width: 3, unit: "m", interpolation: "linear" };
const ROTATIONS: Readonly<Record<Dialect, readonly [name: string, ColumnSpec]>> = {
  quaternion: ["orientation", { kind: "f64", width: 4, unit: null, interpolation: "quaternion" }],
  euler: ["rotation", { kind: "f64", width: 3, unit: "deg", interpolation: "angle-deg" }],
};

/** Name of the column of rotations. */
export function rotationColumn(dialect: Dialect): string {
  return ROTATIONS[dialect][0];
}

/** A pose replaces the last one of its thing; a thing that is gone leaves the set. */
export function stateOf(dialect: Dialect): StateModel {
  const [name, spec] = ROTATIONS[dialect];
  const width = rotationWidth(dialect);
  // The view is made once for each batch: one for each message would cost more than all the rest.
  let bytes: Uint8Array | null = null;
  let view: DataView;
  return {
    motion: POSE,
    replacesState: () => false,
    apply(state, batch, row) {
      if (bytes !== batch.bytes) {
        bytes = batch.bytes;
        view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      }
      const things = state.set(THINGS, AXES);
      const at = batch.start[row]!;
      const thing = view.getUint32(at, true);
      if (batch.channel[row] !== POSE) return things.remove(thing);
      const number = (i: number): number => view.getFloat64(at + 4 + 8 * i, true);
      const place = things.row(thing);
      things.column("position", POSITION).put3(place, number(0), number(1), number(2));
      const rotations = things.column(name, spec);
      for (let k = 0; k < width; k++) rotations.put(place, number(3 + k), k);
    },
  };
}

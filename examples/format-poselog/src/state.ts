import type { Axes, ColumnSpec, StateModel } from "simtape/kit";
import { type Dialect, POSE, turnWidth } from "./layout.ts";

/** The one set of things. */
export const THINGS = "things";

/** As in OpenXR and most of graphics: y is up, and a thing that is not turned looks along -z. */
export const AXES: Axes = {
  handed: "right",
  up: "y",
  kind: "local",
  angles: { order: "yaw-pitch-roll", roll: "right", pitch: "up", yaw: "left", zero: "-z" },
  own: { forward: "-z", up: "y" },
};

const POSITION: ColumnSpec = { kind: "f64", width: 3, unit: "m", interpolation: "linear" };
const TURNS: Readonly<Record<Dialect, readonly [name: string, ColumnSpec]>> = {
  quaternion: ["orientation", { kind: "f64", width: 4, unit: null, interpolation: "quaternion" }],
  euler: ["rotation", { kind: "f64", width: 3, unit: "deg", interpolation: "angle-deg" }],
};

/** Name of the column of turns. */
export function turnColumn(dialect: Dialect): string {
  return TURNS[dialect][0];
}

/** What a message changes: a pose replaces the one before, and what is gone leaves. */
export function stateOf(dialect: Dialect): StateModel {
  const [name, spec] = TURNS[dialect];
  const width = turnWidth(dialect);
  // Of the batch that was seen last: a view for each message would cost more than all the rest.
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
      const turns = things.column(name, spec);
      for (let k = 0; k < width; k++) turns.put(place, number(3 + k), k);
    },
  };
}

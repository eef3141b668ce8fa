import type { Axes, ColumnSpec, Kit, StateModel } from "simtape/kit";
import { readPosition } from "./layout.ts";

/** Name of the set. */
export const THINGS = "things";

/** What the numbers mean. simtape turns them, so that the viewer and conversions need no change here. */
const AXES: Axes = { handed: "right", up: "z", kind: "local" };
const POSITION: ColumnSpec = { kind: "f64", width: 3, unit: "m", interpolation: "linear" };

/** How messages become the state: a position replaces the last one of its thing. */
export function stateOf({ ByteCursor }: Kit): StateModel {
  return {
    // The channel of motion.
    motion: 0,
    // No message holds the whole state.
    replacesState: () => false,
    apply(state, batch, row) {
      const { thing, position } = readPosition(new ByteCursor(batch.payload(row)));
      const things = state.set(THINGS, AXES);
      const [x, y, z] = position as [number, number, number];
      things.column("position", POSITION).put3(things.row(thing), x, y, z);
    },
  };
}

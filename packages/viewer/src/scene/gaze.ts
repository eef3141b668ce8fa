import { Vector3 } from "three";
import type { Gaze } from "../gaze.ts";
import type { CameraPlace } from "./camera-rig.ts";
import type { Origin } from "./origin.ts";
import { find, placeOf } from "./pick.ts";
import type { Crowd } from "./presenters/presenter.ts";

/** Where in the scene that is. What is to be looked at and is nowhere now leaves its weight to the target. */
export function placeFor(gaze: Gaze, crowds: readonly Crowd[], origin: Origin): CameraPlace {
  const position = inScene(gaze.position, origin);
  const target = new Vector3(...inScene(gaze.target, origin));
  const things = gaze.things ?? [];
  const spots = things.map(({ set, id }) => find(crowds, set, id));
  const rest = 1 - things.reduce((sum, { weight }, i) => sum + (spots[i] === null ? 0 : weight), 0);
  target.multiplyScalar(rest);
  for (const [i, spot] of spots.entries()) {
    if (spot !== null) target.addScaledVector(placeOf(spot.crowd, spot.row, PLACE), things[i]!.weight);
  }
  return { position, target: target.toArray() };
}

function inScene(place: readonly [number, number, number], origin: Origin): [number, number, number] {
  const out: [number, number, number] = [...place];
  origin.fromRecording(out, 0);
  return out;
}

const PLACE = new Vector3();

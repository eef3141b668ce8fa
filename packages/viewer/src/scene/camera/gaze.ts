import { Vector3 } from "three";
import type { Gaze } from "../../gaze.ts";
import type { CameraPlace } from "./camera-rig.ts";
import type { Origin } from "../things/origin.ts";
import { find, middleOf } from "../things/pick.ts";
import type { Crowd } from "../presenters/presenter.ts";

/**
 * Where in the scene that is. What is to be looked at and is nowhere now leaves its weight to the target. From one to
 * the other the look turns level, the shorter way: a straight line between them might lead through the camera.
 */
export function placeFor(gaze: Gaze, crowds: readonly Crowd[], origin: Origin): CameraPlace {
  const position = inScene(gaze.position, origin);
  const target = inScene(gaze.target, origin);
  const looked = (gaze.things ?? []).flatMap(({ set, id, weight }) => {
    const spot = find(crowds, set, id);
    return spot === null ? [] : [{ weight, at: middleOf(spot, PLACE).toArray() }];
  });
  const rest = 1 - looked.reduce((sum, { weight }) => sum + weight, 0);
  const all = [...(rest > 1e-9 ? [{ weight: rest, at: target }] : []), ...looked];
  const [only] = all;
  if (all.length === 1) return { position, target: only!.at };
  let [yaw, pitch, length, before] = [0, 0, 0, Number.NaN];
  for (const { weight, at } of all) {
    const [x, y, z] = at.map((value, k) => value - position[k]!) as [number, number, number];
    let turned = Math.atan2(z, x);
    if (!Number.isNaN(before)) turned += 2 * Math.PI * Math.round((before - turned) / (2 * Math.PI));
    before = turned;
    yaw += weight * turned;
    pitch += weight * Math.atan2(y, Math.hypot(x, z));
    length += weight * Math.hypot(x, y, z);
  }
  const level = length * Math.cos(pitch);
  const [x, y, z] = position;
  return { position, target: [x + level * Math.cos(yaw), y + length * Math.sin(pitch), z + level * Math.sin(yaw)] };
}

function inScene(place: readonly [number, number, number], origin: Origin): [number, number, number] {
  const out: [number, number, number] = [...place];
  origin.fromRecording(out, 0);
  return out;
}

const PLACE = new Vector3();

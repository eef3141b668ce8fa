import { type Axis, axesOf, Compass } from "./compass.ts";
import type { CameraRig } from "../camera/camera-rig.ts";
import type { Spot } from "../things/pick.ts";
import type { Crowd } from "../presenters/presenter.ts";
import { ScaleBar } from "./scale-bar.ts";

/** Which way the axes point, and how large things are: in the corner of the picture. */
export class Bearings {
  readonly element: HTMLElement = document.createElement("div");
  readonly #compass = new Compass();
  readonly #scale = new ScaleBar();
  /** Made for this set as it is turned. */
  #axes: readonly Axis[] = [];
  #of: readonly unknown[] = [];

  constructor() {
    this.element.className = "scene-bearings";
    this.element.append(this.#compass.element, this.#scale.element);
  }

  /** `pixel`: the size of one at a distance of 1 m. */
  show(crowds: readonly Crowd[], followed: Spot | null, { camera, mode, distance }: CameraRig, pixel: number): void {
    const crowd = subjectOf(crowds, followed);
    this.element.hidden = crowd === null;
    if (crowd === null) return;
    const { frame, axes, metres } = crowd;
    const of = [axes, ...frame.matrixWorld.elements];
    if (of.some((part, i) => part !== this.#of[i])) {
      this.#of = of;
      this.#axes = axesOf(axes, frame.matrixWorld);
    }
    this.#compass.show(this.#axes, camera.quaternion);
    const scale = metres === null ? 1 : metres / frame.matrixWorld.getMaxScaleOnAxis();
    this.#scale.show(mode === "first-person" ? Number.NaN : pixel * distance * scale);
  }
}

/** What has a size of its own, as molecules in a room; else what is followed, else the first that is there. */
function subjectOf(crowds: readonly Crowd[], followed: Spot | null): Crowd | null {
  const isThere = ({ poses }: Crowd): boolean => poses.count > 0;
  const own = crowds.filter(({ metres }) => metres !== null).findLast(isThere);
  return own ?? followed?.crowd ?? crowds.find(isThere) ?? null;
}

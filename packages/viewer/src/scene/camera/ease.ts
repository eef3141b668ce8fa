import { type PerspectiveCamera, Quaternion, Vector3 } from "three";

/** Milliseconds. */
const LASTS = 350;

/** A camera's way to another place: it is there in a moment, and slow at both ends. */
export class Ease {
  readonly #position = new Vector3();
  readonly #quaternion = new Quaternion();
  #began = Number.NEGATIVE_INFINITY;

  /** From where the camera is, at `now` in milliseconds. */
  begin({ position, quaternion }: PerspectiveCamera, now: number): void {
    this.#position.copy(position);
    this.#quaternion.copy(quaternion);
    this.#began = now;
  }

  /** Places `camera` on the way to where `goal` is; whether that is still under way. */
  place(camera: PerspectiveCamera, goal: PerspectiveCamera, now: number): boolean {
    const part = Math.min(1, (now - this.#began) / LASTS);
    const gone = part * part * (3 - 2 * part);
    camera.position.lerpVectors(this.#position, goal.position, gone);
    camera.quaternion.slerpQuaternions(this.#quaternion, goal.quaternion, gone);
    return part < 1;
  }
}

/** Whether the user has asked for no motion that need not be. */
export function isMotionReduced(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

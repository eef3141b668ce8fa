import { type PerspectiveCamera, Plane, type Ray, Raycaster, Vector2, Vector3 } from "three";
import { slope } from "./lens.ts";
import { pick, placeOf, type Spot } from "../things/pick.ts";
import type { Crowd } from "../presenters/presenter.ts";

/** What there is to point at. */
export interface Pointed {
  readonly crowds: readonly Crowd[];
  /** What is seen with. */
  readonly camera: PerspectiveCamera;
  /** Metres from there to what is looked at. */
  readonly distance: number;
  /** Of the ground. */
  readonly height: number;
}

/** The ground is not pointed at from so many times as far as what is looked at. */
const FAR_OFF = 30;
/** Pixels: a press that moves farther drags. */
const STILL = 4;

/** What the mouse points at in a picture. A click that did not drag chooses. */
export class Pointer {
  readonly #element: HTMLElement;
  readonly #pointed: () => Pointed;
  /** Where the mouse is, pixels of the page; null: not over the picture. */
  #mouse: Vector2 | null = null;
  readonly #removals = new AbortController();

  constructor(element: HTMLElement, pointed: () => Pointed, onPick: (spot: Spot | null) => void) {
    this.#element = element;
    this.#pointed = pointed;
    const { signal } = this.#removals;
    const down = new Vector2();
    const move = ({ clientX, clientY }: PointerEvent): void => {
      this.#mouse ??= new Vector2();
      this.#mouse.set(clientX, clientY);
    };
    const leave = (): void => {
      this.#mouse = null;
    };
    const press = (event: PointerEvent): void => {
      move(event);
      down.set(event.clientX, event.clientY);
    };
    const release = ({ button, clientX, clientY }: PointerEvent): void => {
      if (button !== 0 || Math.hypot(clientX - down.x, clientY - down.y) > STILL) return;
      onPick(this.#spotAt(clientX, clientY));
    };
    element.addEventListener("pointermove", move, { signal });
    element.addEventListener("pointerdown", press, { signal });
    element.addEventListener("pointerleave", leave, { signal });
    element.addEventListener("pointerup", release, { signal });
  }

  /** Where that is in the scene: the place of the thing under the mouse, else of the ground; null: nothing is there. */
  place(): Vector3 | null {
    if (this.#mouse === null) return null;
    const { x, y } = this.#mouse;
    const spot = this.#spotAt(x, y);
    if (spot !== null) return placeOf(spot.crowd, spot.row, new Vector3());
    const { camera, distance, height } = this.#pointed();
    const place = this.#aim(x, y).intersectPlane(new Plane(new Vector3(0, 1, 0), -height), new Vector3());
    // Near the horizon it would be anywhere.
    return place === null || place.distanceTo(camera.position) > FAR_OFF * distance ? null : place;
  }

  dispose(): void {
    this.#removals.abort();
  }

  #spotAt(clientX: number, clientY: number): Spot | null {
    const { crowds, camera } = this.#pointed();
    return pick(this.#aim(clientX, clientY), crowds, slope(camera) / this.#element.clientHeight);
  }

  #aim(clientX: number, clientY: number): Ray {
    const { left, top, width, height } = this.#element.getBoundingClientRect();
    const at = new Vector2(((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2);
    const caster = new Raycaster();
    caster.setFromCamera(at, this.#pointed().camera);
    return caster.ray;
  }
}

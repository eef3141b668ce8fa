import { type PerspectiveCamera, Vector3 } from "three";
import { type Watcher, MOST_WATCHERS } from "../../company.ts";
import type { Origin } from "../things/origin.ts";
import { placeOf, type Spot } from "../things/pick.ts";
import type { Crowd } from "../presenters/presenter.ts";

/** Pixels of the smallest ring around a thing. */
const LEAST_RING = 12;
/** Pixels between the edge of the picture and an arrow to what is outside. */
const EDGE = 14;

/** What is drawn for a watcher: where it points, what it has selected, and from where it looks. */
const KINDS = ["point", "ring", "eye"] as const;
type Kind = (typeof KINDS)[number];

/**
 * Those who watch elsewhere, over the picture: a mark where each points, a ring around what it has selected; arrows
 * at the edge for what is outside the picture.
 */
export class Watchers {
  readonly #element: HTMLElement;
  #marks: Mark[] = [];

  /** In an element that is over the picture. */
  constructor(element: HTMLElement) {
    this.#element = element;
  }

  show(watchers: readonly Watcher[], origin: Origin): void {
    const before = new Map(this.#marks.map((mark) => [mark.watcher.id, mark]));
    this.#marks = watchers.slice(0, MOST_WATCHERS).map((watcher) => {
      const mark = before.get(watcher.id) ?? new Mark(watcher, this.#element);
      before.delete(watcher.id);
      mark.take(watcher, origin);
      return mark;
    });
    for (const gone of before.values()) gone.remove();
  }

  /** Puts the marks where they are in a picture of so many pixels. */
  place(crowds: readonly Crowd[], camera: PerspectiveCamera, width: number, height: number): void {
    if (this.#marks.length === 0) return;
    const pixels = height / (2 * Math.tan((camera.fov * Math.PI) / 360));
    for (const mark of this.#marks) mark.place(crowds, camera, width, height, pixels);
  }
}

/** The marks of one watcher. */
class Mark {
  watcher: Watcher;
  readonly #elements: Record<Kind, HTMLElement>;
  readonly #at = new Vector3();
  readonly #eye = new Vector3();

  constructor(watcher: Watcher, host: HTMLElement) {
    this.watcher = watcher;
    const make = (kind: Kind): HTMLElement => {
      const element = document.createElement("div");
      element.className = `scene-watcher scene-watcher-${kind}`;
      element.hidden = true;
      element.append(document.createElement("span"));
      host.append(element);
      return element;
    };
    this.#elements = { point: make("point"), ring: make("ring"), eye: make("eye") };
  }

  take(watcher: Watcher, origin: Origin): void {
    this.watcher = watcher;
    for (const kind of KINDS) {
      const element = this.#elements[kind];
      element.style.setProperty("--watcher", watcher.color);
      element.firstElementChild!.textContent = watcher.name;
    }
    if (watcher.at !== null) toScene(watcher.at, origin, this.#at);
    if (watcher.camera !== null) toScene(watcher.camera, origin, this.#eye);
    this.#elements.point.dataset["at"] = watcher.at?.join(" ") ?? "";
    this.#elements.ring.dataset["thing"] = watcher.thing ?? "";
  }

  place(crowds: readonly Crowd[], camera: PerspectiveCamera, width: number, height: number, pixels: number): void {
    const { at, thing, camera: gaze } = this.watcher;
    const { point, ring, eye } = this.#elements;
    put(point, at === null ? null : this.#at, camera, width, height);
    put(eye, gaze === null ? null : this.#eye, camera, width, height);
    const spot = thing === null ? null : findNamed(crowds, thing);
    if (spot === null) {
      ring.hidden = true;
      return;
    }
    const { crowd, row } = spot;
    const scale = crowd.frame.matrixWorld.getMaxScaleOnAxis();
    placeOf(crowd, row, PLACE);
    PLACE.y += (crowd.isMain ? crowd.top / 2.5 : 0) * scale;
    const radius = (1.15 * crowd.radius * scale * pixels) / PLACE.distanceTo(camera.position);
    put(ring, PLACE, camera, width, height);
    ring.style.setProperty("--radius", `${Math.round(Math.min(height, Math.max(LEAST_RING, radius)))}px`);
  }

  remove(): void {
    for (const kind of KINDS) this.#elements[kind].remove();
  }
}

/** Where it is in the picture; what is outside, at the edge towards it. Null: nowhere. */
function put(
  element: HTMLElement,
  place: Vector3 | null,
  camera: PerspectiveCamera,
  width: number,
  height: number,
): void {
  element.hidden = place === null;
  if (place === null) return;
  NDC.copy(place).project(camera);
  const isAway = !isInside(NDC);
  element.classList.toggle("is-away", isAway);
  let [x, y] = [(NDC.x * width) / 2, (-NDC.y * height) / 2];
  if (isAway) {
    // what is behind the eye is projected upside down
    const side = NDC.z > 1 ? -1 : 1;
    const far = side * Math.hypot(x, y);
    const [towardsX, towardsY] = far === 0 ? [0, 1] : [x / far, y / far];
    const [reachX, reachY] = [width / 2 - EDGE, height / 2 - EDGE].map((reach) => Math.max(0, reach)) as [
      number,
      number,
    ];
    const reach = Math.min(reachX / Math.abs(towardsX), reachY / Math.abs(towardsY));
    [x, y] = [towardsX * reach, towardsY * reach];
    element.style.setProperty("--towards-x", towardsX.toFixed(3));
    element.style.setProperty("--towards-y", towardsY.toFixed(3));
    element.style.setProperty("--bearing", `${Math.atan2(towardsY, towardsX).toFixed(3)}rad`);
  }
  element.style.transform = `translate(${(width / 2 + x).toFixed(1)}px, ${(height / 2 + y).toFixed(1)}px)`;
}

function isInside({ x, y, z }: Vector3): boolean {
  return Math.abs(x) <= 1 && Math.abs(y) <= 1 && Math.abs(z) <= 1;
}

/** A thing by `set/id`. */
function findNamed(crowds: readonly Crowd[], name: string): Spot | null {
  for (const crowd of crowds) {
    if (!name.startsWith(`${crowd.set}/`)) continue;
    const id = name.slice(crowd.set.length + 1);
    const row = crowd.poses.ids.findIndex((one) => String(one) === id);
    if (crowd.poses.isKnown(row)) return { crowd, row };
  }
  return null;
}

function toScene([x, y, z]: readonly [number, number, number, ...number[]], origin: Origin, out: Vector3): void {
  NUMBERS[0] = x;
  NUMBERS[1] = y;
  NUMBERS[2] = z;
  origin.fromRecording(NUMBERS, 0);
  out.fromArray(NUMBERS);
}

const NUMBERS = new Float64Array(3);
const PLACE = new Vector3();
const NDC = new Vector3();

import { type Box3, PerspectiveCamera, Quaternion, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { pointsOf } from "./framed.ts";
import { placeOf, type Spot } from "./pick.ts";

export type CameraMode = "orbit" | "follow" | "top" | "first-person";

/** Where the camera is, as it is kept in the address. */
export interface CameraPlace {
  readonly position: readonly number[];
  readonly target: readonly number[];
}

const FIELD = 45;
/** Around what is seen at first, so much of it is left empty. */
const MARGIN = 1.12;
/** From where it is seen. */
const SIDE = new Vector3(0.62, 0.5, 0.75).normalize();

/** The camera in its four ways. What is followed is given with every frame. */
export class CameraRig {
  readonly camera: PerspectiveCamera = new PerspectiveCamera(FIELD, 1, 0.1, 1000);
  readonly #controls: OrbitControls;
  #mode: CameraMode = "orbit";
  readonly #onMove: () => void;
  /** Where what is followed was, and where it headed, radians. */
  readonly #last = new Vector3();
  #heading = Number.NaN;
  #isFollowing = false;

  /** `onChange`: draw again; `onMove`: the user has moved it, to be kept. */
  constructor(element: HTMLElement, onChange: () => void, onMove: () => void) {
    this.#onMove = onMove;
    this.#controls = new OrbitControls(this.camera, element);
    this.#controls.addEventListener("change", onChange);
    this.#controls.addEventListener("end", this.#onMove);
    this.#controls.zoomToCursor = true;
  }

  get mode(): CameraMode {
    return this.#mode;
  }

  /** Metres from the camera to what it turns about. */
  get distance(): number {
    return this.camera.position.distanceTo(this.#controls.target);
  }

  get target(): Vector3 {
    return this.#controls.target;
  }

  get place(): CameraPlace {
    return { position: rounded(this.camera.position), target: rounded(this.#controls.target) };
  }

  set place({ position, target }: CameraPlace) {
    if (![...position, ...target].every(Number.isFinite) || position.length !== 3 || target.length !== 3) return;
    this.camera.position.fromArray(position);
    this.#controls.target.fromArray(target);
    this.#controls.update();
  }

  setMode(mode: CameraMode, spot: Spot | null): void {
    if (mode === this.#mode) return;
    const before = this.#mode;
    this.#mode = mode;
    this.#isFollowing = false;
    this.#controls.enabled = mode !== "first-person";
    this.#controls.enableRotate = mode !== "top";
    this.#controls.zoomToCursor = mode === "orbit" || mode === "top";
    const distance = Math.max(this.distance, spot === null ? 0 : 4 * spot.crowd.radius);
    if (mode === "top") {
      this.camera.position.copy(this.#controls.target).add(STEP.set(0, distance * 1.2, 1e-3 * distance));
    } else if (before === "top" || before === "first-person") {
      this.camera.position.copy(this.#controls.target).addScaledVector(SIDE, distance);
    }
    if (mode === "follow" && spot !== null) this.#goBehind(spot);
    this.#controls.update();
  }

  /** Looks at the whole box from aside, from above, or from behind what is followed. */
  home(box: Box3, spot: Spot | null): void {
    if (this.#mode === "follow" && spot !== null) {
      this.#goBehind(spot);
    } else {
      box.getCenter(this.#controls.target);
      if (this.#mode === "top") AHEAD.set(0, 1, 1e-3).normalize();
      else AHEAD.copy(SIDE);
      const distance = distanceFor(box, AHEAD, this.camera);
      this.camera.position.copy(this.#controls.target).addScaledVector(AHEAD, distance);
      this.#isFollowing = false;
    }
    this.#controls.update();
  }

  /** Goes along with what is followed, in the ways that do. */
  follow(spot: Spot | null): void {
    if (spot === null) {
      this.#isFollowing = false;
      return;
    }
    if (this.#mode === "first-person") {
      this.#look(spot);
      return;
    }
    if (this.#mode !== "follow") return;
    middleOf(spot, PLACE);
    if (!this.#isFollowing) {
      this.#isFollowing = true;
      STEP.copy(PLACE).sub(this.#controls.target);
    } else {
      STEP.copy(PLACE).sub(this.#last);
    }
    this.#last.copy(PLACE);
    this.camera.position.add(STEP);
    this.#controls.target.add(STEP);
    this.#steer(spot);
    this.camera.updateMatrixWorld();
  }

  /** Depths that fit what is looked at, before drawing. */
  fit(width: number, height: number): void {
    const { distance } = this;
    const isInside = this.#mode === "first-person";
    this.camera.near = isInside ? 0.05 : Math.max(distance / 200, 1e-3);
    this.camera.far = isInside ? 20_000 : Math.max(distance * 500, 100);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
  }

  dispose(): void {
    this.#controls.dispose();
  }

  /** Behind a thing, a little to the side of it and above. */
  #goBehind(spot: Spot): void {
    middleOf(spot, PLACE);
    const distance = spot.crowd.distance * spot.crowd.frame.matrixWorld.getMaxScaleOnAxis();
    aheadOf(spot, AHEAD).setY(0).normalize().applyAxisAngle(UP, ASIDE);
    this.#controls.target.copy(PLACE);
    // In a view that is higher than wide, from farther away.
    const away = distance / Math.min(1, 0.35 + 0.45 * this.camera.aspect);
    this.camera.position.copy(PLACE).addScaledVector(AHEAD, -away);
    this.camera.position.y += away * spot.crowd.rise;
    this.#last.copy(PLACE);
    this.#heading = headingOf(spot);
    this.#isFollowing = true;
  }

  /** Turns about what is followed as much as that has turned. */
  #steer(spot: Spot): void {
    const before = this.#heading;
    this.#heading = headingOf(spot);
    const turned = this.#heading - before;
    if (!spot.crowd.steers || !Number.isFinite(turned) || turned === 0) return;
    const { target } = this.#controls;
    this.camera.position.sub(target).applyAxisAngle(UP, turned).add(target);
    this.camera.lookAt(target);
  }

  /** From the eye of a thing to where it looks. */
  #look(spot: Spot): void {
    const { crowd, row } = spot;
    const { frame } = crowd;
    placeOf(crowd, row, this.camera.position);
    const eye = crowd.eye * frame.matrixWorld.getMaxScaleOnAxis();
    orientationOf(spot, TURN);
    this.camera.position.add(STEP.set(0, eye, 0).applyQuaternion(eye > 1.5 ? NO_TURN : TURN));
    if (crowd.ahead === "x") TURN.multiply(RIGHT_TO_AHEAD);
    this.camera.quaternion.copy(TURN);
    // What would be orbited when the user steps out again.
    this.#controls.target
      .copy(this.camera.position)
      .addScaledVector(STEP.set(0, 0, -1).applyQuaternion(TURN), 4 * crowd.radius);
    this.camera.updateMatrixWorld();
  }
}

function middleOf({ crowd, row }: Spot, out: Vector3): Vector3 {
  placeOf(crowd, row, out);
  out.y += (crowd.top / 3) * crowd.frame.matrixWorld.getMaxScaleOnAxis();
  return out;
}

function orientationOf({ crowd, row }: Spot, out: Quaternion): Quaternion {
  out.fromArray(crowd.poses.orientations, 4 * row);
  return out.premultiply(crowd.frame.getWorldQuaternion(FRAME));
}

function aheadOf(spot: Spot, out: Vector3): Vector3 {
  out.set(spot.crowd.ahead === "x" ? 1 : 0, 0, spot.crowd.ahead === "x" ? 0 : -1);
  return out.applyQuaternion(orientationOf(spot, TURN));
}

/** Radians about the vertical; NaN when it looks straight up or down. */
function headingOf(spot: Spot): number {
  aheadOf(spot, AHEAD);
  return Math.hypot(AHEAD.x, AHEAD.z) < 0.05 ? Number.NaN : Math.atan2(-AHEAD.z, AHEAD.x);
}

function rounded(vector: Vector3): number[] {
  return vector.toArray().map((value) => Number(value.toPrecision(6)));
}

const UP = new Vector3(0, 1, 0);
/** Radians beside straight behind. */
const ASIDE = 0.42;
const STEP = new Vector3();
const PLACE = new Vector3();
const AHEAD = new Vector3();
const TURN = new Quaternion();
const FRAME = new Quaternion();
const NO_TURN = new Quaternion();
/** A camera looks along -z; most things along x. */
const RIGHT_TO_AHEAD = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), -Math.PI / 2);

/** How far from its middle, in a direction, all that a box holds is seen. */
export function distanceFor(box: Box3, from: Vector3, camera: PerspectiveCamera): number {
  const slope = Math.tan((camera.fov * Math.PI) / 360) / MARGIN;
  // The axes of the view, whatever it looks at.
  const right = new Vector3(0, 1, 0).cross(from).normalize();
  const up = from.clone().cross(right);
  const middle = box.getCenter(new Vector3());
  const points = pointsOf(box);
  const point = new Vector3();
  let distance = 1e-3;
  for (let at = 0; at < points.length; at += 3) {
    point.fromArray(points, at).sub(middle);
    const aside = Math.abs(point.dot(right)) / camera.aspect;
    distance = Math.max(distance, point.dot(from) + Math.max(aside, Math.abs(point.dot(up))) / slope);
  }
  return distance;
}

import { type Box3, PerspectiveCamera, Quaternion, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Ease, isMotionReduced } from "./ease.ts";
import { pointsOf } from "./framed.ts";
import { middleOf, placeOf, type Spot } from "../things/pick.ts";

export type CameraMode = "orbit" | "follow" | "top" | "first-person";

/** Where the camera is, as it is kept in the address. */
export interface CameraPlace {
  readonly position: readonly number[];
  readonly target: readonly number[];
}

/** Degrees from the lower edge of the view to the upper one, and at most from the left one to the right one. */
const FIELD = 45;
const WIDEST = 75;
/** Around what is seen at first, so much of it is left empty. */
const MARGIN = 1.12;
/** From where it is seen. */
const SIDE = new Vector3(0.62, 0.5, 0.75).normalize();

/** The camera in its four ways. What is followed is given with every frame. */
export class CameraRig {
  /** What is drawn with: where the user has it, or on its way to there. */
  readonly camera: PerspectiveCamera = new PerspectiveCamera(FIELD, 1, 0.1, 1000);
  /** Where the user has it. */
  readonly #held = this.camera.clone();
  readonly #ease = new Ease();
  readonly #controls: OrbitControls;
  #mode: CameraMode = "orbit";
  readonly #onMove: () => void;
  /** Where what is followed was, and where it headed, radians. */
  readonly #last = new Vector3();
  #heading = Number.NaN;
  #isFollowing = false;
  /** Whether it was put somewhere since: it goes along from there. */
  #isPlaced = false;
  /** Degrees from the lower edge of the view to the upper one; null: as wide as the rig finds good. */
  field: number | null = null;
  /** Whether the camera may take a moment to arrive; in a video it is where it is. */
  eases = true;
  /** What was followed last. */
  #followed = "";

  /** `onChange`: draw again; `onMove`: the user has moved it, to be kept. */
  constructor(element: HTMLElement, onChange: () => void, onMove: () => void) {
    this.#onMove = onMove;
    this.#controls = new OrbitControls(this.#held, element);
    this.#controls.addEventListener("change", onChange);
    this.#controls.addEventListener("end", this.#onMove);
    this.#controls.zoomToCursor = true;
  }

  get mode(): CameraMode {
    return this.#mode;
  }

  /** Metres from the camera to what it turns about. */
  get distance(): number {
    return this.#held.position.distanceTo(this.#controls.target);
  }

  get target(): Vector3 {
    return this.#controls.target;
  }

  get place(): CameraPlace {
    return { position: rounded(this.#held.position), target: rounded(this.#controls.target) };
  }

  set place({ position, target }: CameraPlace) {
    if (![...position, ...target].every(Number.isFinite) || position.length !== 3 || target.length !== 3) return;
    this.#held.position.fromArray(position);
    this.#controls.target.fromArray(target);
    this.#controls.update();
    this.#isPlaced = true;
  }

  setMode(mode: CameraMode, spot: Spot | null): void {
    if (mode === this.#mode) return;
    const before = this.#mode;
    this.#mode = mode;
    this.#isFollowing = this.#isPlaced = false;
    this.#controls.enabled = mode !== "first-person";
    this.#controls.enableRotate = mode !== "top";
    this.#controls.zoomToCursor = mode === "orbit" || mode === "top";
    // What was looked out of is what is looked at.
    if (before === "first-person" && spot !== null) middleOf(spot, this.#controls.target);
    const distance = Math.max(this.distance, spot === null ? 0 : 4 * spot.crowd.radius);
    if (mode === "top") {
      this.#held.position.copy(this.#controls.target).add(STEP.set(0, distance * 1.2, 1e-3 * distance));
    } else if (before === "top" || before === "first-person") {
      this.#held.position.copy(this.#controls.target).addScaledVector(SIDE, distance);
    }
    if ((mode === "follow" || (mode === "orbit" && before === "first-person")) && spot !== null) this.#goBehind(spot);
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
      const distance = distanceFor(box, AHEAD, this.#held);
      this.#held.position.copy(this.#controls.target).addScaledVector(AHEAD, distance);
      this.#isFollowing = false;
    }
    this.#controls.update();
  }

  /** Goes from where it is to where it will be in a moment, not at once; unless the user has asked for less motion. */
  ease(): void {
    if (this.eases && !isMotionReduced()) this.#ease.begin(this.camera, performance.now());
  }

  /** Puts `camera` where it is to be now; whether it is still on its way. */
  settle(): boolean {
    this.#held.updateMatrixWorld();
    const isUnderWay = this.#ease.place(this.camera, this.#held, performance.now());
    this.camera.updateMatrixWorld();
    return isUnderWay;
  }

  /** Goes along with what is followed, in the ways that do; from above only with what was chosen. */
  follow(spot: Spot | null, isChosen = false): void {
    const followed = spot === null ? "" : `${spot.crowd.set}/${spot.crowd.poses.ids[spot.row]}`;
    const goesAbove = this.#mode === "top" && isChosen;
    const goesAlong = this.#mode === "follow" || this.#mode === "first-person" || goesAbove;
    if (goesAlong && this.#followed !== "" && followed !== "" && this.#followed !== followed) this.ease();
    this.#followed = followed;
    if (spot === null) {
      this.#isFollowing = false;
      return;
    }
    if (this.#mode === "first-person") {
      this.#look(spot);
      return;
    }
    if (!goesAlong) {
      this.#isFollowing = false;
      return;
    }
    middleOf(spot, PLACE);
    if (this.#isPlaced) {
      this.#isPlaced = false;
      this.#isFollowing = true;
      this.#heading = headingOf(spot);
      STEP.set(0, 0, 0);
    } else if (!this.#isFollowing) {
      this.#isFollowing = true;
      if (goesAbove) this.ease();
      STEP.copy(PLACE).sub(this.#controls.target);
    } else {
      STEP.copy(PLACE).sub(this.#last);
    }
    this.#last.copy(PLACE);
    this.#held.position.add(STEP);
    this.#controls.target.add(STEP);
    // north stays up
    if (!goesAbove) this.#steer(spot);
    this.#held.updateMatrixWorld();
  }

  /** Depths that fit what is looked at, before drawing. */
  fit(width: number, height: number): void {
    const away = this.camera.position.distanceTo(this.#controls.target);
    const isInside = this.#mode === "first-person";
    const aspect = width / Math.max(1, height);
    for (const camera of [this.camera, this.#held]) {
      camera.near = isInside ? 0.05 : Math.max(Math.min(away, this.distance) / 200, 1e-3);
      camera.far = isInside ? 20_000 : Math.max(Math.max(away, this.distance) * 500, 100);
      camera.aspect = aspect;
      camera.fov = this.field ?? fieldFor(aspect);
      camera.updateProjectionMatrix();
    }
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
    // In a view that is higher than wide, or very wide, from farther away.
    const { aspect } = this.#held;
    const away = ((distance / Math.min(1, 0.35 + 0.45 * aspect)) * slopeOf(FIELD)) / slopeOf(fieldFor(aspect));
    this.#held.position.copy(PLACE).addScaledVector(AHEAD, -away);
    this.#held.position.y += away * spot.crowd.rise;
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
    this.#held.position.sub(target).applyAxisAngle(UP, turned).add(target);
    this.#held.lookAt(target);
  }

  /** From the eye of a thing to where it looks. */
  #look(spot: Spot): void {
    const { crowd, row } = spot;
    const { frame } = crowd;
    placeOf(crowd, row, this.#held.position);
    const eye = crowd.eye * frame.matrixWorld.getMaxScaleOnAxis();
    orientationOf(spot, TURN);
    this.#held.position.add(STEP.set(0, eye, 0).applyQuaternion(eye > 1.5 ? NO_TURN : TURN));
    if (crowd.ahead === "x") TURN.multiply(RIGHT_TO_AHEAD);
    this.#held.quaternion.copy(TURN);
    // What would be orbited when the user steps out again.
    this.#controls.target
      .copy(this.#held.position)
      .addScaledVector(STEP.set(0, 0, -1).applyQuaternion(TURN), 4 * crowd.radius);
    this.#held.updateMatrixWorld();
  }
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

/** Degrees from below to above for a view of so many heights in width: a wide one shows less there, and bends nothing. */
export function fieldFor(aspect: number): number {
  return Math.min(FIELD, (2 * Math.atan(slopeOf(WIDEST) / aspect) * 180) / Math.PI);
}

function slopeOf(field: number): number {
  return Math.tan((field * Math.PI) / 360);
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

import { Matrix4, type PerspectiveCamera, Vector3 } from "three";
import type { Gaze } from "../gaze.ts";
import { placeFor } from "../scene/camera/gaze.ts";
import { SURROUNDINGS } from "../scene/drawing/look.ts";
import type { Origin } from "../scene/things/origin.ts";
import type { Overlay } from "../scene/over/overlay.ts";
import type { Crowd } from "../scene/presenters/presenter.ts";
import type { Scheme } from "../theme.ts";
import { type CameraPath, USUAL_FIELD } from "./path.ts";
import { PathRun } from "./path-run.ts";

/** Points of the line between two keyframes, and of all of it at most. */
const BETWEEN = 32;
const MOST = 6000;
/** Of the distance from which it is seen, as long is a camera that is drawn. */
const LONG = 0.05;
const FONT = 12;
type Point = readonly [x: number, y: number];

/** The path of the camera over the scene: a line, a small camera with its number at each keyframe, and where it is now. */
export class PathOverlay implements Overlay {
  readonly element: HTMLCanvasElement = document.createElement("canvas");
  readonly isInPictures: boolean = false;
  readonly #context: CanvasRenderingContext2D = this.element.getContext("2d")!;
  readonly #origin: () => Origin;
  readonly #time: () => number;
  #path: CameraPath | null = null;
  #run: PathRun | null = null;
  #isGeodetic = false;
  /** Of the line, places in the scene; null: made when it is drawn. */
  #line: Float64Array | null = null;
  #laidOn: Origin | null = null;
  /** The keyframe that is pointed at in the list; -1: none. */
  marked = -1;
  /** Not while the camera itself is on the path. */
  isHidden = false;

  /** `time`: what the scene shows, nanoseconds. */
  constructor(origin: () => Origin, time: () => number) {
    this.#origin = origin;
    this.#time = time;
    this.element.className = "scene-labels";
    this.element.setAttribute("aria-hidden", "true");
  }

  set path(path: CameraPath) {
    this.#path = path;
    this.#line = null;
  }

  draw(_: readonly Crowd[], camera: PerspectiveCamera, width: number, height: number, scheme: Scheme): void {
    const ratio = Math.min(2, devicePixelRatio);
    // Setting a size empties the canvas.
    this.element.width = Math.round(width * ratio);
    this.element.height = Math.round(height * ratio);
    const keyframes = this.#path?.keyframes ?? [];
    this.element.dataset["cameras"] = "0";
    if (keyframes.length === 0 || this.isHidden) return;
    this.#lay();
    const context = this.#context;
    context.scale(ratio, ratio);
    context.lineJoin = context.lineCap = "round";
    context.font = `600 ${FONT}px system-ui, sans-serif`;
    VIEW.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    const see = new Seen(VIEW, width, height);
    const colors = SURROUNDINGS[scheme];
    this.#strokeLine(see, colors.plate, 5);
    this.#strokeLine(see, colors.accent, 2.5);
    let count = 0;
    for (const [i, keyframe] of keyframes.entries()) {
      const { position, target, field = USUAL_FIELD } = keyframe;
      const gaze = { position, target, field };
      if (this.#camera(gaze, i === this.marked, camera, see, scheme, String(i + 1))) count++;
    }
    this.element.dataset["cameras"] = String(count);
    const seconds = this.#time() / 1e9;
    if (keyframes.length > 1 && seconds >= keyframes[0]!.time && seconds <= keyframes.at(-1)!.time) {
      const { position } = placeFor({ ...this.#run!.at(seconds), things: [] }, [], this.#origin());
      const here = see.point(PLACE.fromArray(position));
      if (here !== null) this.#dot(here, colors.plate, colors.accent);
    }
  }

  /** Knows where the line is in the scene, which may have another zero than when it was drawn last. */
  #lay(): void {
    const origin = this.#origin();
    if (this.#line !== null && this.#laidOn === origin && this.#isGeodetic === origin.isGeodetic) return;
    this.#laidOn = origin;
    this.#isGeodetic = origin.isGeodetic;
    const { keyframes } = this.#path!;
    this.#run = new PathRun(this.#path!, origin.isGeodetic);
    const steps = Math.max(4, Math.min(BETWEEN, Math.floor(MOST / keyframes.length)));
    const line = new Float64Array(3 * ((keyframes.length - 1) * steps + 1));
    for (let i = 0; 3 * i < line.length; i++) {
      const [from, part] = [keyframes[Math.floor(i / steps)]!, (i % steps) / steps];
      const to = keyframes[Math.floor(i / steps) + 1] ?? from;
      line.set(this.#run.at(from.time + part * (to.time - from.time)).position, 3 * i);
      origin.fromRecording(line, 3 * i);
    }
    this.#line = line;
  }

  #strokeLine(see: Seen, color: string, wide: number): void {
    const line = this.#line!;
    const context = this.#context;
    context.beginPath();
    for (let at = 3; at < line.length; at += 3) see.line(context, A.fromArray(line, at - 3), B.fromArray(line, at));
    context.strokeStyle = color;
    context.lineWidth = wide;
    context.stroke();
  }

  /** Whether any of it is seen. */
  #camera(
    gaze: Gaze & { readonly field: number },
    isMarked: boolean,
    camera: PerspectiveCamera,
    see: Seen,
    scheme: Scheme,
    text: string,
  ): boolean {
    const { position, target } = placeFor(gaze, [], this.#origin());
    const eye = PLACE.fromArray(position);
    if (see.point(eye) === null) return false;
    const long = LONG * (isMarked ? 1.4 : 1) * eye.distanceTo(camera.position);
    const ahead = A.fromArray(target).sub(eye).normalize();
    const right = B.crossVectors(ahead, UP);
    if (right.lengthSq() < 1e-9) right.set(1, 0, 0);
    right.normalize();
    const up = C.crossVectors(right, ahead);
    const half = long * Math.tan((Math.min(gaze.field, 80) * Math.PI) / 360);
    const corners = [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ].map(([x, y]) =>
      eye
        .clone()
        .addScaledVector(ahead, long)
        .addScaledVector(right, (x! * half * 16) / 9)
        .addScaledVector(up, y! * half),
    );
    // A roof over the picture says which side is up.
    const [left, over] = [corners[3]!, corners[2]!];
    const roof = left
      .clone()
      .add(over)
      .multiplyScalar(0.5)
      .addScaledVector(up, 0.7 * half);
    const context = this.#context;
    const colors = SURROUNDINGS[scheme];
    for (const [color, wide] of [
      [colors.plate, isMarked ? 6 : 4.5],
      [colors.accent, isMarked ? 3 : 1.75],
    ] as const) {
      context.beginPath();
      for (const [i, corner] of corners.entries()) {
        see.line(context, eye, corner);
        see.line(context, corner, corners[(i + 1) % 4]!);
      }
      see.line(context, left, roof);
      see.line(context, roof, over);
      context.strokeStyle = color;
      context.lineWidth = wide;
      context.stroke();
    }
    const [x, y] = see.point(eye)!;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = 4;
    context.strokeStyle = colors.plate;
    context.strokeText(text, x, y + FONT);
    context.fillStyle = colors.text;
    context.fillText(text, x, y + FONT);
    return true;
  }

  #dot([x, y]: Point, around: string, color: string): void {
    const context = this.#context;
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.strokeStyle = around;
    context.lineWidth = 2;
    context.fill();
    context.stroke();
  }
}

/** Where places of the scene are in the picture, pixels from its top left. */
class Seen {
  readonly #view: Matrix4;
  readonly #width: number;
  readonly #height: number;

  constructor(view: Matrix4, width: number, height: number) {
    this.#view = view;
    this.#width = width;
    this.#height = height;
  }

  /** Null: behind the camera, or nowhere. */
  point(place: Vector3): Point | null {
    const w = this.#depth(place);
    return w > 0 ? this.#at(place, w) : null;
  }

  /** What of the line is before the camera. */
  line(context: CanvasRenderingContext2D, from: Vector3, to: Vector3): void {
    const [a, b] = [this.#depth(from), this.#depth(to)];
    const least = 1e-3 * Math.max(a, b);
    if (!(Math.max(a, b) > 0)) return;
    const start = a >= least ? from : CUT.lerpVectors(from, to, (least - a) / (b - a));
    const [x, y] = this.#at(start, Math.max(a, least));
    context.moveTo(x, y);
    const end = b >= least ? to : CUT.lerpVectors(from, to, (a - least) / (a - b));
    context.lineTo(...this.#at(end, Math.max(b, least)));
  }

  #depth({ x, y, z }: Vector3): number {
    const m = this.#view.elements;
    return m[3]! * x + m[7]! * y + m[11]! * z + m[15]!;
  }

  #at({ x, y, z }: Vector3, w: number): Point {
    const m = this.#view.elements;
    const across = m[0]! * x + m[4]! * y + m[8]! * z + m[12]!;
    const high = m[1]! * x + m[5]! * y + m[9]! * z + m[13]!;
    return [((1 + across / w) / 2) * this.#width, ((1 - high / w) / 2) * this.#height];
  }
}

const VIEW = new Matrix4();
const PLACE = new Vector3();
const A = new Vector3();
const B = new Vector3();
const C = new Vector3();
const CUT = new Vector3();
const UP = new Vector3(0, 1, 0);

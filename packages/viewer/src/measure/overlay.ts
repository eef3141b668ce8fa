import { type PerspectiveCamera, Vector3 } from "three";
import type { Scheme } from "../theme.ts";
import { SURROUNDINGS } from "../scene/drawing/look.ts";
import type { Overlay } from "../scene/over/overlay.ts";
import { find, placeOf } from "../scene/things/pick.ts";
import type { Crowd } from "../scene/presenters/presenter.ts";
import type { Thing } from "../subject.ts";

/** What is drawn: lines between things, and a text at them. */
export interface Drawn {
  readonly things: readonly Thing[];
  readonly text: string;
}

const FONT = 12;
const PAD = 5;
/** Pixels: of an arc about the middle of an angle, of a ring around what is picked. */
const ARC = 26;
const RING = 9;

/** Measures over the scene: dashed lines that nothing hides, and numbers at them. */
export class MeasureOverlay implements Overlay {
  readonly element: HTMLCanvasElement = document.createElement("canvas");
  readonly isInPictures: boolean = true;
  readonly #context: CanvasRenderingContext2D = this.element.getContext("2d")!;
  measures: readonly Drawn[] = [];
  /** What is picked so far. */
  picked: readonly Thing[] = [];
  #wasEmpty = true;
  #width = 1;
  #height = 1;

  constructor() {
    this.element.className = "scene-labels";
    this.element.setAttribute("aria-hidden", "true");
  }

  draw(crowds: readonly Crowd[], camera: PerspectiveCamera, width: number, height: number, scheme: Scheme): void {
    const isEmpty = this.measures.length === 0 && this.picked.length === 0;
    if (isEmpty && this.#wasEmpty) return;
    this.#wasEmpty = isEmpty;
    const ratio = Math.min(2, devicePixelRatio);
    // Setting a size empties the canvas.
    this.element.width = Math.round(width * ratio);
    this.element.height = Math.round(height * ratio);
    this.#width = width;
    this.#height = height;
    const context = this.#context;
    context.scale(ratio, ratio);
    context.font = `600 ${FONT}px system-ui, sans-serif`;
    context.lineJoin = "round";
    const seen = (thing: Thing): Point | null => placeIn(crowds, thing, camera, width, height);
    for (const { things, text } of this.measures) this.#measure(things.map(seen), text, scheme);
    const picked = this.picked.map(seen);
    this.#line(picked, scheme);
    for (const point of picked) if (point !== null) this.#ring(point, scheme);
  }

  #measure(points: readonly (Point | null)[], text: string, scheme: Scheme): void {
    if (points.some((point) => point === null)) return;
    const all = points as readonly Point[];
    this.#line(all, scheme);
    const middle = all.length >> 1;
    if (all.length === 3) {
      this.#arc(all, scheme);
      const [x, y] = bisector(all);
      this.#plate([all[1]![0] + 1.9 * ARC * x, all[1]![1] + 1.5 * ARC * y], text, scheme);
      return;
    }
    const [a, b] = [all[middle - 1]!, all[middle]!];
    this.#plate([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], text, scheme);
  }

  #line(points: readonly (Point | null)[], scheme: Scheme): void {
    const context = this.#context;
    const { accent, plate } = SURROUNDINGS[scheme];
    for (const [color, width] of [
      [plate, 5],
      [accent, 2.5],
    ] as const) {
      context.beginPath();
      for (const [i, point] of points.entries()) {
        if (point === null) continue;
        if (i === 0 || points[i - 1] === null) context.moveTo(point[0], point[1]);
        else context.lineTo(point[0], point[1]);
      }
      context.strokeStyle = color;
      context.lineWidth = width;
      context.setLineDash(width === 5 ? [] : [7, 4]);
      context.stroke();
    }
    context.setLineDash([]);
  }

  #arc([a, b, c]: readonly Point[], scheme: Scheme): void {
    const from = Math.atan2(a![1] - b![1], a![0] - b![0]);
    const to = Math.atan2(c![1] - b![1], c![0] - b![0]);
    const turn = (((to - from) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
    const context = this.#context;
    context.beginPath();
    context.arc(b![0], b![1], ARC, from, to, turn > Math.PI);
    context.strokeStyle = SURROUNDINGS[scheme].accent;
    context.lineWidth = 2;
    context.stroke();
  }

  #ring([x, y]: Point, scheme: Scheme): void {
    const context = this.#context;
    context.beginPath();
    context.arc(x, y, RING, 0, 2 * Math.PI);
    context.strokeStyle = SURROUNDINGS[scheme].accent;
    context.lineWidth = 2.5;
    context.stroke();
  }

  #plate([atX, atY]: Point, text: string, scheme: Scheme): void {
    const context = this.#context;
    const colors = SURROUNDINGS[scheme];
    const wide = context.measureText(text).width + 3 * PAD;
    const high = FONT + 2 * PAD;
    // Within the picture, where there is anything of it.
    const x = within(atX, wide / 2, this.#width);
    const y = within(atY, high / 2, this.#height);
    context.beginPath();
    context.roundRect(x - wide / 2, y - high / 2, wide, high, 5);
    context.fillStyle = colors.plate;
    context.fill();
    context.strokeStyle = colors.accent;
    context.lineWidth = 1.5;
    context.stroke();
    context.fillStyle = colors.text;
    context.textBaseline = "middle";
    context.fillText(text, x - wide / 2 + 1.5 * PAD, y + 0.5);
  }
}

/** Where something half as wide has room, of so many pixels. */
function within(at: number, half: number, size: number): number {
  return Math.max(half + 2, Math.min(size - half - 2, at));
}

type Point = readonly [x: number, y: number];

/** Where a thing is in the picture, pixels from its top left; null: behind the camera, or nowhere. */
function placeIn(
  crowds: readonly Crowd[],
  { set, id }: Thing,
  camera: PerspectiveCamera,
  width: number,
  height: number,
): Point | null {
  const spot = find(crowds, set, id);
  if (spot === null) return null;
  const { x, y, z } = placeOf(spot.crowd, spot.row, PLACE).project(camera);
  return z > 1 ? null : [((1 + x) / 2) * width, ((1 - y) / 2) * height];
}

/** The direction from the middle of an angle into it. */
function bisector([a, b, c]: readonly Point[]): Point {
  const unit = (x: number, y: number): Point => {
    const length = Math.hypot(x, y) || 1;
    return [x / length, y / length];
  };
  const [first, second] = [unit(a![0] - b![0], a![1] - b![1]), unit(c![0] - b![0], c![1] - b![1])];
  return unit(first[0] + second[0], first[1] + second[1]);
}

const PLACE = new Vector3();

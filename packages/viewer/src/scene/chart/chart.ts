import {
  BufferAttribute,
  BufferGeometry,
  LineBasicMaterial,
  LineSegments,
  type PerspectiveCamera,
  Vector3,
} from "three";
import land from "world-atlas/land-110m.json" with { type: "json" };
import type { Scheme } from "../../theme.ts";
import { SURROUNDINGS } from "../drawing/look.ts";
import type { Strip } from "../../world/companion.ts";
import type { Origin } from "../things/origin.ts";
import { type Box, degreesText, freeSpot, multiples, type Spot, stepOf } from "./graticule.ts";
import { linesOf, piecesNear, type Topology } from "./land.ts";

/** Metres from what is looked at from which on the coast is drawn: nearer, it would be seen how coarse it is. */
const AFAR = 30_000;
/** Around the scene's zero, metres: farther away the plane is no earth. */
const REACH = 1_500_000;
/** Places on each line of the map. */
const ALONG = 9;
const FONT = 11;
/** Pixels along a runway: from so many on it is seen itself, and has its airport's name. */
const SEEN_ITSELF = 250;
const NAMED_FROM = 10;
const SOURCE = "coast: Natural Earth, 1:110 million";

/** What is drawn on a map of the earth: the coast, and from above lines of latitude and longitude with their names. */
export class Chart {
  readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;
  /** Over the picture. */
  readonly element: HTMLCanvasElement = document.createElement("canvas");
  readonly #context: CanvasRenderingContext2D = this.element.getContext("2d")!;
  readonly #origin: Origin;
  readonly #ratio: () => number;
  readonly #above: () => readonly Element[];
  #isEmpty = true;

  /**
   * The scene's zero must be known. `ratio`: pixels of the canvas for each of the page. `above`: what lies over the
   * picture, so that no name is there.
   */
  constructor(origin: Origin, ratio: () => number, above: () => readonly Element[]) {
    this.#origin = origin;
    this.#ratio = ratio;
    this.#above = above;
    this.element.className = "scene-chart";
    this.element.setAttribute("aria-hidden", "true");
    const material = new LineBasicMaterial({ transparent: true, opacity: 0.8, depthWrite: false });
    this.object = new LineSegments(coastAround(origin), material);
    this.object.frustumCulled = false;
  }

  /** `distance`: metres from the camera to what it looks at. */
  draw(
    camera: PerspectiveCamera,
    distance: number,
    isFromAbove: boolean,
    width: number,
    height: number,
    scheme: Scheme,
    strips: readonly Strip[] = [],
  ): void {
    const colors = SURROUNDINGS[scheme];
    this.object.material.color.set(colors.accent);
    this.object.visible = distance > AFAR && this.object.geometry.getAttribute("position").count > 0;
    if (!isFromAbove && !this.object.visible && this.#isEmpty) return;
    this.#isEmpty = !isFromAbove && !this.object.visible;
    const ratio = this.#ratio();
    // Setting a size empties the canvas.
    this.element.width = Math.round(width * ratio);
    this.element.height = Math.round(height * ratio);
    const context = this.#context;
    context.scale(ratio, ratio);
    context.font = `${FONT}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    if (isFromAbove) {
      this.#drawLines(camera, width, height, scheme);
      this.#drawStrips(strips, camera, width, height, scheme);
    }
    if (this.object.visible) this.#write(SOURCE, width / 2, height - 12, "center", scheme);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.element.remove();
  }

  #drawLines(camera: PerspectiveCamera, width: number, height: number, scheme: Scheme): void {
    const seen = this.#seen(camera);
    if (seen === null) return;
    const { south, north, west, east } = seen;
    const step = stepOf(Math.max(north - south, 1e-6));
    const aside = stepOf(Math.max(east - west, 1e-6), Math.max(2, Math.min(4, Math.round((3 * width) / height))));
    const context = this.#context;
    context.strokeStyle = SURROUNDINGS[scheme].line;
    context.globalAlpha = 0.55;
    context.lineWidth = 1;
    const line = (placeAt: (part: number) => readonly [number, number]): readonly Point[] => {
      const points = Array.from({ length: ALONG }, (_, i) =>
        this.#project(...placeAt(i / (ALONG - 1)), camera, width, height),
      );
      context.beginPath();
      for (const { x, y } of points) context.lineTo(x, y);
      context.stroke();
      return points;
    };
    const names: (readonly [string, ...Spot[]])[] = [];
    for (const latitude of multiples(south, north, step)) {
      const points = line((part) => [latitude, west + part * (east - west)]);
      const y = crossing(points, 4, "x", "y");
      if (y > 34 && y < height - 10)
        names.push([degreesText(latitude, ["N", "S"], step), [6, y, "left"], [width - 6, y, "right"]]);
    }
    for (const longitude of multiples(west, east, aside)) {
      const points = line((part) => [south + part * (north - south), longitude]);
      const x = crossing(points, 4, "y", "x");
      if (x > 40 && x < width - 40)
        names.push([degreesText(longitude, ["E", "W"], aside), [x, 12, "center"], [x, height - 12, "center"]]);
    }
    context.globalAlpha = 1;
    const above = this.#boxesAbove();
    for (const [text, ...spots] of names) {
      const free = freeSpot(spots, context.measureText(text).width + 6, FONT + 6, above);
      if (free !== null) this.#write(text, ...free, scheme);
    }
  }

  /** Where in the picture it is that something lies over it. */
  #boxesAbove(): readonly Box[] {
    const { left, top } = this.element.getBoundingClientRect();
    const boxes = this.#above().map((element) => element.getBoundingClientRect());
    return boxes.map((box) => ({
      left: box.left - left,
      right: box.right - left,
      top: box.top - top,
      bottom: box.bottom - top,
    }));
  }

  /** Runways as lines where they are thinner than that, and the names of their airports where they are long enough. */
  #drawStrips(
    strips: readonly Strip[],
    camera: PerspectiveCamera,
    width: number,
    height: number,
    scheme: Scheme,
  ): void {
    const context = this.#context;
    context.strokeStyle = SURROUNDINGS[scheme].text;
    context.lineWidth = 2;
    const named = new Set<string>();
    const names: (readonly [string, number, number])[] = [];
    for (const { name, ends } of strips) {
      const [a, b] = ends.map((end) => this.#project(...end, camera, width, height)) as [Point, Point];
      const long = Math.hypot(b.x - a.x, b.y - a.y);
      const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
      if (!(x > -long && x < width + long && y > -long && y < height + long)) continue;
      if (long < SEEN_ITSELF) {
        context.beginPath();
        context.moveTo(a.x, a.y);
        context.lineTo(b.x, b.y);
        context.stroke();
      }
      const isFree = names.every(([, left, top]) => Math.abs(left - x) > 44 || Math.abs(top - y) > 20);
      if (long < NAMED_FROM || named.has(name) || name === "" || !isFree) continue;
      named.add(name);
      names.push([name, x, y + Math.min(long / 2, 60) + 14]);
    }
    for (const [text, x, y] of names) this.#write(text, x, y, "center", scheme);
  }

  /** What of the earth is seen, degrees; null: a part of the picture shows none of it. */
  #seen(camera: PerspectiveCamera): Record<"south" | "north" | "west" | "east", number> | null {
    const corners: [number, number, number][] = [];
    for (const [x, y] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
      [0, 0],
    ] as const) {
      const ray = POINT.set(x, y, 0.5).unproject(camera).sub(camera.position);
      if (!(ray.y < 0)) return null;
      const far = -camera.position.y / ray.y;
      const out: [number, number, number] = [camera.position.x + far * ray.x, 0, camera.position.z + far * ray.z];
      if (Math.hypot(out[0], out[2]) > 2 * REACH) return null;
      this.#origin.toRecording(out, 0);
      corners.push(out);
    }
    const norths = corners.map(([north]) => north);
    const middle = corners.at(-1)![1];
    // Over the date line degrees go on.
    const easts = corners.map(([, east]) => east + 360 * Math.round((middle - east) / 360));
    if (![...norths, ...easts].every(Number.isFinite)) return null;
    return {
      south: Math.min(...norths),
      north: Math.max(...norths),
      west: Math.min(...easts),
      east: Math.max(...easts),
    };
  }

  #project(latitude: number, longitude: number, camera: PerspectiveCamera, width: number, height: number): Point {
    const place: [number, number, number] = [latitude, longitude, 0];
    this.#origin.fromRecording(place, 0);
    const { x, y } = POINT.set(place[0], 0, place[2]).project(camera);
    return { x: ((1 + x) / 2) * width, y: ((1 - y) / 2) * height };
  }

  #write(text: string, x: number, y: number, align: CanvasTextAlign, scheme: Scheme): void {
    const context = this.#context;
    const { width } = context.measureText(text);
    const left = align === "center" ? x - width / 2 : align === "right" ? x - width : x;
    context.fillStyle = SURROUNDINGS[scheme].plate;
    context.fillRect(left - 3, y - FONT / 2 - 3, width + 6, FONT + 6);
    context.fillStyle = SURROUNDINGS[scheme].text;
    context.textAlign = align;
    context.fillText(text, x, y);
  }
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where a line through points has one coordinate, by its other one; NaN: nowhere. */
function crossing(points: readonly Point[], at: number, of: "x" | "y", out: "x" | "y"): number {
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    const part = (at - a[of]) / (b[of] - a[of]);
    if (part >= 0 && part <= 1) return a[out] + part * (b[out] - a[out]);
  }
  return Number.NaN;
}

/** On the ground, in the scene's own metres. */
function coastAround(origin: Origin): BufferGeometry {
  const zero: [number, number, number] = [0, 0, 0];
  origin.toRecording(zero, 0);
  const pieces = piecesNear(linesOf(land as unknown as Topology), zero[0], zero[1], REACH);
  const places = new Float32Array((pieces.length / 2) * 3);
  const place: [number, number, number] = [0, 0, 0];
  for (let i = 0; i < pieces.length / 2; i++) {
    place[0] = pieces[2 * i + 1]!;
    place[1] = pieces[2 * i]!;
    place[2] = 0;
    origin.fromRecording(place, 0);
    places.set([place[0], 0, place[2]], 3 * i);
  }
  return new BufferGeometry().setAttribute("position", new BufferAttribute(places, 3));
}

const POINT = new Vector3();

import type { SceneryPart } from "../companion.ts";
import { FIGURES } from "./figures.ts";
import { type Airport, degreeAt, lengthOf, type Runway, type RunwayEnd } from "./runway.ts";

/** Metres of a piece along each side, at most: terrain below it bends. */
const PIECE = 10;
/**
 * Metres of marks (FAA AC 150/5340-1M, chapter 2): lines along the edges and across thresholds; stripes behind a threshold,
 * from where on and how long; figures and the gaps around them; dashes of the centre line; bars to aim at.
 */
const [EDGE, BAR] = [0.9, 3];
const STRIPE = { from: 6, length: 45, width: 1.75 };
const FIGURE = { width: 6, height: 18, between: 2.4, gap: 12 };
const DASH = { length: 36, gap: 24, width: 0.9 };
const AIM = { from: 300, length: 45, width: 6, apart: 18, least: 1200 };
const ARROW = { every: 60, length: 24, width: 0.9, head: 14 };
/** A runway narrower than this has smaller figures. */
const USUAL_WIDTH = 30;

/** Triangles of runways, one part for each paint; places are degrees north, degrees east and metres from `middle`. */
export class Meshes {
  readonly #middle: readonly [number, number, number];
  readonly #by = new Map<string, { readonly corners: number[]; readonly index: number[] }>();

  constructor(middle: readonly [number, number, number]) {
    this.#middle = middle;
  }

  get parts(): SceneryPart[] {
    return [...this.#by].map(([paint, { corners, index }]) => {
      const positions = Float32Array.from(corners);
      return {
        paint,
        positions,
        normals: Float32Array.from(positions, (_, i) => (i % 3 === 2 ? 1 : 0)),
        index: Uint32Array.from(index),
      };
    });
  }

  add({ elevation }: Pick<Airport, "elevation">, { ends, width, surface, isPaved }: Runway): void {
    const length = lengthOf(...ends);
    const half = width / 2;
    const sheets = ends.map((end, i) => new Sheet(end, ends[1 - i]!, elevation)) as [Sheet, Sheet];
    const [sheet] = sheets;
    if (surface !== null) this.#plate(surface, sheet, 0, length, -half, half);
    for (const [i, { overrun }] of ends.entries())
      if (overrun > 0 && isPaved) this.#plate("overrun", sheets[i]!, -overrun, 0, -half, half);
    if (!isPaved) return;
    const reach = ends.map((end, i) => this.#markEnd(end, sheets[i]!, width, length)) as [number, number];
    if (ends.every(({ marks }) => marks === "none")) return;
    const [from, to] = [reach[0] + FIGURE.gap, length - reach[1] - FIGURE.gap];
    for (let at = from; at < to; at += DASH.length + DASH.gap)
      this.#plate("mark", sheet, at, Math.min(to, at + DASH.length), -DASH.width / 2, DASH.width / 2);
    if (ends.every(({ marks }) => marks === "visual" || marks === "none")) return;
    for (const left of [-half, half - EDGE]) this.#plate("mark", sheet, 0, length, left, left + EDGE);
  }

  /** How far its marks reach from the edge, metres. */
  #markEnd({ designator, displaced, marks }: RunwayEnd, sheet: Sheet, width: number, length: number): number {
    if (marks === "none") return displaced;
    const half = width / 2 - 2 * EDGE;
    if (displaced > 0) {
      this.#plate("mark", sheet, displaced, displaced + BAR, -half - EDGE, half + EDGE);
      for (let tip = displaced - EDGE; tip > ARROW.length; tip -= ARROW.every) this.#arrow(sheet, tip);
    }
    let at = displaced + STRIPE.from;
    if (marks !== "visual") {
      const count = stripesOf(width) / 2;
      const room = half / count;
      const thick = Math.min(STRIPE.width, 0.6 * room);
      for (const side of [-1, 1])
        for (let i = 0; i < count; i++) {
          const left = side * (i + 0.5) * room;
          this.#plate("mark", sheet, at, at + STRIPE.length, left - thick / 2, left + thick / 2);
        }
      at += STRIPE.length;
    }
    at += FIGURE.gap;
    const scale = Math.min(1, width / USUAL_WIDTH);
    const letter = /[LCR]$/.exec(designator)?.[0];
    const number = designator.replace(/\D/g, "");
    for (const text of [letter ?? "", number]) {
      if (text === "") continue;
      this.#write(text, sheet, at, scale);
      at += scale * FIGURE.height + FIGURE.gap / 2;
    }
    if (length > AIM.least && marks !== "visual") {
      const from = displaced + AIM.from;
      for (const side of [-1, 1]) {
        const inner = Math.min(AIM.apart / 2, 0.4 * half) * side;
        const outer = inner + side * Math.min(AIM.width, half - Math.abs(inner) - EDGE);
        this.#plate("mark", sheet, from, from + AIM.length, Math.min(inner, outer), Math.max(inner, outer));
      }
    }
    return at - FIGURE.gap / 2;
  }

  /** Figures beside each other, as who lands reads them. */
  #write(text: string, sheet: Sheet, at: number, scale: number): void {
    const [width, height, step] = [FIGURE.width, FIGURE.height, FIGURE.width + FIGURE.between].map(
      (one) => scale * one,
    ) as [number, number, number];
    const start = (text.length * step - scale * FIGURE.between) / 2;
    for (let i = 0; i < text.length; i++)
      for (const stroke of FIGURES[text[i]!] ?? [])
        this.#patch(
          "mark",
          sheet,
          stroke.map(([x, y]) => [at + y * height, start - i * step - x * width] as const),
        );
  }

  /** It points to a threshold that is displaced. */
  #arrow(sheet: Sheet, tip: number): void {
    const half = ARROW.width / 2;
    this.#plate("mark", sheet, tip - ARROW.length, tip - 2, -half, half);
    for (const side of [-1, 1]) {
      const wing = [tip - ARROW.head, side * 3.5] as const;
      const corners = [wing, [tip, 0], [tip - 3, 0], [wing[0] - 1, wing[1] - side]] as const;
      // counter-clockwise on both sides
      this.#patch("mark", sheet, side > 0 ? [...corners].reverse() : corners);
    }
  }

  /** A rectangle: metres into the runway, and to the left of who lands. */
  #plate(paint: string, sheet: Sheet, from: number, to: number, right: number, left: number): void {
    this.#patch(paint, sheet, [
      [from, right],
      [to, right],
      [to, left],
      [from, left],
    ]);
  }

  /** Four corners, counter-clockwise from above, in pieces. */
  #patch(paint: string, sheet: Sheet, corners: readonly (readonly [ahead: number, left: number])[]): void {
    const [a, b, c, d] = corners as [Spot, Spot, Spot, Spot];
    const along = Math.max(1, Math.ceil(Math.max(apart(a, b), apart(d, c)) / PIECE));
    const across = Math.max(1, Math.ceil(Math.max(apart(a, d), apart(b, c)) / PIECE));
    const { corners: all, index } = this.#of(paint);
    const first = all.length / 3;
    for (let j = 0; j <= across; j++)
      for (let i = 0; i <= along; i++) {
        const spot = between(between(a, b, i / along), between(d, c, i / along), j / across);
        const place = sheet.placeOf(spot);
        for (let k = 0; k < 3; k++) all.push(place[k]! - this.#middle[k]!);
      }
    for (let j = 0; j < across; j++)
      for (let i = 0; i < along; i++) {
        const at = first + j * (along + 1) + i;
        index.push(at, at + 1, at + along + 2, at, at + along + 2, at + along + 1);
      }
  }

  #of(paint: string): { readonly corners: number[]; readonly index: number[] } {
    let found = this.#by.get(paint);
    if (found === undefined) {
      found = { corners: [], index: [] };
      this.#by.set(paint, found);
    }
    return found;
  }
}

/** How many stripes a threshold has, by the width of its runway. */
function stripesOf(width: number): number {
  const widths = [20, 26, 38, 53];
  return [4, 6, 8, 12, 16][widths.filter((least) => width >= least).length]!;
}

type Spot = readonly [ahead: number, left: number];

function apart(a: Spot, b: Spot): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

function between(a: Spot, b: Spot, part: number): Spot {
  return [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])];
}

/** A runway seen from one of its ends: metres ahead of it and to the left. */
class Sheet {
  readonly #end: RunwayEnd;
  readonly #height: number;
  readonly #degree: readonly [number, number];
  /** Of length 1, metres north and east. */
  readonly #ahead: readonly [number, number];

  constructor(end: RunwayEnd, other: RunwayEnd, height: number) {
    this.#end = end;
    this.#height = height;
    this.#degree = degreeAt((end.latitude + other.latitude) / 2);
    const around = other.longitude - end.longitude;
    const north = (other.latitude - end.latitude) * this.#degree[0];
    const east = (around - 360 * Math.round(around / 360)) * this.#degree[1];
    const length = Math.hypot(north, east);
    this.#ahead = [north / length, east / length];
  }

  /** Degrees north, degrees east, metres. */
  placeOf([ahead, left]: Spot): readonly [number, number, number] {
    const [north, east] = this.#ahead;
    return [
      this.#end.latitude + (ahead * north + left * east) / this.#degree[0],
      this.#end.longitude + (ahead * east - left * north) / this.#degree[1],
      this.#height,
    ];
  }
}

import type { LinePoint } from "./geometry.ts";
import { lastBefore } from "./polynomial.ts";
import type { Lane, LaneSection, Road } from "./road.ts";

/** Where the edges of lanes are across a road at one place of it. */
export class Cross {
  readonly road: Road;
  readonly section: LaneSection;
  /** Lanes from the left to the right. */
  readonly lanes: readonly Lane[];
  /** Metres left of the line: of each lane the left edge and the right one. */
  readonly edges: Float64Array;
  /** Metres over the road there: likewise. */
  readonly lifts: Float64Array;
  /** Of the middle, where the sides meet. */
  zero = 0;
  readonly #point: LinePoint = { x: 0, y: 0, heading: 0 };
  #height = 0;
  #roll = 0;

  constructor(road: Road, section: LaneSection) {
    this.road = road;
    this.section = section;
    this.lanes = [...section.left.toReversed(), ...section.right];
    this.edges = new Float64Array(2 * this.lanes.length);
    this.lifts = new Float64Array(2 * this.lanes.length);
  }

  /** Goes to a place of the road, which is in the section or at its end. */
  to(s: number): this {
    const { road, section, edges, lifts } = this;
    // at its end the section's own records count, not those of the next
    const at = Math.min(s, section.end - 1e-9);
    const along = at - section.start;
    this.zero = road.laneOffset.at(at);
    const { length: lefts } = section.left;
    for (const [lanes, sign] of [
      [section.left, 1],
      [section.right, -1],
    ] as const) {
      let edge = this.zero;
      for (const [i, lane] of lanes.entries()) {
        const inner = edge;
        edge = outerEdge(lane, along, inner, sign, this.zero);
        const row = sign > 0 ? lefts - 1 - i : lefts + i;
        const height = lane.heights[lastBefore(lane.heights, along, ({ start }) => start)];
        const [innerLift, outerLift] = [height?.inner ?? 0, height?.outer ?? 0];
        edges[2 * row] = sign > 0 ? edge : inner;
        edges[2 * row + 1] = sign > 0 ? inner : edge;
        lifts[2 * row] = sign > 0 ? outerLift : innerLift;
        lifts[2 * row + 1] = sign > 0 ? innerLift : outerLift;
      }
    }
    road.plan.at(s, this.#point);
    this.#height = road.elevation.at(at);
    this.#roll = road.roll.at(at);
    return this;
  }

  /** Radians, of the line there. */
  get heading(): number {
    return this.#point.heading;
  }

  /** The place so far to the left of the line, and so high over the road. */
  place(t: number, lift: number, out: Float64Array, at = 0): void {
    const { x, y, heading } = this.#point;
    const [sin, cos] = [Math.sin(this.#roll), Math.cos(this.#roll)];
    // rolled about the line: positive falls to the right
    const across = t * cos - lift * sin;
    out[at] = x - Math.sin(heading) * across;
    out[at + 1] = y + Math.cos(heading) * across;
    out[at + 2] = this.#height + t * sin + lift * cos;
  }
}

function outerEdge(lane: Lane, along: number, inner: number, sign: number, zero: number): number {
  if (lane.border !== null) {
    const border = zero + lane.border.at(along);
    return sign > 0 ? Math.max(inner, border) : Math.min(inner, border);
  }
  return inner + sign * Math.max(0, lane.width.at(along));
}

/** The section of a road that holds at a place; undefined: it has none. */
export function sectionAt(road: Road, s: number): LaneSection | undefined {
  return road.sections[
    Math.max(
      0,
      lastBefore(road.sections, s, ({ start }) => start),
    )
  ];
}

/** The lane of a road at a place, so far to the left of the line; null: beside all lanes. */
export function laneAt(cross: Cross, t: number): Lane | null {
  const row = cross.lanes.findIndex((_, i) => t <= cross.edges[2 * i]! && t >= cross.edges[2 * i + 1]!);
  return cross.lanes[row] ?? null;
}

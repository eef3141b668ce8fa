import type { Findings } from "../findings.ts";
import type { Meshes } from "./meshes.ts";
import type { LaneSection, Road } from "./road.ts";
import { Cross } from "./section.ts";

/** Metres that what is drawn may be away from what is meant. */
const TOLERANCE = 0.03;
/** Metres between two places across a road, at least, where it bends; halvings of a stretch, at most. */
const LEAST_STEP = 0.2;
const MOST_HALVINGS = 12;
/** Metres: less is no kerb. */
const LEAST_KERB = 0.005;
/** Metres: a lane that is narrower is not there. */
const LEAST_WIDTH = 0.01;

/** What lanes are painted with, by their type (ASAM OpenDRIVE 1.7 section 9.5.3); others are not drawn. */
const PAINT_OF: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "driving bidirectional entry exit onRamp offRamp connectingRamp mwyEntry mwyExit slipLane roadWorks",
      "special1 special2 special3 bus taxi HOV shared",
    ]
      .join(" ")
      .split(" ")
      .map((type) => [type, "road"]),
  ),
  shoulder: "shoulder",
  stop: "shoulder",
  restricted: "shoulder",
  parking: "parking",
  sidewalk: "walk",
  walking: "walk",
  biking: "cycle",
  tram: "rail",
  rail: "rail",
  median: "verge",
  border: "verge",
  curb: "kerb",
};

/** A quad of the surface of a road, for those who ask what is covered: x, y, z of left, right, next right, next left. */
export type OnQuad = (corners: Float64Array) => void;

/** Where a section is cut across, so that what is straight between is near enough; both ends are among them. */
export function stationsOf(road: Road, section: LaneSection, cross: Cross): Float64Array {
  const { start, end } = section;
  const within = section.left
    .concat(section.right)
    .flatMap(({ width, border, heights }) => [
      ...width.breaks,
      ...(border?.breaks ?? []),
      ...heights.map((height) => height.start),
    ])
    .map((at) => start + at);
  const along = [
    ...road.plan.pieces.map((piece) => piece.start),
    ...road.elevation.breaks,
    ...road.roll.breaks,
    ...road.laneOffset.breaks,
    ...within,
  ].filter((s) => s > start + LEAST_STEP / 2 && s < end - LEAST_STEP / 2);
  const ends = [start, ...along.sort((a, b) => a - b), end];
  const found: number[] = [start];
  let last = placesAt(cross, start);
  for (let i = 1; i < ends.length; i++) {
    if (ends[i]! - ends[i - 1]! < 1e-6) continue;
    const next = placesAt(cross, ends[i]!);
    halve(cross, ends[i - 1]!, last, ends[i]!, next, MOST_HALVINGS, found);
    found.push(ends[i]!);
    last = next;
  }
  return Float64Array.from(found);
}

function halve(
  cross: Cross,
  from: number,
  first: Float64Array,
  to: number,
  last: Float64Array,
  halvings: number,
  into: number[],
): void {
  if (halvings === 0 || to - from < 2 * LEAST_STEP) return;
  const middle = (from + to) / 2;
  const between = placesAt(cross, middle);
  // a curve that swings both ways crosses its chord in the middle
  const quarter = placesAt(cross, from + (to - from) / 4);
  if (isNear(first, last, between, 0.5) && isNear(first, last, quarter, 0.25)) return;
  halve(cross, from, first, middle, between, halvings - 1, into);
  into.push(middle);
  halve(cross, middle, between, to, last, halvings - 1, into);
}

function isNear(first: Float64Array, last: Float64Array, between: Float64Array, part: number): boolean {
  for (let i = 0; i < between.length; i++)
    if (Math.abs(first[i]! + (last[i]! - first[i]!) * part - between[i]!) > TOLERANCE) return false;
  return true;
}

/** Of all edges and of the middle. */
function placesAt(cross: Cross, s: number): Float64Array {
  cross.to(s);
  const places = new Float64Array(3 * (cross.edges.length + 1));
  cross.place(cross.zero, 0, places);
  for (const [i, edge] of cross.edges.entries()) cross.place(edge, cross.lifts[i]!, places, 3 * (i + 1));
  return places;
}

/** Lanes beside each other that are drawn as one. */
interface Band {
  readonly paint: string;
  /** Edges, as numbers in `Cross.edges`. */
  readonly left: number;
  readonly right: number;
}

function bandsOf(cross: Cross): Band[] {
  const bands: Band[] = [];
  let isJoining = false;
  for (const [row, lane] of cross.lanes.entries()) {
    const paint = PAINT_OF[lane.type];
    const isPlain = lane.heights.length === 0;
    const before = bands.at(-1);
    if (paint !== undefined && isJoining && isPlain && before?.paint === paint)
      bands[bands.length - 1] = { ...before, right: 2 * row + 1 };
    else if (paint !== undefined) bands.push({ paint, left: 2 * row, right: 2 * row + 1 });
    isJoining = isPlain && paint !== undefined;
  }
  return bands;
}

/** The lanes of a section, and the kerbs between those of different heights. */
export function paveSection(
  road: Road,
  section: LaneSection,
  stations: Float64Array,
  meshes: Meshes,
  findings: Findings,
  onQuad: OnQuad | null,
): void {
  const cross = new Cross(road, section);
  const bands = bandsOf(cross);
  const kerbs = kerbsOf(cross);
  for (const lane of cross.lanes)
    if (PAINT_OF[lane.type] === undefined && lane.type !== "none")
      findings.add("note", "unknown-lane", `road ${road.id}: a lane of type ${lane.type} is not drawn`);
  const before = bands.map(() => ({ corner: -1, width: 0, at: new Float64Array(6) }));
  const foot = kerbs.map(() => -1);
  for (const s of stations) {
    cross.to(s);
    for (const [i, { paint, left, right }] of bands.entries()) {
      const last = before[i]!;
      const width = cross.edges[left]! - cross.edges[right]!;
      cross.place(cross.edges[left]!, cross.lifts[left]!, PLACES, 0);
      cross.place(cross.edges[right]!, cross.lifts[right]!, PLACES, 3);
      const corner = cornersOf(meshes, paint, PLACES);
      if (last.corner >= 0 && Math.max(width, last.width) > LEAST_WIDTH) {
        strip(meshes, paint, last.corner, corner);
        if (onQuad !== null && paint === "road") {
          QUAD.set(last.at);
          QUAD.set(PLACES.subarray(3, 6), 6);
          QUAD.set(PLACES.subarray(0, 3), 9);
          onQuad(QUAD);
        }
      }
      last.corner = corner;
      last.width = width;
      last.at.set(PLACES);
    }
    for (const [i, kerb] of kerbs.entries()) {
      const t = cross.edges[kerb.edge]!;
      const [low, high] =
        kerb.other < 0 ? [0, cross.lifts[kerb.edge]!] : [cross.lifts[kerb.other]!, cross.lifts[kerb.edge]!];
      // the front is on the lower side
      const isLeftHigh = ((kerb.edge & 1) === 1) === low < high;
      cross.place(t, isLeftHigh ? high : low, PLACES, 0);
      cross.place(t, isLeftHigh ? low : high, PLACES, 3);
      const corner = cornersOf(meshes, "kerb", PLACES);
      if (foot[i]! >= 0 && Math.abs(high - low) > LEAST_KERB) strip(meshes, "kerb", foot[i]!, corner);
      foot[i] = corner;
    }
  }
}

/** Edges where lanes that have heights meet others, or end. */
function kerbsOf(cross: Cross): { readonly edge: number; readonly other: number }[] {
  const kerbs: { edge: number; other: number }[] = [];
  const { lanes } = cross;
  for (const [row, lane] of lanes.entries()) {
    if (lane.heights.length === 0) continue;
    const next = lanes[row + 1];
    kerbs.push({ edge: 2 * row + 1, other: next === undefined ? -1 : 2 * row + 2 });
    // that between two such lanes is there already
    if ((lanes[row - 1]?.heights.length ?? 0) === 0) kerbs.push({ edge: 2 * row, other: row === 0 ? -1 : 2 * row - 1 });
  }
  return kerbs;
}

function cornersOf(meshes: Meshes, paint: string, p: Float64Array): number {
  const corner = meshes.corner(paint, p[0]!, p[1]!, p[2]!);
  meshes.corner(paint, p[3]!, p[4]!, p[5]!);
  return corner;
}

/** Between two pairs of corners, each the left and the right one. */
export function strip(meshes: Meshes, paint: string, last: number, next: number): void {
  meshes.triangle(paint, last, last + 1, next + 1);
  meshes.triangle(paint, last, next + 1, next);
}

const PLACES = new Float64Array(6);
const QUAD = new Float64Array(12);

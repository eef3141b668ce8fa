import type { Meshes } from "./meshes.ts";
import type { Outline, Road, RoadObject, Signal } from "./road.ts";
import { Cross, sectionAt } from "./section.ts";

/** Type of traffic lights (StVO catalogue as OpenDRIVE uses it: 1000001 to 1000020), of a line to stop at, and of signs. */
const LIGHTS = /^1000\d{3}$/;
const STOP_LINE = "294";
const RED_SIGNS = /^(205|206)$/;
/** Metres: stripes of a crosswalk, over the road. */
const STRIPE = 0.5;
const OVER = 0.01;
const MOST_STRIPES = 200;
/** Metres of a line to stop at, along the road. */
const STOP_DEPTH = 0.4;
/** Metres: corners farther apart are no part of one object. */
const LARGEST = 500;

type Place = readonly [number, number, number];

/** Crosswalks, lines to stop at, signs and traffic lights of a road (ASAM OpenDRIVE 1.7 sections 11 and 12). */
export function furnish(road: Road, meshes: Meshes): { readonly crosswalks: number; readonly signals: number } {
  let [crosswalks, signals] = [0, 0];
  for (const object of road.objects) {
    if (/crosswalk/i.test(object.type) || /crosswalk|zebra/i.test(object.name)) {
      crosswalks++;
      for (const corners of outlinesOf(road, object)) stripe(corners, meshes);
    } else if (/stop.?line/i.test(`${object.type} ${object.name}`)) {
      for (const corners of outlinesOf(road, object)) meshes.polygon("mark-white", turnedUp(corners).flat());
    }
  }
  for (const signal of road.signals) {
    if (signal.type === STOP_LINE || /stop.?line/i.test(signal.name)) stopLine(road, signal, meshes);
    else if (signal.over > 0 || LIGHTS.test(signal.type)) {
      signals++;
      stand(road, signal, meshes);
    }
  }
  return { crosswalks, signals };
}

/** The road's cross-section at a place; null: it has no lanes there. */
function crossAt(road: Road, s: number): Cross | null {
  const section = sectionAt(road, s);
  return section === undefined ? null : new Cross(road, section).to(Math.min(Math.max(0, s), road.length));
}

function outlinesOf(road: Road, object: RoadObject): Place[][] {
  const cross = crossAt(road, object.s);
  if (cross === null) return [];
  if (object.outlines.length === 0) {
    const [u, v] = [object.length / 2, object.width / 2];
    if (!(u > 0) || !(v > 0)) return [];
    const box: Outline = {
      isOfRoad: false,
      corners: [
        [-u, -v, 0],
        [u, -v, 0],
        [u, v, 0],
        [-u, v, 0],
      ],
    };
    return [cornersOf(road, object, cross, box)];
  }
  return object.outlines
    .map((outline) => cornersOf(road, object, cross, outline))
    .filter((corners) => corners.every(([x, y]) => Math.hypot(x - corners[0]![0], y - corners[0]![1]) < LARGEST));
}

function cornersOf(road: Road, object: RoadObject, cross: Cross, { isOfRoad, corners }: Outline): Place[] {
  const out = new Float64Array(3);
  if (isOfRoad) {
    return corners.map(([s, t, z]) => {
      (crossAt(road, s) ?? cross).place(t, z + OVER, out);
      return [out[0]!, out[1]!, out[2]!];
    });
  }
  cross.place(object.t, object.over + OVER, out);
  const [x, y, height] = out as unknown as Place;
  const heading = cross.heading + object.heading;
  const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
  return corners.map(([u, v, z]) => [x + cos * u - sin * v, y + sin * u + cos * v, height + z]);
}

/** Stripes along the road, beside each other the way that people walk: that of the longest side. */
function stripe(corners: readonly Place[], meshes: Meshes): void {
  const polygon = turnedUp(corners);
  let [length, ux, uy] = [0, 1, 0];
  for (const [i, [x, y]] of polygon.entries()) {
    const [nextX, nextY] = polygon[(i + 1) % polygon.length]!;
    const side = Math.hypot(nextX - x, nextY - y);
    if (side > length) [length, ux, uy] = [side, (nextX - x) / side, (nextY - y) / side];
  }
  const along = ([x, y]: Place): number => x * ux + y * uy;
  const places = polygon.map(along);
  const [from, until] = [Math.min(...places), Math.max(...places)];
  const count = Math.min(MOST_STRIPES, Math.floor((until - from) / (2 * STRIPE) + 0.5));
  // as much is left at both ends
  const first = from + (until - from - (2 * count - 1) * STRIPE) / 2;
  for (let i = 0; i < count; i++) {
    const start = first + 2 * i * STRIPE;
    const cut = clipped(
      clipped(polygon, (place) => along(place) - start),
      (place) => start + STRIPE - along(place),
    );
    if (cut.length >= 3) meshes.polygon("mark-white", cut.flat());
  }
}

/** What of a polygon is where a number is positive (Sutherland and Hodgman 1974). */
function clipped(polygon: readonly Place[], inside: (place: Place) => number): Place[] {
  return polygon.flatMap((place, i) => {
    const next = polygon[(i + 1) % polygon.length]!;
    const [a, b] = [inside(place), inside(next)];
    const part = a / (a - b);
    const between: Place[] =
      a > 0 !== b > 0 ? [[0, 1, 2].map((k) => place[k]! + (next[k]! - place[k]!) * part) as unknown as Place] : [];
    return a > 0 ? [place, ...between] : between;
  });
}

/** Counter-clockwise from above. */
function turnedUp(corners: readonly Place[]): Place[] {
  let area = 0;
  for (const [i, [x, y]] of corners.entries()) {
    const [nextX, nextY] = corners[(i + 1) % corners.length]!;
    area += x * nextY - y * nextX;
  }
  return area < 0 ? corners.toReversed() : [...corners];
}

/** Across the lanes of those for whom it is. */
function stopLine(road: Road, signal: Signal, meshes: Meshes): void {
  const cross = crossAt(road, signal.s);
  if (cross === null) return;
  const isAlong = signal.orientation !== "-";
  const driven = cross.lanes.flatMap((lane, row) =>
    lane.type === "driving" && lane.id < 0 === isAlong ? [cross.edges[2 * row]!, cross.edges[2 * row + 1]!] : [],
  );
  if (driven.length === 0) return;
  const [left, right] = [Math.max(...driven), Math.min(...driven)];
  const [before, behind] = [Math.max(0, signal.s - STOP_DEPTH), Math.min(road.length, signal.s)];
  const out = new Float64Array(12);
  for (const [i, [s, t]] of [
    [before, left],
    [before, right],
    [behind, right],
    [behind, left],
  ].entries()) {
    (crossAt(road, s!) ?? cross).place(t!, OVER, out, 3 * i);
  }
  meshes.polygon("mark-white", out);
}

/** A post with a sign or the head of a light, which those see for whom it is. */
function stand(road: Road, signal: Signal, meshes: Meshes): void {
  const cross = crossAt(road, signal.s);
  if (cross === null) return;
  const out = new Float64Array(3);
  cross.place(signal.t, 0, out);
  const [x, y, ground] = out as unknown as Place;
  const isLight = LIGHTS.test(signal.type);
  const top = Math.min(12, signal.over > 0.5 ? signal.over : isLight ? 3.4 : 2.2);
  const heading = cross.heading + signal.heading + (signal.orientation === "-" ? 0 : Math.PI);
  const turn: readonly [number, number] = [Math.cos(heading), Math.sin(heading)];
  const [width, height] = [
    clamp(signal.width, 0.3, 3, isLight ? 0.4 : 0.6),
    clamp(signal.height, 0.3, 3, isLight ? 1.1 : 0.6),
  ];
  const [post, head] = isLight
    ? ["light-post", "light-head"]
    : ["post", RED_SIGNS.test(signal.type) ? "plate-red" : "plate"];
  box(meshes, post, [x, y, ground + top / 2], turn, 0.08, 0.08, top);
  box(
    meshes,
    head,
    [x + turn[0] * 0.08, y + turn[1] * 0.08, ground + top + height / 2],
    turn,
    isLight ? 0.25 : 0.05,
    width,
    height,
  );
}

function clamp(value: number, low: number, high: number, fallback: number): number {
  return value >= low && value <= high ? value : fallback;
}

/** Around a middle: so long ahead, wide and high. */
function box(
  meshes: Meshes,
  paint: string,
  [x, y, z]: Place,
  [cos, sin]: readonly [number, number],
  length: number,
  width: number,
  height: number,
): void {
  const corner = (u: number, v: number, w: number): Place => [
    x + (cos * u * length - sin * v * width) / 2,
    y + (sin * u * length + cos * v * width) / 2,
    z + (w * height) / 2,
  ];
  for (const face of FACES)
    meshes.polygon(
      paint,
      face.flatMap(([u, v, w]) => corner(u, v, w)),
    );
}

/** Of a cube from -1 to 1, counter-clockwise from outside. */
const FACES: readonly (readonly Place[])[] = [
  [
    [1, -1, -1],
    [1, 1, -1],
    [1, 1, 1],
    [1, -1, 1],
  ],
  [
    [-1, 1, -1],
    [-1, -1, -1],
    [-1, -1, 1],
    [-1, 1, 1],
  ],
  [
    [1, 1, -1],
    [-1, 1, -1],
    [-1, 1, 1],
    [1, 1, 1],
  ],
  [
    [-1, -1, -1],
    [1, -1, -1],
    [1, -1, 1],
    [-1, -1, 1],
  ],
  [
    [-1, -1, 1],
    [1, -1, 1],
    [1, 1, 1],
    [-1, 1, 1],
  ],
];

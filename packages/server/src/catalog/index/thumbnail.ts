import type { Moments } from "./moments.ts";
import type { Tracks } from "./tracks.ts";

const [WIDTH, HEIGHT] = [640, 360];
const EDGE = 28;
/** Most paths that are drawn as lines, the longest first; most things that are drawn as points, and that move. */
const MOST_LINES = 60;
const MOST_POINTS = 300;
const MOST_MOVING = 24;
const COLOURS = ["#5aa9ff", "#ff9f5a", "#6fd58b", "#f27ea9", "#c8a2ff", "#ffd75a", "#5ad7d2", "#ff7b6b"];
/**
 * Pixels by which a line may leave the path; it is doubled until all lines together have few enough points, but no line
 * becomes coarser than the last of these: then only the first lines are drawn.
 */
const [TOLERANCE, COARSEST] = [0.35, 1.4];
const MOST_IN_LINES = 5000;
/** Pixels that a thing goes at least, and how many times its usual step, when it is placed elsewhere. */
const [JUMP, JUMPS] = [24, 12];
/** Seconds in which a recording goes by, and times at which things stand exactly where they were. */
const SECONDS = 6;
const STEPS = 96;

/** Which drawing this is: raise it when pictures look otherwise, and those of recordings that have been indexed are made again. */
export const DRAWING = 1;

/** Two pictures of a recording, as SVG. */
export interface Pictures {
  readonly svg: string;
  /** The things move along their paths; what shows it repeats it. */
  readonly moving: string;
}

type Point = readonly [x: number, y: number];
/** Maps coordinates to places in the picture. */
type Fit = (x: number, y: number) => Point;

interface Drawn {
  readonly colour: string;
  /** At each time; null where it does not exist, or is outside. */
  readonly places: readonly (Point | null)[];
  /** Its path in parts: where it was placed elsewhere, another begins. */
  readonly parts: readonly (readonly Point[])[];
  readonly length: number;
}

/**
 * Draws small pictures of a recording: the paths of things from above, with a point where each thing is at the end; where
 * no thing has a position, some numbers over time.
 */
export function picturesOf({ tracks, lines }: Pick<Moments, "tracks" | "lines">): Pictures {
  if (tracks.length === 0) {
    const drawn = lines.flatMap((line, index) => drawnLine(line, index)).join("");
    return { svg: framed(drawn), moving: framed(`${REVEAL}<g clip-path="url(#past)">${drawn}</g>`) };
  }
  const drawn = drawnTracks(tracks);
  const ways = waysOf(drawn);
  const radius = drawn.length > 60 ? 4 : 6;
  const [still, moving] = [drawn.slice(0, MOST_POINTS), drawn.slice(0, MOST_MOVING)];
  return {
    svg: framed(ways(0.75) + still.map(({ parts, colour }) => dotAt(parts.at(-1)?.at(-1), radius, colour)).join("")),
    moving: framed(ways(0.4) + moving.map((one) => movingDot(one, radius)).join("")),
  };
}

function framed(content: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">` +
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#12161c"/>${grid()}` +
    `<g fill="none" stroke-width="3" stroke-linecap="round" stroke-linejoin="round">${content}</g></svg>`
  );
}

/** What lies before the present moment, which goes from the left to the right. */
const REVEAL =
  `<clipPath id="past"><rect height="${HEIGHT}" width="0"><animate attributeName="width" from="${EDGE}" ` +
  `to="${WIDTH - EDGE + 3}" dur="${SECONDS}s" repeatCount="indefinite"/></rect></clipPath>`;

function grid(): string {
  const lines: string[] = [];
  for (let x = 40; x < WIDTH; x += 80) lines.push(`M${x} 0V${HEIGHT}`);
  for (let y = 20; y < HEIGHT; y += 80) lines.push(`M0 ${y}H${WIDTH}`);
  return `<path d="${lines.join("")}" stroke="#1d242e" stroke-width="2"/>`;
}

/** The longest first. */
function drawnTracks(tracks: Tracks): readonly Drawn[] {
  const fit = fitOf(tracks);
  const drawn = tracks.map((track, index) => {
    const places = placesOf(track, fit);
    const parts = partsOf(places);
    const length = parts.reduce((sum, points) => sum + lengthOf(points), 0);
    return { places, parts, length, colour: COLOURS[index % COLOURS.length]! };
  });
  return drawn.toSorted((a, b) => b.length - a.length);
}

/** Draws the paths, as smooth as they are, with an opacity. */
function waysOf(drawn: readonly Drawn[]): (opacity: number) => string {
  const long = drawn.filter(({ length }) => length > 6).slice(0, MOST_LINES);
  const countOf = (parts: readonly (readonly Point[])[]): number => parts.reduce((sum, { length }) => sum + length, 0);
  let tolerance = TOLERANCE;
  let ways = long.map(({ parts }) => parts.map((points) => simplified(points, tolerance)));
  while (countOf(ways.flat()) > MOST_IN_LINES && tolerance < COARSEST) {
    tolerance *= 2;
    ways = ways.map((parts) => parts.map((points) => simplified(points, tolerance)));
  }
  let left = MOST_IN_LINES;
  const lines = ways
    .map((parts, i) => {
      left -= countOf(parts);
      return left < 0 && i > 0 ? "" : `<path d="${parts.map(wayOf).join("")}" stroke="${long[i]!.colour}"/>`;
    })
    .join("");
  return (opacity) => (lines === "" ? "" : `<g opacity="${opacity}">${lines}</g>`);
}

function dotAt(place: Point | undefined, radius: number, colour: string): string {
  if (place === undefined) return "";
  return `<circle cx="${place[0]}" cy="${place[1]}" r="${radius}" fill="${colour}"/>`;
}

/** A point that is where the thing was, one time after the other; it is seen as long as the thing exists. */
function movingDot({ places, colour }: Drawn, radius: number): string {
  const known = Array.from({ length: STEPS + 1 }, (_, step) => placeNear(places, step / STEPS));
  let last = known.find((place) => place !== null);
  if (last === undefined) return "";
  const [xs, ys]: [number[], number[]] = [[], []];
  const seen: number[] = [];
  for (const place of known) {
    last = place ?? last;
    xs.push(last[0]);
    ys.push(last[1]);
    seen.push(place === null ? 0 : 1);
  }
  const along = (name: string, values: readonly number[], more = ""): string =>
    new Set(values).size === 1
      ? ""
      : `<animate attributeName="${name}" values="${values.join(";")}" dur="${SECONDS}s" ${more}repeatCount="indefinite"/>`;
  return (
    `<circle cx="${xs[0]}" cy="${ys[0]}" r="${radius}" fill="${colour}" opacity="${seen.includes(0) ? seen[0] : 1}">` +
    `${along("cx", xs)}${along("cy", ys)}${along("opacity", seen, 'calcMode="discrete" ')}</circle>`
  );
}

/** Where a thing is at a part of the whole time, or was just before; null: it did not exist then. */
function placeNear(places: readonly (Point | null)[], part: number): Point | null {
  const at = Math.round(part * (places.length - 1));
  const back = Math.ceil(places.length / STEPS);
  for (let before = at; before >= Math.max(0, at - back); before--) if (places[before] != null) return places[before]!;
  return null;
}

function drawnLine(line: readonly number[], index: number): string[] {
  const known = line.filter(Number.isFinite);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const points = line.flatMap((value, i): Point[] => {
    if (!Number.isFinite(value)) return [];
    const x = EDGE + (i / Math.max(1, line.length - 1)) * (WIDTH - 2 * EDGE);
    return [[Math.round(x), Math.round(HEIGHT - EDGE - ((value - least) / (most - least)) * (HEIGHT - 2 * EDGE))]];
  });
  return [`<path d="${wayOf(points)}" stroke="${COLOURS[index % COLOURS.length]}" opacity=".85"/>`];
}

/** Both axes have the same scale; a few things that are far away lie outside. */
function fitOf(tracks: Tracks): Fit {
  const edges = (from: 0 | 1): [number, number] => {
    const sorted = Float64Array.from(
      tracks.flatMap((track) => track.filter((value, i) => i % 2 === from && Number.isFinite(value))),
    ).sort();
    const far = Math.floor(sorted.length * 0.01);
    return [sorted[far]!, sorted[sorted.length - 1 - far]!];
  };
  const [[left, right], [bottom, top]] = [edges(0), edges(1)];
  const scale = Math.min((WIDTH - 2 * EDGE) / (right - left), (HEIGHT - 2 * EDGE) / (top - bottom));
  const factor = Number.isFinite(scale) ? scale : 0;
  const [x0, y0] = [(left + right) / 2, (bottom + top) / 2];
  return (x, y) => [tenths(WIDTH / 2 + (x - x0) * factor), tenths(HEIGHT / 2 - (y - y0) * factor)];
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

function placesOf(track: readonly number[], fit: Fit): (Point | null)[] {
  const places: (Point | null)[] = [];
  for (let i = 0; i < track.length; i += 2) {
    const place = Number.isFinite(track[i]) ? fit(track[i]!, track[i + 1]!) : null;
    const isInside = place !== null && place[0] >= 0 && place[0] <= WIDTH && place[1] >= 0 && place[1] <= HEIGHT;
    places.push(isInside ? place : null);
  }
  return places;
}

/** Where it goes many times as far in a step as it usually does, it was placed elsewhere. */
function partsOf(places: readonly (Point | null)[]): readonly (readonly Point[])[] {
  const points = places.filter((place) => place !== null);
  const steps = points.slice(1).map((point, i) => distance(point, points[i]!));
  const moves = Float64Array.from(steps.filter((step) => step > 0)).sort();
  const far = Math.max(JUMP, JUMPS * (moves[moves.length >> 1] ?? 0));
  const parts: Point[][] = [[]];
  for (const [i, point] of points.entries()) {
    if (i > 0 && steps[i - 1]! > far) parts.push([]);
    parts.at(-1)!.push(point);
  }
  return parts;
}

function lengthOf(points: readonly Point[]): number {
  let length = 0;
  for (let i = 1; i < points.length; i++) length += distance(points[i]!, points[i - 1]!);
  return length;
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1]);
}

/** The points without which the line would leave the path by more than the tolerance (Douglas and Peucker). */
function simplified(points: readonly Point[], tolerance: number): readonly Point[] {
  const isKept = new Uint8Array(points.length);
  isKept[0] = isKept[points.length - 1] = 1;
  const open: [first: number, last: number][] = [[0, points.length - 1]];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [first, last] = part;
    let [furthest, most] = [-1, tolerance];
    for (let at = first + 1; at < last; at++) {
      const away = fromLine(points[at]!, points[first]!, points[last]!);
      if (away > most) [furthest, most] = [at, away];
    }
    if (furthest < 0) continue;
    isKept[furthest] = 1;
    open.push([first, furthest], [furthest, last]);
  }
  return points.filter((_, at) => isKept[at] === 1);
}

/** Distance of a point from the part of a line between two others. */
function fromLine(point: Point, from: Point, to: Point): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const square = dx * dx + dy * dy;
  const part = square === 0 ? 0 : ((point[0] - from[0]) * dx + (point[1] - from[1]) * dy) / square;
  const at = Math.max(0, Math.min(1, part));
  return Math.hypot(point[0] - from[0] - at * dx, point[1] - from[1] - at * dy);
}

function wayOf(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x} ${y}`).join("");
}

import type { Moments } from "./moments.ts";

const [WIDTH, HEIGHT] = [640, 360];
const EDGE = 28;
/** Most paths that are drawn as lines, the longest first; most things that are drawn as points. */
const MOST_LINES = 60;
const MOST_POINTS = 300;
const COLOURS = ["#5aa9ff", "#ff9f5a", "#6fd58b", "#f27ea9", "#c8a2ff", "#ffd75a", "#5ad7d2", "#ff7b6b"];

type Point = readonly [x: number, y: number];
/** Maps coordinates to places in the picture. */
type Fit = (x: number, y: number) => Point;

/**
 * Draws a small picture of a recording: the paths of things from above, with a point where each thing is at the end;
 * where no thing has a position, some numbers over time.
 */
export function thumbnailOf({ tracks, lines }: Pick<Moments, "tracks" | "lines">): string {
  const parts = tracks.length > 0 ? drawnTracks(tracks) : lines.flatMap((line, index) => drawnLine(line, index));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">` +
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#12161c"/>${grid()}` +
    `<g fill="none" stroke-width="3" stroke-linecap="round" stroke-linejoin="round">${parts.join("")}</g></svg>`
  );
}

function grid(): string {
  const lines: string[] = [];
  for (let x = 40; x < WIDTH; x += 80) lines.push(`M${x} 0V${HEIGHT}`);
  for (let y = 20; y < HEIGHT; y += 80) lines.push(`M0 ${y}H${WIDTH}`);
  return `<path d="${lines.join("")}" stroke="#1d242e" stroke-width="2"/>`;
}

function drawnTracks(tracks: readonly (readonly number[])[]): string[] {
  const fit = fitOf(tracks);
  const drawn = tracks.map((track, index) => {
    const points = pointsOf(track, fit);
    return { points, length: lengthOf(points), colour: COLOURS[index % COLOURS.length]! };
  });
  const longest = drawn.toSorted((a, b) => b.length - a.length);
  const ways = longest.filter(({ points, length }) => points.length > 1 && length > 6).slice(0, MOST_LINES);
  const parts = ways.map(({ points, colour }) => `<path d="${wayOf(points)}" stroke="${colour}" opacity=".6"/>`);
  for (const { points, colour } of longest.slice(0, MOST_POINTS)) {
    const last = points.at(-1);
    if (last === undefined) continue;
    const radius = drawn.length > 60 ? 4 : 6;
    parts.push(`<circle cx="${last[0]}" cy="${last[1]}" r="${radius}" fill="${colour}"/>`);
  }
  return parts;
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
function fitOf(tracks: readonly (readonly number[])[]): Fit {
  const edges = (from: 0 | 1): [number, number] => {
    const sorted = tracks.flatMap((track) => track.filter((value, i) => i % 2 === from && Number.isFinite(value)));
    sorted.sort((a, b) => a - b);
    const far = Math.floor(sorted.length * 0.01);
    return [sorted[far]!, sorted[sorted.length - 1 - far]!];
  };
  const [[left, right], [bottom, top]] = [edges(0), edges(1)];
  const scale = Math.min((WIDTH - 2 * EDGE) / (right - left), (HEIGHT - 2 * EDGE) / (top - bottom));
  const factor = Number.isFinite(scale) ? scale : 0;
  const [x0, y0] = [(left + right) / 2, (bottom + top) / 2];
  return (x, y) => [Math.round(WIDTH / 2 + (x - x0) * factor), Math.round(HEIGHT / 2 - (y - y0) * factor)];
}

/** The places that exist and lie within the picture, each once. */
function pointsOf(track: readonly number[], fit: Fit): Point[] {
  const points: Point[] = [];
  for (let i = 0; i < track.length; i += 2) {
    if (!Number.isFinite(track[i])) continue;
    const [x, y] = fit(track[i]!, track[i + 1]!);
    const last = points.at(-1);
    const isInside = x >= 0 && x <= WIDTH && y >= 0 && y <= HEIGHT;
    if (isInside && !(last?.[0] === x && last[1] === y)) points.push([x, y]);
  }
  return points;
}

function lengthOf(points: readonly Point[]): number {
  let length = 0;
  for (let i = 1; i < points.length; i++)
    length += Math.hypot(points[i]![0] - points[i - 1]![0], points[i]![1] - points[i - 1]![1]);
  return length;
}

function wayOf(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x} ${y}`).join("");
}

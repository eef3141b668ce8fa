import type { Meshes } from "./meshes.ts";
import type { LaneSection, MarkLine, Road, RoadMark } from "./road.ts";
import { Cross } from "./section.ts";
import { strip } from "./surface.ts";

/** Metres over the road. */
const OVER = 0.01;
/** Metres that are painted and left, where the file does not say so. */
const DASH = { length: 3, space: 6 } as const;
const DOT = { length: 0.15, space: 1.5 } as const;
/** Of one line, at most. */
const MOST_DASHES = 20_000;
const LEAST_DASH = 0.05;

const PAINT_OF: Readonly<Record<string, string>> = {
  yellow: "mark-yellow",
  blue: "mark-blue",
  red: "mark-red",
  green: "mark-green",
  orange: "mark-orange",
};

/** The lines at the edges of the lanes of a section (ASAM OpenDRIVE 1.7 section 9.6). */
export function markSection(road: Road, section: LaneSection, stations: Float64Array, meshes: Meshes): void {
  const cross = new Cross(road, section);
  const follow = (marks: readonly RoadMark[], edge: number, side: number): void => {
    for (const [i, mark] of marks.entries()) {
      const from = section.start + Math.max(0, mark.start);
      const until = Math.min(section.end, section.start + (marks[i + 1]?.start ?? Number.POSITIVE_INFINITY));
      const paint = mark.type === "curb" ? "kerb" : (PAINT_OF[mark.color] ?? "mark-white");
      for (const line of linesOf(mark, side)) paintLine(cross, stations, edge, line, from, until, paint, meshes);
    }
  };
  follow(section.middle, -1, 0);
  for (const [row, lane] of cross.lanes.entries())
    follow(lane.marks, lane.id > 0 ? 2 * row : 2 * row + 1, Math.sign(lane.id));
}

/** `side`: 1 at the left edge of a lane on the left, -1 at the right edge of one on the right, 0 in the middle. */
function linesOf({ type, width, lines }: RoadMark, side: number): MarkLine[] {
  if (lines.length > 0)
    return lines.map((line) => ({ ...line, width: line.width > 0 && line.width < 5 ? line.width : width }));
  const line = (kind: string, across: number): MarkLine[] => {
    const { length, space } = kind === "broken" ? DASH : kind === "dots" ? DOT : { length: 0, space: 0 };
    return [{ length, space, across, offset: 0, width }];
  };
  switch (type) {
    case "solid":
    case "edge":
    case "curb":
      return line("solid", 0);
    case "broken":
      return line("broken", 0);
    case "botts dots":
      return line("dots", 0);
    case "solid solid":
    case "solid broken":
    case "broken solid":
    case "broken broken": {
      // from the inside to the outside; in the middle from left to right
      const [first, second] = type.split(" ") as [string, string];
      const inner = side > 0 ? -width : width;
      return [...line(first, inner), ...line(second, -inner)];
    }
    default:
      return [];
  }
}

function paintLine(
  cross: Cross,
  stations: Float64Array,
  edge: number,
  { length, space, across, offset, width }: MarkLine,
  from: number,
  until: number,
  paint: string,
  meshes: Meshes,
): void {
  const isWhole = !(length > LEAST_DASH) || !(space > 0);
  if (isWhole) {
    stroke(cross, stations, edge, across, width, from + Math.max(0, offset), until, paint, meshes);
    return;
  }
  let s = from + Math.max(0, offset);
  for (let i = 0; s < until && i < MOST_DASHES; i++, s += length + space)
    stroke(cross, stations, edge, across, width, s, Math.min(until, s + length), paint, meshes);
}

/** Along an edge of the lanes, -1 for the middle. */
function stroke(
  cross: Cross,
  stations: Float64Array,
  edge: number,
  across: number,
  width: number,
  from: number,
  until: number,
  paint: string,
  meshes: Meshes,
): void {
  if (!(until - from > LEAST_DASH)) return;
  let last = -1;
  const cut = (s: number): void => {
    cross.to(s);
    const t = (edge < 0 ? cross.zero : cross.edges[edge]!) + across;
    const lift = (edge < 0 ? 0 : cross.lifts[edge]!) + OVER;
    cross.place(t + width / 2, lift, PLACE);
    const corner = meshes.corner(paint, PLACE[0]!, PLACE[1]!, PLACE[2]!);
    cross.place(t - width / 2, lift, PLACE);
    meshes.corner(paint, PLACE[0]!, PLACE[1]!, PLACE[2]!);
    if (last >= 0) strip(meshes, paint, last, corner);
    last = corner;
  };
  cut(from);
  for (let i = firstBehind(stations, from); i < stations.length && stations[i]! < until - 1e-3; i++) cut(stations[i]!);
  cut(until);
}

function firstBehind(stations: Float64Array, s: number): number {
  let [low, high] = [0, stations.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stations[middle]! <= s + 1e-3) low = middle + 1;
    else high = middle;
  }
  return low;
}

const PLACE = new Float64Array(3);

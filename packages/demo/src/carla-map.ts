import { BLOCK, HALF_CROSSING, LANE, type StreetLane, type StreetTurn, type Town } from "./carla-town.ts";

/** Metres: width of a lane and of a way for people, and how high that is. */
const LANE_WIDTH = 2 * LANE;
const WALK_WIDTH = 3.5;
/** Of a crosswalk: from the end of a lane on, metres along the road. */
const [CROSSWALK_FROM, CROSSWALK_UNTIL] = [0.8, 3.6];
/** Metres of a line to stop at, before the end of a lane. */
const STOP_LINE = 0.4;
/** Where a light stands: metres to the right of the middle of its road. */
const LIGHT_SIDE = LANE + 3.5;

/** A road between two crossings: both its lanes, or, at a crossing, the way from one lane to another. */
interface MapRoad {
  readonly id: number;
  readonly text: string;
}

/**
 * The streets of a town as ASAM OpenDRIVE 1.4, the version that CARLA reads: y to the left of x, where the recording has it
 * to the right. Each way of a car is the middle of a lane.
 */
export function mapOf(town: Town): string {
  const lanes = town.streets;
  const { size } = town;
  let lastId = 0;
  const roads: MapRoad[] = [];
  const roadIds = new Map<StreetLane, { readonly road: number; readonly lane: -1 | 1 }>();
  const seen = new Map<string, { readonly forth: StreetLane; back?: StreetLane }>();
  for (const lane of lanes) {
    const key = [lane.from.join(), lane.to.join()].sort().join(" ");
    const pair = seen.get(key);
    if (pair === undefined) seen.set(key, { forth: lane });
    else pair.back = lane;
  }
  for (const { forth, back } of seen.values()) {
    const id = ++lastId;
    roadIds.set(forth, { road: id, lane: -1 });
    if (back !== undefined) roadIds.set(back, { road: id, lane: 1 });
  }
  const junctionOf = ([i, j]: readonly [number, number]): number => 1000 + i * size + j;
  const connections = new Map<number, string[]>();
  for (const [key, { forth }] of seen) {
    const { road: id } = roadIds.get(forth)!;
    roads.push({ id, text: street(id, key, forth, junctionOf(forth.from), junctionOf(forth.to)) });
  }
  for (const lane of lanes) {
    const from = roadIds.get(lane)!;
    const rightmost = Math.max(...lane.turns.map(({ side }) => side));
    for (const turn of lane.turns) {
      const id = ++lastId;
      const junction = junctionOf(lane.to);
      const to = roadIds.get(turn.to)!;
      roads.push({ id, text: way(id, turn, junction, from, to, turn.side === rightmost) });
      const list = connections.get(junction) ?? [];
      list.push(
        `    <connection id="${list.length}" incomingRoad="${from.road}" connectingRoad="${id}" contactPoint="start"><laneLink from="${from.lane}" to="-1"/></connection>`,
      );
      connections.set(junction, list);
    }
  }
  const edge = (size - 1) * BLOCK + HALF_CROSSING;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<OpenDRIVE>",
    `  <header revMajor="1" revMinor="4" name="GridTown" version="1" north="${HALF_CROSSING}" south="${-edge}" east="${edge}" west="${-HALF_CROSSING}" vendor="simtape"/>`,
    ...roads.map(({ text }) => text),
    ...[...connections].map(
      ([id, list]) => `  <junction id="${id}" name="crossing ${id - 1000}">\n${list.join("\n")}\n  </junction>`,
    ),
    "</OpenDRIVE>",
    "",
  ].join("\n");
}

/** Both lanes between two crossings, with what stands beside them. */
function street(id: number, name: string, lane: StreetLane, before: number, behind: number): string {
  const [x, y] = [lane.from[0] * BLOCK, lane.from[1] * BLOCK];
  const [dx, dy] = [lane.to[0] - lane.from[0], lane.to[1] - lane.from[1]];
  const length = BLOCK - 2 * HALF_CROSSING;
  const start = [x + dx * HALF_CROSSING, -(y + dy * HALF_CROSSING)] as const;
  const heading = number(Math.atan2(-dy, dx));
  const side = (sign: 1 | -1): string =>
    [
      laneOf(
        sign,
        "driving",
        LANE_WIDTH,
        '<roadMark sOffset="0" type="solid" weight="standard" color="white" width="0.12"/>',
      ),
      laneOf(2 * sign, "sidewalk", WALK_WIDTH, '<roadMark sOffset="0" type="none" color="white"/>'),
    ].join("");
  const light = (sign: 1 | -1, s: number): string =>
    `<signal id="${id}${sign < 0 ? 1 : 2}" name="light" s="${s}" t="${sign * LIGHT_SIDE}" zOffset="4" hOffset="0" orientation="${sign < 0 ? "+" : "-"}" dynamic="yes" country="OpenDRIVE" type="1000001" subtype="-1" width="0.5" height="1.5"/>`;
  return [
    `  <road name="${name}" length="${length}" id="${id}" junction="-1">`,
    `    <link><predecessor elementType="junction" elementId="${before}"/><successor elementType="junction" elementId="${behind}"/></link>`,
    `    <planView><geometry s="0" x="${number(start[0])}" y="${number(start[1])}" hdg="${heading}" length="${length}"><line/></geometry></planView>`,
    `    <lanes><laneSection s="0"><left>${side(1)}</left>`,
    `      <center><lane id="0" type="none" level="false"><roadMark sOffset="0" type="broken" weight="standard" color="white" width="0.12"/></lane></center>`,
    `      <right>${side(-1)}</right></laneSection></lanes>`,
    `    <objects>${crosswalk(id, 1, 0, -CROSSWALK_UNTIL, -CROSSWALK_FROM)}${crosswalk(id, 2, length, CROSSWALK_FROM, CROSSWALK_UNTIL)}${stopLine(id, 3, length - STOP_LINE / 2, -LANE)}${stopLine(id, 4, STOP_LINE / 2, LANE)}</objects>`,
    `    <signals>${light(-1, length)}${light(1, 0)}</signals>`,
    "  </road>",
  ].join("\n");
}

/** The way through a crossing from one lane to another: a line, or the parabola that cars drive. */
function way(
  id: number,
  { points, side }: StreetTurn,
  junction: number,
  from: { readonly road: number; readonly lane: -1 | 1 },
  to: { readonly road: number; readonly lane: -1 | 1 },
  hasWalk: boolean,
): string {
  const [a, middle, b] = points.map(([x, y]) => [x, -y] as const) as unknown as [Place, Place, Place];
  const heading = Math.atan2(middle[1] - a[1], middle[0] - a[0]);
  const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
  const local = ([x, y]: Place): Place => {
    const [dx, dy] = [x - a[0], y - a[1]];
    return [cos * dx + sin * dy, cos * dy - sin * dx];
  };
  const [p1, p2] = [local(middle), local(b)];
  // a quadratic Bézier curve, by its parameter
  const cubic = (k: 0 | 1, axis: string): string =>
    `a${axis}="0" b${axis}="${number(2 * p1[k])}" c${axis}="${number(p2[k] - 2 * p1[k])}" d${axis}="0"`;
  const length = number(side === 0 ? Math.hypot(p2[0], p2[1]) : parabola(p1, p2));
  const shape = side === 0 ? "<line/>" : `<paramPoly3 ${cubic(0, "U")} ${cubic(1, "V")} pRange="normalized"/>`;
  const none = '<roadMark sOffset="0" type="none" color="white"/>';
  return [
    `  <road name="" length="${length}" id="${id}" junction="${junction}">`,
    `    <link><predecessor elementType="road" elementId="${from.road}" contactPoint="${from.lane < 0 ? "end" : "start"}"/><successor elementType="road" elementId="${to.road}" contactPoint="${to.lane < 0 ? "start" : "end"}"/></link>`,
    `    <planView><geometry s="0" x="${number(a[0])}" y="${number(a[1])}" hdg="${number(heading)}" length="${length}">${shape}</geometry></planView>`,
    `    <lanes><laneOffset s="0" a="${LANE}" b="0" c="0" d="0"/><laneSection s="0">`,
    `      <center><lane id="0" type="none" level="false">${none}</lane></center>`,
    `      <right>${laneOf(-1, "driving", LANE_WIDTH, none)}${hasWalk ? laneOf(-2, "sidewalk", WALK_WIDTH, none) : ""}</right></laneSection></lanes>`,
    "  </road>",
  ].join("\n");
}

type Place = readonly [number, number];

function laneOf(id: number, type: string, width: number, mark: string): string {
  return `<lane id="${id}" type="${type}" level="false"><width sOffset="0" a="${width}" b="0" c="0" d="0"/>${mark}</lane>`;
}

/** Along the road from `u0` to `u1` metres behind `s`, across both lanes. */
function crosswalk(road: number, place: number, s: number, u0: number, u1: number): string {
  const corners = [
    [u0, -LANE_WIDTH],
    [u1, -LANE_WIDTH],
    [u1, LANE_WIDTH],
    [u0, LANE_WIDTH],
  ].map(([u, v]) => `<cornerLocal u="${u}" v="${v}" z="0" height="0"/>`);
  return `<object id="${road}${place}" name="crosswalk" type="crosswalk" s="${s}" t="0" zOffset="0" hdg="0" orientation="none"><outline>${corners.join("")}</outline></object>`;
}

function stopLine(road: number, place: number, s: number, t: number): string {
  return `<object id="${road}${place}" name="StopLine" type="roadMark" s="${number(s)}" t="${t}" zOffset="0" hdg="0" orientation="none" length="${STOP_LINE}" width="${LANE_WIDTH}"/>`;
}

/** Length of a parabola from zero, by Simpson's rule. */
function parabola(p1: Place, p2: Place): number {
  const steps = 200;
  const speed = (t: number): number => 2 * Math.hypot(p1[0] * (1 - 2 * t) + p2[0] * t, p1[1] * (1 - 2 * t) + p2[1] * t);
  let sum = speed(0) + speed(1);
  for (let i = 1; i < steps; i++) sum += (i % 2 === 1 ? 4 : 2) * speed(i / steps);
  return sum / (3 * steps);
}

function number(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0;
}

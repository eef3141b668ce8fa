import { refused, type Scenery, type StreamReader } from "../companion.ts";
import { Findings } from "../findings.ts";
import { Meshes } from "./meshes.ts";
import { type Airport, lengthOf, type Runway, runwayOf } from "./runway.ts";
import { rowsOf } from "./rows.ts";
import { unpacked } from "./unpacked.ts";

/** Metres around places of the recording in which airports are kept, and runways at most. */
const NEAR = 50_000;
const MOST_RUNWAYS = 1000;
/** Versions of the file in which runways have rows of their own (100). */
const FIRST_VERSION = 850;
/** Codes of rows: an airport, a seaplane base, a heliport; a runway; the last row. */
const [LAND, SEA, HELI, RUNWAY, END] = [1, 16, 17, 100, 99];
const FOOT = 0.3048;
/** Names of airports in the facts. */
const NAMED = 20;

/**
 * Reads runways from an `apt.dat` of X-Plane or FlightGear as its bytes come, and keeps those of airports near places of the
 * recording. Source: developer.x-plane.com, "apt.dat 12.00 file format specification".
 */
export const read: StreamReader = async (pieces, around) => {
  if (around.length === 0) return refused("no-place", "the recording has no place on the earth");
  const findings = new Findings();
  const kept: { head: Head; runways: Runway[] }[] = [];
  let head: Head | null = null;
  let airports = 0;
  let count = 0;
  let isWhole = false;
  for await (const { line, code, text } of rowsOf(unpacked(pieces), new Set([LAND, SEA, HELI, RUNWAY, END]))) {
    if (line === 1) continue;
    if (line === 2) {
      if (!(code >= FIRST_VERSION))
        return refused("old-version", `its version is ${text.slice(0, 4)}: from ${FIRST_VERSION} on they are read`);
    } else if (code === END) {
      isWhole = true;
    } else if (code !== RUNWAY) {
      airports++;
      const found: Head | string = headOf(text);
      if (typeof found === "string") findings.add("warning", "bad-airport", `line ${line}: ${found}`);
      // its runways are known without its name
      head = typeof found === "string" ? { id: "", name: "", elevation: Number.NaN } : found;
    } else if (head === null) {
      findings.add("warning", "no-airport", `line ${line}: a runway before the first airport`);
    } else {
      const runway = runwayOf(text);
      if (typeof runway === "string") {
        findings.add("warning", "bad-runway", `line ${line}${head.id === "" ? "" : ` (${head.id})`}: ${runway}`);
        continue;
      }
      if (!isNear(runway, around)) continue;
      if (++count > MOST_RUNWAYS) continue;
      const last = kept.at(-1);
      if (last?.head === head) last.runways.push(runway);
      else kept.push({ head, runways: [runway] });
    }
  }
  if (!isWhole) findings.add("warning", "cut", "it does not end with row 99: it may be cut");
  if (count > MOST_RUNWAYS)
    findings.add("note", "too-many", `${count.toLocaleString("en")} runways are near: ${MOST_RUNWAYS} are drawn`);
  if (kept.length === 0)
    findings.add("note", "none-near", `none of its airports is within ${NEAR / 1000} km of the recording`);
  return sceneryOf(
    kept.map(({ head: of, runways }) => ({ ...of, runways })),
    around,
    airports,
    findings,
  );
};

type Head = Omit<Airport, "runways">;

function headOf(text: string): Head | string {
  const [, feet, , , id, ...name] = text.split(/\s+/);
  if (id === undefined) return `an airport has an elevation and a name: ${JSON.stringify(text.slice(0, 40))}`;
  const elevation = FOOT * Number(feet);
  if (!(elevation > -500 && elevation < 9000)) return `the elevation of ${id} is ${feet!} ft`;
  return { id, name: name.join(" "), elevation };
}

function isNear({ ends }: Runway, around: readonly (readonly [number, number])[]): boolean {
  return around.some(([latitude, longitude]) => ends.some((end) => lengthOf(end, { latitude, longitude }) <= NEAR));
}

function sceneryOf(
  all: readonly Airport[],
  around: readonly (readonly [number, number])[],
  airports: number,
  findings: Findings,
): Scenery {
  const [latitude, longitude] = around[0]!;
  const middle = [latitude, longitude, 0] as const;
  // the nearest to where the recording begins
  const away = ({ runways }: Airport): number =>
    Math.min(...runways.flatMap(({ ends }) => ends.map((end) => lengthOf(end, { latitude, longitude }))));
  const sorted = all.map((one) => ({ one, far: away(one) })).sort((a, b) => a.far - b.far);
  const elevation = sorted.map(({ one }) => one.elevation).find((each) => !Number.isNaN(each));
  const meshes = new Meshes(middle);
  let count = 0;
  for (const { one } of sorted)
    for (const runway of one.runways) {
      count++;
      meshes.add({ elevation: Number.isNaN(one.elevation) ? (elevation ?? 0) : one.elevation }, runway);
    }
  return {
    findings: findings.list,
    description: count === 0 ? "" : `${count} ${count === 1 ? "runway" : "runways"}`,
    facts: [
      ["airports", `${all.length.toLocaleString("en")} of ${airports.toLocaleString("en")} are near`],
      ...sorted.slice(0, NAMED).map(({ one }) => [one.id, factOf(one)] as const),
    ],
    parts: meshes.parts,
    middle,
    ground: elevation ?? null,
    isGeodetic: true,
    isDraped: true,
    strips: sorted.flatMap(({ one }) =>
      one.runways.map(({ ends }) => ({
        name: one.id,
        ends: ends.map((end) => [end.latitude, end.longitude]) as unknown as readonly [Place, Place],
      })),
    ),
  };
}

type Place = readonly [latitude: number, longitude: number];

function factOf({ name, runways }: Airport): string {
  const each = runways.map(
    ({ ends, width }) =>
      `${ends.map(({ designator }) => designator).join("/")} ${Math.round(lengthOf(...ends)).toLocaleString("en")} × ${Math.round(width)} m`,
  );
  return `${name}: ${each.join(", ")}`;
}

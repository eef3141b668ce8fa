/** A place where aircraft land. */
export interface Airport {
  /** As `KHAF`. */
  readonly id: string;
  readonly name: string;
  /** Metres above sea level. */
  readonly elevation: number;
  readonly runways: readonly Runway[];
}

export interface Runway {
  /** Metres. */
  readonly width: number;
  /** Name of a paint; null: nothing of it is seen but its marks. */
  readonly surface: string | null;
  readonly isPaved: boolean;
  readonly ends: readonly [RunwayEnd, RunwayEnd];
}

export interface RunwayEnd {
  /** As it is called: "09", "27L". */
  readonly designator: string;
  /** Degrees of WGS 84, at the middle of the edge; what is displaced belongs to the runway. */
  readonly latitude: number;
  readonly longitude: number;
  /** Metres from the edge to where aircraft may touch down, and of pavement before the edge. */
  readonly displaced: number;
  readonly overrun: number;
  readonly marks: "none" | "visual" | "non-precision" | "precision";
}

/** Columns of a row 100: of the runway, and of each end. */
const [OF_RUNWAY, OF_END] = [8, 9];
/** Metres. */
const [WIDEST, LONGEST] = [3000, 30_000];

/** Surfaces by their codes (X-Plane, "apt.dat 12.00", table of surface types): paints. */
const SURFACES: Readonly<Record<number, string>> = {
  1: "asphalt",
  2: "concrete",
  3: "turf",
  4: "earth",
  5: "gravel",
  12: "earth",
  13: "water",
  14: "snow",
};
const TRANSPARENT = 15;
/** By the codes of marks; 4 and 5 are those of the United Kingdom. */
const MARKS: readonly RunwayEnd["marks"][] = [
  "none",
  "visual",
  "non-precision",
  "precision",
  "non-precision",
  "precision",
];

/** Reads a row 100 (X-Plane, "apt.dat 10.00" to "12.00"; in 8.50, too). A text says what is wrong with it. */
export function runwayOf(row: string): Runway | string {
  const columns = row.split(/\s+/);
  const least = OF_RUNWAY + 2 * OF_END;
  if (columns.length < least) return `a runway has ${least} columns, not ${columns.length}`;
  const width = Number(columns[1]);
  if (!(width > 0 && width <= WIDEST)) return `its width is ${columns[1]!}: more than 0 to ${WIDEST} m are read`;
  const code = Number(columns[2]);
  const surface = surfaceOf(code);
  if (surface === undefined) return `its surface ${columns[2]!} is not known`;
  const ends: RunwayEnd[] = [];
  for (const first of [OF_RUNWAY, OF_RUNWAY + OF_END]) {
    const end = endOf(columns.slice(first, first + OF_END));
    if (typeof end === "string") return end;
    ends.push(end);
  }
  const [one, other] = ends as [RunwayEnd, RunwayEnd];
  const length = lengthOf(one, other);
  if (!(length >= 1 && length <= LONGEST))
    return `it is ${Math.round(length).toLocaleString("en")} m long: 1 to ${LONGEST.toLocaleString("en")} m are read`;
  if (one.displaced + other.displaced >= length) return "its thresholds are displaced beyond one another";
  return {
    width,
    surface,
    isPaved: surface === "asphalt" || surface === "concrete" || surface === null,
    ends: [one, other],
  };
}

function surfaceOf(code: number): string | null | undefined {
  if (code === TRANSPARENT) return null;
  // from 12.00 on there are many of asphalt and of concrete
  if (code >= 20 && code <= 38) return "asphalt";
  if (code >= 50 && code <= 57) return "concrete";
  return SURFACES[code];
}

function endOf([designator, ...columns]: readonly string[]): RunwayEnd | string {
  const [latitude, longitude, displaced, overrun, marks] = columns.map(Number);
  if (!(Math.abs(latitude!) < 90 && Math.abs(longitude!) <= 180))
    return `its end ${designator!} is at ${columns[0]!} ${columns[1]!}, which is no place`;
  if (!(displaced! >= 0 && overrun! >= 0 && overrun! < LONGEST))
    return `its end ${designator!} has lengths of ${columns[2]!} and ${columns[3]!} m`;
  const own = MARKS[marks!];
  if (own === undefined) return `marks ${columns[4]!} of its end ${designator!} are not known`;
  return {
    designator: designator!,
    latitude: latitude!,
    longitude: longitude!,
    displaced: displaced!,
    overrun: overrun!,
    marks: own,
  };
}

/** Metres along a degree north and east at a latitude (WGS 84, series of the meridian's and the parallel's radius). */
export function degreeAt(latitude: number): readonly [north: number, east: number] {
  const angle = (latitude * Math.PI) / 180;
  return [
    111_132.954 - 559.822 * Math.cos(2 * angle) + 1.175 * Math.cos(4 * angle),
    111_412.84 * Math.cos(angle) - 93.5 * Math.cos(3 * angle) + 0.118 * Math.cos(5 * angle),
  ];
}

/** Metres between two places near each other, degrees. */
export function lengthOf(a: Place, b: Place): number {
  const [north, east] = degreeAt((a.latitude + b.latitude) / 2);
  const around = b.longitude - a.longitude;
  return Math.hypot((b.latitude - a.latitude) * north, (around - 360 * Math.round(around / 360)) * east);
}

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

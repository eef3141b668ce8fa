import type { Dialect, PacketKind } from "../layout/layout.ts";

/** What one release of CARLA writes (spec §3.1, §7). */
export interface Release {
  readonly name: string;
  readonly dialect: Dialect;
  /** Highest id below 21 that occurs. */
  readonly until: number;
  /** Type that sensors have (spec §4.2). */
  readonly sensorType: 0 | 5;
  /** Whether props, the spectator and other actors of type 0 have positions (spec §4.6). */
  readonly hasProps: boolean;
  /** Stands for no actor in a collision (spec §4.5). */
  readonly noActor: number;
}

type Late = Dialect["late"];

const NONE: Late = [null, null, null, null];
/** The three maps of ids 21 to 24, and map C before weather (spec §3.1). */
const A: Late = ["vehicle-wheels", "biker", null, null];
const B: Late = ["vehicle-door", "vehicle-wheels", "biker", null];
const C: Late = ["vehicle-wheels", "biker", "vehicle-door", null];
const WEATHER: Late = ["vehicle-wheels", "biker", "vehicle-door", "weather"];

function release(
  name: string,
  until: number,
  wheel: 36 | 48 | 208,
  late: Late = NONE,
  { version = 1, scalar = 4 }: { version?: number; scalar?: 4 | 8 } = {},
): Release {
  const number = name.startsWith("0.9.") ? Number(name.slice(4)) : 16;
  return {
    name,
    dialect: { scalar, wheel, late, version },
    until,
    sensorType: number < 12 ? 0 : 5,
    hasProps: number >= 11,
    noActor: number < 13 ? 0 : 0xffffffff,
  };
}

/** Oldest first. */
export const RELEASES: readonly Release[] = [
  release("0.9.4", 7, 36),
  release("0.9.5", 7, 36),
  release("0.9.6", 9, 36),
  release("0.9.7", 9, 36),
  release("0.9.8", 9, 36),
  release("0.9.9", 9, 36),
  release("0.9.10", 17, 36),
  release("0.9.11", 17, 36),
  release("0.9.12", 17, 48),
  release("0.9.13", 17, 48),
  release("0.9.14", 20, 48),
  release("0.9.15", 20, 48, A),
  release("nightly-2024", 20, 48, B),
  release("0.9.16", 20, 48, C, { version: 2 }),
  release("0.10", 20, 208, B, { scalar: 8 }),
  release("2026-ue5", 20, 208, WEATHER, { scalar: 8 }),
  release("2026", 20, 48, WEATHER, { version: 2 }),
];

/** Throws `RangeError` for a name that is none. */
export function releaseOf(name: string): Release {
  const found = RELEASES.find((known) => known.name === name);
  if (found !== undefined) return found;
  throw new RangeError(
    `no dialect ${JSON.stringify(name)} of CARLA; there are ${RELEASES.map((r) => r.name).join(", ")}`,
  );
}

/** A release that writes as a file of that dialect does; what packets it knows beside those that occur is guessed. */
export function releaseLike(dialect: Dialect): Release {
  const fits = ({ dialect: { scalar, version, late } }: Release): boolean =>
    scalar === dialect.scalar &&
    version >= 2 === dialect.version >= 2 &&
    dialect.late.every((kind, place) => kind === null || kind === late[place]);
  const isOld = dialect.late.every((kind) => kind === null) && dialect.version < 2;
  const wanted = isOld && dialect.scalar === 4 ? (dialect.wheel === 36 ? "0.9.11" : "0.9.14") : null;
  const near = RELEASES.find(({ name }) => name === wanted) ?? RELEASES.find(fits) ?? RELEASES.at(-1)!;
  const late = dialect.late.map((kind, place) => kind ?? lateOf(near.dialect.late, dialect.late, place));
  return {
    ...near,
    name: "like",
    until: 20,
    dialect: { ...dialect, wheel: dialect.wheel ?? near.dialect.wheel, late: [late[0]!, late[1]!, late[2]!, late[3]!] },
  };
}

/** What a place may mean when the file does not tell: nothing that another place of it means already. */
function lateOf(near: Late, own: Late, place: number): PacketKind | null {
  const kind = near[place]!;
  return kind !== null && own.includes(kind) ? null : kind;
}

/** Order of the packets of a frame (spec §3.2), between its start and its end. */
export const WRITER_ORDER: readonly PacketKind[] = [
  "visual-time",
  "event-add",
  "event-del",
  "event-parent",
  "collision",
  "vehicle-door",
  "position",
  "state",
  "anim-vehicle",
  "anim-walker",
  "vehicle-light",
  "scene-light",
  "vehicle-wheels",
  "biker",
  "weather",
  "kinematics",
  "bounding-box",
  "trigger-volume",
  "platform-time",
  "physics-control",
  "traffic-light-time",
  "walker-bones",
];

/** Written only when there are records (spec §3.2). */
export const OPTIONAL: ReadonlySet<PacketKind> = new Set<PacketKind>([
  "scene-light",
  "weather",
  "kinematics",
  "trigger-volume",
  "physics-control",
  "traffic-light-time",
]);

/** Written only with additional data (spec §3.1). */
export const ADDITIONAL: ReadonlySet<PacketKind> = new Set<PacketKind>([
  "kinematics",
  "bounding-box",
  "trigger-volume",
  "platform-time",
  "physics-control",
  "traffic-light-time",
  "walker-bones",
]);

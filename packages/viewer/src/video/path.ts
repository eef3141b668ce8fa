/** Where the camera is at a time. */
export interface Keyframe {
  /** Seconds on the recording's clock, as `t` in addresses. */
  readonly time: number;
  /** In the recording: metres with z up, or degrees north, degrees east and metres above the ellipsoid. */
  readonly position: readonly [number, number, number];
  /** What is looked at. */
  readonly target: readonly [number, number, number];
  /** Degrees from the lower edge of the view to the upper one; absent: 45. */
  readonly field?: number;
  /** What is looked at in place of the target, wherever it goes. */
  readonly lookAt?: { readonly set: string; readonly id: number | string };
  /** How fast a video plays here: 1 as it was, 0.25 four times slower. Absent: as between its neighbours. */
  readonly rate?: number;
  /** Whether the camera comes to rest here: it is slow before it and behind it. Absent: it goes through. */
  readonly ease?: boolean;
}

/** The way of a camera, as docs/video.md describes it in JSON. */
export interface CameraPath {
  readonly version: 1;
  /** By ascending time, no two at the same. */
  readonly keyframes: readonly Keyframe[];
}

export const NO_PATH: CameraPath = { version: 1, keyframes: [] };
/** Degrees of a keyframe that says none. */
export const USUAL_FIELD = 45;
/** Keyframes that a path may have: the address carries them, too. */
export const MOST_KEYFRAMES = 500;
/** Rates that a keyframe may have. */
export const RATES = { least: 0.01, most: 64 } as const;
const FIELDS = { least: 1, most: 120 } as const;

/** With a keyframe more, or in place of one at the same time. */
export function withKeyframe(path: CameraPath, keyframe: Keyframe): CameraPath {
  const others = path.keyframes.filter(({ time }) => time !== keyframe.time);
  return { version: 1, keyframes: [...others, keyframe].sort((a, b) => a.time - b.time) };
}

export function withoutKeyframe(path: CameraPath, time: number): CameraPath {
  return { version: 1, keyframes: path.keyframes.filter((keyframe) => keyframe.time !== time) };
}

/** A path from JSON that may be anything. Throws `Error` that says what is wrong with it, and where. */
export function readPath(value: unknown): CameraPath {
  const { version, keyframes, ...others } = fieldsOf(value, "a camera path");
  refuse(others, "a camera path");
  if (version !== 1) throw new Error(`version 1 of camera paths is known, not ${JSON.stringify(version) ?? "none"}`);
  if (!Array.isArray(keyframes)) throw new Error("a camera path needs a list, keyframes");
  if (keyframes.length > MOST_KEYFRAMES) throw new Error(`a camera path has ${MOST_KEYFRAMES} keyframes at most`);
  const read = keyframes.map((keyframe, i) => readKeyframe(keyframe, `keyframes[${i}]`));
  for (const [i, { time }] of read.entries()) {
    if (i > 0 && time <= read[i - 1]!.time) throw new Error(`keyframes[${i}].time is not behind the one before it`);
  }
  return { version, keyframes: read };
}

function readKeyframe(value: unknown, where: string): Keyframe {
  const { time, position, target, field, lookAt, rate, ease, ...others } = fieldsOf(value, where);
  refuse(others, where);
  if (!isNumber(time)) throw new Error(`${where}.time is a number of seconds`);
  if (ease !== undefined && typeof ease !== "boolean") throw new Error(`${where}.ease is true or false`);
  return {
    time,
    position: readPlace(position, `${where}.position`),
    target: readPlace(target, `${where}.target`),
    ...(field === undefined ? {} : { field: readWithin(field, FIELDS, `${where}.field`) }),
    ...(lookAt === undefined ? {} : { lookAt: readThing(lookAt, `${where}.lookAt`) }),
    ...(rate === undefined ? {} : { rate: readWithin(rate, RATES, `${where}.rate`) }),
    ...(ease === undefined ? {} : { ease }),
  };
}

function readPlace(value: unknown, where: string): [number, number, number] {
  if (Array.isArray(value) && value.length === 3 && value.every(isNumber)) return value as [number, number, number];
  throw new Error(`${where} is three numbers`);
}

function readThing(value: unknown, where: string): NonNullable<Keyframe["lookAt"]> {
  const { set, id, ...others } = fieldsOf(value, where);
  refuse(others, where);
  if (typeof set === "string" && (typeof id === "string" || isNumber(id))) return { set, id };
  throw new Error(`${where} has the name of a set, and the id of a thing in it`);
}

function readWithin(value: unknown, { least, most }: typeof RATES | typeof FIELDS, where: string): number {
  if (isNumber(value) && value >= least && value <= most) return value;
  throw new Error(`${where} is a number from ${least} to ${most}`);
}

function fieldsOf(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${where} is an object`);
}

function refuse(others: Readonly<Record<string, unknown>>, where: string): void {
  const [first] = Object.keys(others);
  if (first !== undefined) throw new Error(`${where} has no ${first}`);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

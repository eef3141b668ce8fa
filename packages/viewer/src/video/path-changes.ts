import { change } from "../changes.ts";
import type { Session } from "../session.ts";
import type { Gaze } from "../gaze.ts";
import { keptPath, PATH_KEY } from "./kept-path.ts";
import { bringPath, keepPath } from "./own-path.ts";
import { type CameraPath, type Keyframe, MOST_KEYFRAMES, withKeyframe } from "./path.ts";

/** Puts another path in place of the one that is kept. */
export function changePath(session: Session, path: CameraPath): void {
  const isEmpty = path.keyframes.length === 0;
  change(session, PATH_KEY, isEmpty ? undefined : path);
  if (isEmpty) keepPath(session, undefined);
}

/** Adds a keyframe where the camera is, at the time shown; where one is at that time, it is put there. */
export function addKeyframe(session: Session): void {
  const { camera, time } = session;
  const gaze = camera?.gaze() ?? null;
  if (gaze === null || time === null) {
    session.tell("Show the scene first: a keyframe is what its camera sees");
    return;
  }
  bringPath(session);
  const path = keptPath(session.state.value.shared);
  const seconds = time / 1e9;
  const there = path.keyframes.find((keyframe) => keyframe.time === seconds);
  if (there === undefined && path.keyframes.length >= MOST_KEYFRAMES) {
    session.tell(`A camera path has ${MOST_KEYFRAMES} keyframes at most`);
    return;
  }
  const { subject } = session.state.value;
  const followed = camera!.isFollowing && subject !== null ? { set: subject.set, id: subject.id } : undefined;
  const lookAt = there?.lookAt ?? followed;
  const view = viewOf(gaze, camera!.isGeodetic);
  const next = withKeyframe(path, { ...there, ...view, time: seconds, ...(lookAt === undefined ? {} : { lookAt }) });
  changePath(session, next);
  const number = next.keyframes.findIndex((one) => one.time === seconds) + 1;
  session.tell(there === undefined ? `Keyframe ${number} of the camera path` : `Keyframe ${number} has this view now`);
}

/** Where a camera is, with the digits that are seen. */
export function viewOf(
  { position, target, field }: Gaze,
  isGeodetic: boolean,
): Pick<Keyframe, "position" | "target" | "field"> {
  const away = Math.hypot(...position.map((value, k) => value - target[k]!));
  // Of a metre so many that what is near is exact, too; of a degree, which is 100 km, always nine.
  const digits = Math.min(12, Math.max(0, Math.ceil(5 - Math.log10(away || 1))));
  const [level, high] = isGeodetic ? [9, 3] : [digits, digits];
  const rounded = ([x, y, z]: readonly [number, number, number]): [number, number, number] => [
    round(x, level),
    round(y, level),
    round(z, high),
  ];
  const view = { position: rounded(position), target: rounded(target) };
  return field === null ? view : { ...view, field: round(field, 2) };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

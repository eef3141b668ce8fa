import { isSameValue } from "../values/same-value.ts";
import type { Angles, Axes, Direction } from "./axes.ts";

/**
 * Complete axes for sets that state no more than this. Right-handed, every angle is by the right hand; left-handed, it is
 * Unreal's; where y is up, Minecraft's; of a geodetic set, an aircraft's. The same object each time. Throws `RangeError`
 * for what is not one of the three.
 */
export function standardAxes(handed: Axes["handed"], up: Direction, kind: Axes["kind"] = "local"): Axes {
  const found = STANDARD.get(`${handed} ${up} ${kind}`);
  if (found === undefined)
    throw new RangeError(`axes are right or left, an axis up, local or geodetic: ${handed}, ${up}, ${kind}`);
  return found;
}

/** With everything that they do not state; null: right-handed, z up, local. Complete ones are given back as they are. */
export function completeAxes(axes: Axes | null): Axes {
  if (axes === null) return standardAxes("right", "z");
  const standard = standardAxes(axes.handed, axes.up, axes.kind);
  return Object.keys(standard).every((key) => Object.hasOwn(axes, key)) ? axes : { ...standard, ...axes };
}

/** The other way around: without what the three that are always there mean by themselves. */
export function briefAxes(axes: Axes): Axes {
  const { handed, up, kind, ...more } = axes;
  const standard: Partial<Axes> = standardAxes(handed, up, kind);
  const other = Object.entries(more).filter(([key, value]) => !isSameValue(value, standard[key as keyof Axes]));
  return { handed, up, kind, ...Object.fromEntries(other) };
}

/** Whether two sets mean the same, however much of it they state. */
export function areSameAxes(a: Axes | null, b: Axes | null): boolean {
  return a === b || isSameValue(completeAxes(a), completeAxes(b));
}

const STANDARD: ReadonlyMap<string, Axes> = new Map(
  (["right", "left"] as const).flatMap((handed) =>
    (["x", "-x", "y", "-y", "z", "-z"] as const).flatMap((up) =>
      [localAxes(handed, up), geodeticAxes(handed, up)].map((axes): [string, Axes] => [
        `${handed} ${up} ${axes.kind}`,
        Object.freeze(axes),
      ]),
    ),
  ),
);

function geodeticAxes(handed: Axes["handed"], up: Direction): Axes {
  return {
    handed,
    up,
    kind: "geodetic",
    angles: { order: "yaw-pitch-roll", roll: "right", pitch: "up", yaw: "right", zero: "north" },
    own: { forward: "x", up: "-z" },
    velocities: "own",
  };
}

function localAxes(handed: Axes["handed"], up: Direction): Axes {
  const angles = (pitch: Angles["pitch"], yaw: Angles["yaw"], zero: Direction): Angles => ({
    order: "yaw-pitch-roll",
    roll: "right",
    pitch,
    yaw,
    zero,
  });
  const base = { handed, up, kind: "local" } as const;
  const [isRight, isAlongX] = [handed === "right", up === "x" || up === "-x"];
  if (up === "y")
    return { ...base, angles: angles("down", "right", isRight ? "z" : "-z"), velocities: "set", tickRate: 20 };
  const zero = isAlongX ? "y" : "x";
  return { ...base, angles: isRight ? angles("down", "left", zero) : angles("up", "right", zero), velocities: "set" };
}

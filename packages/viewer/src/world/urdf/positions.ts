import type { Value } from "simtape";
import type { Robot } from "../companion.ts";

/** Where joints are: of each its name, and rad or m. */
export type JointPositions = ReadonlyMap<string, number>;

/** The joints that a value speaks of: `sensor_msgs/JointState`, and Foxglove's `JointStates`; null: it is neither. */
export function jointsIn(value: Value | undefined): JointPositions | null {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return null;
  const { name, position, joints } = value as { readonly [key: string]: Value };
  const pairs: (readonly [unknown, unknown])[] = [];
  if (Array.isArray(name) && isList(position)) for (const [i, one] of name.entries()) pairs.push([one, position[i]]);
  else if (Array.isArray(joints))
    for (const joint of joints) {
      if (typeof joint !== "object" || joint === null) return null;
      const { name: one, position: at } = joint as { readonly [key: string]: Value };
      pairs.push([one, at]);
    }
  if (pairs.length === 0) return null;
  const found = new Map<string, number>();
  for (const [one, at] of pairs) {
    if (typeof one !== "string") return null;
    // a joint may be listed without a position
    if (typeof at === "number" && Number.isFinite(at)) found.set(one, at);
  }
  return found;
}

/** Names of channels whose numbers are angles in degrees: those of the types of MIRA that are serialized so. */
export function inDegrees(
  channels: readonly { readonly name: string; readonly schema: string }[],
): ReadonlySet<string> {
  const found = channels.filter(({ schema }) => /^(?:mira::)?(?:Signed)?(?:Angle|Degree)</.test(schema));
  return new Set(found.map(({ name }) => name));
}

function isList(value: Value | undefined): value is Value & ArrayLike<unknown> {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

/** Mimics that follow one another at most; more go in circles. */
const MOST = 16;

/** Position of the joint that holds each link, rad or m: as it is known, else as it mimics another, else 0. */
export function positionsOf({ links }: Robot, known: (joint: string) => number | undefined): number[] {
  const of = (row: number, depth: number): number => {
    const joint = links[row]?.joint;
    if (joint == null) return 0;
    const own = known(joint.name);
    if (own !== undefined || joint.mimics === null) return own ?? 0;
    if (depth === MOST) return 0;
    return joint.mimics.factor * of(joint.mimics.link, depth + 1) + joint.mimics.offset;
  };
  return links.map((_, row) => of(row, 0));
}

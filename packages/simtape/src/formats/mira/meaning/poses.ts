import type { TapeSchema } from "./schema.ts";
import type { ObjectLayout, TypeLayout } from "./types.ts";

/** The set of things whose place a channel tells. */
export const POSES = "poses";

/** Which of its columns a channel fills. */
export type PoseKind = "pose" | "odometry";

/** Which pose the values of a type are; null: none. */
export function poseKind(schema: TapeSchema): PoseKind | null {
  const layout = schema.encoding?.layout;
  if (layout === undefined || layout.kind !== "object" || /Velocity\d/.test(schema.name)) return null;
  if (isTransform(layout)) return "pose";
  const pose = memberOf(layout, "pose");
  const velocity = memberOf(layout, "velocity");
  return pose !== null && velocity !== null && isTransform(pose) && isTransform(velocity) ? "odometry" : null;
}

/** The type of a member; null: there is none of that name. */
function memberOf(layout: ObjectLayout, name: string): TypeLayout | null {
  return layout.fields.find((field) => field.name === name)?.type ?? null;
}

function isTransform(layout: TypeLayout): boolean {
  return layout.kind === "object" && layout.name.startsWith("RigidTransform<");
}

/** Members of a pose that the numbers of a column are, in the plane and in space; null: such poses have none for it. */
const OF_POSE: Readonly<Record<string, readonly (readonly [flat: string | null, spatial: string])[]>> = {
  position: [
    ["x", "x"],
    ["y", "y"],
    [null, "z"],
  ],
  rotation: [
    [null, "roll"],
    [null, "pitch"],
    ["phi", "yaw"],
  ],
};
/** The same of a velocity, which is one in the plane. */
const OF_VELOCITY: Readonly<Record<string, readonly (string | null)[]>> = {
  velocity: ["x", "y", null],
  "angular-velocity": [null, null, "phi"],
};

/** The keys of a number of a column in the values that poses are; null: it is the same whatever they are. */
export function poseKeys(kind: PoseKind, layout: TypeLayout, column: string, item: number): readonly string[] | null {
  const of = (name: string): TypeLayout | null => (layout.kind === "object" ? memberOf(layout, name) : null);
  const pose = kind === "odometry" ? of("pose") : layout;
  if (Object.hasOwn(OF_POSE, column) && pose?.kind === "object") {
    const [flat, spatial] = OF_POSE[column]![item]!;
    const key = memberOf(pose, "phi") !== null ? flat : memberOf(pose, spatial) === null ? null : spatial;
    return key === null ? null : kind === "odometry" ? ["pose", key] : [key];
  }
  if (!Object.hasOwn(OF_VELOCITY, column) || kind === "pose") return null;
  const key = OF_VELOCITY[column]![item]!;
  const velocity = of("velocity");
  return key === null || velocity?.kind !== "object" || memberOf(velocity, key) === null ? null : ["velocity", key];
}

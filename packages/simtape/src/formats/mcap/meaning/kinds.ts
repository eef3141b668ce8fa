import type { Channel } from "../../../model/values/value.ts";
import { PayloadSchema } from "./schema.ts";

/**
 * What the messages of a channel do to the state: `frames`, `scene` add to it or take from it, all others replace what
 * the one before said; `log` is an event and no state; `bytes` are not decoded.
 */
export type Kind = "frame" | "frames" | "pose" | "poses" | "odometry" | "scene" | "fix" | "log" | "value" | "bytes";

/** By the name of the schema, as `plainName` gives it (spec §7). */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["foxglove.FrameTransform", "frame"],
  ["foxglove.FrameTransforms", "frames"],
  ["foxglove.PoseInFrame", "pose"],
  ["foxglove.PosesInFrame", "poses"],
  ["foxglove.SceneUpdate", "scene"],
  ["foxglove.LocationFix", "fix"],
  ["foxglove.Log", "log"],
  ["geometry_msgs/TransformStamped", "frame"],
  ["tf/tfMessage", "frames"],
  ["tf2_msgs/TFMessage", "frames"],
  ["geometry_msgs/PoseStamped", "pose"],
  ["geometry_msgs/PoseWithCovarianceStamped", "pose"],
  ["geometry_msgs/PoseArray", "poses"],
  ["nav_msgs/Path", "poses"],
  ["nav_msgs/Odometry", "odometry"],
  ["sensor_msgs/NavSatFix", "fix"],
  ["rosgraph_msgs/Log", "log"],
  ["rcl_interfaces/Log", "log"],
]);

/**
 * `geometry_msgs/PoseStamped` for `geometry_msgs/msg/PoseStamped` and `geometry_msgs::msg::PoseStamped`, `foxglove.Log`
 * for `foxglove_msgs/msg/Log` and `foxglove::Log`.
 */
export function plainName(schema: string): string {
  return schema
    .replaceAll("::", "/")
    .replace("/msg/", "/")
    .replace(/^foxglove(_msgs)?\//, "foxglove.");
}

export function kindOfChannel({ schema }: Pick<Channel, "schema">): Kind {
  if (!(schema instanceof PayloadSchema) || !schema.isDecoded) return "bytes";
  return KINDS.get(plainName(schema.name)) ?? "value";
}

/** Whether the last message of such a channel says all that holds. */
export function isReplacing(kind: Kind): boolean {
  return kind !== "frame" && kind !== "frames" && kind !== "scene";
}

/** Whether messages of such a channel change the state. */
export function isHeld(kind: Kind): boolean {
  return kind !== "log" && kind !== "bytes";
}

import type { Format, Kit } from "simtape/kit";
import { type Gone, MAGIC, type Pose } from "./layout.ts";
import { openLog } from "./reader.ts";

/** What messages decode to, by channel. */
export interface PoselogChannels {
  readonly pose: Pose;
  readonly gone: Gone;
}

/** Pose logs: positions and rotations of things over time. */
export default function poselog(kit: Kit): Format<PoselogChannels, "poselog"> {
  return {
    id: "poselog",
    name: "pose log",
    extensions: ["plog"],
    sniff: (head) => (MAGIC === String.fromCharCode(...head.subarray(0, MAGIC.length)) ? "certain" : null),
    async open(from, report, options) {
      const source = await from.open();
      if (source === null) throw new kit.SourceError("failed", "nothing there");
      return openLog(kit, source, report, options);
    },
    traits: async () => (await import("./traits.ts")).traitsOf(kit),
    writing: async () => (await import("./writing.ts")).writingOf(kit),
  };
}

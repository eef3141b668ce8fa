import { SourceError } from "../../io/source/source.ts";
import type { Format } from "../../model/format.ts";
import type { CarlaChannels } from "./meaning/channels.ts";
import { firstFrame, matchingMagic } from "./read/header.ts";
import { MAGIC } from "./layout/layout.ts";

/** Letters of a damaged magic that are still enough of it. */
const ENOUGH = 10;

/** CARLA's recorder files, 0.9.4 to 0.10 and the lines of 2026. */
export const carla: Format<CarlaChannels, "carla"> = {
  id: "carla",
  name: "CARLA",
  extensions: ["log"],
  sniff(head) {
    if (matchingMagic(head) === MAGIC.length && head[2] === MAGIC.length && head[3] === 0) return "certain";
    return matchingMagic(head) >= ENOUGH || firstFrame(head) >= 0 ? "possible" : null;
  },
  async open(from, report, options) {
    const source = await from.open();
    if (source === null) throw new SourceError("failed", "nothing there");
    return (await import("./read/reader.ts")).CarlaReader.open(source, report, options);
  },
  traits: async () => (await import("./traits.ts")).traits,
  writing: async () => (await import("./writing.ts")).writing,
};

export type * from "./meaning/channels.ts";

import type { ExportTarget } from "../exporter.ts";

/** What the target is called. */
export const MCAP: Omit<ExportTarget, "load"> = {
  id: "mcap",
  name: "MCAP, for Foxglove, Lichtblick and Rerun",
  extensions: ["mcap"],
  mediaType: "application/x-mcap",
  carries: "any channel, and any set of things with places",
  takes: ["channel", "origin", "original"],
};

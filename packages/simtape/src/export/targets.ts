import type { ExportTarget } from "./exporter.ts";

/** Every target, in the order of the help. */
export const EXPORT_TARGETS: readonly ExportTarget[] = [
  {
    id: "mcap",
    name: "MCAP, for Foxglove, Lichtblick and Rerun",
    extensions: ["mcap"],
    mediaType: "application/x-mcap",
    carries: "any channel, and any set of things with places",
    load: async () => (await import("./mcap/exporter.ts")).mcap,
  },
];

/** By its id, or null. */
export function targetCalled(id: string): ExportTarget | null {
  return EXPORT_TARGETS.find((target) => target.id === id) ?? null;
}

/** By the ending of a file's name, the longest that fits; null: no target has it. */
export function targetOfName(name: string): ExportTarget | null {
  const endings = EXPORT_TARGETS.flatMap((target) => target.extensions.map((ending) => ({ target, ending })));
  const fitting = endings.filter(({ ending }) => name.toLowerCase().endsWith(`.${ending}`));
  return fitting.sort((a, b) => b.ending.length - a.ending.length)[0]?.target ?? null;
}

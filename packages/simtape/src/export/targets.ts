import type { ExportTarget } from "./exporter.ts";
import { ARROW, CSV, NDJSON, NPZ, PARQUET } from "./row-facts.ts";
import { ACMI, CZML, GPX, KML } from "./geo/facts.ts";
import { DCD, PDB, XYZ } from "./molecules/facts.ts";
import { GLTF } from "./scene/facts.ts";
import { MCAP } from "./mcap/facts.ts";

/** Every target, in the order of the help. */
export const EXPORT_TARGETS: readonly ExportTarget[] = [
  { ...CSV, load: async () => (await import("./csv.ts")).csv },
  { ...NDJSON, load: async () => (await import("./ndjson.ts")).ndjson },
  { ...PARQUET, load: async () => (await import("./parquet.ts")).parquet },
  { ...ARROW, load: async () => (await import("./arrow.ts")).arrow },
  { ...NPZ, load: async () => (await import("./npz.ts")).npz },
  { ...KML, load: async () => (await import("./geo/kml.ts")).kml },
  { ...GPX, load: async () => (await import("./geo/gpx.ts")).gpx },
  { ...CZML, load: async () => (await import("./geo/czml.ts")).czml },
  { ...ACMI, load: async () => (await import("./geo/acmi.ts")).acmi },
  { ...XYZ, load: async () => (await import("./molecules/xyz.ts")).xyz },
  { ...PDB, load: async () => (await import("./molecules/pdb.ts")).pdb },
  { ...DCD, load: async () => (await import("./molecules/dcd.ts")).dcd },
  { ...GLTF, load: async () => (await import("./scene/gltf.ts")).gltf },
  { ...MCAP, load: async () => (await import("./mcap/exporter.ts")).mcap },
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

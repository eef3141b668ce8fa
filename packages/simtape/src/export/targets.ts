import type { Exporter, ExportTarget } from "./exporter.ts";
import { ARROW, CSV, NDJSON, NPZ, PARQUET } from "./row-facts.ts";
import { ACMI, CZML, GPX, KML } from "./geo/facts.ts";
import { DCD, PDB, XYZ } from "./molecules/facts.ts";
import { GLTF } from "./scene/facts.ts";
import { MCAP } from "./mcap/facts.ts";
import { refuseOthers } from "./taken.ts";

/** Every target, in the order of the help. */
export const EXPORT_TARGETS: readonly ExportTarget[] = [
  target(CSV, async () => (await import("./csv.ts")).csv),
  target(NDJSON, async () => (await import("./ndjson.ts")).ndjson),
  target(PARQUET, async () => (await import("./parquet.ts")).parquet),
  target(ARROW, async () => (await import("./arrow.ts")).arrow),
  target(NPZ, async () => (await import("./npz.ts")).npz),
  target(KML, async () => (await import("./geo/kml.ts")).kml),
  target(GPX, async () => (await import("./geo/gpx.ts")).gpx),
  target(CZML, async () => (await import("./geo/czml.ts")).czml),
  target(ACMI, async () => (await import("./geo/acmi.ts")).acmi),
  target(XYZ, async () => (await import("./molecules/xyz.ts")).xyz),
  target(PDB, async () => (await import("./molecules/pdb.ts")).pdb),
  target(DCD, async () => (await import("./molecules/dcd.ts")).dcd),
  target(GLTF, async () => (await import("./scene/gltf.ts")).gltf),
  target(MCAP, async () => (await import("./mcap/exporter.ts")).mcap),
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

/** A target whose exporter refuses options that it has no use for. */
function target(facts: Omit<ExportTarget, "load">, load: () => Promise<Exporter>): ExportTarget {
  return {
    ...facts,
    load: async () => {
      const exporter = await load();
      return {
        ...exporter,
        write: async (recording, to, options) => {
          refuseOthers(exporter, options);
          return exporter.write(recording, to, options);
        },
      };
    },
  };
}

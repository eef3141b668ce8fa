import type { ExportTarget, TargetOption } from "../exporter.ts";

type Facts = Omit<ExportTarget, "load">;

const carries = "particles with positions in nanometres, or with elements";
const takes: readonly TargetOption[] = ["ids", "axes", "origin"];

/** What targets of molecules are called. */
export const XYZ: Facts = {
  ...{ id: "xyz", name: "XYZ, places of particles as text", carries, takes: [...takes, "columns", "units", "time"] },
  ...{ extensions: ["xyz", "extxyz"], mediaType: "chemical/x-xyz" },
};

export const PDB: Facts = {
  ...{ id: "pdb", name: "PDB, atoms with residues, chains and bonds", carries, takes },
  ...{ extensions: ["pdb", "ent"], mediaType: "chemical/x-pdb" },
};

export const DCD: Facts = {
  ...{ id: "dcd", name: "DCD, a trajectory for MDAnalysis and VMD, with a PDB beside it", carries, takes },
  ...{ extensions: ["dcd"], mediaType: "application/octet-stream" },
};

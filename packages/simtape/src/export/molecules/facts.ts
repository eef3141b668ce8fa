import type { ExportTarget } from "../exporter.ts";

type Facts = Omit<ExportTarget, "load">;

const carries = "particles with positions in nanometres, or with elements";

/** What targets of molecules are called. */
export const XYZ: Facts = {
  ...{ id: "xyz", name: "XYZ, places of particles as text", carries },
  ...{ extensions: ["xyz", "extxyz"], mediaType: "chemical/x-xyz" },
};

export const PDB: Facts = {
  ...{ id: "pdb", name: "PDB, atoms with residues, chains and bonds", carries },
  ...{ extensions: ["pdb", "ent"], mediaType: "chemical/x-pdb" },
};

export const DCD: Facts = {
  ...{ id: "dcd", name: "DCD, a trajectory for MDAnalysis and VMD, with a PDB beside it", carries },
  ...{ extensions: ["dcd"], mediaType: "application/octet-stream" },
};

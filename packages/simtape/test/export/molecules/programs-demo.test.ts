import { describe, expect, it } from "vitest";
import { Molecules } from "../../../../demo/src/nanover-molecules.ts";
import { structure } from "../../../../demo/src/nanover-structure.ts";
import { randomOf } from "../../../../demo/src/random.ts";
import { lacking, type Program, seenBy } from "./programs.ts";

const OPTIONS = { entities: 100, seed: 5 };

describe.for<Program>(["mdanalysis", "mdtraj", "pymol"])("the PDB of simtape demo nanover, by %s", (program) => {
  const missing = lacking(program);

  it(missing ?? "has the molecules of the simulation", { skip: missing !== null, timeout: 60_000 }, async () => {
    const bytes = await structure(OPTIONS);
    const [seen] = seenBy(program, [{ "molecule.nanover.pdb": bytes }]);
    const molecules = new Molecules(OPTIONS.entities, randomOf(OPTIONS.seed));
    const lines = new TextDecoder().decode(bytes).split("\n");
    const factors = lines.filter((line) => line.startsWith("HETATM")).map((line) => line.slice(60, 66).trim());
    expect(seen!.names).toEqual([...molecules.names]);
    expect(seen!.residues).toEqual(
      [...molecules.molecules].map((index) => `${molecules.moleculeNames[index]}${index + 1}`),
    );
    expect(seen!.elements!.map((symbol) => symbol.toUpperCase())).toEqual(
      [...molecules.elements].map((number) => (number === 6 ? "C" : "AR")),
    );
    const bonds = Array.from({ length: molecules.bonds.length / 2 }, (_, i) =>
      [...molecules.bonds.subarray(2 * i, 2 * i + 2)].join(" "),
    );
    // PyMOL and mdtraj may add bonds of their own
    expect(seen!.bonds!.map((pair) => pair.join(" "))).toEqual(expect.arrayContaining(bonds));
    if (program === "mdanalysis") expect(seen!.bonds).toHaveLength(bonds.length);
    for (const [k, place] of seen!.frames[0]!.entries())
      expect(Math.abs(place - 10 * molecules.positions[k]!), `atom ${Math.floor(k / 3)}`).toBeLessThan(0.00052);
    // mdtraj reads none
    if (program === "mdtraj") return;
    expect(seen!.factors!.map((factor) => factor.toFixed(2))).toEqual(factors);
    expect(Math.min(...seen!.factors!)).toBeGreaterThan(0);
  });
});

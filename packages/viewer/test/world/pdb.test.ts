import { describe, expect, test } from "vitest";
import { MemoryFiles, type State } from "simtape";
import { elementSymbol } from "../../../simtape/src/export/molecules/elements.ts";
import { PdbFile } from "../../../simtape/src/export/molecules/pdb-file.ts";
import { TopologyReader } from "../../../simtape/src/export/molecules/topology.ts";
import { Cast } from "../../src/scene/cast.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import type { Molecule } from "../../src/world/companion.ts";
import { atomicNumber } from "../../src/world/pdb/elements.ts";
import { filler, misfit } from "../../src/world/pdb/fill.ts";
import { read } from "../../src/world/pdb/read.ts";
import { kindOf } from "../../src/world/registry.ts";
import { backbone, simulation } from "../support/peptide.ts";

const text = new TextEncoder();
const HELIX = backbone(Array.from({ length: 40 }, () => [-57.8, -47] as const));
const NAMES = HELIX.slice(0, 40).map((_, i) => (i % 2 === 0 ? "ALA" : "GLY"));
const CHAINS = NAMES.map((_, i) => (i < 20 ? 0 : 1));
const BONDS = Uint32Array.from([0, 1, 1, 2, 2, 3, 2, 4]);
/** With all that a PDB can say of it. */
const WHOLE = simulation(HELIX, NAMES, CHAINS, { "bond.pairs": BONDS });

async function written(state: State): Promise<Uint8Array> {
  const set = state.sets.get("particles")!;
  const rows = Uint32Array.from(set.ids, (_, row) => row);
  const topology = new TopologyReader().read({ value: (path) => state.values.get(path) }, set, rows);
  const positions = Float64Array.from(set.columns.get("position")!.data as Float32Array, (nm) => 10 * nm);
  const files = new MemoryFiles();
  const sink = await files.open();
  const frame = { topology, positions, cell: null };
  const file = new PdbFile(sink, frame, true);
  await file.put(frame);
  await file.end();
  await sink.close();
  return files.bytes;
}

async function moleculeOf(bytes: Uint8Array): Promise<Molecule> {
  const { molecules, findings } = await read(bytes, () => Promise.reject(new Error("nothing is beside it")));
  expect(findings).toEqual([]);
  return molecules![0]!;
}

/** What is left where only places are recorded. */
function bare({ time, sets }: State): State {
  const set = sets.get("particles")!;
  const columns = new Map([["position", set.columns.get("position")!]]);
  return { time, values: new Map(), sets: new Map([["particles", { ...set, columns }]]) };
}

describe("a PDB beside a recording of molecules", () => {
  test("that simtape wrote gives back all that it says", async () => {
    const bytes = await written(WHOLE);
    expect(kindOf("run.pdb")!.whole!.recognizes(bytes.subarray(0, 512))).toBe(true);
    const molecule = await moleculeOf(bytes);
    expect(molecule.labels).toEqual(HELIX.map(({ name }) => name));
    expect([...molecule.elements]).toEqual(HELIX.map(({ element }) => element));
    expect([...molecule.residues]).toEqual(HELIX.map(({ residue }) => residue));
    expect(molecule.residueNames).toEqual(NAMES);
    expect(molecule.residueIds).toEqual(NAMES.map((_, i) => String(i + 1)));
    expect([...molecule.residueChains]).toEqual(CHAINS);
    expect(molecule.chainNames).toEqual(["A", "B"]);
    expect([...molecule.bonds]).toEqual([...BONDS]);
    // 0.00 everywhere says nothing
    expect(molecule.factors).toBeNull();
  });

  test("gives residues, labels, a cartoon and colours by B factor to bare places", async () => {
    const lines = new TextDecoder().decode(await written(WHOLE)).split("\n");
    const factors = lines.map((line, i) =>
      /^(ATOM|HETATM)/.test(line) ? `${line.slice(0, 60)}${(i / 2).toFixed(2).padStart(6)}${line.slice(66)}` : line,
    );
    const fill = filler([await moleculeOf(text.encode(factors.join("\n")))]);
    const cast = new Cast(new Origin(), -1);
    cast.choose({ molecules: { color: "b-factor" } });
    cast.show(bare(WHOLE));
    const crowd = cast.crowds.find(({ set }) => set === "particles")!;
    expect(crowd.label(1)).toBe("atom 1");
    expect(cast.facts!.structure.polymers).toBe(0);
    cast.choose({ filler: fill });
    expect(crowd.label(1)).toBe("ALA 1 CA, A");
    expect(crowd.label(81)).toBe("ALA 21 CA, B");
    expect(cast.facts!.structure.polymers).toBe(40);
    expect(cast.facts!.style).toBe("cartoon");
    await expect.poll(() => cast.facts!.legend.map(({ text }) => text)).toHaveLength(3);
    expect(cast.facts!.legend.map(({ text }) => text)).not.toContain("no b-factor is recorded");
    // and takes it away with the file
    cast.choose({ filler: null });
    expect(crowd.label(1)).toBe("atom 1");
    cast.dispose();
  });

  test("changes nothing that is recorded", async () => {
    const other = simulation(
      HELIX,
      NAMES.map(() => "GLY"),
      NAMES.map(() => 0),
      { "bond.pairs": BONDS.slice(0, 4) },
    );
    const fill = filler([await moleculeOf(await written(other))]);
    const filled = fill(WHOLE);
    expect(Object.fromEntries(filled.values)).toEqual(Object.fromEntries(WHOLE.values));
    expect(Object.fromEntries(filled.sets.get("particles")!.columns)).toEqual(
      Object.fromEntries(WHOLE.sets.get("particles")!.columns),
    );
  });

  test("is refused with one line where its atoms are others, and the state stays as it is", async () => {
    const molecule = await moleculeOf(await written(WHOLE));
    const fewer = simulation(HELIX.slice(0, 8), NAMES.slice(0, 2));
    expect(misfit(molecule, fewer.sets.get("particles")!)).toBe("it has 160 atoms, the recording 8");
    expect(filler([molecule])(fewer)).toBe(fewer);
    const mixed = simulation([HELIX[1]!, HELIX[0]!, ...HELIX.slice(2)], NAMES);
    expect(misfit(molecule, mixed.sets.get("particles")!)).toBe("atom 1 has the atomic number 7, in the recording 6");
    expect(misfit(molecule, WHOLE.sets.get("particles")!)).toBeNull();
  });

  test("of several models is read from the first, and the first of alternate locations", async () => {
    const atom = (serial: number, name: string, alternate: string, x: number, element: string): string =>
      `ATOM  ${String(serial).padStart(5)} ${name}${alternate}SER A  52A   ${x.toFixed(3).padStart(8)}   0.000   0.000  0.50 12.50          ${element}`;
    const model = [atom(1, " N  ", " ", 0, " N"), atom(2, " CA ", "A", 1, " C"), atom(3, " CA ", "B", 2, " C")];
    const both = [
      "MODEL        1",
      ...model,
      "ENDMDL",
      "MODEL        2",
      ...model,
      "ENDMDL",
      "CONECT    1    2",
      "END",
    ];
    const molecule = await moleculeOf(text.encode(both.join("\r\n")));
    expect(molecule.labels).toEqual(["N", "CA"]);
    expect(molecule.residueIds).toEqual(["52A"]);
    expect([...molecule.bonds]).toEqual([0, 1]);
    expect([...molecule.factors!]).toEqual([12.5, 12.5]);
  });

  test("without columns for elements has those of the names", async () => {
    const line = (name: string, residue: string): string =>
      `HETATM    1 ${name} ${residue} A   1       0.000   0.000   0.000`;
    const lines = [line(" CA ", "ALA"), line("CA  ", " CA"), line("1HB ", "ALA"), line("ZN  ", " ZN")];
    expect([...(await moleculeOf(text.encode(lines.join("\n")))).elements]).toEqual([6, 20, 1, 30]);
  });

  test("without atoms is a finding", async () => {
    const { findings } = await read(text.encode("HEADER    NOTHING\nEND\n"), () => Promise.reject(new Error("none")));
    expect(findings).toMatchObject([{ severity: "damage", code: "no-atoms" }]);
  });

  test("knows all elements that simtape writes", () => {
    for (let number = 1; number <= 118; number++) expect(atomicNumber(elementSymbol(number)!)).toBe(number);
    expect(atomicNumber("Q")).toBe(0);
  });
});

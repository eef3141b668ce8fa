import { beforeAll, describe, expect, it } from "vitest";
import { exported, expectedFrames, type ExpectedFrame, furthest, MOLECULES, partsOf } from "./expected.ts";
import { type Files, lacking, type Program, type Seen, seenBy } from "./programs.ts";
import { readPdb } from "./readers.ts";

const PROGRAMS: readonly Program[] = ["mdanalysis", "mdtraj", "pymol"];

/** A recording with the parts that it became. */
interface Made {
  readonly name: string;
  readonly expected: readonly ExpectedFrame[];
  readonly parts: readonly Files[];
}

const trajectories: Made[] = [];
const models: Made[] = [];
const plain: Made[] = [];

beforeAll(async () => {
  for (const recording of MOLECULES) {
    const expected = await expectedFrames(recording);
    const { name } = recording;
    const { files: dcd } = await exported(recording, "dcd");
    const atoms = partsOf(dcd, "pdb");
    const trajectory = partsOf(dcd, "dcd").map((bytes, k) => ({ "run.pdb": atoms[k]!, "run.dcd": bytes }));
    trajectories.push({ name, expected, parts: trajectory });
    const { files: pdb } = await exported(recording, "pdb");
    models.push({ name, expected, parts: partsOf(pdb, "pdb").map((bytes) => ({ "run.pdb": bytes })) });
    const { files: xyz } = await exported(recording, "xyz");
    plain.push({ name, expected, parts: partsOf(xyz, "xyz").map((bytes) => ({ "run.xyz": bytes })) });
  }
}, 120_000);

for (const program of PROGRAMS) {
  const missing = lacking(program);
  const title = missing === null ? program : `${program}, which is not installed: ${missing}`;
  describe.skipIf(missing !== null)(title, () => {
    it("reads DCD with its PDB: every frame of every recording", { timeout: 120_000 }, () => {
      // it has float32; mdtraj has nm
      for (const [made, seen] of seenOf(program, trajectories)) expectFrames(made, seen, 2e-5);
    });

    it("reads PDB: every frame of every recording, and what the atoms are", { timeout: 120_000 }, () => {
      for (const [made, seen] of seenOf(program, models)) {
        expectFrames(made, seen, 0.00052);
        for (const [k, one] of seen.entries()) expectAtoms(one, made.parts[k]!["run.pdb"]!, program);
      }
    });

    // mdtraj reads XYZ only beside a file with the atoms, and PyMOL its first frame alone
    it.skipIf(program !== "mdanalysis")(
      "reads XYZ: every frame of every recording, and the elements",
      { timeout: 120_000 },
      () => {
        for (const [made, seen] of seenOf(program, plain)) {
          expectFrames(made, seen, 2e-5);
          for (const [k, one] of seen.entries()) {
            const symbols = elementsOf(made.parts[k]!["run.xyz"]!);
            expect(one.names, made.name).toEqual(symbols);
          }
        }
      },
    );
  });
}

function seenOf(program: Program, all: readonly Made[]): [Made, Seen[]][] {
  const seen = seenBy(
    program,
    all.flatMap(({ parts }) => parts),
  );
  return all.map((made) => [made, seen.splice(0, made.parts.length)]);
}

function expectFrames({ name, expected }: Made, seen: readonly Seen[], within: number): void {
  const frames = seen.flatMap((one) => one.frames);
  expect(frames, name).toHaveLength(expected.length);
  for (const [k, { positions }] of expected.entries())
    expect(furthest(frames[k]!, positions), `${name}, frame ${k}`).toBeLessThan(within);
}

function expectAtoms(seen: Seen, bytes: Uint8Array, program: Program): void {
  const { models: found, cell, connections } = readPdb(bytes);
  const { atoms } = found[0]!;
  // mdtraj gives atoms of residues that it knows the names of today
  if (program !== "mdtraj") expect(seen.names).toEqual(atoms.map(({ name }) => name.trim()));
  expect(seen.residues).toEqual(atoms.map(({ residue, residueId }) => `${residue.trim()}${residueId.trim()}`));
  expect(seen.elements?.map((symbol) => symbol.toUpperCase())).toEqual(atoms.map(({ element }) => element.trim()));
  if (seen.chains !== undefined) expect(seen.chains).toEqual(atoms.map(({ chain }) => chain.trim()));
  const place = new Map(atoms.map(({ serial }, k) => [serial, k]));
  const bonds = connections.flatMap(([from, ...others]) =>
    others.map((other) => [place.get(from!)!, place.get(other)!].sort((a, b) => a - b).join(" ")),
  );
  const seenBonds = new Set(seen.bonds?.map((pair) => pair.join(" ")));
  for (const bond of new Set(bonds)) expect(seenBonds).toContain(bond);
  if (program === "mdanalysis") expect(seenBonds.size).toBe(new Set(bonds).size);
  const box = seen.boxes?.[0];
  if (cell !== null && box != null) expect(furthest(box, cell)).toBeLessThan(1e-3);
}

/** Those of the first frame of an XYZ. */
function elementsOf(bytes: Uint8Array): string[] {
  const [count, , ...lines] = new TextDecoder().decode(bytes).split("\n");
  return lines.slice(0, Number(count)).map((line) => line.split(" ")[0]!);
}

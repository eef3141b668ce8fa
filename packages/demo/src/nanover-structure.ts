import { MemoryFiles, PdbFile } from "simtape/making";
import { Molecules, STEP } from "./nanover-molecules.ts";
import { randomOf } from "./random.ts";

/** ps that atoms are watched for, and steps from one look to the next. */
const WATCHED = 1;
const STEPS = 10;
/** Å in a nm. */
const ANGSTROMS = 10;
/** The highest number that the columns of a B factor hold. */
const MOST = 999.99;

/**
 * The molecules of the recording with this seed, where they are at its beginning, as a PDB. B factors say what the recording
 * does not: how far each atom moves about its mean place in the first picosecond (8π²/3 of the mean square, Å²).
 */
export async function structure({
  entities,
  seed,
}: {
  readonly entities: number;
  readonly seed: number;
}): Promise<Uint8Array> {
  const molecules = new Molecules(Math.round(entities), randomOf(seed));
  const { count, box, names, moleculeNames, bonds } = molecules;
  const positions = molecules.positions.map((place) => place * ANGSTROMS);
  const topology = {
    ...{ count, names, bonds, chains: ["A"], factors: factorsOf(molecules) },
    elements: Uint32Array.from(molecules.elements),
    residueOf: Int32Array.from(molecules.molecules),
    residues: moleculeNames.map((name, i) => ({ name, id: String(i + 1), chain: 0 })),
  };
  const edge = box * ANGSTROMS;
  const files = new MemoryFiles("molecule.pdb");
  const sink = await files.open();
  const pdb = new PdbFile(sink, { topology }, true);
  await pdb.put({ positions, cell: Float64Array.of(edge, 0, 0, 0, edge, 0, 0, 0, edge) });
  await pdb.end();
  await sink.close();
  return files.bytes;
}

/** Simulates on. */
function factorsOf(molecules: Molecules): Float64Array {
  const { positions, count } = molecules;
  const sums = new Float64Array(positions.length);
  const squares = new Float64Array(positions.length);
  const looks = Math.round(WATCHED / STEP / STEPS);
  for (let look = 0; look < looks; look++) {
    for (let k = 0; k < positions.length; k++) {
      const place = positions[k]! * ANGSTROMS;
      sums[k] = sums[k]! + place;
      squares[k] = squares[k]! + place * place;
    }
    for (let step = 0; step < STEPS; step++) molecules.step(null);
  }
  const variance = (k: number): number => squares[k]! / looks - (sums[k]! / looks) ** 2;
  return Float64Array.from({ length: count }, (_, i) => {
    const square = variance(3 * i) + variance(3 * i + 1) + variance(3 * i + 2);
    return Math.min(MOST, ((8 * Math.PI ** 2) / 3) * square);
  });
}

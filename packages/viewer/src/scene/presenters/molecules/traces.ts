import { BACKBONE, C4, CA, NONE, P, type Structure } from "./structure.ts";

/** Residues that follow one another in a chain. */
export interface Trace {
  readonly isNucleic: boolean;
  readonly residues: Uint32Array;
  /** The atom of each that the course goes through. */
  readonly atoms: Uint32Array;
}

/** Of so many residues at least: fewer have no course. */
const LEAST = 3;

/** The courses of all chains. */
export function tracesOf({ residues, polymer, chainOf, backbone }: Structure): readonly Trace[] {
  const traces: Trace[] = [];
  let run: number[] = [];
  const end = (): void => {
    if (run.length >= LEAST) {
      const isNucleic = polymer[run[0]!] === 2;
      const atoms = Uint32Array.from(run, (residue) => atomOf(backbone, residue, isNucleic));
      traces.push({ isNucleic, residues: Uint32Array.from(run), atoms });
    }
    run = [];
  };
  for (let residue = 0; residue < residues; residue++) {
    const before = run.at(-1);
    const kind = polymer[residue]!;
    if (before !== undefined && (kind !== polymer[before] || chainOf[before] !== chainOf[residue])) end();
    if (kind !== 0) run.push(residue);
  }
  end();
  return traces;
}

/** At the 5' end there may be no phosphate. */
function atomOf(backbone: Uint32Array, residue: number, isNucleic: boolean): number {
  const at = BACKBONE * residue;
  if (!isNucleic) return backbone[at + CA]!;
  return backbone[at + P] === NONE ? backbone[at + C4]! : backbone[at + P]!;
}

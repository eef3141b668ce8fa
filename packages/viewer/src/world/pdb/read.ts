import { type CompanionReader, type Molecule, NOTHING, refused } from "../companion.ts";
import { Findings } from "../findings.ts";
import { atomicNumber } from "./elements.ts";

/**
 * Reads the structure of the first model of a PDB (format 3.3): names, elements, residues, chains, B factors and bonds of its
 * atoms, in their order. Of alternate locations the first is read. Places are those of the recording, not of the file.
 */
export const read: CompanionReader = (bytes) => {
  const findings = new Findings();
  const atoms = new Atoms();
  const bonds = new Map<string, readonly [number, number]>();
  let isFirst = true;
  for (const [index, line] of new TextDecoder("latin1")
    .decode(bytes)
    .split(/\r?\n|\r/)
    .entries()) {
    const record = line.slice(0, 6).trimEnd();
    if (record === "ENDMDL") isFirst = false;
    else if (isFirst && (record === "ATOM" || record === "HETATM")) {
      if (line.length < 54) findings.add("warning", "cut", `line ${index + 1} is cut: it has no whole atom`);
      atoms.add(line);
    } else if (record === "CONECT") {
      for (const pair of pairsOf(line, atoms)) bonds.set(pair.join(), pair);
    }
  }
  if (atoms.count === 0) return refused("no-atoms", "it has no atoms");
  const molecule = atoms.molecule([...bonds.values()].flat());
  return {
    ...NOTHING,
    findings: findings.list,
    facts: [
      ["atoms", atoms.count.toLocaleString("en")],
      ["residues", molecule.residueNames.length.toLocaleString("en")],
      ["chains", String(molecule.chainNames.length)],
      ["bonds", bonds.size.toLocaleString("en")],
    ],
    molecules: [molecule],
  };
};

/** Atoms by their lines, which follow each other. */
class Atoms {
  readonly #serials = new Map<string, number>();
  readonly #labels: string[] = [];
  readonly #elements: number[] = [];
  readonly #residueOf: number[] = [];
  readonly #factors: number[] = [];
  readonly #residueNames: string[] = [];
  readonly #residueIds: string[] = [];
  readonly #residueChains: number[] = [];
  readonly #chains = new Map<string, number>();
  /** Columns 18 to 27 and 73 to 76 of the residue that is read, and names of its atoms that have others. */
  #residue = "";
  #alternates = new Set<string>();

  get count(): number {
    return this.#labels.length;
  }

  /** Of a serial number as it is written; undefined: it is of another model, or of a TER. */
  at(serial: string): number | undefined {
    return this.#serials.get(serial);
  }

  add(line: string): void {
    const residue = line.slice(17, 27) + line.slice(72, 76);
    if (residue !== this.#residue) this.#begin(line, residue);
    const name = line.slice(12, 16);
    const hasOthers = (line[16] ?? " ") !== " ";
    if (hasOthers && this.#alternates.has(name)) return;
    if (hasOthers) this.#alternates.add(name);
    this.#serials.set(line.slice(6, 11).trim(), this.count);
    this.#labels.push(name.trim());
    this.#elements.push(elementOf(line.slice(76, 78).trim(), name));
    this.#residueOf.push(this.#residueNames.length - 1);
    const factor = line.slice(60, 66).trim();
    this.#factors.push(factor === "" ? Number.NaN : Number(factor));
  }

  molecule(pairs: readonly number[]): Molecule {
    // exporters write 0 where none is known
    const hasFactors = this.#factors.some((factor) => factor !== 0 && Number.isFinite(factor));
    return {
      labels: this.#labels,
      elements: Uint32Array.from(this.#elements),
      residues: Uint32Array.from(this.#residueOf),
      residueNames: this.#residueNames,
      residueIds: this.#residueIds,
      residueChains: Uint32Array.from(this.#residueChains),
      chainNames: [...this.#chains.keys()].map((chain) => chain.trim()),
      bonds: Uint32Array.from(pairs),
      factors: hasFactors ? Float32Array.from(this.#factors) : null,
    };
  }

  #begin(line: string, residue: string): void {
    this.#residue = residue;
    this.#alternates = new Set();
    this.#residueNames.push(line.slice(17, 20).trim());
    this.#residueIds.push(line.slice(22, 27).trim());
    // programs without letters enough call chains by a segment
    const chain = (line[21] ?? " ") === " " ? line.slice(72, 76) : line[21]!;
    if (!this.#chains.has(chain)) this.#chains.set(chain, this.#chains.size);
    this.#residueChains.push(this.#chains.get(chain)!);
  }
}

/** The element of columns 77 and 78, else that of the name, whose symbol ends in column 14. */
function elementOf(symbol: string, name: string): number {
  const own = atomicNumber(symbol);
  if (own > 0) return own;
  const [first, second] = [name.slice(0, 2).trim(), name.trim().replace(/^\d+/, "").slice(0, 1)];
  return (/^[A-Za-z]{1,2}$/.test(first) && name.trim().length < 4 ? atomicNumber(first) : 0) || atomicNumber(second);
}

/** Bonds of one CONECT, the smaller index first. */
function* pairsOf(line: string, atoms: Atoms): Generator<readonly [number, number]> {
  const own = atoms.at(line.slice(6, 11).trim());
  if (own === undefined) return;
  for (let at = 11; at < 31; at += 5) {
    const other = atoms.at(line.slice(at, at + 5).trim());
    if (other !== undefined && other !== own) yield [Math.min(own, other), Math.max(own, other)];
  }
}

import { elementSymbol } from "./elements.ts";
import { hybrid36 } from "./hybrid36.ts";
import type { Topology } from "./topology.ts";

/** Residues of polymers, whose atoms are ATOM; all others are HETATM (PDB format 3.3, ATOM and SEQRES). */
const POLYMERS: ReadonlySet<string> = new Set(
  (
    "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL SEC PYL ASX GLX UNK " +
    "A C G U I DA DC DG DT DU DI"
  ).split(" "),
);
const CHAIN_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".split("");
/** Bonds of an atom that a CONECT holds. */
const BONDS_OF_A_LINE = 4;
/** The last serial number in decimal digits. */
const LAST_DECIMAL = 99_999;

/** A line of a PDB has 80 columns. */
export function pdbLine(text: string): string {
  return text.padEnd(80);
}

/** What of a topology a PDB cannot hold as it is, with how often. */
export interface Shortened {
  readonly names: number;
  readonly residueNames: number;
  readonly residueIds: number;
  readonly chains: number;
  /** That CONECT cannot hold so that all programs read it: MDAnalysis fails at a letter there. */
  readonly bonds: number;
}

/** Lines of atoms and bonds of one topology: all that does not change from model to model is made once. */
export class PdbAtoms {
  readonly count: number;
  readonly shortened: Shortened;
  /** Columns 1 to 30 and 55 to 80 of each atom. */
  readonly #before: string[] = [];
  readonly #after: string[] = [];
  /** TER lines by the atom behind which they are. */
  readonly #ters = new Map<number, string>();
  readonly #serials: number[] = [];
  readonly #bonds: Uint32Array;

  /** Throws `RangeError` for more atoms than serial numbers: 87,440,031 in hybrid-36, TER lines included. */
  constructor(topology: Topology) {
    this.count = topology.count;
    const residues = new Residues(topology);
    let names = 0;
    let serial = 1;
    for (let k = 0; k < topology.count; k++) {
      const symbol = elementSymbol(topology.elements[k]!)?.toUpperCase() ?? "";
      const full = printable(topology.names[k]!) || symbol || "X";
      if (full.length > 4) names++;
      const { isPolymer, columns, name, chain } = residues.of(topology.residueOf[k]!);
      this.#serials.push(serial);
      const record = isPolymer ? "ATOM  " : "HETATM";
      this.#before.push(`${record}${serialText(serial++)} ${nameColumns(full, symbol)} ${columns}   `);
      const factor = (topology.factors?.[k] ?? 0).toFixed(2).padStart(6);
      this.#after.push(`  1.00${factor}          ${symbol.padStart(2)}  `);
      if (isPolymer && isEndOfChain(topology, residues, k)) {
        this.#ters.set(k, pdbLine(`TER   ${serialText(serial++)}      ${name} ${chain}${columns.slice(5, 10)}`));
      }
    }
    this.#bonds = this.#bondsAmong(topology.bonds);
    const bonds = (topology.bonds.length - this.#bonds.length) / 2;
    this.shortened = { names, bonds, ...residues.shortened() };
  }

  /**
   * The line of an atom, with its TER where it ends a chain; `positions` are in Å. Throws `RangeError` for a place that
   * the columns cannot hold: below -999.999 or above 9999.999.
   */
  lines(k: number, positions: Float64Array): string {
    const at = 3 * k;
    const place = coordinate(positions[at]!) + coordinate(positions[at + 1]!) + coordinate(positions[at + 2]!);
    const line = this.#before[k]! + place + this.#after[k]!;
    const ter = this.#ters.get(k);
    return ter === undefined ? line : `${line}\n${ter}`;
  }

  /** Pairs of which both have decimal serial numbers. */
  #bondsAmong(pairs: Uint32Array): Uint32Array {
    const isDecimal = (k: number): boolean => this.#serials[pairs[k]!]! <= LAST_DECIMAL;
    return pairs.filter((_, k) => isDecimal(k) && isDecimal(k ^ 1));
  }

  /** A line for each atom with bonds, and more where it has more than four. Each bond is with both of its atoms. */
  *connections(): Generator<string> {
    const bound: number[][] = Array.from({ length: this.count }, () => []);
    for (let k = 0; k < this.#bonds.length; k += 2) {
      const [a, b] = [this.#bonds[k]!, this.#bonds[k + 1]!];
      bound[a]!.push(this.#serials[b]!);
      bound[b]!.push(this.#serials[a]!);
    }
    for (const [k, others] of bound.entries()) {
      others.sort((a, b) => a - b);
      for (let from = 0; from < others.length; from += BONDS_OF_A_LINE) {
        const some = others.slice(from, from + BONDS_OF_A_LINE).map(serialText);
        yield pdbLine(`CONECT${serialText(this.#serials[k]!)}${some.join("")}`);
      }
    }
  }
}

/** Residues as columns 18 to 27. */
class Residues {
  readonly #columns: { isPolymer: boolean; columns: string; name: string; chain: string; chainIndex: number }[];
  readonly #unknown = { isPolymer: false, columns: "UNL     1 ", name: "UNL", chain: " ", chainIndex: -1 };
  #names = 0;
  #ids = 0;
  #chains = 0;

  constructor({ residues, chains }: Topology) {
    const letters = this.#lettersOf(chains);
    this.#columns = residues.map((residue, k) => {
      const full = printable(residue.name).toUpperCase() || "UNL";
      if (full.length > 3) this.#names++;
      const name = full.slice(0, 3).padStart(3);
      const chain = letters[residue.chain] ?? " ";
      return {
        isPolymer: POLYMERS.has(full),
        columns: `${name} ${chain}${this.#idColumns(residue.id, k)}`,
        name,
        chain,
        chainIndex: residue.chain,
      };
    });
  }

  of(index: number): { isPolymer: boolean; columns: string; name: string; chain: string; chainIndex: number } {
    return this.#columns[index] ?? this.#unknown;
  }

  shortened(): Omit<Shortened, "names" | "bonds"> {
    return { residueNames: this.#names, residueIds: this.#ids, chains: this.#chains };
  }

  /** Number and insertion code: 5 columns. What is no number is counted from 1 instead. */
  #idColumns(id: string, index: number): string {
    const [, digits, code = ""] = /^(-?\d+)([A-Za-z]?)$/.exec(id) ?? [];
    const number = digits === undefined ? null : hybrid36(4, Number(digits));
    if (number === null && id !== "") this.#ids++;
    return (number ?? hybrid36(4, index + 1) ?? "****") + code.padEnd(1);
  }

  /** One character for each chain: its name, or a letter that is free. */
  #lettersOf(chains: readonly string[]): string[] {
    const isFree = (letter: string): boolean => !used.has(letter);
    const used = new Set(chains.filter((name) => /^[A-Za-z0-9]$/.test(name)));
    const met = new Set<string>();
    return chains.map((name) => {
      if (used.has(name) && !met.has(name)) {
        met.add(name);
        return name;
      }
      if (name !== "") this.#chains++;
      const letter = CHAIN_LETTERS.find(isFree) ?? " ";
      used.add(letter);
      return letter;
    });
  }
}

/** Whether no other atom of a polymer in the same chain comes next. */
function isEndOfChain({ residueOf, count }: Topology, residues: Residues, k: number): boolean {
  if (k + 1 === count) return true;
  const [here, next] = [residues.of(residueOf[k]!), residues.of(residueOf[k + 1]!)];
  return !next.isPolymer || next.chainIndex !== here.chainIndex;
}

function serialText(serial: number): string {
  const text = hybrid36(5, serial);
  if (text === null)
    throw new RangeError("a PDB has no serial numbers for so many atoms: export a DCD of a part of them");
  return text;
}

/** Columns 13 to 16: the symbol ends in column 14, unless the name has four characters. */
function nameColumns(full: string, symbol: string): string {
  const name = full.slice(0, 4);
  if (name.length === 4 || (symbol.length === 2 && name.toUpperCase().startsWith(symbol))) return name.padEnd(4);
  return ` ${name.padEnd(3)}`;
}

/** Columns of a coordinate: 8, of which 3 behind the point. */
function coordinate(value: number): string {
  const text = value.toFixed(3);
  if (text.length > 8)
    throw new RangeError(`a PDB holds places from -999.999 to 9999.999 Å, not ${value}: see xyz and dcd`);
  return (text === "-0.000" ? "0.000" : text).padStart(8);
}

/** Characters that a PDB may have, without spaces. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, "");
}

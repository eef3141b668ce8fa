import type { ByteSink } from "../../io/sink/sink.ts";
import type { Lost } from "../../model/writer.ts";
import { TextOutput } from "../text-output.ts";
import { type CellVectors, isUpright, shapeOfCell } from "./cell.ts";
import type { Frame } from "./frames.ts";
import { PdbAtoms, pdbLine, type Shortened } from "./pdb-atoms.ts";

/** Columns 11 to 14 hold the number of a model. */
export const MOST_MODELS = 9999;

/** Å that are rounded to more than the columns hold. */
const [LOWEST, HIGHEST, LONGEST] = [-999.9995, 9999.9995, 99999.9995];

/** One PDB file being written: a head, a model for each frame, bonds. All frames are of one topology. */
export class PdbFile {
  readonly #output: TextOutput;
  readonly #atoms: PdbAtoms;
  readonly #isSingle: boolean;
  #cell: string | null = null;
  #models = 0;

  /** `isSingle`: the file has one frame and no models. */
  constructor(sink: ByteSink, { topology }: Pick<Frame, "topology">, isSingle = false) {
    this.#output = new TextOutput(sink);
    this.#atoms = new PdbAtoms(topology);
    this.#isSingle = isSingle;
  }

  get models(): number {
    return this.#models;
  }

  get shortened(): Shortened {
    return this.#atoms.shortened;
  }

  /** Writes a frame. Throws `RangeError` for places and cells that a PDB cannot hold. */
  async put({ cell, positions }: Pick<Frame, "cell" | "positions">): Promise<void> {
    const output = this.#output;
    this.#models++;
    // as other programs do it, a cell that changes is written again before its model
    const line = cell === null ? null : cellLine(cell);
    if (line !== null && line !== this.#cell) output.line(line);
    this.#cell = line;
    if (!this.#isSingle) output.line(pdbLine(`MODEL     ${String(this.#models).padStart(4)}`));
    for (let k = 0; k < this.#atoms.count; k++) {
      output.line(this.#atoms.lines(k, positions));
      if (output.isFull) await output.drain();
    }
    if (!this.#isSingle) output.line(pdbLine("ENDMDL"));
  }

  /** Writes what is behind the models. The caller closes the file. */
  async end(): Promise<void> {
    for (const line of this.#atoms.connections()) {
      this.#output.line(line);
      if (this.#output.isFull) await this.#output.drain();
    }
    this.#output.line(pdbLine("END"));
    await this.#output.drain();
  }
}

/** Whether places and cell fit the columns. */
export function fitsPdb({ positions, cell }: Frame): boolean {
  for (const place of positions) if (!(place > LOWEST && place < HIGHEST)) return false;
  return cell === null || shapeOfCell(cell).lengths.every((length) => length < LONGEST);
}

/** CRYST1: lengths in Å, angles in degrees, the space group without symmetry (PDB format 3.3, section 8). */
function cellLine(cell: CellVectors): string {
  const { lengths, angles } = shapeOfCell(cell);
  const sides = lengths.map((length) => length.toFixed(3).padStart(9));
  if (sides.some((side) => side.length > 9)) throw new RangeError("a PDB holds no cell longer than 99999.999 Å");
  const turns = angles.map((angle) => angle.toFixed(2).padStart(7));
  return pdbLine(`CRYST1${sides.join("")}${turns.join("")} ${"P 1".padEnd(11)}${"1".padStart(4)}`);
}

/** What several PDB files cannot hold as it was recorded, and what people are to know of them. */
export class PdbAccount {
  readonly notes: Set<string> = new Set();
  readonly #counts = new Map<string, Lost>();

  /** Of a file that begins with this frame. */
  add(set: string, { shortened }: PdbFile, { cell }: Frame): void {
    const { names, residueNames, residueIds, chains, bonds } = shortened;
    this.#lost(`${set}/label`, names, "a PDB has four characters for the name of an atom");
    this.#lost("residue.names", residueNames, "a PDB has three characters for the name of a residue");
    this.#lost("residue.ids", residueIds, "a PDB has a number for a residue, and a letter behind it");
    this.#lost("chain.names", chains, "a PDB has one character for a chain, which no other has");
    this.#lost("bond.pairs", bonds, "programs read five digits in CONECT, and an atom has more");
    if (cell !== null && !isUpright(cell))
      this.notes.add(
        "the cell is stated by lengths and angles: programs will put it along x, where the recorded one is not",
      );
  }

  /** No PDB is beside a file, since its places do not fit. */
  addLacking(set: string, { topology }: Frame): void {
    this.#lost(
      set,
      topology.count,
      "places are beyond the columns of a PDB, so that no PDB with the atoms is beside the file",
    );
  }

  get lost(): readonly Lost[] {
    return [...this.#counts.values()];
  }

  #lost(path: string, count: number, reason: string): void {
    if (count > 0) this.#counts.set(path, { path, reason, count: count + (this.#counts.get(path)?.count ?? 0) });
  }
}

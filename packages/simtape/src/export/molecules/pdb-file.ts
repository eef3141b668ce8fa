import type { ByteSink } from "../../io/sink.ts";
import { TextOutput } from "../text-output.ts";
import { type CellVectors, isUpright, shapeOfCell } from "./cell.ts";
import type { Frame } from "./frames.ts";
import { PdbAtoms, pdbLine, type Shortened } from "./pdb-atoms.ts";

/** Columns 11 to 14 hold the number of a model. */
export const MOST_MODELS = 9999;

/** One PDB file being written: a head, a model for each frame, bonds. All frames are of one topology. */
export class PdbFile {
  readonly #output: TextOutput;
  readonly #atoms: PdbAtoms;
  readonly #isSingle: boolean;
  #cell: string | null = null;
  #models = 0;

  /** `isSingle`: the file has one frame and no models. */
  constructor(sink: ByteSink, { topology }: Frame, isSingle = false) {
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
  async put({ cell, positions }: Frame): Promise<void> {
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

/** CRYST1: lengths in Å, angles in degrees, the space group without symmetry (PDB format 3.3, section 8). */
function cellLine(cell: CellVectors): string {
  const { lengths, angles } = shapeOfCell(cell);
  const sides = lengths.map((length) => length.toFixed(3).padStart(9));
  if (sides.some((side) => side.length > 9)) throw new RangeError("a PDB holds no cell longer than 99999.999 Å");
  const turns = angles.map((angle) => angle.toFixed(2).padStart(7));
  return pdbLine(`CRYST1${sides.join("")}${turns.join("")} ${"P 1".padEnd(11)}${"1".padStart(4)}`);
}

/** What people are to know of a file: what was shortened, and how a cell lies. Each sentence once. */
export function addPdbNotes(notes: Set<string>, { shortened }: PdbFile, { cell }: Frame): void {
  const { names, residueNames, residueIds, chains } = shortened;
  if (names > 0) notes.add(`names of ${names} atoms are cut to the four characters that a PDB has for them`);
  if (residueNames > 0) notes.add(`names of ${residueNames} residues are cut to the three characters that a PDB has`);
  if (residueIds > 0) notes.add(`${residueIds} residues whose ids are no numbers are counted instead`);
  if (chains > 0) notes.add(`${chains} chains have a letter in place of their name`);
  if (cell !== null && !isUpright(cell))
    notes.add("the cell is given by its lengths and angles, and does not lie along x as those who read it will expect");
}

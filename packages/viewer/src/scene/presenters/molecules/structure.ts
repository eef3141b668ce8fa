import type { EntitySet, State, Value } from "simtape";
import { numberAt, textAt } from "../cells.ts";

/** No atom, no residue. */
export const NONE = 0xffff_ffff;
/** Names of residues that a solvent has: waters of the usual force fields (PDB, AMBER, CHARMM, GROMACS). */
const SOLVENT = /^(HOH|H2O|WAT|DOD|D2O|SOL|TIP\w*|TP[345]\w?|SPC\w?|OPC\w?|OH2|W)$/i;

/** Where an atom that the course of a chain follows from is kept for each residue: the place in `Structure.backbone`. */
export const [N, CA, C, O, P, C4, C1, N1, N3] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
export const BACKBONE = 9;
const ROLES: Readonly<Record<string, number>> = {
  N,
  CA,
  C,
  O,
  OT1: O,
  O1: O,
  P,
  "C4'": C4,
  "C4*": C4,
  "C1'": C1,
  "C1*": C1,
  N1,
  N3,
};
const [CARBON, HYDROGEN, OXYGEN] = [6, 1, 8];

/** Which atoms are of which residue, and residues of which chain: it is the same for many frames. */
export class Structure {
  readonly count: number;
  readonly elements: Uint8Array;
  /** Names of atoms, without spaces around. */
  readonly names: readonly string[];
  /** Of each atom; `NONE` where it is not recorded. */
  readonly residueOf: Uint32Array;
  readonly residueNames: readonly string[];
  /** Numbers in the sequence, as they are recorded. */
  readonly residueIds: readonly string[];
  /** Of each residue. */
  readonly chainOf: Uint32Array;
  readonly chainNames: readonly string[];
  /** First atom of each residue; `NONE` where it has none. */
  readonly firstOf: Uint32Array;
  /** `BACKBONE` atoms for each residue, by role; `NONE` where there is none. */
  readonly backbone: Uint32Array;
  /** Of each residue: 1 a residue of a protein, 2 of a nucleic acid. */
  readonly polymer: Uint8Array;
  readonly polymers: number;
  /** Of each atom. */
  readonly isSolvent: Uint8Array;
  /** Atoms of the solvent, and molecules of it; 0 where there is nothing else. */
  readonly solvent: { readonly atoms: number; readonly molecules: number };
  /** Atoms at both ends of each bond. */
  readonly bonds: Uint32Array;
  readonly isBonded: Uint8Array;

  constructor(state: State, set: EntitySet) {
    const count = set.ids.length;
    this.count = count;
    this.elements = Uint8Array.from({ length: count }, (_, row) => numberAt(set, "element", row) || 0);
    this.names = Array.from({ length: count }, (_, row) => textAt(set, "label", row).trim());
    this.residueNames = textsOf(state.values.get("residue.names"));
    this.residueIds = textsOf(state.values.get("residue.ids"));
    this.chainNames = textsOf(state.values.get("chain.names"));
    this.residueOf = new Uint32Array(count).fill(NONE);
    let residues = this.residueNames.length;
    for (let row = 0; row < count; row++) {
      const residue = numberAt(set, "residue", row);
      // More residues than atoms there cannot be.
      if (!(residue >= 0 && residue < Math.max(count, residues))) continue;
      this.residueOf[row] = residue;
      residues = Math.max(residues, residue + 1);
    }
    const chains = state.values.get("residue.chains");
    this.chainOf = Uint32Array.from({ length: residues }, (_, i) =>
      ArrayBuffer.isView(chains) ? ((chains as Uint32Array)[i] ?? 0) : 0,
    );
    this.firstOf = new Uint32Array(residues).fill(NONE);
    this.backbone = new Uint32Array(BACKBONE * residues).fill(NONE);
    this.polymer = new Uint8Array(residues);
    this.isSolvent = new Uint8Array(count);
    this.isBonded = new Uint8Array(count);
    const pairs = state.values.get("bond.pairs");
    this.bonds = ArrayBuffer.isView(pairs) ? (pairs as Uint32Array) : new Uint32Array(0);
    for (const atom of this.bonds) if (atom < count) this.isBonded[atom] = 1;
    this.#findRoles();
    this.polymers = this.#findPolymers();
    this.solvent = this.#findSolvent();
  }

  get residues(): number {
    return this.firstOf.length;
  }

  /** Index of its chain; `NONE` where that is not recorded. */
  chainOfAtom(row: number): number {
    return this.chainOf[this.residueOf[row]!] ?? NONE;
  }

  /** "ALA 10 CA", of several chains "ALA 10 CA, A" */
  label(row: number, id: number | string): string {
    const name = this.names[row] ?? "";
    const residue = this.residueOf[row] ?? NONE;
    const of = residue === NONE ? "" : this.residueLabel(residue);
    if (of === "") return `${name === "" ? "atom" : name} ${id}`;
    const chain = this.chainNames.length > 1 ? (this.chainNames[this.chainOf[residue]!] ?? "") : "";
    return `${of} ${name === "" ? id : name}${chain === "" ? "" : `, ${chain}`}`;
  }

  /** "ALA 10" */
  residueLabel(residue: number): string {
    return `${this.residueNames[residue] ?? ""} ${this.residueIds[residue] ?? ""}`.trim();
  }

  #findRoles(): void {
    for (let row = 0; row < this.count; row++) {
      const residue = this.residueOf[row]!;
      if (residue === NONE) continue;
      if (this.firstOf[residue] === NONE) this.firstOf[residue] = row;
      const role = ROLES[this.names[row]!];
      if (role === undefined) continue;
      // Calcium is called CA, too.
      if (role === CA && this.elements[row] !== CARBON && this.elements[row] !== 0) continue;
      const at = BACKBONE * residue + role;
      if (this.backbone[at] === NONE) this.backbone[at] = row;
    }
  }

  #findPolymers(): number {
    let found = 0;
    for (let residue = 0; residue < this.residues; residue++) {
      const has = (role: number): boolean => this.backbone[BACKBONE * residue + role] !== NONE;
      const isAmino = has(CA) && ((has(N) && has(C)) || isAlone(this, residue));
      const isNucleic = !isAmino && has(C1) && has(C4);
      this.polymer[residue] = isAmino ? 1 : isNucleic ? 2 : 0;
      if (isAmino || isNucleic) found++;
    }
    return found;
  }

  #findSolvent(): Structure["solvent"] {
    const isWater = Uint8Array.from({ length: this.residues }, (_, i) =>
      SOLVENT.test((this.residueNames[i] ?? "").trim()) ? 1 : 0,
    );
    let [atoms, molecules] = [0, 0];
    for (let row = 0; row < this.count; row++) {
      const element = this.elements[row]!;
      // A residue of that name may hold ions: these are looked for.
      if (isWater[this.residueOf[row]!] !== 1 || (element > 1 && element !== OXYGEN)) continue;
      this.isSolvent[row] = 1;
      atoms++;
      if (element !== HYDROGEN && element !== 0) molecules++;
    }
    if (atoms < this.count) return { atoms, molecules };
    this.isSolvent.fill(0);
    return { atoms: 0, molecules: 0 };
  }
}

/** Makes a structure when what it is made of has become another. */
export class Structures {
  #made: Structure | null = null;
  #of: readonly unknown[] = [];

  /** The same object as long as nothing but positions changes. */
  update(state: State, set: EntitySet | undefined): Structure | null {
    if (set === undefined) return null;
    const columns = ["element", "label", "residue"].map((name) => set.columns.get(name)?.data);
    const values = ["residue.names", "residue.ids", "residue.chains", "chain.names", "bond.pairs"];
    const of = [set.ids.length, ...columns, ...values.map((name) => state.values.get(name))];
    if (this.#made === null || of.some((part, i) => part !== this.#of[i])) this.#made = new Structure(state, set);
    this.#of = of;
    return this.#made;
  }
}

/** Whether its Cα is all that is there of a residue, which has a bead for each. */
function isAlone({ residueOf, backbone, count }: Structure, residue: number): boolean {
  const atom = backbone[BACKBONE * residue + CA]!;
  return (atom === 0 || residueOf[atom - 1] !== residue) && (atom + 1 >= count || residueOf[atom + 1] !== residue);
}

function textsOf(value: Value | undefined): readonly string[] {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return [];
  return Array.from(value as ArrayLike<unknown>, (one) =>
    typeof one === "string" || typeof one === "number" ? String(one).trim() : "",
  );
}

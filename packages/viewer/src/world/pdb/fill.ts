import type { Column, EntitySet, State, Value } from "simtape";
import type { Molecule } from "../companion.ts";

/** Set of a state that has the atoms. */
const SET = "particles";

/** Why a molecule is another one than that of a set, in words; null: its atoms are those, by count and order. */
export function misfit({ labels, elements }: Molecule, { ids, columns }: EntitySet): string | null {
  if (ids.length !== labels.length) return `it has ${labels.length} atoms, the recording ${ids.length}`;
  const recorded = columns.get("element")?.data;
  if (recorded === undefined) return null;
  const row = elements.findIndex((own, i) => own !== 0 && Number(recorded[i]) !== 0 && own !== Number(recorded[i]));
  if (row < 0) return null;
  return `atom ${row + 1} has the atomic number ${elements[row]}, in the recording ${Number(recorded[row])}`;
}

/** What adds to a state what it lacks of the first molecule that fits; what was recorded stays as it is. */
export function filler(molecules: readonly Molecule[]): (state: State) => State {
  const made = new Map(molecules.map((molecule) => [molecule, partsOf(molecule)]));
  /** Sets that stand still are the same from state to state, and so are those that were made of them. */
  const filled = new WeakMap<EntitySet, { readonly set: EntitySet; readonly parts: Parts } | null>();
  return (state) => {
    const set = state.sets.get(SET);
    if (set === undefined) return state;
    let fit = filled.get(set);
    if (fit === undefined) {
      const molecule = molecules.find((one) => misfit(one, set) === null);
      const parts = molecule === undefined ? undefined : made.get(molecule)!;
      fit = parts === undefined ? null : { set: { ...set, columns: columnsOf(set, state, parts) }, parts };
      filled.set(set, fit);
    }
    if (fit === null) return state;
    return { time: state.time, values: valuesOf(state, fit.parts), sets: new Map(state.sets).set(SET, fit.set) };
  };
}

interface Parts {
  readonly own: ReadonlyMap<string, Column>;
  readonly residue: Column;
  readonly residues: ReadonlyMap<string, Value>;
  readonly others: ReadonlyMap<string, Value>;
}

/** Made once: what is drawn of them is made again only where they are others. */
function partsOf(molecule: Molecule): Parts {
  const { labels, elements, residues, residueNames, residueIds, residueChains, chainNames, bonds, factors } = molecule;
  const column = (data: Column["data"]): Column => ({ data, width: 1, unit: null, interpolation: "hold" }) as Column;
  return {
    own: new Map([
      ["label", column(labels)],
      ["element", column(elements)],
    ]),
    residue: column(residues),
    residues: new Map<string, Value>([
      ["residue.names", residueNames],
      ["residue.ids", residueIds],
      ["residue.chains", residueChains],
      ["chain.names", chainNames],
    ]),
    others: new Map<string, Value>([
      ...(bonds.length > 0 ? [["bond.pairs", bonds] as const] : []),
      ...(factors === null ? [] : [["b-factor", factors] as const]),
    ]),
  };
}

/** Residues with their names and chains belong together: all are recorded, or all are of the file. */
function hasResidues(state: State): boolean {
  return state.sets.get(SET)!.columns.has("residue") && state.values.has("residue.names");
}

function columnsOf(set: EntitySet, state: State, { own, residue }: Parts): ReadonlyMap<string, Column> {
  const columns = new Map([...own, ...set.columns]);
  return hasResidues(state) ? columns : columns.set("residue", residue);
}

function valuesOf(state: State, { residues, others }: Parts): State["values"] {
  const values = new Map(state.values);
  // behind what is recorded, as the first that fits counts
  for (const [path, value] of others) if (!values.has(path)) values.set(path, value);
  if (!hasResidues(state)) for (const [path, value] of residues) values.set(path, value);
  return values;
}

/** How atoms are drawn. `auto`: long chains of residues as a cartoon, all else as balls and sticks. */
export type MoleculeStyle = "auto" | DrawnStyle;
export type DrawnStyle = "ball-and-stick" | "licorice" | "spacefill" | "lines" | "cartoon" | "surface";

/** What colours tell. `auto`: as recorded, else secondary structure of a cartoon, and elements of all else. */
export type MoleculeColor = "auto" | DrawnColor;
export type DrawnColor = "element" | "chain" | "residue" | "secondary" | "charge" | "b-factor";

/** How much is chosen with an atom. */
export type MoleculePart = "atom" | "residue" | "chain";

/** How molecules are shown; the address keeps it. */
export interface MoleculeSettings {
  readonly style?: MoleculeStyle;
  readonly color?: MoleculeColor;
  /** Whether the solvent is drawn. */
  readonly solvent?: boolean;
  readonly part?: MoleculePart;
}

export const STYLES: readonly DrawnStyle[] = ["ball-and-stick", "licorice", "spacefill", "lines", "cartoon", "surface"];
export const PARTS: readonly MoleculePart[] = ["atom", "residue", "chain"];

import { BACKBONE, C, CA, N, NONE, O, type Structure } from "./structure.ts";

/** What a residue is part of. */
export const [COIL, ALPHA, THREE_TEN, PI, STRAND, BRIDGE, TURN] = [0, 1, 2, 3, 4, 5, 6] as const;

/** kcal/mol, with distances in nm: 0.42 · 0.20 · 332 Å; below `BOND` it is a hydrogen bond (Kabsch and Sander 1983). */
const STRENGTH = 2.7888;
const BOND = -0.5;
/** nm: Cα of residues that are bonded are not farther apart, and Cα of neighbours in a chain neither. */
const NEAR = 0.9;
const NEXT = 0.45;
const HYDROGEN_AT = 0.101;

/**
 * Secondary structure of the residues, by the hydrogen bonds of their backbone as DSSP has them (Kabsch and Sander 1983);
 * where there is nothing but Cα, by their distances (P-SEA, Labesse and others 1997). `positions` has three numbers for
 * each atom, nm. `out` has one number for each residue, and is the caller's.
 */
export function secondary(structure: Structure, positions: Float32Array, out: Uint8Array): Uint8Array {
  out.fill(COIL);
  const residues: number[] = [];
  const loose: number[] = [];
  for (let residue = 0; residue < structure.residues; residue++) {
    if (structure.polymer[residue] !== 1) continue;
    const has = (role: number): boolean => structure.backbone[BACKBONE * residue + role] !== NONE;
    if (has(N) && has(C) && has(O)) residues.push(residue);
    else loose.push(residue);
  }
  if (residues.length > 0) byBonds(structure, positions, residues, out);
  if (loose.length > 3) byDistances(structure, positions, loose, out);
  return out;
}

function byBonds(structure: Structure, positions: Float32Array, residues: readonly number[], out: Uint8Array): void {
  const count = residues.length;
  const at = (i: number, role: number): number => 3 * structure.backbone[BACKBONE * residues[i]! + role]!;
  const apart = (a: number, b: number): number =>
    Math.hypot(
      positions[a]! - positions[b]!,
      positions[a + 1]! - positions[b + 1]!,
      positions[a + 2]! - positions[b + 2]!,
    );
  /** Whether a residue goes on from the one before it. */
  const goesOn = Uint8Array.from({ length: count }, (_, i) =>
    i > 0 && sameChain(structure, residues[i - 1]!, residues[i]!) && apart(at(i - 1, CA), at(i, CA)) < NEXT ? 1 : 0,
  );
  const hydrogens = new Float32Array(3 * count).fill(Number.NaN);
  for (let i = 1; i < count; i++) {
    if (goesOn[i] === 0 || structure.residueNames[residues[i]!] === "PRO") continue;
    // Opposite to the C=O of the residue before.
    const [n, c, o] = [at(i, N), at(i - 1, C), at(i - 1, O)];
    const length = apart(c, o) || 1;
    for (let k = 0; k < 3; k++)
      hydrogens[3 * i + k] = positions[n + k]! + (HYDROGEN_AT * (positions[c + k]! - positions[o + k]!)) / length;
  }
  const bonds = bondsOf(positions, hydrogens, at, apart, count);
  const isBonded = (donor: number, acceptor: number): boolean => bonds.has(donor * count + acceptor);
  const isRun = (from: number, to: number): boolean => {
    if (from < 0 || to >= count) return false;
    for (let i = from + 1; i <= to; i++) if (goesOn[i] === 0) return false;
    return true;
  };
  ladders(residues, out, bonds, count, isBonded, isRun);
  for (const [step, kind] of [
    [4, ALPHA],
    [3, THREE_TEN],
    [5, PI],
  ] as const) {
    for (let i = 1; i + step < count; i++) {
      if (!isBonded(i + step, i) || !isBonded(i + step - 1, i - 1) || !isRun(i - 1, i + step)) continue;
      let isFree = true;
      if (kind !== ALPHA) for (let k = i; k < i + step; k++) isFree &&= isFreeFor(out[residues[k]!]!, kind);
      if (isFree) for (let k = i; k < i + step; k++) out[residues[k]!] = kind;
    }
  }
  for (const step of [3, 4, 5]) {
    for (let i = 0; i + step < count; i++) {
      if (!isBonded(i + step, i) || !isRun(i, i + step)) continue;
      for (let k = i + 1; k < i + step; k++) if (out[residues[k]!] === COIL) out[residues[k]!] = TURN;
    }
  }
}

function isFreeFor(present: number, kind: number): boolean {
  return present === COIL || present === TURN || present === kind;
}

/** The best two of each donor, as donor · count + acceptor. */
function bondsOf(
  positions: Float32Array,
  hydrogens: Float32Array,
  at: (i: number, role: number) => number,
  apart: (a: number, b: number) => number,
  count: number,
): Set<number> {
  const bonds = new Set<number>();
  // Along x, so that only those near are compared.
  const order = Uint32Array.from({ length: count }, (_, i) => i).sort(
    (a, b) => positions[at(a, CA)]! - positions[at(b, CA)]!,
  );
  const best = new Float32Array(2 * count).fill(BOND);
  const accepts = new Int32Array(2 * count).fill(-1);
  const look = (donor: number, acceptor: number): void => {
    if (Number.isNaN(hydrogens[3 * donor]!) || acceptor === donor || acceptor === donor - 1) return;
    const [n, c, o] = [at(donor, N), at(acceptor, C), at(acceptor, O)];
    const h = 3 * donor;
    const from = (b: number): number =>
      Math.hypot(
        hydrogens[h]! - positions[b]!,
        hydrogens[h + 1]! - positions[b + 1]!,
        hydrogens[h + 2]! - positions[b + 2]!,
      );
    const energy = STRENGTH * (1 / apart(n, o) + 1 / from(c) - 1 / from(o) - 1 / apart(n, c));
    if (energy < best[2 * donor]!) {
      best[2 * donor + 1] = best[2 * donor]!;
      accepts[2 * donor + 1] = accepts[2 * donor]!;
      best[2 * donor] = energy;
      accepts[2 * donor] = acceptor;
    } else if (energy < best[2 * donor + 1]!) {
      best[2 * donor + 1] = energy;
      accepts[2 * donor + 1] = acceptor;
    }
  };
  for (let k = 0; k < count; k++) {
    const a = at(order[k]!, CA);
    for (let l = k + 1; l < count; l++) {
      const b = at(order[l]!, CA);
      if (!(positions[b]! - positions[a]! < NEAR)) break;
      if (apart(a, b) >= NEAR) continue;
      look(order[k]!, order[l]!);
      look(order[l]!, order[k]!);
    }
  }
  for (let i = 0; i < 2 * count; i++) if (accepts[i]! >= 0) bonds.add((i >> 1) * count + accepts[i]!);
  return bonds;
}

/** Bridges between residues, and those of them that follow one another: strands. */
function ladders(
  residues: readonly number[],
  out: Uint8Array,
  bonds: ReadonlySet<number>,
  count: number,
  isBonded: (donor: number, acceptor: number) => boolean,
  isRun: (from: number, to: number) => boolean,
): void {
  const bridges: [i: number, j: number, isParallel: boolean][] = [];
  const seen = new Set<number>();
  const add = (i: number, j: number, isParallel: boolean): void => {
    const [low, high] = i < j ? [i, j] : [j, i];
    if (high - low < 3 || !isRun(low - 1, low + 1) || !isRun(high - 1, high + 1) || seen.has(low * count + high))
      return;
    seen.add(low * count + high);
    bridges.push([low, high, isParallel]);
  };
  for (const bond of bonds) {
    const donor = Math.floor(bond / count);
    const acceptor = bond % count;
    // Parallel: N–H of i+1 to the C=O of j, and that of j to i-1, with all that can be i and j for this bond.
    if (isBonded(acceptor, donor - 2)) add(donor - 1, acceptor, true);
    if (isBonded(acceptor + 2, donor)) add(acceptor + 1, donor, true);
    // Antiparallel: both ways between i and j, or from i+1 to j-1 and from j+1 to i-1.
    if (isBonded(acceptor, donor)) add(donor, acceptor, false);
    if (isBonded(acceptor + 2, donor - 2)) add(donor - 1, acceptor + 1, false);
  }
  const has = new Map(bridges.map(([i, j, isParallel]) => [i * count + j, isParallel]));
  for (const [i, j, isParallel] of bridges) {
    const ways = isParallel ? [1, -1] : [-1, 1];
    const follows = ways.some((way, k) => {
      const step = k === 0 ? 1 : -1;
      return (
        has.get((i + step) * count + j + way) === isParallel ||
        has.get((i + 2 * step) * count + j + 2 * way) === isParallel
      );
    });
    for (const one of [i, j]) if (out[residues[one]!] !== STRAND) out[residues[one]!] = follows ? STRAND : BRIDGE;
    if (!follows) continue;
    // What lies between two bridges of one ladder is of the strand, too.
    for (const [k, way] of ways.entries()) {
      const step = k === 0 ? 1 : -1;
      if (has.get((i + 2 * step) * count + j + 2 * way) !== isParallel) continue;
      out[residues[i + step]!] = out[residues[j + way]!] = STRAND;
    }
  }
}

/** nm between Cα i and i+2, i+3, i+4, and how far from that they may be (P-SEA). */
const HELIX = [0.55, 0.05, 0.53, 0.05, 0.64, 0.06] as const;
const SHEET = [0.67, 0.06, 0.99, 0.09, 1.24, 0.11] as const;

function byDistances(
  structure: Structure,
  positions: Float32Array,
  residues: readonly number[],
  out: Uint8Array,
): void {
  const apart = (i: number, j: number): number => {
    const a = 3 * structure.backbone[BACKBONE * residues[i]! + CA]!;
    const b = 3 * structure.backbone[BACKBONE * residues[j]! + CA]!;
    return Math.hypot(
      positions[a]! - positions[b]!,
      positions[a + 1]! - positions[b + 1]!,
      positions[a + 2]! - positions[b + 2]!,
    );
  };
  for (const [kind, terms] of [
    [STRAND, SHEET],
    [ALPHA, HELIX],
  ] as const) {
    for (let i = 0; i + 4 < residues.length; i++) {
      if (!sameChain(structure, residues[i]!, residues[i + 4]!)) continue;
      const fits = [2, 3, 4].every((step, k) => Math.abs(apart(i, i + step) - terms[2 * k]!) <= terms[2 * k + 1]!);
      if (fits) for (let k = i; k <= i + 4; k++) out[residues[k]!] = kind;
    }
  }
}

function sameChain({ chainOf }: Structure, a: number, b: number): boolean {
  return chainOf[a] === chainOf[b];
}

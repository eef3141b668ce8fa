/** kJ/mol/K. With nm, ps and atomic mass units, energies are in kJ/mol. */
const BOLTZMANN = 0.00831446261815324;
/** ps. The fastest motion, that of the bonds, takes eighteen steps. */
export const STEP = 0.002;
const TEMPERATURE = 300;
/** ps in which the thermostat removes most of a difference. */
const COUPLING = 0.5;

/** Octane of united atoms: CH3 and CH2 groups, eight in a row. */
const CHAIN = 8;
const BOND_LENGTH = 0.154;
const BOND_STRENGTH = 217_568;
const ANGLE = (114 * Math.PI) / 180;
const ANGLE_STRENGTH = 519.6;
/** Particles in 1 nm³: a dense vapour in which drops form. */
const DENSITY = 8;
/** Edge of the space for a molecule at the start, nm. */
const SLOT = [1.15, 0.46, 0.46] as const;
/** nm; beyond this distance two particles have no forces on each other, and their energy is 0. */
const CUTOFF = 1;
const WALL_STRENGTH = 500;
/** Fastest motion while the start is relaxed, nm in a step. */
const RELAXING = 0.002;

interface Kind {
  readonly name: string;
  readonly element: number;
  readonly mass: number;
  /** Depth (kJ/mol) and width (nm) of the Lennard-Jones well. */
  readonly epsilon: number;
  readonly sigma: number;
}

const KINDS: readonly Kind[] = [
  { name: "CH3", element: 6, mass: 15.035, epsilon: 0.8148, sigma: 0.375 },
  { name: "CH2", element: 6, mass: 14.027, epsilon: 0.3825, sigma: 0.395 },
  { name: "AR", element: 18, mass: 39.948, epsilon: 0.996, sigma: 0.3405 },
];
const [END, MIDDLE, ARGON] = [0, 1, 2];

/** An external force on one particle: a spring to a point. */
export interface Pull {
  readonly particle: number;
  /** nm. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** kJ/mol/nm² for each unit of mass. */
  readonly scale: number;
}

/**
 * Octane and argon in a box: Lennard-Jones forces, harmonic bonds and angles, soft walls, velocity Verlet and a weak
 * thermostat. Lengths in nm, times in ps, masses in atomic units.
 */
export class Molecules {
  readonly count: number;
  /** Edge of the box. */
  readonly box: number;
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  readonly elements: Uint8Array;
  readonly names: readonly string[];
  /** Index of the molecule of each particle. */
  readonly molecules: Uint32Array;
  readonly moleculeNames: readonly string[];
  /** Pairs of particles. */
  readonly bonds: Uint32Array;
  time = 0;
  /** Energy of the force field alone, without pulls. */
  potential = 0;
  pullEnergy = 0;
  /** Work of the pulls since the start. */
  work = 0;
  /** Force of the first pull, kJ/mol/nm. */
  readonly pullForce: Float64Array = new Float64Array(3);
  readonly #kinds: Uint8Array;
  readonly #forces: Float64Array;
  readonly #cells: Cells;

  /** At least two particles; `random` returns numbers in [0, 1). */
  constructor(count: number, random: () => number) {
    this.count = Math.max(2, count);
    const chains = Math.floor((this.count * 0.8) / CHAIN);
    const atoms = this.count - chains * CHAIN;
    const slots = chains + Math.ceil(atoms / 2);
    let box = Math.max(1.6, Math.cbrt(this.count / DENSITY));
    while (SLOT.reduce((room, edge) => room * Math.floor(box / edge), 1) < slots) box *= 1.02;
    this.box = box;
    this.positions = new Float64Array(this.count * 3);
    this.velocities = new Float64Array(this.count * 3);
    this.#forces = new Float64Array(this.count * 3);
    this.#kinds = new Uint8Array(this.count);
    this.molecules = new Uint32Array(this.count);
    this.#cells = new Cells(box, this.count);
    const names: string[] = [];
    const moleculeNames: string[] = [];
    const bonds: number[] = [];
    for (let i = 0; i < this.count; i++) {
      const isChain = i < chains * CHAIN;
      const place = i % CHAIN;
      const kind = !isChain ? ARGON : place === 0 || place === CHAIN - 1 ? END : MIDDLE;
      this.#kinds[i] = kind!;
      if (!isChain || place === 0) moleculeNames.push(isChain ? "OCT" : "AR");
      this.molecules[i] = moleculeNames.length - 1;
      names.push(isChain ? `C${place + 1}` : "AR");
      if (isChain && place > 0) bonds.push(i - 1, i);
    }
    this.names = names;
    this.moleculeNames = moleculeNames;
    this.bonds = Uint32Array.from(bonds);
    this.elements = this.#kinds.map((kind) => KINDS[kind]!.element);
    this.#place(chains, slots, random);
    this.#relax();
    this.#heat(random);
    for (let i = 0; i < 500; i++) this.step(null);
    this.time = 0;
  }

  get kinetic(): number {
    const v = this.velocities;
    let sum = 0;
    for (let i = 0; i < this.count; i++) {
      sum += this.massOf(i) * (v[3 * i]! ** 2 + v[3 * i + 1]! ** 2 + v[3 * i + 2]! ** 2);
    }
    return sum / 2;
  }

  /** K. */
  get temperature(): number {
    return (2 * this.kinetic) / (3 * this.count * BOLTZMANN);
  }

  massOf(i: number): number {
    return KINDS[this.#kinds[i]!]!.mass;
  }

  /** One step of velocity Verlet. Without a thermostat it conserves energy. */
  step(pull: Pull | null, hasThermostat = true): void {
    const { positions: x, velocities: v, count } = this;
    const f = this.#forces;
    for (let i = 0; i < count; i++) {
      const half = STEP / 2 / this.massOf(i);
      for (let k = 3 * i; k < 3 * i + 3; k++) {
        v[k] = v[k]! + f[k]! * half;
        x[k] = x[k]! + v[k]! * STEP;
      }
    }
    this.#force(pull);
    for (let i = 0; i < count; i++) {
      const half = STEP / 2 / this.massOf(i);
      for (let k = 3 * i; k < 3 * i + 3; k++) v[k] = v[k]! + f[k]! * half;
    }
    if (pull !== null) {
      const at = 3 * pull.particle;
      for (let k = 0; k < 3; k++) this.work += this.pullForce[k]! * v[at + k]! * STEP;
    }
    if (hasThermostat) {
      const now = this.temperature;
      const factor = now > 0 ? Math.sqrt(1 + (STEP / COUPLING) * (TEMPERATURE / now - 1)) : 1;
      for (let k = 0; k < v.length; k++) v[k] = v[k]! * factor;
    }
    this.time += STEP;
  }

  /** Chains stretched along x, or two argon atoms in place of a chain. */
  #place(chains: number, slots: number, random: () => number): void {
    const grid = SLOT.map((edge) => Math.floor(this.box / edge));
    const [across, deep, high] = [grid[0]!, grid[1]!, grid[2]!];
    const order = Array.from({ length: across * deep * high }, (_, i) => i);
    for (let i = order.length - 1; i > 0; i--) {
      const k = Math.floor(random() * (i + 1));
      [order[i], order[k]] = [order[k]!, order[i]!];
    }
    const advance = BOND_LENGTH * Math.sin(ANGLE / 2);
    const zigzag = (BOND_LENGTH * Math.cos(ANGLE / 2)) / 2;
    let i = 0;
    for (let slot = 0; slot < slots; slot++) {
      const place = order[slot]!;
      const x = ((place % across) + 0.5) * (this.box / across);
      const y = ((Math.floor(place / across) % deep) + 0.5) * (this.box / deep);
      const z = (Math.floor(place / across / deep) + 0.5) * (this.box / high);
      const atoms = slot < chains ? CHAIN : Math.min(2, this.count - i);
      for (let n = 0; n < atoms; n++, i++) {
        const along = slot < chains ? (n - (CHAIN - 1) / 2) * advance : (n - 0.5) * 0.5;
        this.positions.set([x + along, y + (slot < chains ? (n % 2 ? zigzag : -zigzag) : 0), z], 3 * i);
      }
    }
  }

  /** Separates particles that were placed too near: along the forces, in short steps. */
  #relax(): void {
    const [x, f] = [this.positions, this.#forces];
    for (let n = 0; n < 200; n++) {
      this.#force(null);
      for (let k = 0; k < x.length; k++) x[k] = x[k]! + Math.max(-RELAXING, Math.min(RELAXING, f[k]! * 1e-6));
    }
    this.#force(null);
  }

  /** Sets velocities of the given temperature, with the whole system at rest. */
  #heat(random: () => number): void {
    const v = this.velocities;
    const momentum = [0, 0, 0];
    let mass = 0;
    for (let i = 0; i < this.count; i++) {
      const m = this.massOf(i);
      mass += m;
      for (let k = 0; k < 3; k++) {
        const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
        v[3 * i + k] = normal * Math.sqrt((BOLTZMANN * TEMPERATURE) / m);
        momentum[k] = momentum[k]! + m * v[3 * i + k]!;
      }
    }
    for (let k = 0; k < v.length; k++) v[k] = v[k]! - momentum[k % 3]! / mass;
  }

  #force(pull: Pull | null): void {
    this.#forces.fill(0);
    this.potential = this.#bondForces() + this.#angleForces() + this.#wallForces() + this.#pairForces();
    this.pullEnergy = pull === null ? 0 : this.#pull(pull);
  }

  #bondForces(): number {
    const [x, f] = [this.positions, this.#forces];
    let energy = 0;
    for (let b = 0; b < this.bonds.length; b += 2) {
      const [i, j] = [3 * this.bonds[b]!, 3 * this.bonds[b + 1]!];
      const [dx, dy, dz] = [x[j]! - x[i]!, x[j + 1]! - x[i + 1]!, x[j + 2]! - x[i + 2]!];
      const r = Math.sqrt(dx * dx + dy * dy + dz * dz);
      const stretch = r - BOND_LENGTH;
      energy += 0.5 * BOND_STRENGTH * stretch * stretch;
      const force = (BOND_STRENGTH * stretch) / r;
      addPair(f, i, j, force * dx, force * dy, force * dz);
    }
    return energy;
  }

  #angleForces(): number {
    const [x, f] = [this.positions, this.#forces];
    let energy = 0;
    for (let b = 0; b + 3 < this.bonds.length; b += 2) {
      if (this.bonds[b + 1] !== this.bonds[b + 2]) continue;
      const [i, j, k] = [3 * this.bonds[b]!, 3 * this.bonds[b + 1]!, 3 * this.bonds[b + 3]!];
      const [ax, ay, az] = [x[i]! - x[j]!, x[i + 1]! - x[j + 1]!, x[i + 2]! - x[j + 2]!];
      const [cx, cy, cz] = [x[k]! - x[j]!, x[k + 1]! - x[j + 1]!, x[k + 2]! - x[j + 2]!];
      const a = Math.sqrt(ax * ax + ay * ay + az * az);
      const c = Math.sqrt(cx * cx + cy * cy + cz * cz);
      const cosine = Math.max(-1, Math.min(1, (ax * cx + ay * cy + az * cz) / (a * c)));
      const bend = Math.acos(cosine) - ANGLE;
      energy += 0.5 * ANGLE_STRENGTH * bend * bend;
      // -dE/dθ · dθ/dcos; straight angles have no direction to bend to.
      const factor = (ANGLE_STRENGTH * bend) / Math.max(1e-6, Math.sqrt(1 - cosine * cosine));
      const [p, q] = [factor / a, factor / c];
      const fi = [p * (cx / c - (cosine * ax) / a), p * (cy / c - (cosine * ay) / a), p * (cz / c - (cosine * az) / a)];
      const fk = [q * (ax / a - (cosine * cx) / c), q * (ay / a - (cosine * cy) / c), q * (az / a - (cosine * cz) / c)];
      for (let n = 0; n < 3; n++) {
        f[i + n] = f[i + n]! + fi[n]!;
        f[k + n] = f[k + n]! + fk[n]!;
        f[j + n] = f[j + n]! - fi[n]! - fk[n]!;
      }
    }
    return energy;
  }

  #wallForces(): number {
    const [x, f] = [this.positions, this.#forces];
    let energy = 0;
    for (let k = 0; k < x.length; k++) {
      const over = x[k]! < 0 ? x[k]! : x[k]! > this.box ? x[k]! - this.box : 0;
      energy += 0.5 * WALL_STRENGTH * over * over;
      f[k] = f[k]! - WALL_STRENGTH * over;
    }
    return energy;
  }

  #pairForces(): number {
    const { positions: x, count } = this;
    let energy = 0;
    if (!this.#cells.isUseful) {
      for (let i = 0; i < count; i++) for (let j = i + 1; j < count; j++) energy += this.#pair(i, j);
      return energy;
    }
    const cells = this.#cells;
    cells.fill(x);
    for (let i = 0; i < count; i++) {
      const around = cells.around(cells.of[i]!);
      for (let n = 0; n < around.length; n++) {
        // A cube's particles descend.
        for (let j = cells.first[around[n]!]!; j > i; j = cells.next[j]!) energy += this.#pair(i, j);
      }
    }
    return energy;
  }

  /** Energy of two particles; neighbours along a chain interact only by bonds and angles. */
  #pair(i: number, j: number): number {
    if (j - i <= 2 && this.molecules[i] === this.molecules[j]) return 0;
    const x = this.positions;
    const a = 3 * i;
    const b = 3 * j;
    const dx = x[b]! - x[a]!;
    const dy = x[b + 1]! - x[a + 1]!;
    const dz = x[b + 2]! - x[a + 2]!;
    const square = dx * dx + dy * dy + dz * dz;
    if (square >= CUTOFF * CUTOFF) return 0;
    const at = this.#kinds[i]! * KINDS.length + this.#kinds[j]!;
    const s2 = SIGMA_SQUARED[at]! / square;
    const s6 = s2 * s2 * s2;
    const epsilon = EPSILON[at]!;
    const force = (-24 * epsilon * (2 * s6 * s6 - s6)) / square;
    addPair(this.#forces, a, b, force * dx, force * dy, force * dz);
    return 4 * epsilon * (s6 * s6 - s6) - SHIFT[at]!;
  }

  #pull(pull: Pull): number {
    const at = 3 * pull.particle;
    const strength = pull.scale * this.massOf(pull.particle);
    const target = [pull.x, pull.y, pull.z];
    let energy = 0;
    for (let k = 0; k < 3; k++) {
      const away = target[k]! - this.positions[at + k]!;
      energy += 0.5 * strength * away * away;
      this.pullForce[k] = strength * away;
      this.#forces[at + k] = this.#forces[at + k]! + strength * away;
    }
    return energy;
  }
}

function addPair(forces: Float64Array, i: number, j: number, x: number, y: number, z: number): void {
  forces[i] = forces[i]! + x;
  forces[i + 1] = forces[i + 1]! + y;
  forces[i + 2] = forces[i + 2]! + z;
  forces[j] = forces[j]! - x;
  forces[j + 1] = forces[j + 1]! - y;
  forces[j + 2] = forces[j + 2]! - z;
}

/** For a pair of kinds: geometric mean of the depths, arithmetic mean of the widths. */
const EPSILON: Float64Array = table((a, b) => Math.sqrt(a.epsilon * b.epsilon));
const SIGMA_SQUARED: Float64Array = table((a, b) => ((a.sigma + b.sigma) / 2) ** 2);
/** Energy at the cutoff, which is subtracted. */
const SHIFT: Float64Array = table((a, b) => {
  const s6 = ((a.sigma + b.sigma) / 2 / CUTOFF) ** 6;
  return 4 * Math.sqrt(a.epsilon * b.epsilon) * (s6 * s6 - s6);
});

function table(of: (a: Kind, b: Kind) => number): Float64Array {
  return Float64Array.from(KINDS.flatMap((a) => KINDS.map((b) => of(a, b))));
}

/** Particles sorted into cubes of the cutoff's size, so that only near ones are examined. */
class Cells {
  /** With fewer than three cubes across, every cube is a neighbour. */
  readonly isUseful: boolean;
  /** Cube of each particle; the first particle of each cube, and the next of each particle, -1 for none. */
  readonly of: Int32Array;
  readonly first: Int32Array;
  readonly next: Int32Array;
  readonly #across: number;
  readonly #edge: number;
  readonly #around: Int32Array[] = [];

  constructor(box: number, count: number) {
    this.#across = Math.max(1, Math.floor(box / CUTOFF));
    this.#edge = box / this.#across;
    this.isUseful = this.#across >= 3;
    this.of = new Int32Array(count);
    this.next = new Int32Array(count);
    this.first = new Int32Array(this.#across ** 3);
    if (!this.isUseful) return;
    for (let cell = 0; cell < this.first.length; cell++) this.#around.push(this.#neighbours(cell));
  }

  around(cell: number): Int32Array {
    return this.#around[cell]!;
  }

  fill(positions: Float64Array): void {
    this.first.fill(-1);
    for (let i = 0; i < this.of.length; i++) {
      const cell =
        this.#index(positions[3 * i]!) +
        this.#across * (this.#index(positions[3 * i + 1]!) + this.#across * this.#index(positions[3 * i + 2]!));
      this.of[i] = cell;
      this.next[i] = this.first[cell]!;
      this.first[cell] = i;
    }
  }

  /** A particle outside of the walls belongs to the nearest cube: the walls are soft, but no particle gets far. */
  #index(at: number): number {
    return Math.max(0, Math.min(this.#across - 1, Math.floor(at / this.#edge)));
  }

  #neighbours(cell: number): Int32Array {
    const n = this.#across;
    const [x, y, z] = [cell % n, Math.floor(cell / n) % n, Math.floor(cell / n / n)];
    const found: number[] = [];
    for (let dz = -1; dz <= 1; dz++) {
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          const [i, j, k] = [x + dx, y + dy, z + dz];
          if (Math.min(i, j, k) >= 0 && Math.max(i, j, k) < n) found.push(i + n * (j + n * k));
        }
      }
    }
    return Int32Array.from(found);
  }
}

import { ConeGeometry, CylinderGeometry, Group, SphereGeometry } from "three";
import type { State, Value } from "simtape";
import { Instances } from "../../drawing/instances.ts";
import { color, type Look } from "../../drawing/look.ts";
import type { Poses } from "../../things/poses.ts";

/** nm */
const PULL_RADIUS = 0.012;
const ARROW_RADIUS = 0.016;
const HEAD = 0.09;
const HEAD_RADIUS = 0.045;
/** Of the weakest arrow and of the strongest. */
const LEAST = 0.12;
const LONGEST = 0.9;
/** kJ/mol/nm: an arrow of this force is half as long as the longest. */
const HALF = 1000;
const PULL = color("#ffd43b");
const FORCE = color("#ff6b6b");
const NOTHING: readonly number[] = [];

/** What users pull at, from where they pull, and the forces on the atoms as they are recorded. */
export class Pulls {
  readonly object: Group = new Group();
  readonly #look: Look;
  readonly #lines: Instances;
  readonly #ends: Instances;
  readonly #shafts: Instances;
  readonly #heads: Instances;
  /** kJ/mol/nm: the strongest force that is drawn. */
  strongest = 0;

  constructor(look: Look) {
    this.#look = look;
    const rod = (): CylinderGeometry => new CylinderGeometry(1, 1, 1, 10, 1, true);
    this.#lines = new Instances(rod(), look.glow({ opacity: 0.8 }));
    this.#ends = new Instances(new SphereGeometry(1, 12, 8), look.glow());
    this.#shafts = new Instances(rod(), look.material({ shine: 0.2 }));
    // The tip ahead: along y, as a rod is.
    this.#heads = new Instances(new ConeGeometry(1, 1, 14), look.material({ shine: 0.2 }));
    for (const part of [this.#lines, this.#ends, this.#shafts, this.#heads]) this.object.add(part.object);
  }

  /** `pulling`: who pulls. Positions of atoms are nm, with y up. */
  update(state: State, pulling: Poses, { positions: atoms, count }: Poses): void {
    const { positions: from } = pulling;
    this.#lines.begin();
    this.#ends.begin();
    for (let row = 0; row < pulling.count; row++) {
      if (!pulling.isDrawn(row)) continue;
      const [x, y, z] = [from[3 * row]!, from[3 * row + 1]!, from[3 * row + 2]!];
      this.#ends.put(x, y, z, 0, 0, 0, 1, 0.035, 0.035, 0.035, this.#look.paint(PULL));
      for (const atom of pulledBy(state.values.get(`state/interaction.${pulling.ids[row]!}`))) {
        if (!(atom < count)) continue;
        const at = 3 * atom;
        const paint = this.#look.paint(PULL);
        this.#lines.putRod(x, y, z, atoms[at]!, atoms[at + 1]!, atoms[at + 2]!, PULL_RADIUS, paint);
      }
    }
    this.#lines.end();
    this.#ends.end();
    this.#drawForces(state.values.get("forces.user.index"), state.values.get("forces.user.sparse"), atoms, count);
  }

  dispose(): void {
    for (const part of [this.#lines, this.#ends, this.#shafts, this.#heads]) part.dispose();
  }

  /** Of users, in kJ/mol/nm, three numbers for each atom that feels one (NanoVer spec §3.3). */
  #drawForces(index: Value | undefined, forces: Value | undefined, atoms: Float32Array, count: number): void {
    this.#shafts.begin();
    this.#heads.begin();
    this.strongest = 0;
    if (ArrayBuffer.isView(index) && ArrayBuffer.isView(forces)) {
      const rows = index as Uint32Array;
      const cells = forces as Float32Array;
      for (let i = 0; i < rows.length && 3 * i + 2 < cells.length; i++) {
        const row = rows[i]!;
        // Of the simulation, z is up; here it is y.
        if (row < count) this.#arrow(atoms, 3 * row, cells[3 * i]!, cells[3 * i + 2]!, -cells[3 * i + 1]!);
      }
    }
    this.#shafts.end();
    this.#heads.end();
  }

  #arrow(atoms: Float32Array, at: number, x: number, y: number, z: number): void {
    const force = Math.hypot(x, y, z);
    if (!(force > 0)) return;
    this.strongest = Math.max(this.strongest, force);
    const length = arrowLength(force);
    const [ax, ay, az] = [atoms[at]!, atoms[at + 1]!, atoms[at + 2]!];
    const along = (part: number, of: number): number => (part * of) / force;
    const [sx, sy, sz] = [along(length - HEAD, x), along(length - HEAD, y), along(length - HEAD, z)];
    const paint = this.#look.paint(FORCE);
    this.#shafts.putRod(ax, ay, az, ax + sx, ay + sy, az + sz, ARROW_RADIUS, paint);
    const [tx, ty, tz] = [along(length, x), along(length, y), along(length, z)];
    this.#heads.putRod(ax + sx, ay + sy, az + sz, ax + tx, ay + ty, az + tz, HEAD_RADIUS, this.#look.paint(FORCE));
  }
}

/** nm, of an arrow that stands for so many kJ/mol/nm: longer for a stronger one, and never longer than 0.9. */
export function arrowLength(force: number): number {
  return LEAST + ((LONGEST - LEAST) * force) / (force + HALF);
}

function pulledBy(interaction: Value | undefined): ArrayLike<number> & Iterable<number> {
  const particles = (interaction as { readonly particles?: unknown } | undefined)?.particles;
  return Array.isArray(particles) || ArrayBuffer.isView(particles) ? (particles as number[]) : NOTHING;
}

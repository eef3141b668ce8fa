import { Color, CylinderGeometry, Group, IcosahedronGeometry } from "three";
import { mergeVertices } from "three/addons/utils/BufferGeometryUtils.js";
import { Instances } from "../../drawing/instances.ts";
import type { Look } from "../../drawing/look.ts";
import type { Poses } from "../../things/poses.ts";
import { ballRadius, radiusOf } from "./elements.ts";
import type { DrawnStyle } from "./settings.ts";
import type { Structure } from "./structure.ts";

/** Triangles that all balls may have together: they are finer where there are fewer of them. */
const TRIANGLES = 300_000;
const FINEST = 9;
/** nm */
const BOND_RADIUS = 0.024;
const LICORICE_RADIUS = 0.028;

/** Atoms as balls, and their bonds as sticks. */
export class Balls {
  readonly object: Group = new Group();
  readonly #look: Look;
  readonly #bonds: Instances;
  #atoms: Instances | null = null;
  #detail = -1;
  #radii = new Float32Array(0);
  #radiiOf: readonly unknown[] = [];

  constructor(look: Look) {
    this.#look = look;
    this.#bonds = new Instances(new CylinderGeometry(1, 1, 1, 14, 1, true), look.material({ shine: 0.3 }));
    this.object.add(this.#bonds.object);
  }

  /** Bonds that are drawn. */
  get bonds(): number {
    return this.#bonds.count / 2;
  }

  /**
   * Draws the atoms that `isShown` has, in colours of three numbers each. Bonds longer than `longest` (nm) go through
   * the walls of the box: they are left out.
   */
  update(
    structure: Structure,
    poses: Poses,
    shades: Float32Array,
    isShown: Uint8Array,
    shown: number,
    style: DrawnStyle,
    longest: number,
  ): void {
    this.#measure(structure, style);
    const atoms = this.#balls(shown);
    const { positions } = poses;
    const hides = poses.hidden.size > 0;
    atoms.begin();
    for (let row = 0; row < structure.count && shown > 0; row++) {
      if (isShown[row] === 0 || (hides ? !poses.isDrawn(row) : !poses.isKnown(row))) continue;
      const at = 3 * row;
      const radius = this.#radii[row]!;
      SHADE.fromArray(shades, at);
      atoms.put(positions[at]!, positions[at + 1]!, positions[at + 2]!, 0, 0, 0, 1, radius, radius, radius, SHADE);
    }
    atoms.end();
    this.#drawBonds(structure, positions, shades, isShown, shown, style, longest);
  }

  dispose(): void {
    this.#bonds.dispose();
    this.#atoms?.dispose();
  }

  /** Each in two halves, in the colours of its ends. */
  #drawBonds(
    { bonds: ends, count }: Structure,
    positions: Float32Array,
    shades: Float32Array,
    isShown: Uint8Array,
    shown: number,
    style: DrawnStyle,
    longest: number,
  ): void {
    const bonds = this.#bonds;
    const radius = style === "licorice" ? LICORICE_RADIUS : BOND_RADIUS;
    const most = longest ** 2;
    bonds.begin();
    for (let i = 0; i + 1 < ends.length && shown > 0 && style !== "spacefill"; i += 2) {
      const a = ends[i]!;
      const b = ends[i + 1]!;
      if (a >= count || b >= count || isShown[a] === 0 || isShown[b] === 0) continue;
      const ax = positions[3 * a]!;
      const ay = positions[3 * a + 1]!;
      const az = positions[3 * a + 2]!;
      const bx = positions[3 * b]!;
      const by = positions[3 * b + 1]!;
      const bz = positions[3 * b + 2]!;
      if (!((bx - ax) ** 2 + (by - ay) ** 2 + (bz - az) ** 2 < most)) continue;
      const mx = (ax + bx) / 2;
      const my = (ay + by) / 2;
      const mz = (az + bz) / 2;
      bonds.putRod(ax, ay, az, mx, my, mz, radius, SHADE.fromArray(shades, 3 * a));
      bonds.putRod(mx, my, mz, bx, by, bz, radius, SHADE.fromArray(shades, 3 * b));
    }
    bonds.end();
  }

  #measure({ elements, isBonded, count }: Structure, style: DrawnStyle): void {
    const of = [elements, isBonded, style];
    if (of.every((part, i) => part === this.#radiiOf[i])) return;
    this.#radiiOf = of;
    this.#radii = Float32Array.from({ length: count }, (_, row) => {
      const isAtBond = isBonded[row] === 1;
      if (style === "spacefill") return radiusOf(elements[row]!);
      return style === "licorice" && isAtBond ? LICORICE_RADIUS : ballRadius(elements[row]!, isAtBond);
    });
  }

  #balls(count: number): Instances {
    const detail = Math.max(1, Math.min(FINEST, Math.floor(Math.sqrt(TRIANGLES / (20 * Math.max(1, count)))) - 1));
    if (this.#atoms !== null && this.#detail === detail) return this.#atoms;
    if (this.#atoms !== null) {
      this.object.remove(this.#atoms.object);
      this.#atoms.dispose();
    }
    this.#detail = detail;
    const ball = mergeVertices(new IcosahedronGeometry(1, detail).deleteAttribute("uv"));
    this.#atoms = new Instances(ball, this.#look.material({ shine: 0.45 }), Math.max(16, count));
    this.object.add(this.#atoms.object);
    return this.#atoms;
  }
}

const SHADE = new Color();

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments } from "three";
import type { Model, Solid } from "./solid.ts";
import type { Structure } from "./structure.ts";

/** Bonds as lines, each in two halves. Atoms without a bond are left to others. */
export class Lines implements Solid {
  readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly #longest: () => number;

  /** `longest`: nm, of a bond that does not go through a wall of the box. */
  constructor(longest: () => number) {
    this.#longest = longest;
    this.object = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true }));
    this.object.frustumCulled = false;
  }

  covers(structure: Structure): Uint8Array {
    return structure.isBonded;
  }

  update({ structure: { bonds, count }, positions, shades, isShown }: Model): void {
    const [places, colors] = this.#arrays(6 * bonds.length);
    const most = this.#longest() ** 2;
    let at = 0;
    for (let i = 0; i + 1 < bonds.length; i += 2) {
      const [a, b] = [3 * bonds[i]!, 3 * bonds[i + 1]!];
      if (bonds[i]! >= count || bonds[i + 1]! >= count) continue;
      if (isShown[bonds[i]!] === 0 || isShown[bonds[i + 1]!] === 0) continue;
      const dx = positions[b]! - positions[a]!;
      const dy = positions[b + 1]! - positions[a + 1]!;
      const dz = positions[b + 2]! - positions[a + 2]!;
      if (!(dx * dx + dy * dy + dz * dz < most)) continue;
      for (let k = 0; k < 3; k++) {
        places[at + k] = positions[a + k]!;
        places[at + 3 + k] = places[at + 6 + k] = (positions[a + k]! + positions[b + k]!) / 2;
        places[at + 9 + k] = positions[b + k]!;
        colors[at + k] = colors[at + 3 + k] = shades[a + k]!;
        colors[at + 6 + k] = colors[at + 9 + k] = shades[b + k]!;
      }
      at += 12;
    }
    const { geometry } = this.object;
    geometry.setDrawRange(0, at / 3);
    for (const name of ["position", "color"]) geometry.getAttribute(name).needsUpdate = true;
    this.object.visible = at > 0;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }

  #arrays(length: number): [Float32Array, Float32Array] {
    let { geometry } = this.object;
    const before = geometry.getAttribute("position") as BufferAttribute | undefined;
    if (before === undefined || before.array.length < length) {
      geometry.dispose();
      geometry = this.object.geometry = new BufferGeometry();
      for (const name of ["position", "color"])
        geometry.setAttribute(name, new BufferAttribute(new Float32Array(length), 3).setUsage(DynamicDrawUsage));
    }
    return ["position", "color"].map((name) => (geometry.getAttribute(name) as BufferAttribute).array) as [
      Float32Array,
      Float32Array,
    ];
  }
}

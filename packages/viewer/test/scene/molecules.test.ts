import { Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { Cast } from "../../src/scene/cast.ts";
import { Origin } from "../../src/scene/things/origin.ts";
import { ALPHA, COIL, PI, secondary, STRAND, THREE_TEN } from "../../src/scene/presenters/molecules/secondary.ts";
import { DensityGrid, type SurfaceSink } from "../../src/scene/presenters/molecules/surface.ts";
import { Structure } from "../../src/scene/presenters/molecules/structure.ts";
import { tracesOf } from "../../src/scene/presenters/molecules/traces.ts";
import { type Atom, backbone, moved, simulation } from "../support/peptide.ts";

const ALA = (count: number): string[] => Array.from({ length: count }, () => "ALA");

function structureOf(...of: Parameters<typeof simulation>): Structure {
  const state = simulation(...of);
  return new Structure(state, state.sets.get("particles")!);
}

function found(atoms: readonly Atom[], chains?: readonly number[]): Uint8Array {
  const residues = Math.max(...atoms.map(({ residue }) => residue)) + 1;
  const structure = structureOf(atoms, ALA(residues), chains);
  const places = Float32Array.from(atoms.flatMap(({ place }) => [...place]));
  return secondary(structure, places, new Uint8Array(residues));
}

function turns(count: number, phi: number, psi: number): [number, number][] {
  return Array.from({ length: count }, () => [phi, psi]);
}

test("a camera has a place among molecules, also where no user is in the room", () => {
  const origin = new Origin();
  const cast = new Cast(origin, -1);
  cast.show(simulation(backbone(turns(4, -57.8, -47)), ALA(4)));
  const place: [number, number, number] = [1, 2, 3];
  origin.toRecording(place, 0);
  origin.fromRecording(place, 0);
  expect(place).toEqual([1, 2, 3]);
  cast.dispose();
});

describe("secondary structure", () => {
  test("of an ideal α helix is one from the second residue to the last but one", () => {
    const kinds = [...found(backbone(turns(16, -57.8, -47)))];
    expect(kinds.slice(1, 15)).toEqual(Array.from({ length: 14 }, () => ALPHA));
    expect(kinds[0]).toBe(COIL);
    expect(kinds[15]).toBe(COIL);
  });

  test("of an ideal 3-10 helix is one", () => {
    const kinds = [...found(backbone(turns(14, -60, -20)))];
    expect(kinds.slice(4, 10)).toEqual(Array.from({ length: 6 }, () => THREE_TEN));
    expect(kinds).not.toContain(PI);
  });

  test("of a stretched chain is none", () => {
    expect(new Set(found(backbone(turns(12, -139, 135))))).toEqual(new Set([COIL]));
  });

  test("of two strands side by side is a sheet, antiparallel and parallel", () => {
    const strand = backbone(turns(9, -139, 135));
    for (const isParallel of [false, true]) {
      const best = pairOf(strand, isParallel);
      const kinds = [...found(best, [...ALA(9).map(() => 0), ...ALA(9).map(() => 1)])];
      expect(kinds.filter((kind) => kind === STRAND).length).toBeGreaterThan(7);
      expect(kinds.filter((kind) => kind === ALPHA)).toEqual([]);
    }
  });

  test("of strands side by side leaves out the last residue, which nothing follows", () => {
    const pair = pairOf(backbone(turns(9, -139, 135)), false);
    for (const count of [15, 16, 17]) {
      const chains = Array.from({ length: count }, (_, i) => (i < 9 ? 0 : 1));
      const kinds = found(
        pair.filter(({ residue }) => residue < count),
        chains,
      );
      expect(kinds).toContain(STRAND);
      expect(kinds.at(-1)).toBe(COIL);
    }
  });

  test("follows from Cα alone where there is nothing else", () => {
    for (const [phi, psi, kind] of [
      [-57.8, -47, ALPHA],
      [-120, 125, STRAND],
    ] as const) {
      const beads = backbone(turns(12, phi, psi)).filter(({ name }) => name === "CA");
      expect([...found(beads)].slice(1, 11)).toEqual(Array.from({ length: 10 }, () => kind));
    }
  });

  test("is not of a chain that is cut", () => {
    const helix = backbone(turns(12, -57.8, -47));
    const away = helix.map((atom) =>
      atom.residue < 6 ? atom : { ...atom, place: [atom.place[0] + 3, atom.place[1], atom.place[2]] as const },
    );
    const kinds = [...found(away)];
    expect(kinds[5]).not.toBe(ALPHA);
    expect(kinds[6]).not.toBe(ALPHA);
  });
});

/** A strand and a copy of it, laid where most of its hydrogen bonds are. */
function pairOf(strand: readonly Atom[], isParallel: boolean): Atom[] {
  const axis = axisOf(strand);
  let best: { atoms: Atom[]; count: number } = { atoms: [], count: -1 };
  for (let side = 0; side < 12; side++) {
    const angle = (side * Math.PI) / 6;
    const out = [0, 1, 2].map((k) => axis.side[k]! * Math.cos(angle) + axis.up[k]! * Math.sin(angle)) as unknown as [
      number,
      number,
      number,
    ];
    for (let shift = -0.35; shift <= 0.35; shift += 0.05) {
      for (const width of [0.46, 0.48, 0.5]) {
        for (const roll of isParallel ? [0] : [0, 1]) {
          const turned = moved(strand, (place) => {
            const local = axis.local(place);
            // About an axis across the strand, antiparallel; or across its plane.
            const [a, b, c] = isParallel
              ? local
              : roll === 0
                ? [-local[0], local[1], -local[2]]
                : [-local[0], -local[1], local[2]];
            return axis.global([a + shift, b, c]).map((value, k) => value + width * out[k]!) as unknown as [
              number,
              number,
              number,
            ];
          }).map((atom) => ({ ...atom, residue: atom.residue + 9 }));
          const atoms = [...strand, ...turned];
          const kinds = found(atoms, [...ALA(9).map(() => 0), ...ALA(9).map(() => 1)]);
          const count = kinds.filter((kind) => kind === STRAND).length;
          if (count > best.count) best = { atoms, count };
        }
      }
    }
  }
  return best.atoms;
}

type Point = [number, number, number];

/** Axes of a strand: along it, to a side and up, from its middle. */
function axisOf(atoms: readonly Atom[]) {
  const beads = atoms.filter(({ name }) => name === "CA").map(({ place }) => place);
  const middle = [0, 1, 2].map((k) => beads.reduce((sum, bead) => sum + bead[k]!, 0) / beads.length) as Point;
  const unit = (v: Point): Point => v.map((value) => value / Math.hypot(...v)) as Point;
  const along = unit([0, 1, 2].map((k) => beads.at(-1)![k]! - beads[0]![k]!) as Point);
  const off = [0, 1, 2].map((k) => beads[4]![k]! - middle[k]!) as Point;
  const part = off.reduce((sum, value, k) => sum + value * along[k]!, 0);
  const side = unit(off.map((value, k) => value - part * along[k]!) as Point);
  const up: Point = [
    along[1] * side[2] - along[2] * side[1],
    along[2] * side[0] - along[0] * side[2],
    along[0] * side[1] - along[1] * side[0],
  ];
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, k) => sum + value * b[k]!, 0);
  return {
    side,
    up,
    local: (place: readonly number[]): Point => {
      const from = place.map((value, k) => value - middle[k]!);
      return [dot(from, along), dot(from, side), dot(from, up)];
    },
    global: ([a, b, c]: Point): Point =>
      [0, 1, 2].map((k) => middle[k]! + a * along[k]! + b * side[k]! + c * up[k]!) as Point,
  };
}

describe("structure", () => {
  const peptide = backbone(turns(4, -57.8, -47));
  const water = (residue: number, x: number): Atom[] =>
    [
      ["O", 8],
      ["H1", 1],
      ["H2", 1],
    ].map(([name, element], i) => ({
      name: name as string,
      element: element as number,
      residue,
      place: [x, i / 10, 3] as const,
    }));

  test("solvent is that of waters, and ions are none of it", () => {
    const ion: Atom = { name: "NA", element: 11, residue: 6, place: [5, 5, 5] };
    const structure = structureOf([...peptide, ...water(4, 1), ...water(5, 2), ion], [...ALA(4), "HOH", "TIP3", "NA"]);
    expect(structure.solvent).toEqual({ atoms: 6, molecules: 2 });
    expect(structure.isSolvent[structure.count - 1]).toBe(0);
    expect(structure.polymers).toBe(4);
  });

  test("where there is nothing but water, it is no solvent", () => {
    expect(structureOf(water(0, 1), ["HOH"]).solvent).toEqual({ atoms: 0, molecules: 0 });
  });

  test("calcium is no Cα, and names of atoms have their residues", () => {
    const calcium: Atom = { name: "CA", element: 20, residue: 4, place: [5, 5, 5] };
    const structure = structureOf([...peptide, calcium], [...ALA(4), "CA"]);
    expect(structure.polymer[4]).toBe(0);
    expect(structure.label(5, 5)).toBe("ALA 2 CA");
    expect(structure.label(16, 16)).toBe("CA 5 CA");
  });

  test("a chain that ends is not drawn on into the next", () => {
    const other = backbone(turns(4, -57.8, -47), 4);
    const traces = tracesOf(structureOf([...peptide, ...other], ALA(8), [0, 0, 0, 0, 1, 1, 1, 1]));
    expect(traces.map(({ residues }) => [...residues])).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ]);
  });
});

describe("the surface", () => {
  const helix = backbone(turns(12, -57.8, -47));
  const places = Float32Array.from(helix.flatMap(({ place }) => [...place]));
  const structure = structureOf(helix, ALA(12));

  test("is closed, looks outwards, and every atom is within it", () => {
    const sink = new Sink();
    const grid = new DensityGrid();
    grid.fill(structure, places);
    const { points, corners } = grid.march(sink, new Float32Array(3 * structure.count).fill(0.5));
    expect(points).toBeGreaterThan(500);
    const edges = new Map<string, number>();
    let volume = 0;
    for (let i = 0; i < corners; i += 3) {
      const face = [0, 1, 2].map((k) => sink.corners[i + k]!);
      for (const corner of face) expect(corner).toBeLessThan(points);
      const [a, b, c] = face.map((corner) => new Vector3().fromArray(sink.places, 3 * corner));
      volume += a!.dot(new Vector3().crossVectors(b!, c!)) / 6;
      for (let k = 0; k < 3; k++) {
        const way = `${face[k]} ${face[(k + 1) % 3]}`;
        edges.set(way, (edges.get(way) ?? 0) + 1);
      }
    }
    // Each edge is gone along once in each direction: no hole, no face the wrong way round.
    for (const [way, count] of edges) {
      expect(count).toBe(1);
      expect(edges.get(way.split(" ").reverse().join(" "))).toBe(1);
    }
    // Seen from outside; balls of the carbon's radius alone are 0.0206 nm³ each, and they overlap.
    expect(volume).toBeGreaterThan(0.3);
    expect(volume).toBeLessThan(48 * 0.0206 * LARGER_VOLUME);
    for (let point = 0; point < points; point++) {
      const at = new Vector3().fromArray(sink.places, 3 * point);
      const nearest = helix.reduce(
        (least, { place }) => Math.min(least, at.distanceTo(new Vector3(...place))),
        Number.POSITIVE_INFINITY,
      );
      expect(nearest).toBeGreaterThan(0.12);
      expect(nearest).toBeLessThan(0.32);
    }
  });

  test("of one atom is a ball, somewhat larger than its van der Waals radius", () => {
    const one = structureOf([{ name: "AR", element: 18, residue: 0, place: [1, 2, 3] }], ["AR"]);
    const sink = new Sink();
    const grid = new DensityGrid();
    grid.fill(one, Float32Array.of(1, 2, 3));
    const { points } = grid.march(sink, Float32Array.of(1, 1, 1));
    for (let point = 0; point < points; point++) {
      const out = new Vector3().fromArray(sink.places, 3 * point).sub(new Vector3(1, 2, 3));
      expect(out.length()).toBeGreaterThan(0.19);
      expect(out.length()).toBeLessThan(0.24);
      expect(out.normalize().dot(new Vector3().fromArray(sink.normals, 3 * point))).toBeGreaterThan(0.97);
    }
  });

  test("of nothing is none", () => {
    const grid = new DensityGrid();
    grid.fill(
      structure,
      places.map(() => Number.NaN),
    );
    expect(grid.march(new Sink(), new Float32Array(0))).toEqual({ points: 0, corners: 0 });
  });
});

/** How much larger than balls of their radius the surface may be: its radius is 1.15 of that, and gaps are filled. */
const LARGER_VOLUME = 1.15 ** 3 * 1.2;

class Sink implements SurfaceSink {
  places = new Float32Array(0);
  normals = new Float32Array(0);
  colors = new Float32Array(0);
  corners = new Uint32Array(0);

  reserve(points: number, corners: number): void {
    this.places = new Float32Array(3 * points);
    this.normals = new Float32Array(3 * points);
    this.colors = new Float32Array(3 * points);
    this.corners = new Uint32Array(corners);
  }
}

import type { Column, State } from "simtape";

/** Lengths (nm) and angles (degrees) of a backbone after Engh and Huber (1991). */
const [N_CA, CA_C, C_N, C_O] = [0.1458, 0.1525, 0.1329, 0.1231];
const [N_CA_C, CA_C_N, C_N_CA, CA_C_O] = [111, 117.2, 121.7, 120.1];

type Point = readonly [number, number, number];

export interface Atom {
  readonly name: string;
  readonly element: number;
  readonly residue: number;
  readonly place: Point;
}

/** N, CA, C and O of a chain whose residues have these φ and ψ (degrees); ω is 180°. `first`: index of its residues. */
export function backbone(turns: readonly (readonly [phi: number, psi: number])[], first = 0): Atom[] {
  const places: Point[] = [
    [0, 0, 0],
    [N_CA, 0, 0],
  ];
  const angle = radians(N_CA_C);
  places.push([N_CA - CA_C * Math.cos(angle), CA_C * Math.sin(angle), 0]);
  for (let i = 1; i < turns.length; i++) {
    places.push(next(places, C_N, CA_C_N, turns[i - 1]![1]));
    places.push(next(places, N_CA, C_N_CA, 180));
    places.push(next(places, CA_C, N_CA_C, turns[i]![0]));
  }
  return turns.flatMap(([, psi], i) => {
    const [n, ca, c] = [places[3 * i]!, places[3 * i + 1]!, places[3 * i + 2]!];
    // Opposite to the nitrogen that follows.
    const o = next([n, ca, c], C_O, CA_C_O, psi + 180);
    return [
      { name: "N", element: 7, residue: first + i, place: n },
      { name: "CA", element: 6, residue: first + i, place: ca },
      { name: "C", element: 6, residue: first + i, place: c },
      { name: "O", element: 8, residue: first + i, place: o },
    ];
  });
}

/** Moves and turns all atoms. */
export function moved(atoms: readonly Atom[], move: (place: Point) => Point): Atom[] {
  return atoms.map((atom) => ({ ...atom, place: move(atom.place) }));
}

/** A state as that of a simulation. `names`: of each residue; `chains`: of each residue. */
export function simulation(
  atoms: readonly Atom[],
  names: readonly string[],
  chains: readonly number[] = names.map(() => 0),
  more: Readonly<Record<string, unknown>> = {},
): State {
  const column = (data: Column["data"], width = 1, unit: string | null = null): Column =>
    ({ data, width, unit, interpolation: "hold" }) as unknown as Column;
  const set = {
    ids: atoms.map((_, i) => i),
    axes: { handed: "right", up: "z", kind: "local" } as const,
    columns: new Map([
      ["position", column(Float32Array.from(atoms.flatMap(({ place }) => [...place])), 3, "nm")],
      ["element", column(Uint32Array.from(atoms, ({ element }) => element))],
      ["label", column(atoms.map(({ name }) => name))],
      ["residue", column(Uint32Array.from(atoms, ({ residue }) => residue))],
    ]),
  };
  const values = {
    "residue.names": names,
    "residue.ids": names.map((_, i) => String(i + 1)),
    "residue.chains": Uint32Array.from(chains),
    "chain.names": [...new Set(chains)].map((chain) => String.fromCharCode(65 + chain)),
    ...more,
  };
  return {
    time: 0,
    values: new Map(Object.entries(values)) as unknown as State["values"],
    sets: new Map([["particles", set]]) as unknown as State["sets"],
  };
}

/** A point so far from the last of `before`, at this angle and with this turn about the bond before it. */
function next(before: readonly Point[], length: number, angle: number, turn: number): Point {
  const [a, b, c] = before.slice(-3) as [Point, Point, Point];
  const along = unit(minus(c, b));
  const normal = unit(cross(minus(b, a), along));
  const side = cross(normal, along);
  const [theta, phi] = [radians(angle), radians(turn)];
  const [x, y, z] = [-Math.cos(theta), Math.sin(theta) * Math.cos(phi), Math.sin(theta) * Math.sin(phi)];
  return [0, 1, 2].map((k) => c[k]! + length * (x * along[k]! + y * side[k]! + z * normal[k]!)) as unknown as Point;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function minus(a: Point, b: Point): Point {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function cross(a: Point, b: Point): Point {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(a: Point): Point {
  const length = Math.hypot(...a);
  return [a[0] / length, a[1] / length, a[2] / length];
}

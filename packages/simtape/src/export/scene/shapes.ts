import type { Thing } from "./things.ts";

/** How a thing looks. */
export interface Shape {
  /** The same for things that look the same. */
  readonly key: string;
  /** Red, green, blue, from 0 to 1, linear. */
  readonly color: readonly [number, number, number];
  readonly mesh: () => Triangles;
}

/** A mesh around the place of a thing: x left, y up, z forward, in metres. */
export interface Triangles {
  readonly positions: Float32Array<ArrayBuffer>;
  readonly normals: Float32Array<ArrayBuffer>;
  readonly indices: Uint16Array<ArrayBuffer>;
}

type Vector = readonly [number, number, number];

/** Colours of the commonest elements, after Corey, Pauling and Koltun. */
const ELEMENTS: Readonly<Record<number, number>> = {
  1: 0xffffff,
  6: 0x909090,
  7: 0x3050f8,
  8: 0xff0d0d,
  9: 0x90e050,
  15: 0xff8000,
  16: 0xffff30,
  17: 0x1ff01f,
};
const OTHER_ELEMENT = 0xe58fb6;
/** For kinds, by their names. */
const PALETTE = [0x4c78a8, 0xf58518, 0x54a24b, 0xe45756, 0x72b7b2, 0xb279a2, 0xeeca3b, 0x9d755d] as const;
/** Half lengths in metres of things whose size is not recorded, by words in their set or kind; others are arrows. */
const USUAL: readonly (readonly [words: RegExp, half: Vector])[] = [
  [/walker|pedestrian|player/i, [0.3, 0.9, 0.3]],
  [/block/i, [0.5, 0.5, 0.5]],
  [/vehicle/i, [0.9, 0.75, 2.25]],
  [/light|sign|sensor/i, [0.25, 0.25, 0.25]],
];
/** Half the width of an atom, a part of what its electrons take up, in units of its places: nm. */
const ATOM = 0.06;

/** A box where a size is recorded or usual, an eight-sided ball for an atom, an arrow that looks forward for all others. */
export function shapeOf(thing: Thing): Shape {
  const { extents, element, enlargement, set, kind } = thing;
  if (enlargement !== 1) {
    const half = element === 1 ? ATOM * 0.65 : ATOM;
    return ball(half, element === 0 ? colorOf(set) : linear(ELEMENTS[element] ?? OTHER_ELEMENT), `${element}`);
  }
  const color = colorOf(kind === "" ? set : kind);
  if (extents !== null) return box(extents.half, extents.middle, color);
  const usual = USUAL.find(([words]) => words.test(kind)) ?? USUAL.find(([words]) => words.test(set));
  if (usual !== undefined) return box(usual[1], [0, 0, 0], color);
  return arrow(/aircraft/i.test(set) ? 5 : 0.5, color);
}

function box(half: Vector, middle: Vector, color: Vector): Shape {
  const key = `box ${[...half, ...middle].map((value) => value.toFixed(3)).join(" ")} ${color.join(" ")}`;
  return { key, color, mesh: () => flat(boxOf(half, middle)) };
}

function boxOf(half: Vector, middle: Vector): Vector[][] {
  const triangles: Vector[][] = [];
  for (const axis of [0, 1, 2]) {
    for (const side of [-1, 1]) {
      const corner = (u: number, v: number): Vector => {
        const at = [0, 0, 0];
        at[axis] = side * half[axis]!;
        at[(axis + 1) % 3] = side * u * half[(axis + 1) % 3]!;
        at[(axis + 2) % 3] = v * half[(axis + 2) % 3]!;
        return at.map((value, k) => value + middle[k]!) as unknown as Vector;
      };
      triangles.push([corner(-1, -1), corner(1, -1), corner(1, 1)], [corner(-1, -1), corner(1, 1), corner(-1, 1)]);
    }
  }
  return triangles;
}

function arrow(half: number, color: Vector): Shape {
  return { key: `arrow ${half} ${color.join(" ")}`, color, mesh: () => flat(arrowOf(half)) };
}

/** A flat pyramid: its top is forward, and its back has a low and a high edge. */
function arrowOf(half: number): Vector[][] {
  const top: Vector = [0, 0, half];
  const [left, right]: Vector[] = [
    [half * 0.6, 0, -half],
    [-half * 0.6, 0, -half],
  ] as const;
  const high: Vector = [0, half * 0.4, -half];
  const low: Vector = [0, -half * 0.1, -half];
  return [
    [top, left!, high],
    [top, high, right!],
    [top, low, left!],
    [top, right!, low],
    [left!, low, high],
    [right!, high, low],
  ];
}

function ball(half: number, color: Vector, name: string): Shape {
  return { key: `ball ${name} ${color.join(" ")}`, color, mesh: () => flat(ballOf(half)) };
}

function ballOf(half: number): Vector[][] {
  const triangles: Vector[][] = [];
  for (const x of [-half, half])
    for (const y of [-half, half])
      for (const z of [-half, half]) {
        const corners: Vector[] = [
          [x, 0, 0],
          [0, y, 0],
          [0, 0, z],
        ];
        // outside is where the corners are counted to the left
        triangles.push(x * y * z > 0 ? corners : corners.reverse());
      }
  return triangles;
}

/** Each triangle has its own corners, and so flat faces. */
function flat(triangles: readonly (readonly Vector[])[]): Triangles {
  const corners = triangles.flat();
  const normals = triangles.flatMap(([a, b, c]) => {
    const normal = normalOf(a!, b!, c!);
    return [normal, normal, normal];
  });
  return {
    positions: Float32Array.from(corners.flat()),
    normals: Float32Array.from(normals.flat()),
    indices: Uint16Array.from(corners.keys()),
  };
}

function normalOf(a: Vector, b: Vector, c: Vector): Vector {
  const [u, v] = [
    [b[0] - a[0], b[1] - a[1], b[2] - a[2]],
    [c[0] - a[0], c[1] - a[1], c[2] - a[2]],
  ] as unknown as [Vector, Vector];
  const n: Vector = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...n);
  return [n[0] / length, n[1] / length, n[2] / length];
}

function colorOf(name: string): Vector {
  let hash = 0;
  for (let k = 0; k < name.length; k++) hash = (Math.imul(hash, 31) + name.charCodeAt(k)) >>> 0;
  return linear(PALETTE[hash % PALETTE.length]!);
}

/** Of an sRGB colour; glTF has factors of colours linear. */
function linear(color: number): Vector {
  return [16, 8, 0].map((shift) => {
    const value = ((color >> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as unknown as Vector;
}

import { BoxGeometry, BufferAttribute, BufferGeometry, SphereGeometry } from "three";
import { mergeGeometries, mergeVertices } from "three/addons/utils/BufferGeometryUtils.js";

/** What shapes of things are made of, x ahead, y up. A part's grey is multiplied with the colour of the instance. */

/** Across a body: where, its lowest, widest and highest, and half its width there. */
export type Section = readonly [x: number, y0: number, ys: number, y1: number, w0: number, ws: number, w1: number];

/** A body through sections, in flat faces, closed at its ends. */
export function loft(sections: readonly Section[]): BufferGeometry {
  const corners: number[] = [];
  const ring = ([x, y0, ys, y1, w0, ws, w1]: Section): readonly (readonly [number, number, number])[] => [
    [x, y0, -w0],
    [x, y0, w0],
    [x, ys, ws],
    [x, y1, w1],
    [x, y1, -w1],
    [x, ys, -ws],
  ];
  const rings = sections.map(ring);
  for (let i = 0; i + 1 < rings.length; i++) {
    const [a, b] = [rings[i]!, rings[i + 1]!];
    for (let k = 0; k < 6; k++) {
      const next = (k + 1) % 6;
      corners.push(...a[k]!, ...b[k]!, ...b[next]!, ...a[k]!, ...b[next]!, ...a[next]!);
    }
  }
  for (const [end, isLast] of [
    [rings[0]!, false],
    [rings.at(-1)!, true],
  ] as const) {
    for (let k = 1; k < 5; k++) {
      const [p, q] = isLast ? [k + 1, k] : [k, k + 1];
      corners.push(...end[0]!, ...end[p]!, ...end[q]!);
    }
  }
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  // Sections that go back wind the other way round.
  if (sections[0]![0] > sections.at(-1)![0]) flip(geometry);
  geometry.computeVertexNormals();
  return geometry;
}

function flip(geometry: BufferGeometry): void {
  const { array } = geometry.getAttribute("position");
  for (let at = 0; at < array.length; at += 9) {
    for (let k = 0; k < 3; k++) [array[at + 3 + k], array[at + 6 + k]] = [array[at + 6 + k]!, array[at + 3 + k]!];
  }
}

/** A box from its middle and size. */
export function box(x: number, y: number, z: number, length: number, height: number, width: number): BufferGeometry {
  return new BoxGeometry(length, height, width).translate(x, y, z);
}

export function ball(x: number, y: number, z: number, radius: number): BufferGeometry {
  return new SphereGeometry(radius, 14, 10).translate(x, y, z);
}

/** A part in a grey, or in red, green and blue. */
export function shaded(
  geometry: BufferGeometry,
  ...shade: readonly [number] | readonly [number, number, number]
): BufferGeometry {
  const flat = geometry.index === null ? geometry : geometry.toNonIndexed();
  if (flat !== geometry) geometry.dispose();
  flat.deleteAttribute("uv");
  const count = flat.getAttribute("position").count;
  const colors = new Float32Array(3 * count);
  for (let i = 0; i < colors.length; i++) colors[i] = shade[shade.length === 1 ? 0 : i % 3]!;
  return flat.setAttribute("color", new BufferAttribute(colors, 3));
}

/** One shape of several; what is the same in several faces is one vertex. */
export function merged(parts: BufferGeometry[]): BufferGeometry {
  const whole = mergeGeometries(parts);
  for (const part of parts) part.dispose();
  return mergeVertices(whole);
}

/** A shape whose faces share their corners, for materials that are shaded flat: a box has 8 instead of 24. */
export function cornered(geometry: BufferGeometry): BufferGeometry {
  const shared = mergeVertices(geometry.deleteAttribute("normal"));
  shared.computeVertexNormals();
  return shared;
}

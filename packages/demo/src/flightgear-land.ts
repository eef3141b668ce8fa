import { AIRPORT, toRunway } from "./flightgear-aircraft.ts";
import { noiseOf } from "./random.ts";

/** Points along a side, and m from each to the next; the runway is in the middle. */
const SIDE = 161;
const STEP = 60;
/** What GIS programs show of the file. */
const LABEL = "Invented terrain around the circuit of simtape demo flightgear: no survey of any place";

/** m: from so far beside the runway on, hills rise to its right, and the sea begins to its left; hills close the bay. */
const HILLS = 350;
const SHORE = 2700;
const BAY = 3600;
/** What is flat is so much lower than the wheels. */
const BELOW = 0.5;

const METRES_NORTH = 111_132;
const METRES_EAST = 111_320 * Math.cos((AIRPORT.latitude * Math.PI) / 180);

/** Invented heights around the airport of the demo, as GeoTIFF (degrees of WGS 84). */
export function heights({ seed }: { readonly seed: number }): Uint8Array {
  const rough = noiseOf(seed);
  const heights = new Float32Array(SIDE * SIDE);
  const half = (SIDE * STEP) / 2;
  for (let row = 0; row < SIDE; row++)
    for (let column = 0; column < SIDE; column++) {
      const [east, north] = [(column + 0.5) * STEP - half, half - (row + 0.5) * STEP];
      heights[row * SIDE + column] = heightAt(east, north, rough);
    }
  return tiffOf(heights, half);
}

/** m above the ellipsoid, as the recording has its altitudes. */
function heightAt(east: number, north: number, rough: (x: number, y: number) => number): number {
  const [along, left] = toRunway(east, north);
  const flat = AIRPORT.altitude - BELOW;
  const inland = Math.max(0, -left - HILLS);
  const ahead = Math.max(0, along - BAY);
  const hills =
    (1 - Math.exp(-inland / 900)) * (150 + 480 * rough(east / 1500, north / 1500) ** 2) +
    (1 - Math.exp(-ahead / 500)) * (90 + 160 * rough(east / 900 + 20, north / 900));
  const small = Math.min(1, Math.max(inland, ahead) / 700) * 60 * rough(east / 330 + 7, north / 330 + 3);
  // the shore is not straight
  const seaward = left - SHORE - 500 * rough(east / 1300 + 40, north / 1300 + 40);
  const fall = flat * Math.min(1.4, Math.max(0, 1 + seaward / 700));
  return flat + hills + small - fall;
}

type Tag = readonly [id: number, type: keyof typeof SIZES, values: readonly number[]];
/** Bytes of a value: text, u16, u32, f64 (TIFF 6.0, section 2). */
const SIZES = { 2: 1, 3: 2, 4: 4, 12: 8 } as const;

/** Heights as 32-bit floats in one strip (TIFF 6.0; OGC GeoTIFF 1.1). */
function tiffOf(heights: Float32Array, half: number): Uint8Array {
  const text = new TextEncoder();
  const bytes = 4 * heights.length;
  const corner = [AIRPORT.longitude - half / METRES_EAST, AIRPORT.latitude + half / METRES_NORTH];
  const tags: readonly Tag[] = [
    [256, 4, [SIDE]],
    [257, 4, [SIDE]],
    [258, 3, [32]],
    [259, 3, [1]],
    [262, 3, [1]],
    [270, 2, [...text.encode(`${LABEL}\0`)]],
    [273, 4, [8]],
    [277, 3, [1]],
    [278, 4, [SIDE]],
    [279, 4, [bytes]],
    [339, 3, [3]],
    [33_550, 12, [STEP / METRES_EAST, STEP / METRES_NORTH, 0]],
    [33_922, 12, [0, 0, 0, ...corner, 0]],
    // geographic, of areas, WGS 84
    [34_735, 3, [1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326]],
  ];
  const long = ([, type, { length }]: Tag): number => SIZES[type] * length;
  const directory = 8 + bytes;
  let free = directory + 2 + 12 * tags.length + 4;
  const file = new Uint8Array(free + tags.reduce((sum, tag) => sum + (long(tag) > 4 ? long(tag) + 1 : 0), 0));
  const view = new DataView(file.buffer);
  file.set(text.encode("II"));
  view.setUint16(2, 42, true);
  view.setUint32(4, directory, true);
  for (const [i, height] of heights.entries()) view.setFloat32(8 + 4 * i, height, true);
  view.setUint16(directory, tags.length, true);
  for (const [i, tag] of tags.entries()) {
    const [id, type, values] = tag;
    const at = directory + 2 + 12 * i;
    view.setUint16(at, id, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, values.length, true);
    let to = at + 8;
    if (long(tag) > 4) {
      to = free + (free % 2);
      free = to + long(tag);
      view.setUint32(at + 8, to, true);
    }
    for (const [k, value] of values.entries()) {
      if (type === 2) view.setUint8(to + k, value);
      else if (type === 3) view.setUint16(to + 2 * k, value, true);
      else if (type === 4) view.setUint32(to + 4 * k, value, true);
      else view.setFloat64(to + 8 * k, value, true);
    }
  }
  return file;
}

import { type Beside, type CompanionReader, refused, type SceneryPart } from "../companion.ts";
import { type GreyPicture, MOST_PIXELS, readPgm } from "./pgm.ts";
import { type Rectangle, rectanglesOf } from "./rectangles.ts";
import { type MapSettings, settingsOf } from "./settings.ts";

/** Metres that what is occupied is high: the map says nothing of it. */
const HEIGHT = 0.4;
/** Rectangles of one kind at most: a picture of noise has as many as pixels. */
const MOST = 1_000_000;

/** What a cell is. */
export const UNKNOWN = 0;
export const FREE = 1;
export const OCCUPIED = 2;

/** Reads the map that a robot has of a place, as ROS keeps it: a picture, and where its cells are. */
export const read: CompanionReader = async (bytes, beside) => {
  const settings = settingsOf(new TextDecoder().decode(bytes));
  const picture = await pictureOf(settings.image, beside);
  const cells = cellsOf(picture, settings);
  const free = rectanglesOf(cells, picture.width, FREE, MOST);
  const occupied = rectanglesOf(cells, picture.width, OCCUPIED, MOST);
  if (free === null || occupied === null) return refused("too-fine", "its cells change too often to be drawn");
  if (free.length + occupied.length === 0) return refused("empty", "it has neither free nor occupied cells");
  const { width, height } = picture;
  const { resolution, origin } = settings;
  const size = `${(width * resolution).toFixed(1)} × ${(height * resolution).toFixed(1)} m`;
  return {
    findings: [],
    description: `a map of ${size}`,
    facts: [
      ["size", `${size}, ${width} × ${height} cells of ${resolution} m`],
      ["origin", `${origin[0]} m, ${origin[1]} m, ${((origin[2] * 180) / Math.PI).toFixed(1)}°`],
    ],
    parts: [partOf("free", free, 0, picture, settings), partOf("occupied", occupied, HEIGHT, picture, settings)].filter(
      ({ index }) => index.length > 0,
    ),
    middle: [origin[0], origin[1], 0],
    ground: null,
  };
};

async function pictureOf(name: string, beside: Beside): Promise<GreyPicture> {
  const bytes = await beside(name);
  if (!/\.png$/i.test(name)) return readPgm(bytes);
  const bitmap = await createImageBitmap(new Blob([bytes.slice()], { type: "image/png" }));
  const { width, height } = bitmap;
  if (width * height > MOST_PIXELS) throw new Error(`${name}: ${width} × ${height} pixels are too many`);
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const greys = new Uint8Array(width * height);
  for (let i = 0; i < greys.length; i++)
    greys[i] = Math.round((data[4 * i]! + data[4 * i + 1]! + data[4 * i + 2]!) / 3);
  return { width, height, greys };
}

/** What each pixel says: the darker, the surer it is that something is there. */
export function cellsOf({ greys }: GreyPicture, { occupied, free, isNegated, mode }: MapSettings): Uint8Array {
  const kinds = Uint8Array.from({ length: 256 }, (_, grey) => {
    // the numbers of nav_msgs/OccupancyGrid themselves: 0 free to 100 occupied
    if (mode === "raw")
      return grey > 100 ? UNKNOWN : grey / 100 > occupied ? OCCUPIED : grey / 100 < free ? FREE : UNKNOWN;
    const likely = (isNegated ? grey : 255 - grey) / 255;
    return likely > occupied ? OCCUPIED : likely < free ? FREE : UNKNOWN;
  });
  return greys.map((grey) => kinds[grey]!);
}

/** A flat piece for each rectangle, or a block of that height. */
function partOf(
  paint: string,
  rectangles: readonly Rectangle[],
  height: number,
  { height: rows }: GreyPicture,
  { resolution, origin }: MapSettings,
): SceneryPart {
  const faces = height === 0 ? 1 : 5;
  const positions = new Float32Array(12 * faces * rectangles.length);
  const normals = new Float32Array(positions.length);
  const index = new Uint32Array(6 * faces * rectangles.length);
  const [cos, sin] = [Math.cos(origin[2]), Math.sin(origin[2])];
  let corner = 0;
  const put = (x: number, y: number, z: number, nx: number, ny: number, nz: number): void => {
    positions.set([x * cos - y * sin, x * sin + y * cos, z], 3 * corner);
    normals.set([nx * cos - ny * sin, nx * sin + ny * cos, nz], 3 * corner);
    corner++;
  };
  const close = (): void => {
    const [first, at] = [corner - 4, (corner / 4 - 1) * 6];
    index.set([first, first + 1, first + 2, first, first + 2, first + 3], at);
  };
  for (const { column, row, width, length } of rectangles) {
    // the first row is the farthest from the origin
    const [west, east] = [column * resolution, (column + width) * resolution];
    const [south, north] = [(rows - row - length) * resolution, (rows - row) * resolution];
    for (const [x, y] of [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
    ] as const)
      put(x, y, height, 0, 0, 1);
    close();
    if (height === 0) continue;
    for (const [ax, ay, bx, by] of [
      [west, south, east, south],
      [east, south, east, north],
      [east, north, west, north],
      [west, north, west, south],
    ] as const) {
      const long = Math.hypot(bx - ax, by - ay);
      const [nx, ny] = [(by - ay) / long, (ax - bx) / long];
      put(ax, ay, 0, nx, ny, 0);
      put(bx, by, 0, nx, ny, 0);
      put(bx, by, height, nx, ny, 0);
      put(ax, ay, height, nx, ny, 0);
      close();
    }
  }
  return { paint, positions, normals, index };
}

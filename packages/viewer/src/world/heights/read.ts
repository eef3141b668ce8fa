import { fromArrayBuffer, type GeoTIFFImage } from "geotiff";
import { type CompanionFinding, refused, type Relief, type Scenery } from "../companion.ts";
import { bandsOf, BOUNDS } from "./bands.ts";
import { type Placing, placingOf } from "./placing.ts";

/** Points along the longer side, at most: two triangles for each square of them are drawn. */
const ALONG = 320;
/** Heights that are decoded at once, at most: half a gibibyte. */
const MOST = 128 << 20;

/** Reads heights from a GeoTIFF: the first band of its first picture, or of one that shows the same with fewer points. */
export async function read(bytes: Uint8Array): Promise<Scenery> {
  // The library takes all of the buffer that it is given.
  const tiff = await fromArrayBuffer(whole(bytes));
  const first = await tiff.getImage(0);
  const placing = placingOf(first);
  if (typeof placing === "string") return refused("no-place", placing);
  const image = await fitting(tiff, first);
  if (image === null)
    return refused("too-large", `${size(first)} points are too many, and it has no overview with fewer`);
  const part = Math.min(1, ALONG / Math.max(image.getWidth(), image.getHeight()));
  const width = Math.max(2, Math.round(image.getWidth() * part));
  const height = Math.max(2, Math.round(image.getHeight() * part));
  const rasters = await image.readRasters({
    samples: [0],
    width,
    height,
    resampleMethod: "bilinear",
    interleave: false,
  });
  const heights = Float32Array.from(rasters[0] as ArrayLike<number>);
  const none = first.getGDALNoData();
  let known = 0;
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < heights.length; i++) {
    const value = heights[i]!;
    if (!Number.isFinite(value) || value === none || Math.abs(value) > 20_000) heights[i] = Number.NaN;
    else {
      known++;
      lowest = Math.min(lowest, value);
      highest = Math.max(highest, value);
    }
  }
  if (known === 0) return refused("no-heights", "it has no height anywhere");
  const findings: CompanionFinding[] = [];
  if (part < 1)
    findings.push({
      severity: "note",
      code: "thinned",
      message: `${size(first)} points are drawn as ${width} × ${height}`,
    });
  if (known < heights.length)
    findings.push({
      severity: "note",
      code: "gaps",
      message: `${(heights.length - known).toLocaleString("en")} of ${heights.length.toLocaleString("en")} points have no height`,
    });
  const { west, south, east, north } = placing;
  const middle: [number, number, number] = placing.isGeodetic
    ? [(south + north) / 2, (west + east) / 2, 0]
    : [Math.round((west + east) / 2), Math.round((south + north) / 2), 0];
  const parts = bandsOf(heights, width, height, placing, middle);
  const range = `${Math.round(lowest).toLocaleString("en")} to ${Math.round(highest).toLocaleString("en")} m`;
  return {
    findings,
    description: parts.length === 0 ? "" : "terrain",
    facts: [
      ["heights", range],
      ["points", size(first)],
      ...(await labelOf(first)),
      [
        "of",
        placing.isGeodetic
          ? `${degrees(south)} to ${degrees(north)} north, ${degrees(west)} to ${degrees(east)} east`
          : placing.words,
      ],
    ],
    parts,
    middle,
    // Where it has water, the sea is around it.
    ground: placing.isGeodetic || lowest < BOUNDS[0]! ? null : lowest,
    isGeodetic: placing.isGeodetic,
    ...(placing.isGeodetic ? { relief: reliefOf(heights, width, height, placing) } : {}),
  } satisfies Scenery;
}

function reliefOf(heights: Float32Array, width: number, height: number, placing: Placing): Relief {
  const { west, south, east, north, isArea } = placing;
  const [across, down] = isArea ? [width, height] : [width - 1, height - 1];
  const step = [(north - south) / down, (east - west) / across] as const;
  const half = isArea ? 0.5 : 0;
  return { width, height, heights, north: north - half * step[0], west: west + half * step[1], step };
}

/** What the file says of itself. */
async function labelOf(image: GeoTIFFImage): Promise<[name: string, text: string][]> {
  const recorded: unknown = await image.fileDirectory.loadValue("ImageDescription");
  const text = typeof recorded === "string" ? recorded.replaceAll("\0", "").trim() : "";
  return text === "" ? [] : [["says of itself", text.slice(0, 200)]];
}

/** The smallest picture of the same that has as many points as are drawn; null: none is small enough. */
async function fitting(
  tiff: Awaited<ReturnType<typeof fromArrayBuffer>>,
  first: GeoTIFFImage,
): Promise<GeoTIFFImage | null> {
  let best = first;
  const aspect = first.getWidth() / first.getHeight();
  const count = Math.min(16, await tiff.getImageCount());
  for (let i = 1; i < count; i++) {
    const other = await tiff.getImage(i);
    const [width, height] = [other.getWidth(), other.getHeight()];
    const isSame = Math.abs(width / height / aspect - 1) < 0.05 && Math.max(width, height) >= ALONG;
    if (isSame && width < best.getWidth()) best = other;
  }
  return best.getWidth() * best.getHeight() <= MOST ? best : null;
}

function whole(bytes: Uint8Array): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = bytes;
  return byteOffset === 0 && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer
    ? buffer
    : (bytes.slice().buffer as ArrayBuffer);
}

function size(image: GeoTIFFImage): string {
  return `${image.getWidth().toLocaleString("en")} × ${image.getHeight().toLocaleString("en")}`;
}

function degrees(value: number): string {
  return `${value.toFixed(3)}°`;
}

import type { GeoTIFFImage } from "geotiff";

/** Where the picture lies: degrees, or metres of the recording's own world. */
export interface Placing {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  readonly isGeodetic: boolean;
  /** Half a point is left out on each side, where a height holds for an area around its place. */
  readonly isArea: boolean;
  readonly words: string;
}

/** GeoTIFF 1.1, "Requirements Class GTModelTypeGeoKey": GTModelTypeGeoKey and GTRasterTypeGeoKey. */
const [PROJECTED, GEOGRAPHIC, POINT] = [1, 2, 2];
/** EPSG: of WGS 84, and those that lie within a metre of it. */
const LIKE_WGS84: readonly number[] = [4326, 4258, 4269, 4979, 4937];

/** A text says why it has no place. */
export function placingOf(image: GeoTIFFImage): Placing | string {
  const keys = image.getGeoKeys() ?? {};
  const model: number | undefined = keys.GTModelTypeGeoKey;
  const datum: unknown = keys.GeographicTypeGeoKey;
  let box: readonly number[];
  try {
    box = image.getBoundingBox();
  } catch {
    return "it does not say where it lies";
  }
  const [west, south, east, north] = box as [number, number, number, number];
  if (!(east > west && north > south) || !Number.isFinite(west + south + east + north))
    return "where it lies is no rectangle with north above";
  const isGeodetic = model === GEOGRAPHIC;
  if (!isGeodetic && model !== undefined && model !== PROJECTED)
    return `its places are of a kind that is not known (${model})`;
  if (isGeodetic && typeof datum === "number" && datum !== 32767 && !LIKE_WGS84.includes(datum))
    return `its degrees are not those of WGS 84 (EPSG:${datum})`;
  if (isGeodetic && (south < -90 || north > 90 || west < -360 || east > 360)) return "it reaches beyond the earth";
  const projection: unknown = keys.ProjectedCSTypeGeoKey;
  const words = typeof projection === "number" ? `metres of EPSG:${projection}` : "metres";
  return { west, south, east, north, isGeodetic, isArea: keys.GTRasterTypeGeoKey !== POINT, words };
}

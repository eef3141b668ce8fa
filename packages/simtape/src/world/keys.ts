import { isKey } from "../io/store/store-key.ts";

/** Which world, as recordings of HCRP name it: `worldId` and `worldVersion` of their metadata. */
export interface WorldName {
  /** A UUID. */
  readonly id: string;
  /** Hexadecimal digits. */
  readonly version: string;
}

/** Chunks along each side of a region. */
export const REGION: number = 32;

/** What is kept once, whichever version of the world has it. */
export function chunkKey({ id }: WorldName, hash: string): string {
  return checked(chunkPrefix(id) + hash);
}

/** Which chunks are in a region of a dimension, as `minecraft:overworld`. */
export function regionKey(world: WorldName, dimension: string, x: number, z: number): string {
  return checked(`${versionPrefix(world)}${folderOf(dimension)}/r.${x}.${z}`);
}

function chunkPrefix(id: string): string {
  return `worlds/${id}/chunks/`;
}

/** What the keys of all regions of one version begin with. */
export function versionPrefix({ id, version }: WorldName): string {
  return `worlds/${id}/v.${version}/`;
}

/** The region that a key is of; null: it is of none. */
export function regionOf(
  world: WorldName,
  key: string,
): { readonly dimension: string; readonly x: number; readonly z: number } | null {
  const prefix = versionPrefix(world);
  const [, namespace, path, x, z] =
    /^([^/]+)\/(.+)\/r\.(-?\d+)\.(-?\d+)$/.exec(key.startsWith(prefix) ? key.slice(prefix.length) : "") ?? [];
  return x === undefined ? null : { dimension: `${namespace}:${path}`, x: Number(x), z: Number(z) };
}

/** True for the keys of one world: its chunks, and the regions of its version. */
export function isOfWorld(world: WorldName, key: string): boolean {
  if (!isKey(key)) return false;
  const chunks = chunkPrefix(world.id);
  return regionOf(world, key) !== null || (key.startsWith(chunks) && /^[0-9a-f]{64}$/.test(key.slice(chunks.length)));
}

/** True for the keys of any world. */
export function isOfSomeWorld(key: string): boolean {
  const [, id = "", folder = ""] = key.split("/");
  return isOfWorld({ id, version: folder.replace(/^v\./, "") }, key);
}

/** Whether what is at the key of a world is named by its content, and never another one. */
export function isChunk(key: string): boolean {
  return key.split("/")[2] === "chunks";
}

/** `minecraft:overworld` is `minecraft/overworld`; a name without a namespace is the game's own. */
function folderOf(dimension: string): string {
  const colon = dimension.indexOf(":");
  return colon < 0 ? `minecraft/${dimension}` : `${dimension.slice(0, colon)}/${dimension.slice(colon + 1)}`;
}

function checked(key: string): string {
  if (!isKey(key))
    throw new RangeError(`a world, a version or a dimension that no store takes: ${JSON.stringify(key)}`);
  return key;
}

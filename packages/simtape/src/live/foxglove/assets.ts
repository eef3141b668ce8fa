import { type ByteSource, SourceError } from "../../io/source/source.ts";

/** A file that clients may fetch, such as the description of a robot. */
export interface Asset {
  /** What clients call it: the end of their URI, from a slash on. */
  readonly name: string;
  /** Opens it; it is closed when it is read. */
  readonly open: () => ByteSource;
}

/** Bytes of an asset at most. */
const LONGEST = 64 << 20;

/**
 * The bytes of the asset that a URI names (`package://robot/arm.urdf`, `arm.urdf`); a text: why there are none. Only
 * assets that were named are found: no path is followed.
 */
export async function fetched(assets: readonly Asset[], uri: string): Promise<Uint8Array | string> {
  let path = uri.replace(/^[a-z][a-z0-9+.-]*:\/*/i, "");
  try {
    path = decodeURIComponent(path);
  } catch {
    // a name may have a percent sign
  }
  const asset = assets.find(({ name }) => path === name || path.endsWith(`/${name}`));
  if (asset === undefined) return `no asset ${uri.slice(0, 200)}`;
  const source = asset.open();
  try {
    const size = await source.size();
    if (size === null || size > LONGEST) return `${asset.name} is longer than ${LONGEST} bytes`;
    return await source.read(0, size);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    // where it lies is the server's own business
    return `${asset.name} cannot be read`;
  } finally {
    await source.close();
  }
}

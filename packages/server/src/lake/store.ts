import { resolve } from "node:path";
import { type S3Options, s3Store, type Store } from "simtape";
import { directoryStore } from "simtape/node";
import type { Settings } from "../settings.ts";

/** Milliseconds between two comparisons of the catalog with the lake. */
export const SWEEP_EVERY = 60_000;

/**
 * The data set of all recordings that the settings name; null: they name none. Throws `RangeError` for a wrong address, and
 * for one in the folder of the library, whose files all users of a recording may reach.
 */
export function lakeStore({ lake, store, s3Endpoint, s3Region, s3Key, s3Secret }: Settings): Store | null {
  if (lake === null) return null;
  const isIn = (folder: string, place: string): boolean => `${place}/`.startsWith(`${folder.replace(/\/$/, "")}/`);
  const isInLibrary = lake.startsWith("s3://") ? isIn(store, lake) : isIn(resolve(store), resolve(lake));
  if (isInLibrary) throw new RangeError(`the lake must not be in the folder of recordings: ${lake}`);
  if (!lake.startsWith("s3://")) return directoryStore(lake, { shared: true });
  const found = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(lake);
  if (found === null || s3Key === null || s3Secret === null)
    throw new RangeError(`the lake: s3://BUCKET/PREFIX, an access key and its secret are needed, not ${lake}`);
  const [, bucket, prefix] = found as unknown as [string, string, string];
  const options: S3Options = {
    ...{ bucket, prefix, region: s3Region, credentials: { accessKeyId: s3Key, secretAccessKey: s3Secret } },
    ...(s3Endpoint === null ? {} : { endpoint: s3Endpoint }),
  };
  return s3Store(options);
}

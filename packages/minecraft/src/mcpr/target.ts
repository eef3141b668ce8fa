import { stat } from "node:fs/promises";
import { UsageError } from "simtape/command";

/** Throws `UsageError` when a file exists that must not be overwritten. */
export async function mayWrite(path: string, force: boolean): Promise<void> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  if (isThere && !force) throw new UsageError(`exists already, --force overwrites it: ${path}`);
}

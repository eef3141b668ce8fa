import { type CameraPath, NO_PATH, readPath } from "./path.ts";

/** Where the address keeps the path. */
export const PATH_KEY = "path";

let before: { readonly value: unknown; readonly path: CameraPath } | null = null;

/** The path that the address has; an empty one where it has none, or none that can be read. */
export function keptPath(shared: Readonly<Record<string, unknown>>): CameraPath {
  const value = shared[PATH_KEY];
  if (before?.value === value && before !== null) return before.path;
  let path = NO_PATH;
  try {
    if (value !== undefined) path = readPath(value);
  } catch {
    // The address was changed by hand.
  }
  before = { value, path };
  return path;
}

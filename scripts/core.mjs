/**
 * What of the build of simtape is in the package simtape-core: the floors that read, write, convert and play, but not
 * the entry simtape/carla-queries.
 */
const FOLDERS = new Set(["bytes", "codec", "io", "model", "formats", "ops", "play"]);
const FILES = new Set(["library", "location", "formats", "format-module", "kit"]);

/** Whether a file of the build, given by its path below `dist` with `/` between folders, belongs to simtape-core. */
export function isOfCore(path) {
  if (path.startsWith("formats/carla/queries/")) return false;
  const [first, ...rest] = path.split("/");
  return rest.length > 0 ? FOLDERS.has(first) : FILES.has(first.replace(/\.(js|d\.ts)$/, ""));
}

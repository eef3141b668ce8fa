import { type SourceBundle, SourceError } from "./source.ts";

/** Stands where Node has `io/node/file.ts`: a page cannot open files by their paths. */
export function fromFile(location: string | URL): SourceBundle {
  const open = (): Promise<never> =>
    Promise.reject(new SourceError("failed", `a file can be opened by its path on Node only: ${String(location)}`));
  return { name: null, open };
}

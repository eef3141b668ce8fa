import { type SourceBundle, SourceError } from "./source.ts";

/** Stands where Node has `io/node/file.ts`: a page cannot open files by their paths. */
export function fromFile(location: string | URL): SourceBundle {
  const open = (): Promise<never> =>
    Promise.reject(new SourceError("failed", `only Node can open a file by its path: ${String(location)}`));
  return { name: null, open };
}

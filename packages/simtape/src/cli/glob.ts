import picomatch from "picomatch";

/** A test for names that match any of the globs: `*` stops at `/`, `**` does not. */
export function matching(globs: readonly string[]): (name: string) => boolean {
  return picomatch([...globs], { dot: true, nobrace: false, bash: false });
}

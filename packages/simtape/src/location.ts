import { blob } from "./io/blob.ts";
import { bundleOf, httpBundle } from "./io/bundle.ts";
import { cached } from "./io/cached.ts";
import { coalesced } from "./io/coalesced.ts";
import type { HttpOptions } from "./io/http.ts";
import { memory } from "./io/memory.ts";
import type { ByteSource, SourceBundle } from "./io/source.ts";

/** Where a recording is: a URL, a file of the page, bytes, a source, or a bundle of files (`fromFile` in `simtape/node`). */
export type Location = URL | Blob | Uint8Array | ByteSource | SourceBundle;

/** The files at a location. What comes over a network is cached, and its reads are merged. */
export function bundleAt(location: Location, options: HttpOptions = {}): SourceBundle {
  if (location instanceof URL) {
    const bundle = httpBundle(location, options);
    return {
      name: bundle.name,
      open: async (name) => {
        const source = await bundle.open(name);
        return source === null ? null : cached(coalesced(source));
      },
    };
  }
  if (location instanceof Uint8Array) return bundleOf(memory(location));
  if (location instanceof Blob) {
    const name = location instanceof File ? location.name : null;
    return { name, open: async (sibling) => (sibling === undefined || sibling === name ? blob(location) : null) };
  }
  return "read" in location ? bundleOf(location) : location;
}

import { blob } from "./io/source/blob.ts";
import { httpBundle } from "./io/http/http-bundle.ts";
import { bundleOf } from "./io/source/bundle.ts";
import { cached } from "./io/source/cached.ts";
import { coalesced } from "./io/source/coalesced.ts";
import type { HttpOptions } from "./io/http/http.ts";
import { parsedUrl, shownUrl } from "./io/source/shown-url.ts";
import { memory } from "./io/source/memory.ts";
import type { ByteSource, SourceBundle } from "./io/source/source.ts";

/**
 * Where a recording is: a URL (http, https; on Node file, too), a file of the page, bytes, a source, or a bundle of files
 * (`fromFile` in `simtape/node`).
 */
export type Location = URL | string | Blob | Uint8Array | ByteSource | SourceBundle;

/**
 * The files at a location. What comes over a network is cached, and its reads are merged.
 * Throws `TypeError` for text that is no such URL, and for what is no location.
 */
export function bundleAt(location: Location, options: HttpOptions = {}): SourceBundle {
  if (typeof location === "string") return bundleAt(urlOf(location), options);
  if (location instanceof URL) {
    if (location.protocol === "file:") return fileBundle(location);
    if (!/^https?:$/.test(location.protocol)) throw new TypeError(noLocation(shownUrl(location)));
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
  if (typeof location !== "object" || location === null) throw new TypeError(noLocation(String(location)));
  if ("read" in location) return bundleOf(location);
  if (!("open" in location)) throw new TypeError(noLocation("an object without `read` or `open`"));
  return location;
}

/** In a page, relative to it. */
function urlOf(text: string): URL {
  try {
    return parsedUrl(text);
  } catch {
    throw new TypeError(noLocation(shownUrl(text)));
  }
}

/** A file by its URL, and those beside it; what opens it is loaded on use, and only on Node is anything there. */
function fileBundle(url: URL): SourceBundle {
  const path = decodeURIComponent(url.pathname);
  return {
    name: path.slice(path.lastIndexOf("/") + 1) || null,
    open: async (name) => {
      const { fromFile } = await import("#files");
      return fromFile(url).open(name);
    },
  };
}

function noLocation(what: string): string {
  return `expected an http, https or file URL, bytes, a Blob, a source or a bundle, found ${what}. A file on Node is opened by its path with fromFile of "simtape/node": open(fromFile("town.log"))`;
}

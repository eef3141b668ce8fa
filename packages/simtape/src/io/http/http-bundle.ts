import { checkFileName } from "../source/bundle.ts";
import { decoded, parsedUrl } from "../source/shown-url.ts";
import type { SourceBundle } from "../source/source.ts";
import { type HttpOptions, http } from "./http.ts";
import { HttpStatusError } from "./http-answer.ts";

/** Statuses of an answer that there is no such file; 204 is of servers to which that is no fault. */
const NONE: readonly number[] = [204, 404, 410];

/**
 * A file on an HTTP server and those in the same folder. Siblings keep the query of the URL.
 * A sibling costs one request to see that it is there; `open` rejects for a sibling whose name is no file name.
 */
export function httpBundle(url: string | URL, options: HttpOptions = {}): SourceBundle {
  const base = parsedUrl(url);
  const last = base.pathname.slice(base.pathname.lastIndexOf("/") + 1);
  const name = last === "" ? null : decoded(last);
  return {
    name,
    open: async (sibling) => {
      if (sibling === undefined) return http(base, options);
      checkFileName(sibling, base.origin + base.pathname);
      const target = new URL(base);
      target.pathname = base.pathname.slice(0, base.pathname.lastIndexOf("/") + 1) + encodeURIComponent(sibling);
      const source = http(target, options);
      try {
        await source.size();
        return source;
      } catch (error) {
        await source.close();
        if (error instanceof HttpStatusError && NONE.includes(error.status)) return null;
        throw error;
      }
    },
  };
}

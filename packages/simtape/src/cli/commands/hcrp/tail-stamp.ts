import { stat } from "node:fs/promises";
import { withoutCredentials } from "../../../io/http/http.ts";
import { shownUrl } from "../../../io/source/shown-url.ts";
import { SourceError } from "../../../io/source/source.ts";
import { folderOf, isInS3, storeAt, under } from "../../input/command-path.ts";
import { toServers } from "../../input/timeout.ts";
import { isUrl, urlOf } from "../../input/recordings.ts";

/** Changes whenever one of the files does; `known` is what it was before, `beside` names files in the same folder. */
export async function stampOf(main: string, beside: readonly string[], known: string | null): Promise<string> {
  if (main === "-") return "";
  if (isInS3(main)) return (await storeAt(folderOf(main)).head(main.slice(main.lastIndexOf("/") + 1)))?.etag ?? "";
  if (isUrl(main)) return stampOfUrl(main, known);
  const paths = [main, ...beside.map((name) => under(folderOf(main), name))];
  const found = await Promise.all(paths.map((path) => stat(path, { bigint: true }).catch(() => null)));
  return found.map((one) => (one === null ? "" : `${one.ino}-${one.mtimeNs}-${one.size}`)).join(" ");
}

async function stampOfUrl(main: string, known: string | null): Promise<string> {
  const isEtag = known?.startsWith('"') === true || known?.startsWith("W/") === true;
  const condition = isEtag ? { "if-none-match": known } : {};
  const { url, headers: authorization } = withoutCredentials(urlOf(main));
  const response = await toServers()
    .fetch(url, { headers: { ...authorization, range: "bytes=0-0", ...condition } })
    .catch((cause: unknown) => {
      throw cause instanceof SourceError
        ? cause
        : new SourceError("failed", `cannot reach the server: ${shownUrl(main)}`, { cause });
    });
  await response.body?.cancel();
  if (response.status === 304) return known ?? "";
  const { headers } = response;
  return headers.get("etag") ?? `${headers.get("last-modified")} ${headers.get("content-range")}`;
}

import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
  ".wasm": "application/wasm",
  ".json": "application/json",
};

/** How content is made smaller, the best first. Brotli: in a tenth of the time, a hundredth larger than the best it can. */
const CODINGS = {
  br: (content: Buffer) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }) as Promise<Buffer>,
  gzip: (content: Buffer) => promisify(gzip)(content) as Promise<Buffer>,
} as const;

type Coding = keyof typeof CODINGS;

/** Types of what is compressed already. */
const SMALL = ["image/png"];

/** Bytes; what is smaller is sent as it is. */
const WORTH = 1024;

/** What was made smaller, once for each content. */
const MADE = new WeakMap<Buffer, Map<Coding, Promise<Buffer>>>();

/** The files of the built page in `folder`, by name with slashes; `metas` is written into its meta elements. */
export async function pageOf(
  folder: string,
  metas: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1).replaceAll(sep, "/"), await readFile(path));
  }
  const index = files.get("index.html")!.toString();
  files.set("index.html", Buffer.from(Object.entries(metas).reduce(withMeta, index)));
  return files;
}

/** Sends a file of the page, compressed as the browser can read it. `content` is kept with what was made of it. */
export async function sendPart(
  name: string,
  content: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const type = TYPES[extname(name)];
  response.setHeader("Content-Type", type ?? "application/octet-stream");
  // Names of what was built tell its content.
  if (name.startsWith("assets/")) response.setHeader("Cache-Control", "private, max-age=31536000, immutable");
  if (type === undefined || SMALL.includes(type) || content.length < WORTH) {
    response.end(content);
    return;
  }
  response.setHeader("Vary", "Accept-Encoding");
  const coding = codingFor(String(request.headers["accept-encoding"] ?? ""));
  if (coding === null) {
    response.end(content);
    return;
  }
  const small = await smaller(content, coding);
  response.setHeader("Content-Encoding", coding);
  response.end(small);
}

/** What the page's own meta element says, for a header: that holds for its workers too. */
export function policyOf(page: ReadonlyMap<string, Buffer>): string | undefined {
  const index = page.get("index.html")!.toString();
  const content = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(index)?.[1];
  return content?.replaceAll("&#39;", "'").replaceAll("&amp;", "&");
}

/** The first of ours that an `Accept-Encoding` header allows; null: none. */
function codingFor(accepted: string): Coding | null {
  const allowed = new Map(
    accepted.split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))] as const;
    }),
  );
  const codings = Object.keys(CODINGS) as Coding[];
  return codings.find((coding) => allowed.get(coding) ?? allowed.get("*") ?? false) ?? null;
}

function smaller(content: Buffer, coding: Coding): Promise<Buffer> {
  const made = MADE.get(content) ?? new Map<Coding, Promise<Buffer>>();
  MADE.set(content, made);
  const small = made.get(coding) ?? CODINGS[coding](content);
  made.set(coding, small);
  return small;
}

function withMeta(page: string, [name, content]: readonly [name: string, content: string]): string {
  return page.replace(`name="simtape-${name}" content=""`, `name="simtape-${name}" content="${content}"`);
}

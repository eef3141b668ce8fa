import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AT_ONCE } from "./passes.ts";
import type { Library } from "../library/library.ts";
import { Problem, notFound } from "../problem.ts";
import { isKnownTag, isMatched } from "./conditions.ts";
import type { Lease } from "../remembered.ts";
import { rangeOf } from "./range.ts";

/** Values of `cache-control`: for files that may change, and for files that never change under their address. */
export const [CHANGING, IMMUTABLE] = ["private, no-cache", "private, max-age=31536000, immutable"] as const;

/**
 * Sends a file of the library, or a range of it, with a strong ETag and the conditions of RFC 9110. `caching` says how
 * a browser may cache it. `leases`: of all that the right to read it rests on, if the next ranges of this connection
 * shall be answered without asking for it again.
 */
export async function sendFile(
  library: Pick<Library, "open"> & Partial<Pick<Library, "presigned">>,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
  caching: string = CHANGING,
  leases: readonly (Lease | null)[] = [null],
): Promise<FastifyReply> {
  const direct = request.method === "GET" ? ((await library.presigned?.(key)) ?? null) : null;
  // the browser asks this server for every range: a user who has lost the right to read gets no further address
  if (direct !== null) return reply.header("cache-control", "no-store").redirect(direct, 307);
  const opened = await library.open(key);
  if (opened === null) throw notFound("the file");
  let isStreamed = false;
  try {
    const { bytes, etag } = opened.file;
    const tag = `"${etag}"`;
    void reply
      .header("etag", tag)
      .header("accept-ranges", "bytes")
      .header("cache-control", caching)
      .header("content-type", "application/octet-stream");
    const { "if-none-match": none, "if-match": match, "if-range": condition } = request.headers;
    if (!isMatched(match, tag)) throw new Problem(412, "the file has changed");
    if (isKnownTag(none, tag)) return await reply.code(304).send();
    const isSame = condition === undefined || condition === tag;
    const range = isSame ? rangeOf(request.headers.range, bytes) : null;
    if (range === "beyond") {
      void reply.header("content-range", `bytes */${bytes}`);
      throw new Problem(416, `the file has ${bytes} bytes`);
    }
    const { start, end } = range ?? { start: 0, end: bytes };
    if (range !== null) void reply.code(206).header("content-range", `bytes ${start}-${end - 1}/${bytes}`);
    void reply.header("content-length", end - start);
    if (request.method === "HEAD" || end === start) return sendAtOnce(reply, null);
    if (end - start <= AT_ONCE) {
      const content = await opened.read(start, end);
      if (content.length < end - start) throw new Problem(409, "the file has become shorter just now; ask again");
      if (range !== null) request.server.passes.grant(request, reply, opened, leases);
      return sendAtOnce(reply, content);
    }
    const stream = opened.stream(start, end);
    stream.once("close", () => void opened.close());
    isStreamed = true;
    return await reply.send(stream);
  } finally {
    if (!isStreamed) await opened.close();
  }
}

/**
 * Writes past the hooks of an answer, which cost more than reading a short range; `app.ts` lists what they would add.
 */
function sendAtOnce(reply: FastifyReply, content: Uint8Array | null): FastifyReply {
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  reply.raw.end(content);
  return reply;
}

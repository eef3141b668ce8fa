import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { rangeOf } from "./range.ts";
import type { OpenFile } from "../library/library.ts";
import type { Lease } from "../remembered.ts";

/** Most bytes that are read at once; a larger range is streamed. */
export const AT_ONCE = 64 << 10;

/** A range that was answered, and what its answer rests on. */
interface Pass {
  readonly leases: readonly Lease[];
  readonly opened: OpenFile;
  readonly url: string;
  /** Names and values in turn, as they came. */
  readonly asked: readonly string[];
  /** Place of the value of `Range` in it. */
  readonly at: number;
  /** Names and values in turn, without those of a single answer. */
  readonly headers: readonly string[];
  readonly asker: string;
  readonly route: string;
}

/** A request that was answered. */
export interface Answered {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** What counts requests: see `http/limits.ts`. */
interface Limits {
  /** Null: it is within the limit. */
  take(asker: string): number | null;
  giveBack(asker: string): void;
}

/** Headers that each answer has of its own. */
const OWN: ReadonlySet<string> = new Set(["x-request-id", "content-range", "content-length"]);

/**
 * Answers short ranges past the pipeline of requests, which costs more than reading them: pages ask for hundreds of one
 * file. A connection has a pass for the request that it sent last, if the pipeline answered it. A request that differs
 * from it only in its range, while all that the answer rests on is still the same (the user, the recording, the open
 * file, its bytes), has the same answer, with other bytes. Everything else goes through the pipeline.
 */
export class Passes {
  readonly #passes = new WeakMap<Socket, Pass>();
  readonly #limits: Limits;
  readonly #hearers: ((answered: Answered) => void)[] = [];
  #isOff = false;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Calls `hear` after each answer. */
  onAnswer(hear: (answered: Answered) => void): void {
    this.#hearers.push(hear);
  }

  /** From now on everything goes through the pipeline. */
  turnOff(): void {
    this.#isOff = true;
  }

  /** For a range of `opened` that is being answered; a lease that is null means that there is no pass. */
  grant(request: FastifyRequest, reply: FastifyReply, opened: OpenFile, leases: readonly (Lease | null)[]): void {
    const { raw, routeOptions } = request;
    if (opened.again === undefined || leases.includes(null) || raw.method !== "GET") return;
    const asked = raw.rawHeaders;
    const names = asked.filter((_, n) => n % 2 === 0).map((name) => name.toLowerCase());
    const at = 2 * names.indexOf("range") + 1;
    const hasBody = names.includes("content-length") || names.includes("transfer-encoding");
    if (hasBody || names.indexOf("range") !== names.lastIndexOf("range")) return;
    const headers = Object.entries(reply.getHeaders()).filter(([name]) => !OWN.has(name));
    // of an answer with several headers of one name: none of a file
    if (headers.some(([, value]) => typeof value === "object")) return;
    this.#passes.set(raw.socket, {
      leases: leases as readonly Lease[],
      opened,
      url: raw.url!,
      asked,
      at,
      headers: headers.flatMap(([name, value]) => [name, String(value)]),
      asker: request.server.limits.asker(request),
      route: routeOptions.url!,
    });
  }

  /** Whether it answers a request; if not, or if it cannot, `otherwise` does. */
  answer(raw: IncomingMessage, response: ServerResponse, otherwise: () => void): boolean {
    const pass = this.#passes.get(raw.socket);
    if (pass === undefined || this.#isOff) return false;
    const now = performance.now();
    const { url, asked, at, leases } = pass;
    if (raw.url !== url || raw.method !== "GET" || !isSame(raw.rawHeaders, asked, at)) return false;
    for (const { until } of leases) if (until <= now) return false;
    const opened = pass.opened.again!();
    if (opened === null) return false;
    const range = opened.file.etag === pass.opened.file.etag ? rangeOf(raw.rawHeaders[at], opened.file.bytes) : null;
    const isShort = range !== null && range !== "beyond" && range.end - range.start <= AT_ONCE;
    if (!isShort || this.#limits.take(pass.asker) !== null) {
      void opened.close();
      return false;
    }
    const { start, end } = range;
    const giveUp = (): void => {
      // the pipeline counts it, too
      this.#limits.giveBack(pass.asker);
      otherwise();
    };
    const before = raw.socket.bytesWritten;
    opened.read(start, end).then(
      (content) => {
        void opened.close();
        if (content.length < end - start) return giveUp();
        response.on("finish", () => {
          const [milliseconds, bytes] = [performance.now() - now, raw.socket.bytesWritten - before];
          for (const hear of this.#hearers)
            hear({ method: "GET", route: pass.route, status: 206, milliseconds, bytes });
        });
        const places = `bytes ${start}-${end - 1}/${opened.file.bytes}`;
        const length = String(end - start);
        response.writeHead(
          206,
          pass.headers.concat("x-request-id", randomUUID(), "content-range", places, "content-length", length),
        );
        response.end(content);
      },
      () => {
        void opened.close();
        giveUp();
      },
    );
    return true;
  }
}

/** Whether two requests have the same headers, but for the value at `at`. */
function isSame(headers: readonly string[], others: readonly string[], at: number): boolean {
  if (headers.length !== others.length) return false;
  for (let n = 0; n < headers.length; n++) if (n !== at && headers[n] !== others[n]) return false;
  return true;
}

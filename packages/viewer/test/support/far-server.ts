import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Bytes `[start, end)` that are asked for; of all of the file `end` is infinite. */
export interface AskedRange {
  readonly start: number;
  readonly end: number;
}

/** Answers on 127.0.0.1, on another origin than the page's, which may ask and read whatever it likes. */
export class FarServer implements AsyncDisposable {
  readonly #server: Server;

  constructor(answer: (response: ServerResponse, asked: AskedRange, request: IncomingMessage) => void) {
    this.#server = createServer((request, response) => {
      response.setHeader("Access-Control-Allow-Origin", "*");
      response.setHeader("Access-Control-Allow-Headers", "*");
      response.setHeader("Access-Control-Expose-Headers", "ETag, Content-Range, Content-Length, Accept-Ranges");
      if (request.method === "OPTIONS") {
        response.writeHead(204).end();
        return;
      }
      const [, from = "0", to = ""] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
      answer(response, { start: Number(from), end: to === "" ? Number.POSITIVE_INFINITY : Number(to) + 1 }, request);
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  addressOf(name: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${name}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Headers of an answer with bytes `[start, end)` of `size`. */
export function partHeaders(start: number, end: number, size: number): Record<string, string | number> {
  return { "Content-Range": `bytes ${start}-${end - 1}/${size}`, "Content-Length": end - start };
}

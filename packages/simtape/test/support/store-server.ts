import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { answerStore, STORE_STATUS } from "../../src/cli/serving.ts";
import { type Store, StoreError } from "../../src/index.ts";

/** A server that gives out stores, each below a path of its own. */
export class StoreServer {
  readonly #stores = new Map<string, Store>();
  #server: Server | null = null;
  /** Called before a request is answered, and before its answer is sent: what either throws breaks the connection. */
  before: () => void = () => undefined;
  after: () => void = () => undefined;

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      void (async () => {
        const pieces: Buffer[] = [];
        for await (const piece of request) pieces.push(piece as Buffer);
        const url = new URL(request.url!, "http://server");
        const [, name, ...key] = url.pathname.split("/");
        try {
          this.before();
          const answer = await answerStore(this.#stores.get(name!)!, {
            method: request.method!,
            key: key.length === 0 ? null : key.join("/"),
            query: {
              prefix: url.searchParams.get("prefix") ?? undefined,
              after: url.searchParams.get("after") ?? undefined,
            },
            headers: request.headers,
            body: Buffer.concat(pieces),
          });
          this.after();
          response.writeHead(answer.status, answer.headers).end(answer.body);
        } catch (error) {
          if (!(error instanceof StoreError)) response.destroy();
          else response.writeHead(STORE_STATUS[error.code]).end(JSON.stringify({ detail: error.message }));
        }
      })();
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, "127.0.0.1", resolve));
  }

  /** The address of a store. */
  serve(store: Store): string {
    const name = String(this.#stores.size);
    this.#stores.set(name, store);
    return `http://127.0.0.1:${(this.#server!.address() as AddressInfo).port}/${name}`;
  }

  async stop(): Promise<void> {
    this.#server!.closeAllConnections();
    await new Promise((resolve) => this.#server!.close(resolve));
  }
}

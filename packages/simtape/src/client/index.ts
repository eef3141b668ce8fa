import { problemOf } from "./problem.ts";
import type { Routes } from "./routes.ts";

export { ServerProblem } from "./problem.ts";
export type * from "./routes.ts";

/** How a server is asked. */
export interface ClientOptions {
  /** Made by `POST /api/tokens`; absent: as a page asks, with the cookie of its session. */
  readonly token?: string;
  /** Instead of the `fetch` of the platform. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What a route takes: `params` of its address, `query`, `body`; and what every request takes. */
export type Asked<R extends keyof Routes> = Omit<Routes[R], "answer"> & {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** Nothing need be said where nothing is required. */
type Words<R extends keyof Routes> = Record<never, never> extends Asked<R> ? [asked?: Asked<R>] : [asked: Asked<R>];

/** A server of recordings, asked by programs. Every route of its `/openapi.json` but HEAD, OPTIONS and WebSockets, with types. */
export class Client {
  readonly #address: string;
  readonly #token: string | null;
  readonly #fetch: typeof globalThis.fetch;

  /** `address`: of the server, `https://tapes.example.org`. */
  constructor(address: string, { token, fetch = globalThis.fetch }: ClientOptions = {}) {
    this.#address = address.replace(/\/+$/, "");
    this.#token = token ?? null;
    this.#fetch = fetch;
  }

  /**
   * Asks a route: `ask("GET /api/recordings", { query: { q: "pushback" } })`. Gives its JSON; null where there is none;
   * for bytes the `Response`, whose body is to be read. Rejects with `ServerProblem` for what the server refuses, and as
   * `fetch` does where it is not reached.
   */
  async ask<R extends keyof Routes>(route: R, ...[asked]: Words<R>): Promise<Routes[R]["answer"]> {
    const { params = {}, query = {}, body, headers, signal } = (asked ?? {}) as Loose;
    const [method, path] = (route as string).split(" ") as [string, string];
    const isJson = isPlain(body);
    const fetch = this.#fetch;
    const answer = await fetch(`${this.#address}${filled(path, params)}${searched(query)}`, {
      method,
      headers: {
        ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(isJson ? { "content-type": "application/json" } : {}),
        ...headers,
      },
      ...(body === undefined || body === null ? {} : { body: isJson ? JSON.stringify(body) : (body as string) }),
      ...(signal === undefined ? {} : { signal }),
      // of a body that comes as a stream
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
    });
    if (!answer.ok) throw await problemOf(answer);
    const type = answer.headers.get("content-type") ?? "";
    const known = type.startsWith("application/json") ? await answer.json() : answer.body === null ? null : answer;
    return known as Routes[R]["answer"];
  }
}

type Word = string | number | boolean;
type Query = Readonly<Record<string, Word | readonly Word[] | undefined>>;

/** What may be asked, whatever the route. */
interface Loose {
  readonly params?: Readonly<Record<string, Word>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

function filled(path: string, params: Readonly<Record<string, Word>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
}

/** What is undefined is left out, what is a list is said more than once. */
function searched(query: Query): string {
  const words = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined ? [] : [[name, String(one)]])),
  );
  return words.length === 0 ? "" : `?${new URLSearchParams(words)}`;
}

/** Whether a body is a value, to be sent as JSON, and no bytes or text. */
function isPlain(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  return Array.isArray(body) || Object.getPrototypeOf(body) === Object.prototype;
}

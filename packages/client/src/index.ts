import { problemOf } from "./problem.ts";
import type { AnswerOf, Given, Route } from "./routes.ts";

export { problemOf, ServerProblem } from "./problem.ts";
export type { AnswerOf, AskedOf, Given, Route, Shapes } from "./routes.ts";

/** Options of a client. */
export interface ClientOptions {
  /** Made by `POST /api/tokens`. Without a token, a page sends the cookie of its session. */
  readonly token?: string;
  /** Used instead of the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** A simtape server. Has every operation of its OpenAPI document, with types; without HEAD, OPTIONS and WebSockets. */
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
   * Sends a request: `ask("GET /api/recordings", { query: { q: "pushback" } })`. Resolves with the JSON of the answer,
   * with null for an empty answer, and with the `Response` for bytes, whose body the caller reads. Rejects with
   * `ServerProblem` when the server refuses the request, and like `fetch` when the server cannot be reached.
   */
  async ask<R extends Route>(route: R, ...[asked]: Given<R>): Promise<AnswerOf<R>> {
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
      // `fetch` requires this for a stream
      ...(body instanceof ReadableStream ? { duplex: "half" } : {}),
    });
    if (!answer.ok) throw await problemOf(answer);
    const type = answer.headers.get("content-type") ?? "";
    const known = type.startsWith("application/json") ? await answer.json() : answer.body === null ? null : answer;
    return known as AnswerOf<R>;
  }
}

type Word = string | number | boolean;
type Query = Readonly<Record<string, Word | readonly Word[] | undefined>>;

/** The options of a request, for any route. */
interface Loose {
  readonly params?: Readonly<Record<string, Word>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

function filled(path: string, params: Readonly<Record<string, Word>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name]!));
}

/** An undefined value is left out; a list repeats its name. */
function searched(query: Query): string {
  const words = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined ? [] : [[name, String(one)]])),
  );
  return words.length === 0 ? "" : `?${new URLSearchParams(words)}`;
}

/** Whether a body is sent as JSON; bytes and text are sent unchanged. */
function isPlain(body: unknown): boolean {
  if (typeof body !== "object" || body === null) return false;
  return Array.isArray(body) || Object.getPrototypeOf(body) === Object.prototype;
}

import { SinkError, UsageError } from "simtape/command";

/** A server that a command sends requests to. The token comes from `SIMTAPE_SERVER_TOKEN`. */
export class Remote {
  readonly #base: URL;
  readonly #token: string | undefined;

  /** Throws `UsageError` for an invalid address. */
  constructor(address: string) {
    if (!/^https?:\/\//.test(address) || !URL.canParse(address))
      throw new UsageError(
        `the address of a server is expected, as http://127.0.0.1:8000, not ${JSON.stringify(address)}`,
      );
    this.#base = new URL(address);
    if (!this.#base.pathname.endsWith("/")) this.#base.pathname += "/";
    this.#base.search = "";
    this.#base.hash = "";
    this.#token = process.env["SIMTAPE_SERVER_TOKEN"] || undefined;
  }

  /** The full address of a path of the server. */
  at(path: string): string {
    return new URL(path.replace(/^\//, ""), this.#base).href;
  }

  /** Rejects with `SinkError` when the server cannot be reached; the caller handles its answer. */
  async ask(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: Uint8Array | Blob,
  ): Promise<Response> {
    const bearer = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    const content = body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> | Blob };
    try {
      return await fetch(this.at(path), { method, headers: { ...bearer, ...headers }, ...content });
    } catch (error) {
      const { cause } = error as { cause?: { message?: string } };
      throw new SinkError(`the server cannot be reached (${cause?.message ?? String(error)}): ${this.#base.host}`);
    }
  }

  /** Rejects with `SinkError` when the server refuses the request. */
  async json<T>(path: string): Promise<T> {
    const answer = await this.ask("GET", path);
    if (!answer.ok) throw await refused(answer);
    return (await answer.json()) as T;
  }
}

/** The reason that the server gives for refusing a request. */
export async function refused(answer: Response): Promise<SinkError> {
  const text = await answer.text();
  let detail = `${answer.status} ${answer.statusText}`;
  try {
    detail = (JSON.parse(text) as { detail?: string }).detail ?? detail;
  } catch {
    // this is no server of simtape, or a proxy has answered
  }
  const hint = answer.status === 401 || answer.status === 403 ? "; a token goes into SIMTAPE_SERVER_TOKEN" : "";
  return new SinkError(`refused by ${new URL(answer.url).host}: ${detail}${hint}`);
}

import { type Ran, simtape } from "../../../simtape/test/cli/run.ts";
import type { TestNode } from "./node.ts";

export const PASSWORD = "correct horse battery";

/** Carries out `simtape user` in this process; the password is given on standard input. */
export function userCommand(words: readonly string[], password = PASSWORD): Promise<Ran> {
  return simtape(["user", ...words], Buffer.from(`${password}\n`));
}

/** Asks a server as one person does: with a cookie from its own page, with a token, or with nothing. */
export class Caller {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ address }: Pick<TestNode, "address">, headers: Readonly<Record<string, string>> = {}) {
    this.address = address;
    this.headers = headers;
  }

  static withToken(node: Pick<TestNode, "address">, token: string): Caller {
    return new Caller(node, { authorization: `Bearer ${token}` });
  }

  /** Rejects when it is refused. */
  static async signedIn(node: Pick<TestNode, "address">, name: string, password = PASSWORD): Promise<Caller> {
    const answer = await new Caller(node).ask("POST", "/api/session", { name, password });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    const cookie = answer.headers.getSetCookie()[0]!.split(";")[0]!;
    return new Caller(node, { cookie, origin: node.address });
  }

  ask(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.address + path, {
      method,
      redirect: "manual",
      headers: {
        ...this.headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        // a test that waits for a command would see too late that the server has closed an idle connection
        connection: "close",
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async status(method: string, path: string, body?: unknown): Promise<number> {
    const answer = await this.ask(method, path, body);
    await answer.body?.cancel();
    return answer.status;
  }

  /** Rejects for an answer that is no 2xx. */
  async json<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.ask(method, path, body);
    if (!answer.ok) throw new Error(`${answer.status} of ${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }
}

import { Observable } from "../observable.ts";
import { serverRoot } from "./root.ts";

/** What the server answers when it does not do what it is asked: RFC 9457 problem details. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** Of HTTP; 0: the server could not be reached. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Counts the answers to anything else than signing in that say that the user is not signed in. */
export const refused: Observable<number> = new Observable(0);

/** Address of something of the server: `api/recordings`. */
export function at(path: string): string {
  return (serverRoot() ?? "/") + path;
}

export interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** JSON of the server; null for an answer without content. Rejects with `Refusal`, or with the signal's reason. */
export async function ask<T>(path: string, { method = "GET", body, signal }: Asked = {}): Promise<T> {
  const isSent = body !== undefined;
  const request = {
    method,
    signal: signal ?? null,
    headers: { accept: "application/json", ...(isSent ? { "content-type": "application/json" } : {}) },
    ...(isSent ? { body: JSON.stringify(body) } : {}),
  };
  const answer = await fetch(at(path), request).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw new Refusal(0, unreached(error));
  });
  if (answer.status === 401 && !/^api\/(me|session)/.test(path)) refused.set(refused.value + 1);
  if (!answer.ok) throw await refusalOf(answer);
  const text = await answer.text();
  return (text === "" ? null : JSON.parse(text)) as T;
}

/** Why an answer is none. */
export async function refusalOf(answer: Response): Promise<Refusal> {
  const text = await answer.text().catch(() => "");
  let detail = "";
  try {
    detail = (JSON.parse(text) as { detail?: string }).detail ?? "";
  } catch {
    // from a proxy before the server, which has words of its own
  }
  return new Refusal(answer.status, detail || `The server answers ${answer.status} ${answer.statusText}`.trim());
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreached(error: unknown): string {
  return `The server cannot be reached (${messageOf(error)}). The page asks again by itself.`;
}

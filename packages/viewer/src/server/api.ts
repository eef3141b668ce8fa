import { Client, ServerProblem } from "simtape-client";
import { Observable } from "../observable.ts";
import { serverRoot } from "./root.ts";

/** The server refused, or could not be reached. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** Of HTTP; 0: the server could not be reached. */
  readonly status: number;
  /** Further members of the problem. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** Counts the answers to anything else than signing in that say that the user is not signed in. */
export const refused: Observable<number> = new Observable(0);

/** Address of something of the server: `icon.svg`. */
export function at(path: string): string {
  return (serverRoot() ?? "/") + path;
}

/** As `ask` of the client, of the server of this page. Rejects with `Refusal`, or with the reason of the signal. */
export const ask: Client["ask"] = async (route, ...given) => {
  try {
    return await new Client(at("")).ask(route, ...given);
  } catch (error) {
    given[0]?.signal?.throwIfAborted();
    if (!(error instanceof ServerProblem)) throw new Refusal(0, unreached(error));
    if (error.status === 401 && !/ \/api\/(me|session)/.test(route)) refused.set(refused.value + 1);
    throw new Refusal(error.status, error.message, error.details);
  }
};

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unreached(error: unknown): string {
  return `The server cannot be reached (${messageOf(error)}). The page asks again by itself.`;
}

/** A server that delays its answers, and counts the requests for its one file. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The requests since `reset`. */
export interface Requests {
  readonly count: number;
  readonly bytes: number;
  /** When each arrived, Unix milliseconds. */
  readonly times: readonly number[];
  /** Most requests that were open at the same time. */
  readonly together: number;
}

export interface Served extends Disposable {
  readonly url: URL;
  reset(): Promise<void>;
  report(): Promise<Requests>;
}

/**
 * Serves ranges of a file, each `delay` milliseconds late, in a process of its own, whose processor time does not
 * count.
 */
export async function served(path: string, delay: number): Promise<Served> {
  const child = fork(fileURLToPath(new URL("server.ts", import.meta.url)), [path, String(delay)], {
    execArgv: ["--import", "tsx"],
  });
  const [port] = (await once(child, "message")) as [number];
  const ask = async (what: "report" | "reset"): Promise<Requests> => {
    child.send(what);
    const [requests] = (await once(child, "message")) as [Requests];
    return requests;
  };
  return {
    url: new URL(`http://127.0.0.1:${port}/recording`),
    reset: async () => void (await ask("reset")),
    report: () => ask("report"),
    [Symbol.dispose]: () => child.disconnect(),
  };
}

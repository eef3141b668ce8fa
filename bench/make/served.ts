/** A file on a server that takes its time, and what is asked of it. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What was asked since `reset`. */
export interface Requests {
  readonly count: number;
  readonly bytes: number;
  /** When each came, Unix milliseconds. */
  readonly times: readonly number[];
  /** Not answered yet at the same time, at most. */
  readonly together: number;
}

export interface Served extends Disposable {
  readonly url: URL;
  reset(): Promise<void>;
  report(): Promise<Requests>;
}

/** Ranges of a file, each `delay` milliseconds late, from a process of its own: its time is not ours. */
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

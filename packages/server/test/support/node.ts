import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));

/** A node of a server, as a process of its own. */
export interface TestNode {
  readonly address: string;
  readonly process: ChildProcess;
  /** What it has said on standard error so far. */
  said(): string;
  /** Ends it in order, and gives its exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

/** Runs `simtape serve` with these words, on a free port unless they say one. Rejects with what it says when it ends at once. */
export async function startNode(words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<TestNode> {
  const port = words.includes("--port") ? [] : ["--port", "0"];
  const child = spawn(process.execPath, [CLI, "serve", ...words, ...port], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", ...environment },
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "exit") as Promise<[code: number | null]>;
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
    void ended.then(([code]) => reject(new Error(`simtape serve ended with ${code}: ${said}`)));
  });
  return {
    address,
    process: child,
    said: () => said,
    stop: async () => {
      child.kill("SIGTERM");
      const [code] = await ended;
      return code;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Asks until `is` holds of the answer. Rejects after `seconds`. */
export async function until<T>(ask: () => Promise<T>, is: (answer: T) => boolean, seconds = 60): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (is(answer)) return answer;
    if (Date.now() > end) throw new Error(`not within ${seconds} s; the last answer: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** JSON of a server. Rejects for an answer that is no 2xx. */
export async function json<T = Record<string, unknown>>(address: string, path: string, init?: RequestInit): Promise<T> {
  const answer = await fetch(address + path, init).catch((error: unknown) => {
    // the node may have ended a connection that was quiet for long, as while a test ran another program
    if (init?.method === undefined) return fetch(address + path, init);
    throw error;
  });
  if (!answer.ok) throw new Error(`${answer.status} of ${path}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

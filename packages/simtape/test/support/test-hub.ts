import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { MAIN } from "../cli/run.ts";

/** `simtape record --hub` as a process of its own. */
export class TestHub {
  readonly #process: ChildProcess;
  readonly store: string;
  readonly port: number;
  #stdout = "";
  #stderr: () => string;

  private constructor(child: ChildProcess, store: string, port: number, stderr: () => string) {
    this.#process = child;
    this.store = store;
    this.port = port;
    this.#stderr = stderr;
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
  }

  /** Listens at the port, or at any that is free. */
  static async start(store: string, words: readonly string[] = [], at = 0): Promise<TestHub> {
    const input = ["--hub", store, "--input", `tcp://127.0.0.1:${at}`, "--json"];
    const child = spawn(process.execPath, [MAIN, "record", ...input, ...words]);
    let said = "";
    const port = await new Promise<number>((resolve, reject) => {
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        const found = /listening at tcp:\/\/127\.0\.0\.1:(\d+)/.exec(said);
        if (found !== null) resolve(Number(found[1]));
      });
      child.once("exit", (code) => reject(new Error(`ended with ${code}: ${said}`)));
    });
    return new TestHub(child, store, port, () => said);
  }

  /** Ends it in order: exit code, what it counted, and what it said. */
  async end(): Promise<{ exit: number | null; counts: Record<string, number>; said: string }> {
    const ended = once(this.#process, "close");
    this.#process.kill("SIGTERM");
    const [exit] = (await ended) as [number | null];
    const { counts } = JSON.parse(this.#stdout.trim().split("\n").at(-1)!) as { counts: Record<string, number> };
    return { exit, counts, said: this.#stderr() };
  }

  /** Bytes of memory that it had at most, as Linux counts them; null: the system does not say. */
  get peak(): number | null {
    const path = `/proc/${this.#process.pid}/status`;
    const found = existsSync(path) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, "utf8")) : null;
    return found === null ? null : Number(found[1]) * 1024;
  }

  /** Nothing of what it prints is read until this is called again. */
  hearing(isHeard: boolean): void {
    if (isHeard) this.#process.stdout!.resume();
    else this.#process.stdout!.pause();
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }
}

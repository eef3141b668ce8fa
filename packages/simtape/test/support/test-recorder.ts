import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { MAIN } from "../cli/run.ts";

/** `simtape record OUT --input tcp://127.0.0.1:PORT` as a process of its own. */
export class TestRecorder {
  readonly #process: ChildProcess;
  readonly port: number;
  #stdout = "";

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
  }

  /** Listens at the port, or at any that is free. */
  static async start(out: string, words: readonly string[] = [], at = 0): Promise<TestRecorder> {
    const child = spawn(process.execPath, [
      MAIN,
      "record",
      out,
      "--input",
      `tcp://127.0.0.1:${at}`,
      "--json",
      ...words,
    ]);
    let talk = "";
    const port = await new Promise<number>((resolve, reject) => {
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        talk += text;
        const found = /listening at tcp:\/\/127\.0\.0\.1:(\d+)/.exec(talk);
        if (found !== null) resolve(Number(found[1]));
      });
      child.once("exit", (code) => reject(new Error(`ended with ${code}: ${talk}`)));
    });
    return new TestRecorder(child, port);
  }

  /** When it has ended: its exit code and its report. */
  async end(): Promise<{ exit: number | null; report: Record<string, unknown> }> {
    if (this.#process.exitCode === null) await once(this.#process, "close");
    return { exit: this.#process.exitCode, report: JSON.parse(this.#stdout) as Record<string, unknown> };
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }
}

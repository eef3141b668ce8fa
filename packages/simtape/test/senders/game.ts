import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";

/** What a sender has counted (`Status` of the senders). */
export interface Counts {
  readonly sent: number;
  readonly merged: number;
  readonly dropped: number;
  readonly lost: number;
  readonly refused: number;
  readonly connections: number;
  readonly waiting: number;
}

/** A simulation of the tests, as a process of its own: it prints its log and the answers of the recorder. */
export class Game {
  readonly #process: ChildProcess;
  readonly lines: string[] = [];

  constructor(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#process = spawn(command[0]!, command.slice(1), { env: { ...process.env, ...env } });
    for (const [stream, name] of [
      [this.#process.stdout!, ""],
      [this.#process.stderr!, "stderr "],
    ] as const) {
      let rest = "";
      stream.setEncoding("utf8").on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop()!;
        this.lines.push(...lines.map((line) => name + line));
      });
    }
  }

  /** The first line that has this text. */
  async line(text: string): Promise<string> {
    await expect.poll(() => this.lines.join("\n")).toContain(text);
    return this.lines.find((line) => line.includes(text))!;
  }

  say(text: string): void {
    this.#process.stdin!.write(`${text}\n`);
  }

  /** Its exit code, when it ends. */
  async exit(): Promise<number | null> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, "close");
    return this.#process.exitCode;
  }

  /** What it has counted when it ends. */
  async end(): Promise<Counts> {
    expect(await this.exit(), this.lines.join("\n")).toBe(0);
    return JSON.parse((await this.line("status ")).slice(7)) as Counts;
  }

  /** As Ctrl-C does. */
  interrupt(): void {
    this.#process.kill("SIGINT");
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }
}

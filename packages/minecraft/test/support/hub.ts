import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SIMTAPE = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));

/** `simtape record --hub` as a process of its own, and one sender. */
export class Hub implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #socket: Socket;
  readonly #answers: AsyncIterator<string>;

  private constructor(child: ChildProcess, socket: Socket) {
    this.#process = child;
    this.#socket = socket;
    this.#answers = createInterface(socket)[Symbol.asyncIterator]();
  }

  static async start(store: string): Promise<Hub> {
    const child = spawn(process.execPath, [SIMTAPE, "record", "--hub", store, "--input", "tcp://127.0.0.1:0"]);
    child.stdout.resume();
    for await (const line of createInterface(child.stderr)) {
      const [, port] = /listening at tcp:\/\/127\.0\.0\.1:(\d+)/.exec(line) ?? [];
      if (port === undefined) continue;
      child.stderr.resume();
      const socket = connect(Number(port), "127.0.0.1");
      await once(socket, "connect");
      return new Hub(child, socket);
    }
    throw new Error("the hub does not listen");
  }

  send(...lines: readonly object[]): void {
    for (const line of lines) this.#socket.write(`${JSON.stringify(line)}\n`);
  }

  /** The next answer with this member. */
  async answer(member: string): Promise<Record<string, unknown>> {
    for (;;) {
      const { value, done } = await this.#answers.next();
      if (done === true) throw new Error(`no answer with ${member}`);
      const answer = JSON.parse(value) as Record<string, unknown>;
      if (member in answer) return answer;
      if ("error" in answer) throw new Error(String(answer["error"]));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, "close");
    this.#socket.destroy();
    this.#process.kill("SIGTERM");
    await ended;
  }
}

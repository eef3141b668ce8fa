import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";

const EXECUTABLE = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/**
 * A page in a Chromium without a window. Tools for tests follow every request of a page, which takes more time than
 * some of the measured steps; this class does not.
 */
export class Chromium implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #profile = mkdtempSync(join(tmpdir(), "simtape-chromium-"));
  readonly #waiting = new Map<number, { resolve(result: Result): void; reject(error: Error): void }>();
  #count = 0;
  #said = "";
  #session: string | undefined;

  constructor({ width, height }: { readonly width: number; readonly height: number }) {
    const options = [
      "--headless",
      "--no-sandbox",
      // As on a machine without a graphics card: software draws WebGL, and the page itself does without it.
      "--enable-unsafe-swiftshader",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--remote-debugging-pipe",
      `--user-data-dir=${this.#profile}`,
      `--window-size=${width},${height}`,
      "about:blank",
    ];
    // Commands and answers use the pipes 3 and 4. The processes of Chromium are a group, which one signal ends.
    const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"] as const;
    this.#process = spawn(EXECUTABLE, options, { stdio: [...stdio], detached: true });
    const answers = this.#process.stdio[4] as NodeJS.ReadableStream;
    answers.setEncoding("utf8").on("data", (text: string) => this.#hear(text));
  }

  /** Runs a function in the page each time that it opens an address, before the scripts of that address. */
  async before(what: () => void): Promise<void> {
    await this.#attach();
    await this.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${what.toString()})()` });
  }

  /** Opens an address in the page, and waits until `isReady` gives true there. `argument` is passed to `isReady`. */
  async open<A>(address: string, isReady: (argument: A) => boolean, argument?: A): Promise<void> {
    await this.#attach();
    await this.send("Page.navigate", { url: "about:blank" });
    await this.send("Page.navigate", { url: address });
    while (!(await this.run(isReady, argument).catch(() => false))) await later(200);
  }

  /** Runs a function in the page, with `argument`, and gives its result. */
  async run<T, A>(of: (argument: A) => T, argument?: A): Promise<Awaited<T>> {
    const expression = `(${of.toString()})(${JSON.stringify(argument)})`;
    const answer = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (answer["exceptionDetails"] !== undefined) throw new Error(JSON.stringify(answer["exceptionDetails"]));
    return (answer["result"] as { value: Awaited<T> }).value;
  }

  /** The errors in the page so far. */
  errors(): Promise<readonly string[]> {
    return this.run(() => (globalThis as unknown as { wrong: readonly string[] }).wrong);
  }

  /** Moves the pointer to a place, with the left button held, or presses or releases the button there. */
  async mouse(type: "mouseMoved" | "mousePressed" | "mouseReleased", x: number, y: number): Promise<void> {
    const buttons = type === "mouseReleased" ? 0 : 1;
    await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons, clickCount: 1 });
  }

  send(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Result> {
    const id = ++this.#count;
    const commands = this.#process.stdio[3] as NodeJS.WritableStream;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      commands.write(`${JSON.stringify({ id, method, params, sessionId: this.#session })}\0`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    process.kill(-this.#process.pid!, "SIGKILL");
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  async #attach(): Promise<void> {
    if (this.#session !== undefined) return;
    const { targetInfos } = await this.send("Target.getTargets");
    const { targetId } = (targetInfos as { type: string; targetId: string }[]).find(({ type }) => type === "page")!;
    this.#session = (await this.send("Target.attachToTarget", { targetId, flatten: true }))["sessionId"] as string;
    await this.send("Page.enable");
    await this.send("Page.addScriptToEvaluateOnNewDocument", { source: `(${noteErrors.toString()})()` });
  }

  #hear(text: string): void {
    const lines = (this.#said + text).split("\0");
    this.#said = lines.pop()!;
    for (const line of lines) {
      const { id, result, error } = JSON.parse(line) as { id?: number; result: Result; error?: { message: string } };
      const asked = this.#waiting.get(id!);
      this.#waiting.delete(id!);
      if (error === undefined) asked?.resolve(result);
      else asked?.reject(new Error(error.message));
    }
  }
}

type Result = Readonly<Record<string, unknown>>;

function noteErrors(): void {
  const wrong: string[] = [];
  Object.assign(globalThis, { wrong });
  addEventListener("error", ({ message }) => wrong.push(message));
  addEventListener("unhandledrejection", ({ reason }) => wrong.push(String(reason)));
}

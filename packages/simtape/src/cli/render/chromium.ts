import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { ProgramError, UsageError } from "../run/failure.ts";
import { removeFolder, temporaryFolder } from "../run/temporary-folder.ts";

/** What Chromium is called. */
const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
/** Of what it says on standard error, the end is kept. */
const TALK = 2000;
/** Milliseconds that it has to end. */
const GRACE = 5000;

const FLAGS = [
  "--headless",
  "--remote-debugging-pipe",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-startup-window",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-extensions",
  "--disable-sync",
  "--disable-breakpad",
  "--disable-dev-shm-usage",
  // a page that no window shows draws as fast as any other
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  // WebGL in software where there is no graphics card
  "--enable-unsafe-swiftshader",
  "--force-color-profile=srgb",
  "--force-device-scale-factor=1",
  "--hide-scrollbars",
  "--mute-audio",
  "--password-store=basic",
  "--use-mock-keychain",
];

/** The Chromium that is named, or that is installed. Throws `UsageError` where there is none. */
export async function chromiumAt(named: string | undefined): Promise<string> {
  if (named !== undefined) {
    const found = await programCalled(named);
    if (found === null) throw new UsageError(`no program that can be started: --browser ${named}`);
    return found;
  }
  for (const name of NAMES) {
    const found = await programCalled(name);
    if (found !== null) return found;
  }
  throw new UsageError(
    "no Chromium is installed, which draws the pictures: apt-get install chromium, or name Chrome or Edge with --browser PATH",
  );
}

/** The path of a program by its name or path; null: it is not there, or cannot be started. */
export async function programCalled(name: string): Promise<string | null> {
  const isPath = name.includes("/") || name.includes("\\");
  const folders = isPath ? [""] : (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) {
    const path = folder === "" ? name : join(folder, process.platform === "win32" ? `${name}.exe` : name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}

interface Answer {
  readonly id?: number;
  readonly sessionId?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Call {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A Chromium without a window, with a profile of its own, driven by the DevTools protocol over two pipes: JSON messages
 * that end with a zero byte. It ends when this process does, however that ends.
 */
export class Chromium {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #calls = new Map<number, Call>();
  readonly #ended: Promise<void>;
  #count = 0;
  #text = "";
  #talk = "";
  /** Why it answers no more. */
  #failure: Error | null = null;

  static async start(path: string): Promise<Chromium> {
    const folder = await temporaryFolder("render");
    // Chromium refuses its sandbox to root.
    const own = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const child = spawn(path, [...FLAGS, ...own, `--user-data-dir=${folder}`], {
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      // signals of the terminal reach this process, which ends it
      detached: process.platform !== "win32",
    });
    return new Chromium(child, folder);
  }

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      this.#talk = (this.#talk + text).slice(-TALK);
    });
    const from = child.stdio[4] as Readable;
    from.setEncoding("utf8").on("data", (text: string) => this.#hear(text));
    for (const pipe of [child.stdio[3] as Writable, from]) pipe.on("error", () => undefined);
    this.#ended = new Promise((resolve) => {
      const end = (why: string): void => {
        this.#fail(new ProgramError(why));
        resolve();
      };
      child.once("error", (error) => end(`the browser cannot be started: ${error.message}`));
      child.once("exit", (code, signal) => {
        const said = this.#talk.trim().split("\n").at(-1) ?? "";
        end(`the browser has ended (${signal ?? `exit ${code}`})${said === "" ? "" : `: ${said}`}`);
      });
    });
  }

  /** Opens an address in a page of its own. */
  async page(address: string): Promise<ChromiumPage> {
    const { targetId } = await this.call<{ readonly targetId: string }>("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.call<{ readonly sessionId: string }>("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    const page = new ChromiumPage(this, sessionId);
    await this.call("Page.navigate", { url: address }, sessionId);
    return page;
  }

  /** Rejects with what the browser says is wrong, or that it has ended. */
  call<T>(method: string, params: object, sessionId?: string): Promise<T> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = ++this.#count;
    return new Promise<T>((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** Ends it and every process of it, and removes its profile. */
  async close(): Promise<void> {
    this.#kill();
    const waited = new Promise<void>((resolve) => {
      setTimeout(resolve, GRACE).unref();
    });
    await Promise.race([this.#ended, waited]);
    await removeFolder(this.#folder);
  }

  #kill(): void {
    const { pid } = this.#child;
    try {
      if (pid !== undefined && process.platform !== "win32") process.kill(-pid, "SIGKILL");
      else this.#child.kill("SIGKILL");
    } catch {
      // it has ended
    }
  }

  #hear(text: string): void {
    const parts = (this.#text + text).split("\0");
    this.#text = parts.pop()!;
    for (const part of parts) {
      const { id, result, error } = JSON.parse(part) as Answer;
      const call = id === undefined ? undefined : this.#calls.get(id);
      if (call === undefined) continue;
      this.#calls.delete(id!);
      if (error === undefined) call.resolve(result as never);
      else call.reject(new ProgramError(`the browser: ${error.message}`));
    }
  }

  #fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}

/** A page of a Chromium. */
export class ChromiumPage {
  readonly #browser: Chromium;
  readonly #sessionId: string;

  constructor(browser: Chromium, sessionId: string) {
    this.#browser = browser;
    this.#sessionId = sessionId;
  }

  /** What an expression gives in the page, as JSON; of a promise what it comes to. Rejects with its error. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#browser.call<{
      readonly result: { readonly value?: T };
      readonly exceptionDetails?: {
        readonly text: string;
        readonly exception?: { readonly description?: string };
      };
    }>("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }, this.#sessionId);
    if (exceptionDetails !== undefined) {
      const { text, exception } = exceptionDetails;
      throw new ProgramError((exception?.description ?? text).split("\n")[0]!.replace(/^Error: /, ""));
    }
    return result.value as T;
  }
}

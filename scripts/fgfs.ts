import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { tmpdir } from "node:os";

/** The value of a property: a number with all digits that the simulator has, a text, or null if it has none. */
export type Property = number | string | null;

/**
 * The words of the command that starts FlightGear: those of the variable `FGFS`, else `fgfs` on the PATH or where
 * Debian installs it. Null if none of these starts.
 */
export function fgfsCommand(): readonly string[] | null {
  const given = process.env["FGFS"];
  if (given !== undefined && given !== "") return given.split(" ");
  for (const name of ["fgfs", "/usr/games/fgfs"]) {
    if (spawnSync(name, ["--version"], { stdio: "ignore", timeout: 60_000 }).error === undefined) return [name];
  }
  return null;
}

/** A running FlightGear without window, sound, scenery or traffic, controlled over HTTP. */
export class Fgfs {
  readonly version: string;
  /** False when it did not answer. */
  isAlive = true;
  readonly #process: ChildProcess;
  readonly #display: ChildProcess;
  readonly url: string;
  readonly #log: string;

  private constructor(process_: ChildProcess, display: ChildProcess, url: string, log: string, version: string) {
    this.#process = process_;
    this.#display = display;
    this.url = url;
    this.#log = log;
    this.version = version;
  }

  /** `home` keeps the simulator's caches: the first start in an empty one takes a minute, others some seconds. */
  static async start(command: readonly string[], home: string): Promise<Fgfs> {
    mkdirSync(home, { recursive: true });
    const empty = mkdtempSync(join(tmpdir(), "simtape-scenery-"));
    const [display, name] = await startDisplay();
    const port = await freePort();
    const log = join(home, "fgfs.log");
    const out = openSync(log, "w");
    const [program, ...first] = command;
    const started = spawn(
      program!,
      [
        ...first,
        "--disable-gui",
        "--disable-sound",
        "--disable-terrasync",
        "--disable-ai-traffic",
        "--disable-real-weather-fetch",
        "--geometry=4x4",
        "--visibility=500",
        `--fg-scenery=${empty}`,
        "--aircraft=ufo",
        "--airport=KSFO",
        `--httpd=${port}`,
        "--prop:/sim/frame-rate-throttle-hz=30",
      ],
      {
        stdio: ["ignore", out, out],
        env: {
          ...process.env,
          DBUS_FATAL_WARNINGS: "0",
          LIBGL_ALWAYS_SOFTWARE: "1",
          GALLIUM_DRIVER: "softpipe",
          FG_HOME: home,
          DISPLAY: name,
        },
      },
    );
    const url = `http://127.0.0.1:${port}`;
    for (const end = Date.now() + 300_000; ; ) {
      if (started.exitCode !== null || Date.now() > end) {
        started.kill("SIGKILL");
        display.kill();
        throw new Error(`fgfs does not start:\n${readFileSync(log, "utf8").slice(-2000)}`);
      }
      await sleep(500);
      const ready = await value(`${url}/json/sim/signals/fdm-initialized`).catch(() => null);
      if (ready === true) break;
    }
    const version = String(await value(`${url}/json/sim/version/flightgear`));
    const fgfs = new Fgfs(started, display, url, log, version);
    await fgfs.set("/sim/replay/replay-extra-properties", true);
    rmSync(empty, { recursive: true });
    return fgfs;
  }

  get isRunning(): boolean {
    return this.isAlive && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** The last lines that it logged. */
  get lastWords(): string {
    return readFileSync(this.#log, "utf8").split("\n").slice(-6).join("\n");
  }

  /** Loads a tape; false when the simulator refuses it, or accepts it and shows nothing. */
  async load(path: string): Promise<boolean> {
    await this.leave();
    // Else the preview of the previous tape would be taken for that of this one.
    await this.nasal('props.globals.getNode("/sim/gui/dialogs/flightrecorder", 1).removeChild("preview", 0);');
    await this.set("/sim/replay/tape-directory", dirname(path));
    await this.set("/sim/replay/looped", false);
    const isOld = this.version.startsWith("2020");
    await this.run("load-tape", isOld ? { tape: basename(path, ".fgtape") } : { tape: path, "fixed-dt": 0 });
    for (let n = 0; n < 20 && this.isRunning; n++) {
      await sleep(100);
      if ((await this.get("/sim/replay/replay-state")) !== 1) continue;
      // Only a frozen clock stands still for good; then the simulator shows the time that the script asks for.
      await this.set("/sim/freeze/clock", true);
      return true;
    }
    return false;
  }

  /** Ends replay. */
  async leave(): Promise<void> {
    await this.set("/sim/freeze/clock", false);
    if ((await this.get("/sim/replay/replay-state")) !== 0) await this.set("/sim/replay/disable", true);
    for (let n = 0; n < 50 && (await this.get("/sim/replay/replay-state")) !== 0; n++) await sleep(100);
  }

  /** Shows the moment at `seconds` of the tape's own time, and gives the values of the properties there. */
  async at(seconds: number, paths: readonly string[]): Promise<Property[]> {
    // A command's argument has ten digits, which are too few for Unix times.
    await this.nasal(`setprop("/sim/replay/time", ${seconds});`);
    await sleep(200);
    return this.sample(paths);
  }

  /** The values of the properties now. */
  async sample(paths: readonly string[]): Promise<Property[]> {
    await this.set("/simtape/paths", paths.join("\n"));
    // A script reads all of them in one frame and with every digit; the page of a property has fewer digits.
    await this.nasal(SAMPLE);
    const text = String(await this.get("/simtape/sample"));
    return text.split("\x1e").map((cell) => {
      if (cell.startsWith("n"))
        return Number(cell.slice(1).replace(/^-?inf$/, (word) => `${word}inity`.replace("i", "I")));
      return cell.startsWith("s") ? cell.slice(1) : null;
    });
  }

  async get(path: string): Promise<unknown> {
    return value(`${this.url}/json${path}`);
  }

  async set(path: string, to: number | string | boolean): Promise<void> {
    await this.run("property-assign", { property: path, value: to });
  }

  async nasal(script: string): Promise<void> {
    await this.run("nasal", { script });
  }

  async run(command: string, options: Readonly<Record<string, number | string | boolean>>): Promise<void> {
    const children = Object.entries(options).map(([name, to]) => ({ name, value: to }));
    const body = JSON.stringify({ name: "", children });
    const url = `${this.url}/run.cgi?value=${command}`;
    const answer = await fetch(url, { method: "POST", body, signal: AbortSignal.timeout(30_000) });
    if (!answer.ok) throw new Error(`fgfs refuses ${command}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }

  async end(): Promise<void> {
    this.#process.kill("SIGKILL");
    this.#display.kill();
    await new Promise((done) => setTimeout(done, 200));
  }
}

const SAMPLE = `
var out = "";
foreach (var path; split("\\n", getprop("/simtape/paths"))) {
  var node = props.globals.getNode(path);
  var value = node == nil ? nil : node.getValue();
  var cell = value == nil ? "-" : typeof(value) == "scalar" and num(value) != nil and node.getType() != "STRING" and node.getType() != "UNSPECIFIED" ? "n" ~ sprintf("%.17g", value) : "s" ~ value;
  out ~= (out == "" ? "" : "\\x1e") ~ cell;
}
setprop("/simtape/sample", out);`;

async function value(url: string): Promise<unknown> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) return null;
  return ((await answer.json()) as { value?: unknown }).value ?? null;
}

async function startDisplay(): Promise<[ChildProcess, string]> {
  const display = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "64x64x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const pipe = display.stdio[3] as import("node:stream").Readable;
  const name = await new Promise<string>((done, fail) => {
    pipe.once("data", (bytes: Buffer) => done(`:${bytes.toString().trim()}`));
    display.once("error", fail);
    display.once("exit", () => fail(new Error("Xvfb does not start")));
  });
  return [display, name];
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

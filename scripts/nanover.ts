import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const DRIVER = fileURLToPath(new URL("nanover-programs.py", import.meta.url));

/** What to do if NanoVer's programs are not installed. */
export const HOW_TO_GET =
  "NanoVer's own programs are not installed: `pip install nanover-server` into a Python 3.13, and name it in NANOVER_PYTHON";

/**
 * The words that start a Python with NanoVer's package: those of the variable `NANOVER_PYTHON`, else python3. Null if
 * that Python does not have the package.
 */
export function nanoverPython(): readonly string[] | null {
  const given = process.env["NANOVER_PYTHON"];
  const words = given === undefined || given === "" ? ["python3"] : given.split(" ");
  const has = spawnSync(words[0]!, [...words.slice(1), "-c", "import nanover.websocket.record, nanover.recording"], {
    stdio: "ignore",
    timeout: 60_000,
  });
  return has.status === 0 ? words : null;
}

/** A program that answers lines of JSON with lines of JSON. */
export class Talking {
  readonly process: ChildProcess;
  readonly #lines: string[] = [];
  #wake: () => void = () => undefined;
  #isOver = false;

  constructor(words: readonly string[]) {
    this.process = spawn(words[0]!, words.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.process.stdout! }).on("line", (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    this.process.once("close", () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  /** The next line that the program prints. Rejects if the program ends first. */
  async next(): Promise<unknown> {
    while (this.#lines.length === 0) {
      if (this.#isOver) throw new Error(`${this.process.spawnargs.join(" ")} has ended`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return JSON.parse(this.#lines.shift()!);
  }

  ask(...words: unknown[]): Promise<unknown> {
    this.process.stdin!.write(`${JSON.stringify(words)}\n`);
    return this.next();
  }

  /** Ends the program's input, and waits until the program has ended. */
  async end(): Promise<void> {
    this.process.stdin!.end();
    while (!this.#isOver) await sleep(20);
  }
}

/** One message as NanoVer's reader reads it, with digests of the values. */
export interface Said {
  /** Microseconds. */
  readonly time: number;
  readonly index?: number | null;
  readonly stamp?: number | null;
  readonly frame?: Digests;
  readonly updates?: Digests;
  readonly removals?: readonly string[];
}

export interface Digests {
  readonly [key: string]: string;
}

/** What one of NanoVer's clients has received. */
export interface Shown {
  readonly frames: number;
  readonly updates: number;
  /** Seconds between two frames, at most. */
  readonly longest: number;
  readonly frame: Digests;
  readonly state: Digests;
}

/** NanoVer's own programs: server, recorder, client, reader. */
export class Nanover {
  readonly #python: readonly string[];

  constructor(python: readonly string[]) {
    this.#python = python;
  }

  /** NanoVer's server with these recordings, none of which it has loaded yet. */
  async serve(paths: readonly string[]): Promise<{ server: Talking; address: string }> {
    const server = new Talking([...this.#python, DRIVER, "serve", ...paths]);
    return { server, address: `ws://127.0.0.1:${String(await server.next())}` };
  }

  client(address: string): Talking {
    return new Talking([...this.#python, DRIVER, "client", address]);
  }

  /** NanoVer's discovery. It listens at a port of this machine, and then gives name, id, host and port of a server. */
  async discover(): Promise<{ port: number; found: Promise<unknown> }> {
    const listener = new Talking([...this.#python, DRIVER, "discover"]);
    const port = (await listener.next()) as number;
    return { port, found: listener.next() };
  }

  async crowd(address: string, count: number, stuck: number): Promise<Talking> {
    const crowd = new Talking([...this.#python, DRIVER, "crowd", address, String(count), String(stuck)]);
    await crowd.next();
    return crowd;
  }

  /** NanoVer's recorder, as soon as it records. `end` stops it, and gives the path of its recording in `folder`. */
  async record(address: string, folder: string): Promise<{ end: () => Promise<string> }> {
    const words = [...this.#python, "-u", "-m", "nanover.app.cli.recorder_cli"];
    const recorder = spawn(words[0]!, [...words.slice(1), "--address", address, "--path", folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const over = new Promise<void>((resolve) => recorder.once("close", () => resolve()));
    await new Promise<void>((resolve) => {
      createInterface({ input: recorder.stdout }).on("line", (line) => {
        if (line.startsWith("Recording from")) resolve();
      });
    });
    return {
      end: async () => {
        recorder.kill("SIGINT");
        await over;
        const made = readdirSync(folder).filter((name) => name.startsWith("recording-"));
        if (made.length !== 1) throw new Error(`${made.length} recordings of nanover-record`);
        return join(folder, made[0]!);
      },
    };
  }

  /** Every message of a recording, read by NanoVer's reader. */
  messages(path: string): Said[] {
    const { stdout, status } = spawnSync(this.#python[0]!, [...this.#python.slice(1), DRIVER, "messages", path], {
      encoding: "utf8",
      maxBuffer: 1 << 29,
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (status !== 0) throw new Error(`NanoVer's reader does not open ${path}`);
    const lines = stdout.split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Said);
  }
}

export const simtape: string = fileURLToPath(new URL("../packages/simtape/bin/simtape.js", import.meta.url));

/** NanoVer's recorder and simtape record a server at the same time. */
export async function recordedFrom(
  nanover: Nanover,
  address: string,
  folder: string,
): Promise<{ end: () => Promise<{ theirs: Said[]; ours: Said[] }> }> {
  const path = join(folder, "ours.nanover.zip");
  const words = [simtape, "record", "--from", "nanover", address, "-o", path, "--json"];
  const recorder = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "ignore"] });
  const over = new Promise<void>((resolve) => recorder.once("close", () => resolve()));
  while ((statSync(`${path}.take`, { throwIfNoEntry: false })?.size ?? 0) === 0) await sleep(50);
  const other = await nanover.record(address, folder);
  return {
    end: async () => {
      const theirs = nanover.messages(await other.end());
      recorder.kill("SIGINT");
      await over;
      return { theirs, ours: nanover.messages(path) };
    },
  };
}

/** `simtape play --into nanover`, paused at the start. */
export async function playedInto(
  files: readonly string[],
  more: readonly string[],
): Promise<{ address: string; pid: number; end: () => Promise<void> }> {
  const words = [simtape, "play", ...files, "--into", "nanover", "--port", "0", "--paused", "--json", ...more];
  const player = new Talking([process.execPath, ...words]);
  const { outlet } = (await player.next()) as { outlet: string };
  return {
    address: /ws:\S+/.exec(outlet)![0],
    pid: player.process.pid!,
    end: () => {
      player.process.kill("SIGINT");
      return player.end();
    },
  };
}

/** Frames in their order, and updates in theirs. The order between the two is free (NanoVer semantics §5.1). */
export interface Parts {
  readonly frames: readonly string[];
  readonly updates: readonly string[];
}

/** The content of every message, without its time. */
export function partsOf(messages: readonly Said[]): Parts {
  const frames = messages.flatMap(({ frame }) => (frame === undefined ? [] : [JSON.stringify(frame)]));
  const updates = messages.flatMap(({ updates: given, removals }) =>
    given === undefined ? [] : [JSON.stringify([given, removals])],
  );
  return { frames, updates };
}

/** An update without content. */
const NOTHING: string = JSON.stringify([{}, []]);

/** Values of a frame that a server adds itself, whatever it plays. */
const OF_SERVER: ReadonlySet<string> = new Set([
  "frame.index",
  "server.timestamp",
  "system.simulation.counter",
  "system.simulation.name",
]);

/** The last frames and updates, as many as the recording has: those of a playback to its end. */
export function lastOf(messages: readonly Said[], recorded: Parts): Parts {
  // a frame that a server sends for itself has no time stamp
  const { frames, updates } = partsOf(messages.filter((one) => one.frame === undefined || one.stamp !== null));
  // NanoVer's server does not send an update without content
  const count = recorded.updates.filter((update) => update !== NOTHING).length;
  return {
    frames: frames.slice(frames.length - recorded.frames.length),
    updates: updates.slice(updates.length - count),
  };
}

/** The same, without the values that a server adds to each frame. */
export function contentOf(messages: readonly Said[], recorded: Parts): Parts {
  const { frames, updates } = lastOf(messages, recorded);
  const contents = frames.map((text) => {
    const all = Object.entries(JSON.parse(text) as Digests);
    return JSON.stringify(Object.fromEntries(all.filter(([key]) => !OF_SERVER.has(key))));
  });
  return { frames: contents, updates };
}

/** The number of places at which two lists differ. */
export function unlike(a: readonly string[], b: readonly string[]): number {
  let count = Math.abs(a.length - b.length);
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) count++;
  return count;
}

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { run } from "../../src/cli/program.ts";

/** The command as users start it; `npm test` builds it first. */
export const MAIN: string = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What `stdout` is the text of. */
  readonly bytes: Buffer;
}

/** On Linux, a link for each file that this process has open. */
const DESCRIPTORS = "/proc/self/fd";

process.env["NO_COLOR"] = "1";
process.env["TZ"] = "UTC";

/** Commands share the process, and its streams: one after the other. */
let last: Promise<unknown> = Promise.resolve();

/** A command line, carried out in this process; starting another takes half a second. */
export function simtape(words: readonly string[], input?: Uint8Array): Promise<Ran> {
  const ran = last.then(() => carriedOut(words, input));
  last = ran.catch(() => undefined);
  return ran;
}

/** The same as users have it: the built command, in a process of its own. */
export function simtapeProcess(words: readonly string[], input?: Uint8Array): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...words]);
    const [out, talk]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
    child.stderr.on("data", (bytes: Buffer) => talk.push(bytes));
    child.on("error", reject);
    child.on("close", (exit) =>
      resolve({
        exit,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(talk).toString(),
        bytes: Buffer.concat(out),
      }),
    );
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

async function carriedOut(words: readonly string[], input: Uint8Array = new Uint8Array(0)): Promise<Ran> {
  const [stdout, stderr] = [new Heard(process.stdout), new Heard(process.stderr)];
  const stdin = Object.getOwnPropertyDescriptor(process, "stdin")!;
  Object.defineProperty(process, "stdin", {
    configurable: true,
    value: Readable.from(input.length === 0 ? [] : [input]),
  });
  const open = openAmong(words);
  try {
    const exit = await run(words);
    const left = [...openAmong(words)].filter(([file]) => !open.has(file));
    if (left.length > 0) throw new Error(`${words.join(" ")} left open: ${left.map(([, path]) => path).join(", ")}`);
    return { exit, stdout: stdout.bytes.toString(), stderr: stderr.bytes.toString(), bytes: stdout.bytes };
  } finally {
    process.exitCode = undefined;
    Object.defineProperty(process, "stdin", stdin);
    stdout.end();
    stderr.end();
  }
}

/** Files that this process has open, of those that are named: paths by their numbers. None where the system does not say. */
function openAmong(words: readonly string[]): ReadonlyMap<string, string> {
  const open = new Map<string, string>();
  if (!existsSync(DESCRIPTORS)) return open;
  const named = new Set(words.filter((word) => existsSync(word)).map((word) => realpathSync(word)));
  for (const file of readdirSync(DESCRIPTORS)) {
    try {
      const path = readlinkSync(`${DESCRIPTORS}/${file}`);
      if (named.has(path)) open.set(file, path);
    } catch {
      // closed meanwhile
    }
  }
  return open;
}

/** What is written to a stream, kept from it. */
class Heard {
  readonly #stream: NodeJS.WriteStream;
  readonly #write: NodeJS.WriteStream["write"];
  readonly #parts: Buffer[] = [];

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#write = stream.write.bind(stream);
    stream.write = ((part: string | Uint8Array): boolean => {
      this.#parts.push(Buffer.from(part as string));
      return true;
    }) as typeof stream.write;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  end(): void {
    this.#stream.write = this.#write;
  }
}

/** A file in a folder of its own. */
export function temporaryFile(name: string, bytes: Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), "simtape-test-")), name);
  writeFileSync(path, bytes);
  return path;
}

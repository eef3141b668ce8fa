import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MAIN } from "../cli/run.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** A command on a page, with what it prints. */
export const CONSOLE: RegExp = /^```console\n\$ (.*)\n[\s\S]*?^```$/gm;

/** A page of docs whose commands are run in a folder with the examples. */
export class ConsolePage {
  readonly path: string;
  readonly text: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "simtape-page-"));
  /** Ports that the page names, and the free ones that they are in this run. */
  readonly #ports = new Map<string, string>();
  readonly #beside: ChildProcess[] = [];

  constructor(name: string) {
    this.path = join(root, "docs", name);
    this.text = readFileSync(this.path, "utf8");
    symlinkSync(join(root, "examples"), join(this.#folder, "examples"));
    cpSync(join(root, "packages/simtape/test/fixtures/mira/patrol-torn.tape"), join(this.#folder, "broken.tape"));
    writeFileSync(join(this.#folder, "simtape"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
    chmodSync(join(this.#folder, "simtape"), 0o700);
  }

  /** The page with what its commands print now. */
  shown(): string {
    return this.text.replace(
      CONSOLE,
      (_, command: string) => `\`\`\`console\n$ ${command}\n${this.#seen(command)}\`\`\``,
    );
  }

  /** Commands find free ports where the page says these. */
  async usesPorts(...ports: readonly number[]): Promise<void> {
    for (const port of ports) this.#ports.set(String(port), String(await freePort()));
  }

  /** A folder of the page with a copy of the examples, for a server that writes there. */
  copiesExamples(name: string): void {
    cpSync(join(root, "examples"), join(this.#folder, name), { recursive: true });
  }

  /** Runs a command of simtape beside those of the page. Resolves with its first line. */
  async runsBeside(command: string): Promise<string> {
    const child = spawn(process.execPath, [MAIN, ...this.#ours(command).split(" ")], {
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#beside.push(child);
    const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    return line.trim();
  }

  remove(): void {
    for (const child of this.#beside) child.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true });
  }

  /** What a person sees who types it: both streams in the order in which they come. */
  #seen(command: string): string {
    const { stdout } = spawnSync("sh", ["-c", `{ ${this.#ours(command)}; } 2>&1`], {
      cwd: this.#folder,
      encoding: "utf8",
      env: { ...process.env, PATH: `${this.#folder}:${process.env["PATH"]}`, NO_COLOR: "1", TZ: "UTC" },
    });
    return [...this.#ports].reduce((text, [said, port]) => text.replaceAll(`:${port}`, `:${said}`), stdout);
  }

  /** The command with the ports of this run. */
  #ours(command: string): string {
    return command.replace(/\b\d{4,5}\b/g, (said) => this.#ports.get(said) ?? said);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

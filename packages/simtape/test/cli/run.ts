import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The command as users start it; `npm test` builds it first. */
export const MAIN: string = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function simtape(words: readonly string[], input?: Uint8Array): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...words], { env: { ...process.env, NO_COLOR: "1", TZ: "UTC" } });
    const out: Buffer[] = [];
    const talk: Buffer[] = [];
    child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
    child.stderr.on("data", (bytes: Buffer) => talk.push(bytes));
    child.on("error", reject);
    child.on("close", (exit) =>
      resolve({ exit, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(talk).toString() }),
    );
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/** A file in a folder of its own. */
export function temporaryFile(name: string, bytes: Uint8Array): string {
  const path = join(mkdtempSync(join(tmpdir(), "simtape-test-")), name);
  writeFileSync(path, bytes);
  return path;
}

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SIMTAPE = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));

/** A folder for a test, removed when the test is over. */
export class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "simtape-mc-"));

  /** The race of the demo: six players, a bat, blocks that are set and taken; 60 seconds. */
  withRace(): this {
    execFileSync(process.execPath, [SIMTAPE, "demo", "hcrp", "-o", this.path], { stdio: "ignore" });
    return this;
  }

  /** Runs `simtape`; what it prints. Throws where it fails. */
  simtape(...words: readonly string[]): string {
    return execFileSync(process.execPath, [SIMTAPE, ...words], { encoding: "utf8", cwd: this.path });
  }

  at(name: string): string {
    return join(this.path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

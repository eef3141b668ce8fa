import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /** What a person sees who types it: both streams in the order in which they come. */
  #seen(command: string): string {
    const { stdout } = spawnSync("sh", ["-c", `{ ${command}; } 2>&1`], {
      cwd: this.#folder,
      encoding: "utf8",
      env: { ...process.env, PATH: `${this.#folder}:${process.env["PATH"]}`, NO_COLOR: "1", TZ: "UTC" },
    });
    return stdout;
  }
}

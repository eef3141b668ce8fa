import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ORACLE = fileURLToPath(new URL("oracle.py", import.meta.url));
/** Debian's, which has Debian's modules. */
const PYTHON = "/usr/bin/python3";

export type Program = "mdanalysis" | "mdtraj" | "pymol";

const MODULES: Readonly<Record<Program, string>> = { mdanalysis: "MDAnalysis", mdtraj: "mdtraj", pymol: "pymol2" };

/** Null: installed; else how it can be. */
export function lacking(program: Program): string | null {
  const { status } = spawnSync(PYTHON, [
    "-c",
    `import importlib.util as u, sys; sys.exit(u.find_spec("${MODULES[program]}") is None)`,
  ]);
  const name = program === "pymol" ? "python3-pymol" : `python3-${program}`;
  return status === 0 ? null : `apt-get install --no-install-recommends ${name}`;
}

export interface Seen {
  readonly frames: number[][];
  readonly names: string[];
  readonly residues?: string[];
  readonly chains?: string[];
  readonly elements?: string[];
  readonly factors?: number[];
  readonly bonds?: [number, number][];
  readonly boxes?: (number[] | null)[];
  readonly times?: number[];
}

/** Files of a molecule: the one with the atoms first, then a trajectory if there is one. */
export type Files = Readonly<Record<string, Uint8Array>>;

/** What the program finds in each, in one process, since most take two seconds to start. */
export function seenBy(program: Program, all: readonly Files[]): Seen[] {
  const folder = mkdtempSync(join(tmpdir(), "simtape-molecules-"));
  try {
    const lines = all.map((files, k) => {
      const paths = Object.entries(files).map(([name, bytes]) => {
        const path = join(folder, `${k}-${name}`);
        writeFileSync(path, bytes);
        return path;
      });
      return paths.join("\t");
    });
    const input = `${lines.join("\n")}\n`;
    const text = execFileSync(PYTHON, [ORACLE, program], { input, maxBuffer: 1 << 30, stdio: "pipe" }).toString();
    const found = text.split("\n").filter((line) => line.startsWith("found "));
    return found.map((line) => JSON.parse(line.slice("found ".length)) as Seen);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

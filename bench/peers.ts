/**
 * Compares reading with @mcap/core in the same run: two million messages of 100 bytes, each payload touched. simtape
 * gives batches and single messages, the peer single messages. Part of `npm run bench`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COUNT, writeMcap, writeOwn } from "./make/payloads.ts";

const KINDS = [
  "mcap",
  "mira batches",
  "mira messages",
  "hcrp batches",
  "hcrp messages",
  "hcrp+zstd batches",
  "hcrp+zstd messages",
] as const;
const ROUNDS = 5;

/** Milliseconds by the clock, and of the processor, threads of the system included. */
interface Taken {
  readonly wall: number;
  readonly processor: number;
}

interface Measured {
  /** To load the modules. */
  readonly loaded: Taken;
  /** To open a file and go through all of it, by a process that has read nothing yet. */
  readonly first: Taken;
  /** To go through it again, the middle of three. */
  readonly again: Taken;
}

/** Prints the rates and their ratios to the peer's. */
export async function comparePeers(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "simtape-bench-"));
  try {
    await writeMcap(join(folder, "mcap"));
    for (const id of ["mira", "hcrp"] as const) await writeOwn(join(folder, id), id, "store");
    await writeOwn(join(folder, "hcrp+zstd"), "hcrp", "fast");
    const inProcess = (kind: string): Measured => {
      const [file, how] = kind.split(" ");
      const words = [
        fileURLToPath(new URL("peer.mjs", import.meta.url)),
        join(folder, file!),
        how ?? kind,
        String(COUNT),
      ];
      return JSON.parse(execFileSync(process.execPath, words).toString()) as Measured;
    };
    // in turns, because other programs change the speed of the machine from second to second
    const runs = Array.from({ length: ROUNDS }, () => KINDS.map(inProcess));
    const middle = (of: keyof Measured, by: keyof Taken, kind: number): number =>
      runs.map((run) => run[kind]![of][by]).toSorted((a, b) => a - b)[ROUNDS >> 1]!;
    for (const [i, kind] of KINDS.entries()) {
      const shown = (of: keyof Measured): string => {
        const times = (by: keyof Taken): string => `${(middle(of, by, 0) / middle(of, by, i)).toFixed(1)}x`;
        const ratio = i === 0 ? "" : ` (${times("wall")} @mcap/core, of the processor ${times("processor")})`;
        return `${(COUNT / middle(of, "wall", i) / 1000).toFixed(2)} M msg/s${ratio}`.padEnd(54);
      };
      const loaded = `loaded ${Math.round(middle("loaded", "wall", i))} ms`;
      console.log(
        `${`read 100 B, ${kind}`.padEnd(32)}${loaded.padEnd(16)}opened and read ${shown("first")} read again ${shown("again")}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const BIN = fileURLToPath(new URL("../../bin/simtape-mc.js", import.meta.url));

/** Runs the built command. */
export function command(...words: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...words], { encoding: "utf8" });
  return { status, stdout, stderr };
}

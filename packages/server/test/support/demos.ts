import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../../simtape/bin/simtape.js", import.meta.url));
const FORMATS = ["nanover", "carla", "mira", "flightgear", "hcrp"];

/** A short demo recording of each format, in `folder`. */
export function makeDemos(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const format of FORMATS)
    execFileSync(process.execPath, [CLI, "demo", format, "-o", folder, "--seconds", "4"], { stdio: "ignore" });
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { MAIN } from "../cli/run.ts";

const PEAK = fileURLToPath(new URL("peak.js", import.meta.url));
/** What is kept of the text on standard error, characters. */
const TALK = 1 << 16;

/** What a command did, and what its process took. */
export interface Watched {
  readonly exit: number | null;
  /** The end of it. */
  readonly stderr: string;
  /** MiB of memory at most; null: the process was ended from outside, or by the engine. */
  readonly peak: number | null;
}

/** Runs the built command in a process of its own; what it prints goes nowhere. Linux tells the peak. */
export async function watched(words: readonly string[]): Promise<Watched> {
  const child = spawn(process.execPath, ["--import", PEAK, MAIN, ...words], {
    stdio: ["ignore", "ignore", "pipe", "pipe"],
    killSignal: "SIGKILL",
    timeout: 600_000,
  });
  let [stderr, peak] = ["", ""];
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-TALK);
  });
  child.stdio[3]!.on("data", (bytes: Buffer) => {
    peak += bytes.toString();
  });
  await once(child, "close");
  return { exit: child.exitCode, stderr, peak: peak.trim() === "" ? null : Number(peak) / 1024 };
}

/** What the measurements of the server share. */
import { readFileSync } from "node:fs";

/** Units in which the system counts processor time, in a second. */
const TICKS = 100;

/** What a process has used. */
export interface Use {
  /** Seconds of CPU so far, and of them those of its first thread, which answers requests. */
  readonly cpu: number;
  readonly first: number;
  /** MiB that are resident. */
  readonly memory: number;
}

/** What a process has used so far, without its child processes. */
export function useOf(pid: number): Use {
  const secondsIn = (path: string): number => {
    const fields = readFileSync(path, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  };
  const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
  return { cpu: secondsIn(`/proc/${pid}/stat`), first: secondsIn(`/proc/${pid}/task/${pid}/stat`), memory };
}

/** The value below which the share `part` of all values is; NaN without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function later(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Prints a line for each name. */
export function print(row: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(row)) process.stdout.write(`${name.padEnd(34)} ${value.toFixed(1)}\n`);
}

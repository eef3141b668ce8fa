/** Loaded before a command: says on descriptor 3 how much memory its process took at most, in KiB. */
import { readFileSync, writeSync } from "node:fs";

process.on("exit", () => {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  writeSync(3, `${peak ?? ""}\n`);
});

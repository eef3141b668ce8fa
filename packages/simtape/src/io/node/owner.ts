import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Milliseconds after which what another machine left is taken for abandoned. */
const ABANDONED = 5 * 60_000;

/** A new mark of this process, for names of files and what is in them: letters, digits and points. */
export function newMark(): string {
  return `${MACHINE}.${process.pid}.${startOf(process.pid)}.${randomBytes(6).toString("hex")}`;
}

/** What a mark looks like. */
export const MARK: RegExp = /[0-9a-f]{12}\.\d+\.[0-9a-z]+\.[0-9a-f]+/;

/**
 * True when the process that made `mark` has ended. Of another machine's that is not known: it counts as ended when what
 * bears the mark is `age` milliseconds old, five minutes or more.
 */
export function isGone(mark: string, age: number): boolean {
  const [machine, pid, start] = mark.split(".");
  if (machine !== MACHINE) return age > ABANDONED;
  const number = Number(pid);
  return !isRunning(number) || startOf(number) !== start;
}

/** The same for processes that see the same process ids: this boot of this machine, this namespace. */
const MACHINE = createHash("sha256")
  .update(`${hostname()}\n${told(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))}`)
  .update(told(() => readlinkSync("/proc/self/ns/pid")))
  .digest("hex")
  .slice(0, 12);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** When a process began, in ticks since the boot: process ids are used again. `0` where the system does not tell, `ended` when only its parent still has to hear of it. */
function startOf(pid: number): string {
  const text = told(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The second field, the name, may have spaces and brackets of its own; the start is field 22. man proc(5)
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? "ended" : (fields[19] ?? "0");
}

function told(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Milliseconds after which what another machine left is taken for abandoned. */
export const ABANDONED: number = 5 * 60_000;

/** A new mark of this process, for names of files and what is in them: letters, digits and points. */
export function newMark(): string {
  return `${MACHINE}.${process.pid}.${startOf(process.pid)}.${randomBytes(6).toString("hex")}`;
}

/** What a mark looks like. */
export const MARK: RegExp = /[0-9a-f]{12}\.\d+\.[0-9a-z]+\.[0-9a-f]+/;

/**
 * True when the process that made `mark` has ended. A process of another machine cannot be looked up: it counts as ended
 * when the file with the mark is five minutes old or more; `age` is in milliseconds.
 */
export function isGone(mark: string, age: number): boolean {
  const [machine, pid, start] = mark.split(".");
  if (machine !== MACHINE) return age > ABANDONED;
  const number = Number(pid);
  return !isRunning(number) || startOf(number) !== start;
}

/** The same for processes that see the same process ids: this boot of this machine, this namespace. */
const MACHINE = createHash("sha256")
  .update(`${hostname()}\n${textOrEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))}`)
  .update(textOrEmpty(() => readlinkSync("/proc/self/ns/pid")))
  .digest("hex")
  .slice(0, 12);

/** This machine: its name, and what tells whether it has started again; null where the system has no id of its own. */
export const HOST: { readonly name: string; readonly start: string | null } = hostOf();

function hostOf(): typeof HOST {
  const name = hostname().replace(/\s+/g, "-") || "unknown";
  const id = textOrEmpty(() => readFileSync("/etc/machine-id", "utf8")).trim();
  const boot = textOrEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  const short = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 12);
  return { name, start: id === "" || boot === "" ? null : `${short(`${name}\n${id}`)}.${short(boot)}` };
}

/** Whether `start` is of this machine before it was started last: no process of then runs any more. */
export function isEarlierStart(start: string): boolean {
  const [machine, boot] = start.split(".");
  const [own, present] = (HOST.start ?? "").split(".");
  return own !== "" && machine === own && boot !== undefined && boot !== present;
}

/** Whether the process that made `mark` is of this machine, as it runs now. */
export function isOfThisMachine(mark: string): boolean {
  return mark.split(".")[0] === MACHINE;
}

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
  const text = textOrEmpty(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  // The second field, the name, may have spaces and brackets of its own; the start is field 22. man proc(5)
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? "ended" : (fields[19] ?? "0");
}

function textOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

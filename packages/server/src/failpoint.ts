/** What happens at a failpoint; the code that reached it waits for the result. */
export type Reached = () => Promise<unknown>;

/** Ends the process as a power cut does: no further code runs, not even `finally`. */
function kill(): Promise<unknown> {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
}

let armed = process.env["SIMTAPE_FAILPOINT"] ?? null;
let reached: Reached = kill;

/**
 * A place between two durable writes. A test names a failpoint, in `SIMTAPE_FAILPOINT` or by `armFailpoint`, ends the
 * process there, and checks what a restart makes of the stored data. All other failpoints do nothing.
 */
export function failpoint(name: string): Promise<unknown> | undefined {
  return name === armed ? reached() : undefined;
}

/** Sets what happens at the failpoint of this name, and at no other; null: at none. */
export function armFailpoint(name: string | null, then: Reached = kill): void {
  [armed, reached] = [name, then];
}

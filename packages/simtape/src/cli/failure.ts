/** What a process ends with. */
export const EXIT = { done: 0, failed: 1, usage: 2, lossy: 3 } as const;

/** The command was used wrongly: said in one line, exit 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

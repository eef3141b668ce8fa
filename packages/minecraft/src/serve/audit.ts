import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Person } from "../tickets/ticket.ts";

/** An action of a person, or one that was refused. */
export interface Deed {
  readonly person: Person;
  /** The address of the person. */
  readonly address: string;
  readonly action: "open" | "leave" | "ticket" | "mark" | "report";
  /** Null: it is not known which recording. */
  readonly recording: string | null;
  /** Why the action was allowed: `public`, `own`, or the ticket's id. */
  readonly by?: string;
  /** Why it was refused; absent: it was allowed. */
  readonly refused?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The log of who saw what, a line of JSON each. A line is on the disk before the action happens. */
export class Audit {
  readonly #handle: FileHandle;
  #last: Promise<void> = Promise.resolve();
  #isBroken = false;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Opens a file to append, or makes it, readable for its owner alone. Rejects when it cannot be written. */
  static async to(path: string): Promise<Audit> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new Audit(await open(path, "a", 0o600));
  }

  /** Settles when the line is on the disk. Rejects when it cannot be written: then the action must not happen. */
  note({ person, address, action, recording, by, refused, details }: Deed): Promise<void> {
    const { uuid, name } = person;
    const time = new Date().toISOString();
    const line = { time, uuid, name, address, action, recording, by, refused, ...details };
    const noted = this.#last.then(() => this.#write(`${JSON.stringify(line)}\n`));
    this.#last = noted.catch(() => undefined);
    return noted;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#handle.close();
  }

  async #write(line: string): Promise<void> {
    const text = this.#isBroken ? `\n${line}` : line;
    // the next line must not be appended to an incomplete one
    this.#isBroken = true;
    await this.#handle.appendFile(text);
    await this.#handle.datasync();
    this.#isBroken = false;
  }
}

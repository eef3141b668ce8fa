import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Person } from "../tickets/ticket.ts";

/** What a person did, or was refused. */
export interface Deed {
  readonly person: Person;
  /** Where it came from. */
  readonly address: string;
  readonly action: "open" | "leave" | "ticket" | "mark";
  /** Null: which one is not known. */
  readonly recording: string | null;
  /** Why it was allowed: `public`, `own`, or the ticket's id. */
  readonly by?: string;
  /** Why it was refused; absent: it was allowed. */
  readonly refused?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Who saw what, a line of JSON each. A line is on the disk before what it says is done. */
export class Audit {
  readonly #handle: FileHandle;
  #last: Promise<void> = Promise.resolve();
  #isBroken = false;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Goes on with a file, or begins it, for its owner alone. Rejects where it cannot be written. */
  static async to(path: string): Promise<Audit> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new Audit(await open(path, "a", 0o600));
  }

  /** Settles when it is kept. Rejects where it cannot be: then it must not be done. */
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
    // until it is whole, the next line does not go on with it
    this.#isBroken = true;
    await this.#handle.appendFile(text);
    await this.#handle.datasync();
    this.#isBroken = false;
  }
}

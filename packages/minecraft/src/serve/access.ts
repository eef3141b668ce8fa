import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { UsageError } from "simtape/serving";
import { subjectsOf } from "../scene/profiles.ts";
import { UsedTickets } from "../tickets/used.ts";
import { type Person, verify } from "../tickets/ticket.ts";
import { Audit, type Deed } from "./audit.ts";
import type { Stored } from "../stored/recordings.ts";

/** What is open to all who come: nothing, the recordings that they are in themselves, or all. */
export const PUBLIC = ["off", "own", "all"] as const;
export type Public = (typeof PUBLIC)[number];

export interface AccessOptions {
  readonly isPublic: Public;
  /** Of tickets; null: there are none. */
  readonly key: Uint8Array | null;
  /** File of the audit; null: none is kept, as far as all is public and there are no tickets. */
  readonly audit: string | null;
}

/** One who asks, and from where. */
export interface Asker extends Person {
  readonly address: string;
}

/** Decides who may open what. Every way to a recording leads through here, before it is opened. */
export class Access {
  readonly #options: AccessOptions;
  readonly #audit: Audit | null;
  readonly #used: UsedTickets | null;
  /** By asker: what tickets have opened, and which. */
  readonly #granted = new WeakMap<Asker, Map<string, string>>();
  /** By path: who is in it, as long as its size and time are these. */
  readonly #subjects = new Map<string, { readonly state: string; readonly uuids: ReadonlySet<string> }>();

  private constructor(options: AccessOptions, audit: Audit | null, used: UsedTickets | null) {
    this.#options = options;
    this.#audit = audit;
    this.#used = used;
  }

  /** Rejects where the audit cannot be written. */
  static async open(options: AccessOptions): Promise<Access> {
    const { key, audit: path } = options;
    if (path === null) return new Access(options, null, null);
    const audit = await Audit.to(path);
    const used = key === null ? null : await UsedTickets.in(join(dirname(path), "used-tickets"), seconds());
    return new Access(options, audit, used);
  }

  /** Those of the recordings that it may open. Where that can be none, the store is not even looked into. */
  async allowed(asker: Asker, storedIn: () => Promise<readonly Stored[]>): Promise<readonly Stored[]> {
    if (this.#options.isPublic === "off" && !this.#granted.has(asker)) return [];
    const stored = await storedIn();
    const reasons = await Promise.all(stored.map((one) => this.#reason(asker, one)));
    return stored.filter((_, i) => reasons[i] !== null);
  }

  /** Settles when it may be opened, and that is noted. Throws `UsageError`. */
  async enter(asker: Asker, stored: Stored): Promise<void> {
    const by = await this.#reason(asker, stored);
    const deed = { action: "open", recording: stored.title } as const;
    if (by !== null) return this.#note(asker, { ...deed, by });
    await this.#note(asker, { ...deed, refused: "no ticket" });
    throw new UsageError(`${stored.title} is not open to you: it takes a ticket, /review TICKET`);
  }

  /** Notes that it asked for a recording, by this name, that is not open to it, or is not there. */
  async refuse(asker: Asker, recording: string): Promise<void> {
    if (this.#options.isPublic !== "all") await this.#note(asker, { action: "open", recording, refused: "no ticket" });
  }

  /** Uses a ticket; gives the recording that it opens, as long as the asker is there. Throws `UsageError`. */
  async redeem(asker: Asker, text: string, storedIn: () => Promise<readonly Stored[]>): Promise<Stored> {
    const { key } = this.#options;
    if (key === null || this.#used === null) throw new UsageError("this server takes no tickets");
    const valid = verify(key, text, asker, seconds());
    if (typeof valid === "string") return this.#refuse(asker, valid, null);
    const { id, until } = valid;
    const found = (await storedIn()).find(({ title }) => valid.isFor(title));
    if (found === undefined) return this.#refuse(asker, "of a recording that is not here", null, id);
    if (!(await this.#used.use(id, until))) return this.#refuse(asker, "used before", found.title, id);
    await this.#note(asker, { action: "ticket", recording: found.title, by: id });
    const granted = this.#granted.get(asker) ?? new Map<string, string>();
    this.#granted.set(asker, granted.set(found.title, id));
    return found;
  }

  /** Notes what an asker does with what is open to it. Rejects where that cannot be kept. */
  note(asker: Asker, deed: Omit<Deed, "person" | "address">): Promise<void> {
    return this.#note(asker, deed);
  }

  async close(): Promise<void> {
    await this.#audit?.close();
  }

  async #refuse(asker: Asker, refused: string, recording: string | null, id?: string): Promise<never> {
    await this.#note(asker, { action: "ticket", recording, refused, ...(id === undefined ? {} : { details: { id } }) });
    throw new UsageError(`the ticket is ${refused}`);
  }

  async #note({ uuid, name, address }: Asker, deed: Omit<Deed, "person" | "address">): Promise<void> {
    await this.#audit?.note({ person: { uuid, name }, address, ...deed }).catch(() => {
      throw new UsageError("the audit cannot be written, so nothing is opened");
    });
  }

  /** Why it may be opened; null: it may not. */
  async #reason(asker: Asker, { title, path }: Stored): Promise<string | null> {
    const ticket = this.#granted.get(asker)?.get(title);
    if (ticket !== undefined) return ticket;
    const { isPublic } = this.#options;
    if (isPublic === "all") return "public";
    return isPublic === "own" && (await this.#subjectsIn(path)).has(asker.uuid) ? "own" : null;
  }

  async #subjectsIn(path: string): Promise<ReadonlySet<string>> {
    try {
      const { size, mtimeMs } = await stat(path);
      const state = `${size} ${mtimeMs}`;
      const known = this.#subjects.get(path);
      if (known?.state === state) return known.uuids;
      await using recording = await open(fromFile(path));
      const uuids = subjectsOf(recording);
      this.#subjects.set(path, { state, uuids });
      return uuids;
    } catch {
      // what cannot be read belongs to none; it may be whole the next time
      return new Set();
    }
  }
}

function seconds(): number {
  return Date.now() / 1000;
}

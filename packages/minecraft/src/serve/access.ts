import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { open } from "simtape";
import { fromFile } from "simtape/node";
import { UsageError } from "simtape/command";
import { subjectsOf } from "../scene/profiles.ts";
import { UsedTickets } from "../tickets/used.ts";
import { type Person, verify } from "../tickets/ticket.ts";
import type { Role } from "./points.ts";
import { Audit, type Deed } from "./audit.ts";
import type { Stored } from "../stored/recordings.ts";

/** What every viewer may open: nothing, the recordings that the viewer is in, or all. */
export const PUBLIC = ["off", "own", "all"] as const;
export type Public = (typeof PUBLIC)[number];

export interface AccessOptions {
  readonly isPublic: Public;
  /** The key of tickets; null: there are no tickets. */
  readonly key: Uint8Array | null;
  /** File of the audit; null: none is written, as long as all recordings are public and there are no tickets. */
  readonly audit: string | null;
}

/** A person who asks, with the address. */
export interface Asker extends Person {
  readonly address: string;
}

/** The recordings that a person may open, by the reason; all others need a ticket. */
const ROLES: ReadonlyMap<string, Role> = new Map([
  ["public", "public"],
  ["own", "subject"],
]);

/** Decides who may open which recording. Every way to a recording passes here before the recording is opened. */
export class Access {
  readonly #options: AccessOptions;
  readonly #audit: Audit | null;
  readonly #used: UsedTickets | null;
  /** By person: the recordings that tickets have opened, and the tickets. */
  readonly #granted = new WeakMap<Asker, Map<string, string>>();
  /** By path: the players in it, valid while its size and time stay the same. */
  readonly #subjects = new Map<string, { readonly state: string; readonly uuids: ReadonlySet<string> }>();

  private constructor(options: AccessOptions, audit: Audit | null, used: UsedTickets | null) {
    this.#options = options;
    this.#audit = audit;
    this.#used = used;
  }

  /** Rejects when the audit cannot be written. */
  static async open(options: AccessOptions): Promise<Access> {
    const { key, audit: path } = options;
    if (path === null) return new Access(options, null, null);
    const audit = await Audit.to(path);
    const used = key === null ? null : await UsedTickets.in(join(dirname(path), "used-tickets"), seconds());
    return new Access(options, audit, used);
  }

  /** The recordings that the person may open. When that can be none, the store is not read at all. */
  async allowed(asker: Asker, storedIn: () => Promise<readonly Stored[]>): Promise<readonly Stored[]> {
    if (this.#options.isPublic === "off" && !this.#granted.has(asker)) return [];
    const stored = await storedIn();
    const reasons = await Promise.all(stored.map((one) => this.#reason(asker, one)));
    return stored.filter((_, i) => reasons[i] !== null);
  }

  /** Settles when the recording may be opened and this is logged; returns the reason. Throws `UsageError`. */
  async enter(asker: Asker, stored: Stored): Promise<Role> {
    const by = await this.#reason(asker, stored);
    const deed = { action: "open", recording: stored.title } as const;
    if (by !== null) {
      await this.#note(asker, { ...deed, by });
      return ROLES.get(by) ?? "reviewer";
    }
    await this.#note(asker, { ...deed, refused: "no ticket" });
    throw new UsageError(`${stored.title} is not open to you: it takes a ticket, /review TICKET`);
  }

  /** Logs that a person asked for a recording, by this name, which they may not open or which does not exist. */
  async refuse(asker: Asker, recording: string): Promise<void> {
    if (this.#options.isPublic !== "all") await this.#note(asker, { action: "open", recording, refused: "no ticket" });
  }

  /** Uses a ticket; returns the recording that it opens while the person is connected. Throws `UsageError`. */
  async redeem(asker: Asker, text: string, storedIn: () => Promise<readonly Stored[]>): Promise<Stored> {
    const { key } = this.#options;
    if (key === null || this.#used === null) throw new UsageError("this server takes no tickets");
    const valid = verify(key, text, asker, seconds());
    if (typeof valid === "string") return this.#refuse(asker, valid, null);
    const { id, until } = valid;
    const found = (await storedIn()).find(({ title }) => valid.isFor(title));
    if (found === undefined) return this.#refuse(asker, "for a recording that this server does not have", null, id);
    if (!(await this.#used.use(id, until))) return this.#refuse(asker, "used before", found.title, id);
    await this.#note(asker, { action: "ticket", recording: found.title, by: id });
    const granted = this.#granted.get(asker) ?? new Map<string, string>();
    this.#granted.set(asker, granted.set(found.title, id));
    return found;
  }

  /** Logs what a person does with a recording that they may open. Rejects when the line cannot be written. */
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

  /** Why the recording may be opened; null: it may not. */
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
      // a recording that cannot be read belongs to no player; it may be complete the next time
      return new Set();
    }
  }
}

function seconds(): number {
  return Date.now() / 1000;
}

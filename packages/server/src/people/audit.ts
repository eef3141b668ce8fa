import type { FastifyRequest } from "fastify";
import type { Query } from "../database/database.ts";
import { isOwn, type Owned } from "./person.ts";

/** What was done, and to which recording if any; the rest comes from the request. */
export interface Deed {
  readonly action: string;
  readonly recording?: string | null;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A line of the log. */
interface Line extends Deed {
  readonly who: string | null;
  readonly role: string;
  readonly request?: string;
  readonly address?: string;
}

/** The properties of a recording that a line about reading it needs. */
type Read = Pick<Owned, "id" | "owner" | "subjects">;

/** Milliseconds in which all reads of one recording by one person make one line. */
const SAME_READ = 10 * 60_000;

/** The log of who did what. The database refuses to change a line. */
export class Audit {
  readonly #query: Query;
  readonly #reads = new Map<string, number>();

  constructor(query: Query) {
    this.#query = query;
  }

  /** Settles when the line is stored, so that the request is answered after it was logged. */
  async note({ person, id, ip }: FastifyRequest, { action, recording = null, details = {} }: Deed): Promise<void> {
    await this.add({ who: person.id, role: person.role, action, recording, request: id, address: ip, details });
  }

  /** Like `note`, for an action without a request. */
  async add(line: Line): Promise<void> {
    const { who, role, action, recording = null, request = null, address = null, details = {} } = line;
    await this.#query
      .insertInto("audit")
      .values({ who, role, action, recording, request, address, details: JSON.stringify(details) })
      .execute();
  }

  /**
   * Like `note`, for reading a recording of another owner: once in ten minutes for the same person, recording and
   * `details`.
   */
  async noteRead(request: FastifyRequest, recording: Read, details: Deed["details"] = {}): Promise<void> {
    const { person } = request;
    if (isOwn(person, recording)) return;
    const { id } = recording;
    const key = `${person.id ?? request.ip} ${id} ${JSON.stringify(details)}`;
    const now = Date.now();
    if ((this.#reads.get(key) ?? 0) > now - SAME_READ) return;
    if (this.#reads.size > 50_000) this.#reads.clear();
    this.#reads.set(key, now);
    try {
      await this.note(request, { action: "read", recording: id, details });
    } catch (error) {
      this.#reads.delete(key);
      if (!isFull(error)) throw error;
      // reading still works; the log of the node has the line until there is room
      request.log.warn(
        { request: request.id, who: request.person.id, recording },
        "a read is missing in the audit log: the disk is full",
      );
    }
  }
}

function isFull(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "ENOSPC" || code === "53100";
}

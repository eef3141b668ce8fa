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
/** Lines that one statement inserts. */
const MOST_LINES = 1000;

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
    await this.#insert([line]);
  }

  /**
   * Like `note`, for reading a recording of another owner: once in ten minutes for the same person, recording and
   * `details`.
   */
  async noteRead(request: FastifyRequest, recording: Read, details: Deed["details"] = {}): Promise<void> {
    await this.noteReads(request, [recording], details);
  }

  /** Like `noteRead`, for many recordings at once. */
  async noteReads(request: FastifyRequest, recordings: readonly Read[], details: Deed["details"] = {}): Promise<void> {
    const { person, id: asked, ip } = request;
    const now = Date.now();
    const news = new Map<string, string>();
    const rest = JSON.stringify(details);
    for (const recording of recordings) {
      const { id } = recording;
      const key = `${person.id ?? ip} ${id} ${rest}`;
      if (!isOwn(person, recording) && (this.#reads.get(key) ?? 0) <= now - SAME_READ) news.set(key, id);
    }
    if (news.size === 0) return;
    if (this.#reads.size > 50_000) this.#reads.clear();
    for (const key of news.keys()) this.#reads.set(key, now);
    try {
      const ids = [...news.values()];
      for (let at = 0; at < ids.length; at += MOST_LINES)
        await this.#insert(
          ids.slice(at, at + MOST_LINES).map((recording) => {
            return {
              who: person.id,
              role: person.role,
              action: "read",
              recording,
              request: asked,
              address: ip,
              details,
            };
          }),
        );
    } catch (error) {
      for (const key of news.keys()) this.#reads.delete(key);
      if (!isFull(error)) throw error;
      // reading still works; the log of the node has the line until there is room
      request.log.warn(
        { request: request.id, who: request.person.id, recordings: [...news.values()] },
        "a read is missing in the audit log: the disk is full",
      );
    }
  }

  async #insert(lines: readonly Line[]): Promise<void> {
    if (lines.length === 0) return;
    await this.#query.insertInto("audit").values(lines.map(rowOf)).execute();
  }
}

function rowOf(line: Line) {
  const { who, role, action, recording = null, request = null, address = null, details = {} } = line;
  return { who, role, action, recording, request, address, details: JSON.stringify(details) };
}

function isFull(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "ENOSPC" || code === "53100";
}

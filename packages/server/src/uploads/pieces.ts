import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Store, StoreError } from "simtape";
import { directoryStore } from "simtape/node";
import { failpoint } from "../failpoint.ts";
import { s3Library } from "../library/s3.ts";
import type { Settings } from "../settings.ts";

/** Bytes of a piece: an upload loses less than this when its connection breaks, and needs this much memory. */
const PIECE = 4 << 20;

/** What the client said about an upload when it began. */
export interface UploadFacts {
  readonly bytes: number;
  /** Folders and name on the sender's machine, joined by `/`. */
  readonly name: string;
  /** Files that are sent together have the same batch. */
  readonly batch: string;
  /** Id of the account; "operator" on an open server. */
  readonly owner: string;
  /** Unix milliseconds. */
  readonly begun: number;
}

/**
 * Uploads in progress, as pieces in a store that all nodes reach: `ID/facts`, `ID/0000000000000000` and so on by
 * offset. A piece is only put when there is none at its offset, so of two connections that continue one upload the
 * second is refused.
 */
export class Pieces {
  readonly #settings: Settings;
  #opened: Promise<Store> | null = null;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  async begin(id: string, facts: UploadFacts): Promise<void> {
    const bytes = new TextEncoder().encode(JSON.stringify(facts));
    await (await this.#store()).put(`${id}/facts`, bytes, { condition: { absent: true } });
  }

  /** Null: the upload does not exist, or is over. */
  async facts(id: string): Promise<UploadFacts | null> {
    return (await this.#json(`${id}/facts`)) as UploadFacts | null;
  }

  /** Its path in the library; null: not decided yet. */
  async goal(id: string): Promise<string | null> {
    return ((await this.#json(`${id}/goal`)) as { key: string } | null)?.key ?? null;
  }

  /** The path stays known for a while when the upload is over. */
  async setGoal(id: string, key: string): Promise<void> {
    await (await this.#store()).put(`${id}/goal`, new TextEncoder().encode(JSON.stringify({ key })));
  }

  /** Number of bytes that are stored. */
  async received(id: string): Promise<number> {
    let end = 0;
    for await (const { size } of this.#pieces(id)) end += size;
    return end;
  }

  /**
   * Stores the received bytes from `offset` on; returns the end of what is stored. Bytes that came before a broken
   * connection are stored, too. Rejects with `StoreError` "conflict" when another connection has sent the same part
   * meanwhile.
   */
  async append(id: string, offset: number, most: number, body: AsyncIterable<Uint8Array>): Promise<number> {
    let end = offset;
    let parts: Uint8Array[] = [];
    let held = 0;
    const keep = async (): Promise<void> => {
      if (held === 0) return;
      const piece = Buffer.concat(parts);
      [parts, held] = [[], 0];
      await (await this.#store()).put(`${id}/${nameOf(end)}`, piece, { condition: { absent: true } });
      end += piece.length;
      await failpoint("uploads/piece-stored");
    };
    try {
      for await (const part of body) {
        const wanted = part.subarray(0, most - end - held);
        parts.push(wanted);
        held += wanted.length;
        if (held >= PIECE) await keep();
        if (end + held >= most) break;
      }
    } catch (error) {
      // the connection broke; the bytes that came are good
      if (error instanceof StoreError) throw error;
    }
    await keep();
    return end;
  }

  async *content(id: string): AsyncGenerator<Uint8Array> {
    const store = await this.#store();
    for await (const { key } of this.#pieces(id)) {
      const found = await store.get(key);
      if (found === null) throw new Error(`a piece of the upload ${id} is missing`);
      yield found.bytes;
    }
  }

  /** Deletes the whole upload; with `keepsGoal` the path of a placed upload stays known. */
  async remove(id: string, keepsGoal: boolean): Promise<void> {
    const store = await this.#store();
    const keys: string[] = [];
    for await (const { key } of store.list(`${id}/`)) keys.push(key);
    // delete the facts last: as long as they exist, the rest can be found again
    keys.sort((a, b) => Number(a.endsWith("/facts")) - Number(b.endsWith("/facts")));
    for (const key of keys) {
      if (keepsGoal && key.endsWith("/goal")) continue;
      await store.delete(key);
      await failpoint("uploads/part-removed");
    }
  }

  /**
   * Ids of complete uploads that are not yet placed and cleared away; `idle`: ids of uploads that are incomplete or
   * over, and got no bytes since this time, Unix milliseconds.
   */
  async look(time = 0): Promise<{ readonly owed: readonly string[]; readonly idle: readonly string[] }> {
    const found = new Map<string, { last: number; end: number; hasFacts: boolean; hasGoal: boolean }>();
    for await (const { key, size, modified } of (await this.#store()).list("")) {
      const [id, name] = key.split("/") as [string, string];
      const one = found.get(id) ?? { last: 0, end: 0, hasFacts: false, hasGoal: false };
      found.set(id, one);
      one.last = Math.max(one.last, modified);
      if (name === nameOf(one.end)) one.end += size;
      one.hasFacts ||= name === "facts";
      one.hasGoal ||= name === "goal";
    }
    const owed: string[] = [];
    const idle: string[] = [];
    for (const [id, { last, end, hasFacts, hasGoal }] of found) {
      const bytes = hasFacts && !hasGoal && end > 0 ? ((await this.facts(id))?.bytes ?? Infinity) : Infinity;
      if (hasFacts && (hasGoal || end >= bytes)) owed.push(id);
      else if (last < time) idle.push(id);
    }
    return { owed, idle };
  }

  /** Returns the pieces in order, as long as they follow each other. */
  async *#pieces(id: string): AsyncGenerator<{ readonly key: string; readonly size: number }> {
    let end = 0;
    for await (const { key, size } of (await this.#store()).list(`${id}/0`)) {
      if (key !== `${id}/${nameOf(end)}`) return;
      yield { key, size };
      end += size;
    }
  }

  async #json(key: string): Promise<unknown> {
    const found = await (await this.#store()).get(key);
    return found === null ? null : JSON.parse(new TextDecoder().decode(found.bytes));
  }

  #store(): Promise<Store> {
    this.#opened ??= open(this.#settings);
    return this.#opened;
  }
}

async function open(settings: Settings): Promise<Store> {
  if (settings.store.startsWith("s3://"))
    return s3Library({ ...settings, store: `${settings.store.replace(/\/$/, "")}/.simtape/uploads` }).store("");
  const folder = join(settings.data, "uploads");
  await mkdir(folder, { recursive: true });
  return directoryStore(folder);
}

/** Sixteen digits, so that the order of the names is that of the offsets. */
function nameOf(offset: number): string {
  return String(offset).padStart(16, "0");
}

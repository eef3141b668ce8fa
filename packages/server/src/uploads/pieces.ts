import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Store, StoreError } from "simtape";
import { directoryStore } from "simtape/node";
import { s3Library } from "../library/s3.ts";
import type { Settings } from "../settings.ts";

/** Bytes of a piece: what is lost of an upload when its connection breaks is less, and each takes so much memory. */
const PIECE = 4 << 20;

/** What was said of an upload when it began. */
export interface UploadFacts {
  readonly bytes: number;
  /** Folders and name, as the sender has them, joined by `/`. */
  readonly name: string;
  /** What is sent together has one. */
  readonly batch: string;
  /** Id of the account; "operator" on an open server. */
  readonly owner: string;
  /** Unix milliseconds. */
  readonly begun: number;
}

/**
 * Uploads that are under way, as pieces in a store that all nodes reach: `ID/facts`, `ID/0000000000000000` and so on by
 * offset. A piece is put on the condition that there is none, so of two that continue one upload the second is refused.
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

  /** Null: there is none, or it is over. */
  async facts(id: string): Promise<UploadFacts | null> {
    return (await this.#json(`${id}/facts`)) as UploadFacts | null;
  }

  /** Where it goes in the library; null: that is not settled. */
  async goal(id: string): Promise<string | null> {
    return ((await this.#json(`${id}/goal`)) as { key: string } | null)?.key ?? null;
  }

  /** It stays for a while when the upload is over. */
  async setGoal(id: string, key: string): Promise<void> {
    await (await this.#store()).put(`${id}/goal`, new TextEncoder().encode(JSON.stringify({ key })));
  }

  /** Bytes that are kept. */
  async received(id: string): Promise<number> {
    let end = 0;
    for await (const { size } of this.#pieces(id)) end += size;
    return end;
  }

  /**
   * Keeps what comes, from `offset` on; gives the end of what is kept. What came before a break is kept, too. Rejects
   * with `StoreError` "conflict" where another has sent the same part meanwhile.
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
      // of a connection that broke; what came is good
      if (error instanceof StoreError) throw error;
    }
    await keep();
    return end;
  }

  async *content(id: string): AsyncGenerator<Uint8Array> {
    const store = await this.#store();
    for await (const { key } of this.#pieces(id)) {
      const found = await store.get(key);
      if (found === null) throw new Error(`a piece of the upload ${id} went`);
      yield found.bytes;
    }
  }

  /** Takes away all of it; what is placed stays known where `keepsGoal`. */
  async remove(id: string, keepsGoal: boolean): Promise<void> {
    const store = await this.#store();
    const keys: string[] = [];
    for await (const { key } of store.list(`${id}/`)) keys.push(key);
    // the facts at last: as long as they are there, the rest is found again
    keys.sort((a, b) => Number(a.endsWith("/facts")) - Number(b.endsWith("/facts")));
    for (const key of keys) if (!keepsGoal || !key.endsWith("/goal")) await store.delete(key);
  }

  /** Ids of those that nothing was added to since then, Unix milliseconds. */
  async idleSince(time: number): Promise<readonly string[]> {
    const last = new Map<string, number>();
    for await (const { key, modified } of (await this.#store()).list("")) {
      const id = key.split("/")[0]!;
      last.set(id, Math.max(last.get(id) ?? 0, modified));
    }
    return [...last].filter(([, modified]) => modified < time).map(([id]) => id);
  }

  /** In order, as far as they follow each other. */
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

/** Sixteen digits: the order of names is that of offsets. */
function nameOf(offset: number): string {
  return String(offset).padStart(16, "0");
}

import { Gate, NO_BYTES } from "./gate.ts";
import { Shared } from "./shared.ts";
import type { ByteSource } from "./source.ts";

/** How far reads may lie apart, and how much one merged read may fetch. */
export interface CoalescedOptions {
  /** Largest gap in bytes that is fetched for nothing to save a read; default 64 KiB. */
  readonly gap?: number;
  /** Largest merged read in bytes; default 4 MiB. A single read may be larger and goes alone. */
  readonly limit?: number;
}

/**
 * Merges reads made in the same microtask into few larger ones. Members of a merged read are copied out of it, so that
 * a small one does not keep the whole alive. The abort of one leaves its neighbours alone; the merged read is aborted
 * when all have left. Closing it closes `source`.
 */
export function coalesced(source: ByteSource, options: CoalescedOptions = {}): ByteSource {
  return new CoalescedSource(source, options.gap ?? 64 * 1024, options.limit ?? 4 * 1024 * 1024);
}

interface Member {
  readonly offset: number;
  readonly end: number;
  readonly signal: AbortSignal;
  readonly resolve: (bytes: Uint8Array | Promise<Uint8Array>) => void;
}

class CoalescedSource implements ByteSource {
  readonly name: string;
  readonly #gate: Gate;
  readonly #source: ByteSource;
  readonly #gap: number;
  readonly #limit: number;
  #queue: Member[] = [];

  constructor(source: ByteSource, gap: number, limit: number) {
    this.name = source.name;
    this.#gate = new Gate(source.name);
    this.#source = source;
    this.#gap = gap;
    this.#limit = limit;
  }

  async size(): Promise<number | null> {
    this.#gate.refuse();
    return this.#source.size();
  }

  async read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> {
    this.#gate.enter(offset, length, signal);
    if (length === 0) return NO_BYTES;
    return this.#gate.run(signal, (inner) => this.#enqueue(offset, length, inner));
  }

  async close(): Promise<void> {
    this.#gate.close();
    await this.#source.close();
  }

  #enqueue(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
    return new Promise<Uint8Array>((resolve) => {
      if (this.#queue.length === 0) queueMicrotask(() => this.#flush());
      this.#queue.push({ offset, end: offset + length, signal, resolve });
    });
  }

  #flush(): void {
    const members = this.#queue.filter((member) => !member.signal.aborted).sort((a, b) => a.offset - b.offset);
    this.#queue = [];
    for (let i = 0; i < members.length; ) {
      const first = members[i]!;
      const group = [first];
      let end = first.end;
      for (i++; i < members.length; i++) {
        const next = members[i]!;
        const grown = Math.max(end, next.end);
        if (next.offset - end > this.#gap || grown - first.offset > this.#limit) break;
        group.push(next);
        end = grown;
      }
      this.#fetch(group, first.offset, end);
    }
  }

  #fetch(group: readonly Member[], start: number, end: number): void {
    if (group.length === 1) {
      const { signal, resolve } = group[0]!;
      resolve(this.#source.read(start, end - start, signal));
      return;
    }
    const shared = new Shared((signal) => this.#source.read(start, end - start, signal));
    for (const { offset, end: stop, signal, resolve } of group) {
      resolve(shared.join(signal).then((bytes) => bytes.slice(offset - start, stop - start)));
    }
  }
}

import { ByteBuilder } from "../../bytes/builder.ts";
import { toColumns } from "../../formats/hcrp/columns/writing.ts";
import type { Framer } from "../../formats/hcrp/chunk/frames.ts";
import { ENTRY_SNAPSHOT, type IndexEntry, LIMITS, writeIndexEntry } from "../../formats/hcrp/layout/framing.ts";
import type { ReadableSink } from "../../io/sink/sink.ts";
import type { RawFrame } from "./frame.ts";

/** Bytes handed to the sink at once, about, and moved at once. */
const PIECE = 1 << 20;

/** What a preamble is made of when all chunks are known. */
export interface CompactedLayout {
  readonly tickCount: number;
  readonly chunkCount: number;
  readonly chunkBytes: number;
  /** The index for chunks that begin at `start` in the file; its length does not depend on it. */
  index(start: number): Uint8Array;
}

/**
 * The one file of a compacted recording (HCRP spec §5). The preamble stands before the chunks and is known last: they
 * are written from 0 on and moved up in the end, so that nothing is ever held or left empty for it.
 */
export class CompactedFile implements CompactedLayout {
  readonly #sink: ReadableSink;
  readonly #framer: Framer;
  readonly #isColumns: boolean;
  readonly #entries: IndexEntry[] = [];
  #piece = new ByteBuilder(PIECE);
  #indexBytes = 0;
  #chunkBytes = 0;
  #tickCount = 0;

  /** `isColumns`: frames hold chunks in columns (HCRP spec §7.5). */
  constructor(sink: ReadableSink, framer: Framer, isColumns: boolean) {
    this.#sink = sink;
    this.#framer = framer;
    this.#isColumns = isColumns;
  }

  get tickCount(): number {
    return this.#tickCount;
  }

  get chunkCount(): number {
    return this.#entries.length;
  }

  get chunkBytes(): number {
    return this.#chunkBytes;
  }

  /** Throws `RangeError` when there are more frames than an index may have (HCRP spec §12). */
  add({ startTick, tickCount, hasSnapshot, raw }: RawFrame): void {
    const content = this.#isColumns ? toColumns(raw, hasSnapshot) : raw;
    const frame = this.#framer.frame(content);
    const entry: IndexEntry = {
      startTick,
      tickCount,
      flags: hasSnapshot ? ENTRY_SNAPSHOT : 0,
      // from the first chunk on
      offsetHigh: 0,
      offsetLow: 0,
      compressedLength: frame.length,
      uncompressedLength: content.length,
      formatVersion: null,
      dataVersion: null,
    };
    const builder = new ByteBuilder(32);
    writeIndexEntry(builder, entry);
    this.#indexBytes += builder.length;
    if (this.#entries.length === LIMITS.chunks || this.#indexBytes > LIMITS.index)
      throw new RangeError(`no room for the index of more than ${this.#entries.length} frames`);
    this.#entries.push(entry);
    this.#chunkBytes += frame.length;
    this.#tickCount = startTick + tickCount;
    this.#piece.raw(frame);
  }

  /** Writes what has come together. To be called between chunks. */
  async settle(isAll = false): Promise<void> {
    if (this.#piece.length < PIECE && !isAll) return;
    const bytes = this.#piece.take();
    if (bytes.length > 0) await this.#sink.write(bytes);
  }

  index(start: number): Uint8Array {
    const builder = new ByteBuilder(this.#indexBytes);
    let at = start;
    for (const entry of this.#entries) {
      writeIndexEntry(builder, { ...entry, offsetHigh: Math.floor(at / 2 ** 32), offsetLow: at % 2 ** 32 });
      at += entry.compressedLength;
    }
    return builder.take();
  }

  /** Puts the preamble before the chunks; everything survives a crash then, but has no name yet. */
  async finish(preamble: Uint8Array): Promise<void> {
    const sink = this.#sink;
    const isWritten = sink.position > 0;
    if (!isWritten) await sink.write(preamble);
    await this.settle(true);
    if (isWritten) await this.#moveUp(preamble);
    await sink.flush();
  }

  async #moveUp(preamble: Uint8Array): Promise<void> {
    const sink = this.#sink;
    const by = preamble.length;
    await sink.write(new Uint8Array(by));
    for (let end = this.#chunkBytes; end > 0; ) {
      const start = Math.max(0, end - PIECE);
      await sink.writeAt(start + by, await sink.read(start, end - start));
      end = start;
    }
    await sink.writeAt(0, preamble);
  }
}

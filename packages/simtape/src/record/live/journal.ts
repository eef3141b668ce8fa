import { ByteBuilder } from "../../bytes/builder.ts";
import { crc32 } from "../../bytes/crc32.ts";
import { ByteCursor } from "../../bytes/cursor.ts";
import type { PartialChunk } from "../../formats/hcrp/write/chunk-series.ts";
import { LIMITS, readUuid, writeUuid } from "../../formats/hcrp/layout/framing.ts";
import { appendToSegment, type FinishedChunk } from "../../formats/hcrp/write/segment-chunk.ts";

/** A local file beside a recording, for what is not committed yet (HCRP spec §8.1). */
export interface JournalFile {
  /** Everything so far is replaced, at once or not at all; on disk when it resolves. */
  replace(bytes: Uint8Array): Promise<void>;
  /** Survives the end of this process when it resolves; without `sync` that of the machine, too. */
  append(bytes: Uint8Array): Promise<void>;
  /** What was appended before is on disk when it resolves. Appending goes on meanwhile. */
  sync?(): Promise<void>;
  /** Null: there is none. */
  read(): Promise<Uint8Array | null>;
  /** The recording is finished: nothing is left of it. */
  remove(): Promise<void>;
}

/** "HCRJ" and the layout's version. */
const MAGIC = 0x4843_524a;
const VERSION = 1;
/** Blocks: u32 length, u32 crc32 of the rest, u8 kind, body. */
const BLOCK_HEAD = 9;
const KIND = { begin: 0, metadata: 1, finished: 2, open: 3, more: 4 } as const;

/** What a journal holds. */
export interface JournalContent {
  readonly recordingId: string;
  /** The metadata section as it was last, NBT. */
  readonly metadata: Uint8Array;
  /** Chunk records and frames, as in a segment. */
  readonly finished: Uint8Array;
  /** The open chunk, inflated; null: there was none. */
  readonly open: {
    readonly startTick: number;
    readonly hasSnapshot: boolean;
    readonly dataVersion: number;
    readonly schemaVersion: number;
    readonly epoch: number;
    /** All ticks before this one are in it, and perhaps, of recorders before version 0.2, the beginning of this one. */
    readonly end: number;
    readonly raw: Uint8Array;
  } | null;
}

/** Mirrors what is not committed into a file, in steps: `bytes()` is what came since the step before. */
export class JournalWriter {
  readonly #recordingId: string;
  readonly #builder = new ByteBuilder();
  #openStart = -1;
  #openLength = 0;

  constructor(recordingId: string) {
    this.#recordingId = recordingId;
  }

  /** A journal from its beginning: `finished` are chunks that are not committed. */
  start(metadata: Uint8Array, finished: readonly FinishedChunk[]): void {
    this.#builder.take();
    this.#openStart = -1;
    this.#block(KIND.begin, (out) => {
      out.u32be(MAGIC).u8(VERSION);
      writeUuid(out, this.#recordingId);
    });
    this.metadata(metadata);
    for (const chunk of finished) this.finished(chunk);
  }

  /** The metadata changed: host events were named. */
  metadata(bytes: Uint8Array): void {
    this.#block(KIND.metadata, (out) => out.raw(bytes));
  }

  /** A chunk is finished; what was written of it while it was open no longer counts. */
  finished(chunk: FinishedChunk): void {
    this.#openStart = -1;
    this.#block(KIND.finished, (out) => {
      appendToSegment(out, chunk, this.#recordingId, 0);
    });
  }

  /** How far the open chunk has come; `end`: the tick that everything before is in it. */
  open(chunk: PartialChunk, end: number): void {
    if (chunk.startTick !== this.#openStart) {
      this.#openStart = chunk.startTick;
      this.#openLength = 0;
      this.#block(KIND.open, (out) => {
        out
          .u32be(chunk.startTick)
          .u8(chunk.hasSnapshot ? 1 : 0)
          .i32be(chunk.dataVersion)
          .u32be(chunk.schemaVersion)
          .u32be(chunk.epoch);
      });
    }
    const bytes = chunk.bytes(this.#openLength);
    this.#openLength = chunk.length;
    this.#block(KIND.more, (out) => out.u32be(end).raw(bytes));
  }

  /** What came since the call before. */
  bytes(): Uint8Array {
    return this.#builder.take();
  }

  #block(kind: number, write: (out: ByteBuilder) => unknown): void {
    const body = new ByteBuilder();
    body.u8(kind);
    write(body);
    const bytes = body.take();
    this.#builder.u32be(bytes.length).u32be(crc32(bytes)).raw(bytes);
  }
}

/** As far as it is whole: a cut or damaged block ends it. Null: no journal, or none that says whose it is. */
export function readJournal(bytes: Uint8Array): JournalContent | null {
  const cursor = new ByteCursor(bytes);
  let recordingId: string | null = null;
  let metadata: Uint8Array = new Uint8Array(0);
  const finished = new ByteBuilder();
  const raw = new ByteBuilder();
  let open: Omit<NonNullable<JournalContent["open"]>, "raw" | "end"> | null = null;
  let end = 0;
  while (cursor.remaining >= BLOCK_HEAD) {
    const length = cursor.u32be();
    const crc = cursor.u32be();
    if (length < 1 || length > cursor.remaining || length > LIMITS.uncompressed * 2) break;
    const body = cursor.view(length);
    if (crc32(body) !== crc) break;
    const block = new ByteCursor(body);
    const kind = block.u8();
    if (recordingId === null && kind !== KIND.begin) return null;
    if (kind === KIND.begin) {
      if (block.u32be() !== MAGIC || block.u8() !== VERSION) return null;
      // what is not committed begins again behind a commit
      recordingId = readUuid(block);
      finished.take();
      open = null;
    } else if (kind === KIND.metadata) metadata = block.view(block.remaining).slice();
    else if (kind === KIND.finished) {
      finished.raw(block.view(block.remaining));
      open = null;
    } else if (kind === KIND.open) {
      raw.take();
      const startTick = block.u32be();
      const hasSnapshot = block.u8() === 1;
      open = { startTick, hasSnapshot, dataVersion: block.i32be(), schemaVersion: block.u32be(), epoch: block.u32be() };
      end = startTick;
    } else if (kind === KIND.more) {
      end = block.u32be();
      raw.raw(block.view(block.remaining));
    }
  }
  if (recordingId === null) return null;
  const isOpen = open !== null && end > open.startTick;
  return {
    recordingId,
    metadata,
    finished: finished.take(),
    open: isOpen ? { ...open!, end, raw: raw.take() } : null,
  };
}

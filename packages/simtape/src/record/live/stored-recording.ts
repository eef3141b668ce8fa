import { ByteCursor } from "../../bytes/cursor.ts";
import { LayoutError } from "../../bytes/error.ts";
import { NBT, type NbtDocument, nbtEntry } from "../../codec/nbt.ts";
import { createLiveWriter } from "../../formats/hcrp/write/create.ts";
import { CHUNK_RECORD_BYTES, readChunkRecord } from "../../formats/hcrp/layout/framing.ts";
import { readMetadata } from "../../formats/hcrp/layout/metadata.ts";
import type { FinishedChunk } from "../../formats/hcrp/write/segment-chunk.ts";
import type { SnapshotSource } from "../../formats/hcrp/write/chunk-series.ts";
import type { HcrpWriter } from "../../formats/hcrp/write/writer.ts";
import { randomUuid } from "../../formats/hcrp/write/profile.ts";
import { type Store, StoreError } from "../../io/store/store.ts";
import type { CreateOptions } from "../../model/writer.ts";
import { countEvents } from "./count-events.ts";
import type { Existing } from "./existing.ts";
import { type JournalContent, type JournalFile, JournalWriter, readJournal } from "./journal.ts";
import { LiveOutput, type OverflowPolicy } from "./live-output.ts";
import { nextEntityIn } from "./next-entity.ts";
import { wholeTicks } from "./whole-ticks.ts";
import { RecordingFolder } from "./recording-folder.ts";

export interface StoredRecordingOptions {
  readonly store: Store;
  readonly id: string;
  readonly create: CreateOptions;
  /** To go on from; null: a new recording. */
  readonly from: Existing | null;
  /** For the writer; null: nothing is written event by event. */
  readonly snapshots: SnapshotSource | null;
  readonly keepsPrevious: boolean;
  readonly journal: JournalFile | null;
  readonly bufferBytes: number;
  readonly policy: OverflowPolicy;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Lets the tick be over that asks for a commit. */
  readonly turn: () => Promise<void>;
  /** Called before metadata are made: what has changed since is noted. */
  readonly noting: () => void;
  /** Events that had to go, by type. */
  readonly dropped: (from: number, until: number, counts: ReadonlyMap<number, number>) => void;
  readonly failed: (error: unknown) => void;
}

/** The journal is begun again with the first commit behind so many bytes. */
const JOURNAL_BYTES = 1 << 20;

/** One recording being written into a store: the writer, the way to the store, and the journal. */
export class StoredRecording {
  readonly writer: HcrpWriter;
  readonly output: LiveOutput;
  /** Ticks taken over from the journal of a recorder that ended without closing. */
  readonly fromJournal: number;
  /** The id behind all that what was taken over has given out. */
  readonly nextEntity: number;
  readonly #journal: JournalFile | null;
  readonly #mirror: JournalWriter;
  readonly #progress: Progress;
  #journalWork: Promise<void> | null = null;
  #journalTrouble: Error | null = null;
  /** Bytes of the journal since it was last replaced; 0: what is there is not ours. */
  #journalBytes = 0;
  /** Puts the journal on disk, while more is written into it. */
  #syncing: Promise<void> | null = null;
  #isSyncWanted = false;
  /** Revision of the metadata in the journal; -1: it must be written from its beginning. */
  #writtenRevision = -1;

  private constructor(
    writer: HcrpWriter,
    output: LiveOutput,
    progress: Progress,
    recordingId: string,
    journal: JournalFile | null,
    fromJournal: number,
    nextEntity: number,
  ) {
    this.writer = writer;
    this.output = output;
    this.fromJournal = fromJournal;
    this.nextEntity = nextEntity;
    this.#progress = progress;
    this.#journal = journal;
    this.#mirror = new JournalWriter(recordingId);
  }

  /** Throws `StoreError` when another recorder has the recording, or it cannot be begun. */
  static async open(options: StoredRecordingOptions): Promise<StoredRecording> {
    const { store, id, create, from, snapshots, journal, failed, sleep, turn } = options;
    const left = journal === null || from === null ? null : await journal.read();
    const content = left === null ? null : readJournal(left);
    const known = from?.reader.preamble.head.extension?.recordingId;
    if (content !== null && content.recordingId !== known)
      throw new StoreError(
        "conflict",
        `the journal is of another recording, ${content.recordingId}: recover that first`,
        id,
      );
    const before = from?.before ?? { index: new Uint8Array(0), chunks: 0, ticks: 0, segment: 0 };
    const generation = (from?.reader.preamble.head.extension?.generation ?? 0) + 1;
    const place = new RecordingFolder(store, id, from?.etag ?? null, options.keepsPrevious);
    const progress = new Progress();
    let output: LiveOutput | null = null;
    let recordingId = "";
    let writer: HcrpWriter | null = null;
    const made = { ...create, metadata: { ...create.metadata, generation, finished: true } };
    writer = await createLiveWriter(
      (profile) => {
        ({ recordingId } = profile);
        output = new LiveOutput({
          recordingId,
          session: randomUuid(),
          generation,
          place,
          bufferBytes: options.bufferBytes,
          policy: options.policy,
          before,
          emptied: (chunk) => emptied(chunk, writer!),
          sleep,
          turn,
          dropped: (chunk) => {
            const counts = new Map<number, number>();
            countEvents(writer!.framer.inflated(chunk.frame), chunk.flags !== 0, counts);
            options.dropped(chunk.startTick, chunk.startTick + chunk.tickCount, counts);
          },
          noting: options.noting,
          names: () => writer!.naming,
          committed: (bytes, until) => progress.committed(bytes, until),
          failed,
        });
        return output;
      },
      made,
      from?.reader ?? null,
      snapshots,
      content === null ? null : newer(metadataOf(content), from!.reader.preamble.metadata),
    );
    const start = writer.end;
    const nextEntity = content === null ? 1 : takeOver(writer, content);
    return new StoredRecording(writer, output!, progress, recordingId, journal, writer.end - start, nextEntity);
  }

  /** Compressed bytes in segments so far, of this recorder. */
  get bytes(): number {
    return this.#progress.bytes;
  }

  /** Everything before this tick is in the store for good. */
  get committedTick(): number {
    return this.#progress.until;
  }

  /** Asks for a commit; what comes of it shows in `committedTick`. */
  commit(tick: number): void {
    this.writer.endChunk(tick);
    this.output.commit(this.writer.preambleOf);
  }

  /** Why the journal was not written when it was last tried; null: it was. */
  get journalTrouble(): Error | null {
    return this.#journalTrouble;
  }

  /** The journal takes nothing now: what was mirrored last is still being written. */
  get isMirroring(): boolean {
    return this.#journalWork !== null;
  }

  /** Mirrors what is not committed of the ticks before `tick`; skipped while the last time is still under way. */
  mirror(tick: number): void {
    if (this.#journal === null || this.#journalWork !== null) return;
    this.#journalWork = this.#mirrorNow(this.#journal, tick).finally(() => {
      this.#journalWork = null;
    });
  }

  async #mirrorNow(journal: JournalFile, tick: number): Promise<void> {
    const { writer, output } = this;
    const isNew = this.#progress.takeChange() || this.#writtenRevision < 0;
    const isWritten = this.#writtenRevision === writer.revision;
    this.#writtenRevision = writer.revision;
    const finished = output.takeFinished();
    if (isNew) this.#mirror.start(writer.metadata(), output.uncommitted);
    else {
      if (!isWritten) this.#mirror.metadata(writer.metadata());
      for (const chunk of finished) this.#mirror.finished(chunk);
    }
    const open = writer.peek(tick);
    if (open !== null) this.#mirror.open(open, tick);
    const bytes = this.#mirror.bytes();
    try {
      // replacing waits for the disk, so what is committed stays in it for a while
      if (isNew && (this.#journalBytes === 0 || this.#journalBytes >= JOURNAL_BYTES)) {
        await journal.replace(bytes);
        this.#journalBytes = bytes.length;
      } else if (bytes.length > 0) {
        await journal.append(bytes);
        this.#journalBytes += bytes.length;
        this.#sync(journal);
      }
      this.#journalTrouble = null;
    } catch (error) {
      this.#failJournal(error);
    }
  }

  /** One at a time: what came meanwhile goes with the next. */
  #sync(journal: JournalFile): void {
    this.#isSyncWanted = true;
    this.#syncing ??= (async () => {
      while (this.#isSyncWanted) {
        this.#isSyncWanted = false;
        await journal.sync?.();
      }
    })()
      .catch((error: unknown) => this.#failJournal(error))
      .finally(() => {
        this.#syncing = null;
      });
  }

  #failJournal(error: unknown): void {
    this.#journalTrouble = error instanceof Error ? error : new Error(String(error));
    // the next one is written from its beginning
    this.#writtenRevision = -1;
    this.#journalBytes = 0;
  }

  /** Waits for the store. Rejects when it refuses. `keepsJournal`: the recording behind this one goes on with it. */
  async close({ keepsJournal = false }: { readonly keepsJournal?: boolean } = {}): Promise<void> {
    await this.#journalWork;
    await this.#syncing;
    await this.writer.close();
    if (!keepsJournal) await this.#journal?.remove();
  }

  async abort(): Promise<void> {
    await this.#journalWork;
    await this.#syncing;
    await this.writer.abort();
  }
}

/** What the store has taken. */
class Progress {
  bytes = 0;
  until = 0;
  #isChanged = false;

  committed(bytes: number, until: number): void {
    this.bytes += bytes;
    this.until = until;
    this.#isChanged = true;
  }

  /** Whether anything was taken since the call before. */
  takeChange(): boolean {
    const changed = this.#isChanged;
    this.#isChanged = false;
    return changed;
  }
}

function metadataOf(content: JournalContent): NbtDocument | null {
  try {
    return readMetadata(content.metadata);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return null;
  }
}

/** The later of two states of one recording's metadata, whose lists only ever grow. Null: what the recording has. */
function newer(journal: NbtDocument | null, own: NbtDocument): NbtDocument | null {
  return journal !== null && itemsIn(journal) >= itemsIn(own) ? journal : null;
}

function itemsIn({ root }: NbtDocument): number {
  const hcrp = nbtEntry(root, "hcrp");
  const entries = hcrp?.type === NBT.compound ? hcrp.entries : [];
  return entries.reduce((sum, { tag }) => sum + (tag.type === NBT.list ? tag.items.length : 0), 0);
}

/** The chunks of a journal that go on where the recording ends. Gives the id behind all that they have given out. */
function takeOver(writer: HcrpWriter, content: JournalContent): number {
  let nextEntity = 1;
  const cursor = new ByteCursor(content.finished);
  while (cursor.remaining >= CHUNK_RECORD_BYTES) {
    const record = readChunkRecord(cursor);
    const frame = cursor.view(record.compressedLength);
    if (record.startTick !== writer.end) continue;
    const { startTick, tickCount, flags, uncompressedLength, dataVersion, schemaVersion, epoch } = record;
    const chunk = { startTick, tickCount, flags, uncompressedLength, dataVersion, schemaVersion, epoch };
    writer.adopt({ ...chunk, frame: frame.slice(), formatVersion: null, segment: null });
    nextEntity = Math.max(nextEntity, nextEntityIn(writer.framer.inflated(frame), flags !== 0));
  }
  const { open } = content;
  if (open === null || open.startTick !== writer.end) return nextEntity;
  const tickCount = open.end - open.startTick;
  const raw = wholeTicks(open.raw, open.hasSnapshot, tickCount);
  if (raw === null) return nextEntity;
  writer.adopt({
    startTick: open.startTick,
    tickCount,
    flags: open.hasSnapshot ? 1 : 0,
    frame: writer.framer.frame(raw),
    uncompressedLength: raw.length,
    dataVersion: open.dataVersion,
    schemaVersion: open.schemaVersion,
    epoch: open.epoch,
    formatVersion: null,
    segment: null,
  });
  // of what is dropped, too
  return Math.max(nextEntity, nextEntityIn(open.raw, open.hasSnapshot));
}

/** As many ticks in which nothing happens; the first chunk of a recording must have a snapshot (HCRP spec §5). */
function emptied(chunk: FinishedChunk, writer: HcrpWriter): FinishedChunk {
  const raw = new Uint8Array(chunk.startTick === 0 ? 1 : 0);
  return { ...chunk, flags: raw.length, frame: writer.framer.frame(raw), uncompressedLength: raw.length };
}

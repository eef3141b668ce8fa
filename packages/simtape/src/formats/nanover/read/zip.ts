import { Budget } from "../../../bytes/budget.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import type { ByteSource } from "../../../io/source/source.ts";
import type { Columns } from "../../../model/messages/batch.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import type { Finding, Reporter } from "../../../model/error.ts";
import { FlatFile } from "../../../model/flat.ts";
import type { OpenOptions } from "../../../model/format.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import type { ChannelStatistics } from "../../../model/values/value.ts";
import { archiveRecords, BAD_CHECKSUM, type Content, openArchive, openMember } from "./archive.ts";
import { type Foreign, foreignIn } from "./foreign.ts";
import { IndexedMessages, type ZipContent } from "./indexed.ts";
import type { Archive, Member } from "./members.ts";
import { Overview } from "./overview.ts";
import { type Messages, NanoverReader } from "./reader.ts";
import { type EntryList, MessageList } from "./realign.ts";
import { frameSchema } from "../meaning/schema.ts";
import { MAX_TYPES, Types } from "../layout/types.ts";
import { hasServerTime, MessageWalk } from "./walk-messages.ts";

/** Bytes of the messages that tell whether frames hold the server's time. */
const HEAD_BYTES = 1 << 20;

/**
 * Opens a `.nanover.zip`. Messages that no index tells about, because the recording was interrupted or the index is
 * damaged, are read one after another.
 * Throws `RecordingError` for a zip that is no NanoVer recording, is encrypted, or is compressed in an unknown way.
 */
export async function openZip(source: ByteSource, report: Reporter, options: OpenOptions): Promise<NanoverReader> {
  const budget = Budget.of(options.budget);
  const archive = await openArchive(source, report, options.signal);
  const messages = await openMember(archive, archive.messages, report, options.spool, budget);
  const sources = [messages.source];
  try {
    let indexed: IndexedMessages | null = null;
    let content: ZipContent | null = null;
    let types = new Types();
    let overview = new Overview(frameSchema("zip"));
    let isDoubtful = hasOtherSize(archive.messages, messages.size);
    if (archive.index !== null) {
      const index = await openMember(archive, archive.index, report, options.spool, budget);
      sources.push(index.source);
      content = {
        messages: messages.source,
        messagesSize: messages.size,
        statedSize: archive.messages.stated?.size ?? messages.size,
        index: index.source,
        indexSize: index.size,
        indexOrigin: archive.index.isStored ? archive.index.dataOffset : 0,
      };
      indexed = await IndexedMessages.scan(content, types, overview, report, { ...options, budget });
      const { stated, isStored, dataOffset } = archive.index;
      if (isStored && stated !== null && stated.crc !== indexed.crc) {
        isDoubtful = true;
        report.report({ ...BAD_CHECKSUM, message: "the index does not match its checksum", offset: dataOffset });
      }
      isDoubtful ||= indexed.isDamaged || (indexed.count === 0 && messages.size > 0);
    }
    let walked: FlatFile | null = null;
    if (indexed === null || isDoubtful) {
      types = new Types();
      overview = new Overview(frameSchema("zip"));
      const entries = content === null ? null : await IndexedMessages.entries(content, options);
      walked = await walkAll(archive, messages, entries, types, overview, report, { ...options, budget });
      indexed = null;
    }
    if (types.names.length === MAX_TYPES) {
      const message = `messages have parts of more kinds than ${MAX_TYPES}; others were left out`;
      report.report({ code: "too-many-parts", severity: "loss", message });
    }
    return new NanoverReader(
      "zip",
      new ZipMessages(archive, indexed ?? walked!, messages, report),
      [...sources, source],
      {
        bytes: archive.size,
        seekIndex: walked === null ? "stored" : "built",
        metadata: {
          ...overview.metadata("zip"),
          ...(archive.provenance === null ? {} : { provenance: archive.provenance }),
        },
      },
      types.names,
      [],
      budget,
    );
  } catch (error) {
    for (const opened of sources) await opened.close().catch(() => undefined);
    throw error;
  }
}

/** Whether messages have come in or gone since the size was stated. */
function hasOtherSize({ stated }: Member, size: number): boolean {
  return stated !== null && stated.size !== size;
}

/**
 * Finds messages by reading all of them, when there is no index or it is damaged; what is left of it tells their times.
 * A sound index may leave out messages on purpose (spec §4): with a damaged one they come back.
 */
async function walkAll(
  archive: Archive,
  messages: { readonly source: ByteSource; readonly size: number },
  entries: EntryList | null,
  types: Types,
  overview: Overview,
  report: Reporter,
  options: OpenOptions,
): Promise<FlatFile> {
  // A stored member is walked in the file, so that offsets speak of it.
  const { isStored, dataOffset } = archive.messages;
  const source = isStored ? archive.source : messages.source;
  const base = isStored ? dataOffset : 0;
  const range = { begin: base, end: base + messages.size };
  let list: MessageList | undefined;
  if (entries !== null && entries.size > 0) {
    const found = new MessageList();
    const onMessage = (offset: number, end: number): void => found.add(offset, end);
    const walk = new MessageWalk(new Types(), new Overview(frameSchema("zip")), { isTimed: false, onMessage });
    await FlatFile.scan(
      source,
      walk,
      range,
      { report: () => undefined },
      { signal: options.signal, budget: options.budget },
    );
    found.realign(entries, base);
    list = found;
  }
  const covered = list?.covered?.end ?? base;
  const isTimed = hasServerTime(await messages.source.read(covered - base, HEAD_BYTES, options.signal));
  const walk = new MessageWalk(types, overview, { isTimed, list });
  const walked = await FlatFile.scan(source, walk, range, report, {
    signal: options.signal,
    budget: options.budget,
    onProgress: options.onProgress,
  });
  if (list === undefined && walked.count > 0) {
    const message = `no index entries for ${walked.count} messages: their times are lost, and ${howTimed(isTimed)}`;
    report.report({ code: "missing-index", severity: "loss", message, offset: range.begin });
  } else if (list !== undefined && list.timeless > 0) {
    const how =
      covered < range.end
        ? `between those of others; behind the last, ${howTimed(isTimed)}`
        : "between those of others";
    const message = `no index entries for ${list.timeless} messages: their times are lost, and taken ${how}`;
    report.report({ code: "missing-index", severity: "loss", message, offset: range.begin });
  } else if (walked.count === 0 && archive.index === null) {
    report.report({ code: "missing-index", severity: "loss", message: "the zip has no index and no messages" });
  }
  return walked;
}

function howTimed(isTimed: boolean): string {
  return isTimed ? "taken from the server's clock in the frames" : "assumed: 1/30 s from one message to the next";
}

/** Messages as the index tells, or as they were found by reading all of them. */
class ZipMessages implements Messages {
  readonly chunks: readonly Chunk[];
  readonly #archive: Archive;
  readonly #found: IndexedMessages | FlatFile;
  readonly #content: Content;
  readonly #report: Reporter;
  #isChecked = false;
  #isSound: boolean;

  constructor(archive: Archive, found: IndexedMessages | FlatFile, content: Content, report: Reporter) {
    this.#report = report;
    this.#archive = archive;
    this.#found = found;
    this.#content = content;
    this.#isSound = content.isSound;
    this.chunks = found.chunks.filter(({ count }) => count > 0);
  }

  decode(chunk: Chunk, signal?: AbortSignal): Promise<Columns> {
    const found = this.#found;
    return found instanceof FlatFile
      ? found.decode(chunk, signal)
      : found.decode(chunk as IndexedMessages["chunks"][number], signal);
  }

  origin(chunk: Chunk): number | null {
    const { isStored, dataOffset } = this.#archive.messages;
    if (!isStored) return null;
    if (this.#found instanceof FlatFile) return chunk.offset;
    return (chunk as IndexedMessages["chunks"][number]).isRun ? dataOffset + chunk.offset : null;
  }

  get broken(): readonly Finding[] {
    const { index, directoryOffset, size } = this.#archive;
    const found: Finding[] = [];
    if (this.#found instanceof FlatFile) {
      const message = index === null ? "there is no index" : "the index does not match the messages";
      found.push({ code: "bad-index", severity: "damage", message, offset: index?.dataOffset ?? size });
    }
    if (directoryOffset === null) {
      const message = "the zip has no readable directory";
      found.push({ code: "missing-directory", severity: "damage", message, offset: size });
    }
    if (!this.#isSound) {
      const message = "the messages do not match their checksum";
      found.push({ ...BAD_CHECKSUM, message, offset: this.#archive.messages.dataOffset });
    }
    return found;
  }

  get gone(): readonly Finding[] {
    const { gone } = this.#content;
    return gone === null ? [] : [gone];
  }

  statistics(channels: number): readonly ChannelStatistics[] {
    return this.#found.statistics(channels);
  }

  records(signal?: AbortSignal): AsyncIterable<readonly NativeRecord[]> {
    return archiveRecords(this.#archive, () => this.#messages(signal), signal);
  }

  inflated(signal?: AbortSignal): AsyncIterable<readonly NativeRecord[]> | null {
    return this.#archive.messages.isStored ? null : this.#cut(0, signal);
  }

  foreign(signal?: AbortSignal): Promise<Foreign> {
    return foreignIn(this.#archive, signal);
  }

  /** The data of a stored messages member. Its checksum is compared on the way, the first time. */
  async *#messages(signal: AbortSignal | undefined): AsyncGenerator<readonly NativeRecord[]> {
    const { stated, dataOffset } = this.#archive.messages;
    let crc = 0;
    for await (const records of this.#cut(dataOffset, signal)) {
      if (!this.#isChecked) for (const { bytes } of records) crc = crc32(bytes, crc);
      yield records;
    }
    if (!this.#isChecked && stated !== null && stated.crc !== crc) {
      this.#isSound = false;
      this.#report.report({ ...BAD_CHECKSUM, message: "the messages do not match their checksum", offset: dataOffset });
    }
    this.#isChecked = true;
  }

  /** The messages as records; `origin` is what offsets count from. */
  #cut(origin: number, signal: AbortSignal | undefined): AsyncIterable<readonly NativeRecord[]> {
    const found = this.#found;
    if (found instanceof FlatFile) return found.records(signal);
    return found.records(origin, this.#content.size, signal);
  }
}

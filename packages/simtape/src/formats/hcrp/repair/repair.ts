import { ByteBuilder } from "../../../bytes/builder.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { nbtText } from "../../../codec/nbt.ts";
import type { SinkBundle } from "../../../io/sink/sink.ts";
import { Columns, type MessageBatch } from "../../../model/messages/batch.ts";
import type { Reader } from "../../../model/reader.ts";
import type { Channel } from "../../../model/values/value.ts";
import type { RepairNote } from "../../../model/writer.ts";
import type { HcrpChunk } from "../chunk/plan.ts";
import { FLAG_FINISHED, TICK } from "../layout/framing.ts";
import { readSections, type Section, writeSections } from "../layout/chunk.ts";
import { HcrpReader } from "../read/reader.ts";
import { createWriter } from "../write/create.ts";
import type { HcrpWriter } from "../write/writer.ts";

/**
 * Writes what can be read as one sound file, a segmented recording joined. The ticks of chunks that are lost stay,
 * empty. Throws `RangeError` for a reader that is not of this format.
 */
export async function repair(from: Reader, to: SinkBundle, note: RepairNote): Promise<void> {
  const reader = from.base ?? from;
  if (!(reader instanceof HcrpReader)) throw new RangeError(`not an HCRP recording: ${from.info.format}`);
  const writer = await createWriter(to, { like: reader });
  try {
    await new Repair(reader, writer, note).run();
    await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

class Repair {
  readonly #reader: HcrpReader;
  readonly #writer: HcrpWriter;
  readonly #note: RepairNote;
  readonly #channels: readonly Channel[];
  #isShort: boolean;

  constructor(reader: HcrpReader, writer: HcrpWriter, note: RepairNote) {
    this.#reader = reader;
    this.#writer = writer;
    this.#note = note;
    this.#channels = reader.channels;
    const { dialect, extension, flags } = reader.preamble.head;
    // a recorder that came to its end would have said so (spec §8.5)
    const isUnfinished = dialect === 1 && extension !== null && (flags & FLAG_FINISHED) === 0;
    this.#isShort = isUnfinished || reader.faults.some(({ severity }) => severity === "loss");
  }

  async run(): Promise<void> {
    await this.#tellBytes();
    for (const { code, message, offset } of this.#reader.faults)
      this.#note.rebuilt({ code, severity: "note", message: `written again: ${message}`, offset });
    const written = this.#channels.map(({ name, metadata }) => this.#writer.channel({ name, metadata }));
    for (const chunk of this.#reader.chunks) {
      const { columns, problem, raw, isGone, isNewer } = await this.#reader.contentOf(chunk);
      if (isNewer && raw !== null) {
        // another reader can make something of it
        this.#writer.chunk(this.#reader.source, chunk.index, raw, chunk.hasKeyframe);
        continue;
      }
      if (problem !== null) this.#tellProblem(chunk, problem, raw !== null || isGone);
      for (const batch of this.#decodable(chunk, columns)) this.#writer.append(batch, written);
      const { startTick, tickCount } = chunk.entry;
      // also without a message the chunk keeps its place and its ticks
      if (columns.length === 0) this.#writer.gap(startTick, tickCount);
      if (this.#writer.ready !== null) await this.#writer.ready;
    }
    if (this.#reader.chunks.length > 0 || this.#isHeadSure) {
      const { end } = await this.#reader.timeline();
      this.#writer.extend(Math.round(end / TICK));
    }
    if (this.#isShort) this.#writer.note("outcome", nbtText("crashed"));
  }

  /** Without a crc nothing but chunks tells how long it was. */
  get #isHeadSure(): boolean {
    const { head } = this.#reader.preamble;
    return head.extension !== null && !this.#reader.faults.some(({ code }) => code === "bad-header-checksum");
  }

  /** What is in the files and belongs to nothing that can be read. */
  async #tellBytes(): Promise<void> {
    for await (const records of this.#reader.records()) {
      for (const { kind, offset, bytes } of records) {
        if (kind !== "damaged" && kind !== "gap" && kind !== "trailing") continue;
        const what = kind === "damaged" ? "a chunk that does not inflate" : "bytes that no index entry names";
        const message = `${bytes.length} bytes at ${offset}: ${what}`;
        this.#note.lost({ code: `${kind}-bytes`, severity: "loss", message, offset, length: bytes.length });
      }
    }
  }

  #tellProblem(chunk: HcrpChunk, problem: string, isToTell: boolean): void {
    this.#isShort = true;
    // lost bytes were reported with the records, where there are any
    if (!isToTell) return;
    const message = `${chunk.title}: ${problem}`;
    this.#note.lost({ code: "damaged-chunk", severity: "loss", message, offset: chunk.offset, time: chunk.first });
  }

  /** The rows whose payloads decode; a snapshot keeps the sections that do. */
  #decodable(chunk: HcrpChunk, batch: Columns): Columns[] {
    const kept: number[] = [];
    let snapshot: Columns | null = null;
    for (let i = 0; i < batch.length; i++) {
      const channel = this.#channels[batch.channel[i]!]!;
      if (decodes(channel, batch.payload(i), batch)) {
        kept.push(i);
        continue;
      }
      const offset = chunk.offset;
      const time = batch.time[i];
      if (channel.name === "snapshot" && i === 0) {
        snapshot = this.#soundSections(channel, batch);
        const message = `${chunk.title}: sections of its snapshot do not decode`;
        this.#note.lost({ code: "bad-payload", severity: "loss", message, offset, time });
      } else {
        const message = `${chunk.title}: an event of ${channel.name} at tick ${batch.time[i]! / TICK} does not decode`;
        this.#note.lost({ code: "bad-payload", severity: "loss", message, offset, time });
      }
    }
    if (snapshot === null && kept.length === batch.length) return batch.length === 0 ? [] : [batch];
    const rest = batch.pick(Uint32Array.from(kept));
    const parts = snapshot === null ? [rest] : [snapshot, rest];
    return parts.filter(({ length }) => length > 0);
  }

  #soundSections(channel: Channel, batch: Columns): Columns {
    const one = (section: Section): Uint8Array => {
      const builder = new ByteBuilder();
      writeSections(builder, [section]);
      return builder.take();
    };
    const sections = readSections(new ByteCursor(batch.payload(0)));
    const sound = sections.filter((section) => decodes(channel, one(section), batch));
    const builder = new ByteBuilder();
    writeSections(builder, sound);
    const bytes = builder.take();
    return new Columns(
      batch.time.slice(0, 1),
      batch.channel.slice(0, 1),
      batch.sequence.slice(0, 1),
      batch.flags.slice(0, 1),
      bytes,
      Uint32Array.of(0),
      Uint32Array.of(bytes.length),
      batch.context,
    );
  }
}

function decodes({ schema }: Channel, payload: Uint8Array, { context }: MessageBatch): boolean {
  try {
    schema.decode(payload, context);
    return true;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return false;
  }
}

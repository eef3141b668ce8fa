import { hex, LayoutError } from "../../../bytes/error.ts";
import type { SinkBundle } from "../../../io/sink/sink.ts";
import { Columns } from "../../../model/messages/batch.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import type { Reader } from "../../../model/reader.ts";
import type { Time } from "../../../model/values/time.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import type { RepairNote } from "../../../model/writer.ts";
import { NanoverReader } from "../read/reader.ts";
import { create, type NanoverWriter } from "../write/writer.ts";

/**
 * Writes every message that decodes, in the order of the file, with headers, index, directory and checksums made again.
 * A time that lies apart from those before and behind it, which go on as if it were not there, is taken for damage and
 * becomes the one before.
 */
export async function repair(from: Reader, to: SinkBundle, given: RepairNote): Promise<void> {
  const reader = from.base ?? from;
  if (!(reader instanceof NanoverReader)) throw new TypeError("not the reader of a NanoVer recording");
  let hasLoss = false;
  const note: RepairNote = {
    rebuilt: (finding) => given.rebuilt(finding),
    content: (bytes) => given.content?.(bytes),
    lost: (finding) => {
      hasLoss = true;
      given.lost(finding);
    },
  };
  await noteDamage(reader, note);
  const writer = await create(to, { like: reader });
  try {
    const channels = reader.channels.map(({ name }) => writer.channel({ name }));
    const mender = new Mender(reader, channels, note);
    for (const chunk of reader.messages.chunks) {
      for (const batch of await mender.next(chunk)) writer.append(batch, channels);
      if (writer.ready !== null) await writer.ready;
    }
    for (const batch of mender.last()) writer.append(batch, channels);
    await writer.close();
    noteLostBeside(writer, note);
  } catch (error) {
    await writer.abort();
    throw error;
  }
  for (const finding of reader.messages.broken) {
    note.rebuilt({ ...finding, message: `${finding.message}: made again` });
    if (finding.code === "bad-checksum" && !hasLoss)
      note.lost({ ...finding, severity: "loss", message: UNKNOWN_BYTES });
  }
}

/** A checksum over all messages does not tell which. */
const UNKNOWN_BYTES =
  "the messages do not match their checksum, but all of them decode: it is not known whether a message or the checksum is damaged";

/** Bytes that are no messages: those passed over, those that no entry of a sound index names, and what is gone. */
async function noteDamage({ messages }: NanoverReader, note: RepairNote): Promise<void> {
  const inflated = messages.inflated();
  const place = inflated === null ? "" : " of the inflated messages";
  let total = 0;
  for await (const records of inflated ?? messages.records()) {
    for (const { kind, offset, bytes } of records) {
      total += bytes.length;
      if (kind !== "damaged" && kind !== "unindexed") continue;
      const why = kind === "damaged" ? "no message can be read from them" : "no entry of the index names them";
      const message = `${bytes.length} bytes at ${hex(offset)}${place} were left out: ${why}`;
      note.lost({ code: kind, severity: "loss", message, offset, length: bytes.length });
    }
  }
  for (const finding of messages.gone) {
    total += finding.length ?? 0;
    note.lost(finding);
  }
  if (inflated !== null) note.content?.(total);
}

/** Other members of the zip that are damaged, and those for which the result has no place. */
function noteLostBeside({ lostBeside }: NanoverWriter, note: RepairNote): void {
  for (const { path, count, reason, finding } of lostBeside) {
    const message = `${path}${count > 1 ? ` (${count})` : ""} was not kept: ${reason}`;
    note.lost(finding ?? { code: "truncated", severity: "loss", message });
  }
}

/** Takes out what does not decode, and repairs times. Holds one chunk back: whether a time fits, the next one tells. */
class Mender {
  readonly #reader: NanoverReader;
  readonly #channels: readonly ChannelInfo[];
  readonly #note: RepairNote;
  #held: Columns | null = null;
  /** By channel. */
  readonly #before: (Time | null)[];

  constructor(reader: NanoverReader, channels: readonly ChannelInfo[], note: RepairNote) {
    this.#reader = reader;
    this.#channels = channels;
    this.#note = note;
    this.#before = channels.map(() => null);
  }

  async next(chunk: Chunk): Promise<Columns[]> {
    const batch = this.#sound(
      inFileOrder(await this.#reader.messages.decode(chunk)),
      this.#reader.messages.origin(chunk),
    );
    if (batch.length === 0) return [];
    const held = this.#held;
    this.#held = batch;
    return held === null ? [] : [this.#repaired(held, batch)];
  }

  last(): Columns[] {
    return this.#held === null ? [] : [this.#repaired(this.#held, null)];
  }

  #sound(batch: Columns, origin: number | null): Columns {
    const { payloads } = this.#reader;
    const rows = new Uint32Array(batch.length);
    let count = 0;
    // The parts of a zip's message are rows of the same bytes, one behind the other.
    for (let from = 0; from < batch.length; ) {
      let to = from + 1;
      while (to < batch.length && batch.start[to] === batch.start[from] && batch.end[to] === batch.end[from]) to++;
      const before = count;
      const broken: { readonly row: number; readonly why: string }[] = [];
      for (let row = from; row < to; row++) {
        const why = failure(this.#reader, batch, row);
        if (why === null) rows[count++] = row;
        else broken.push({ row, why });
      }
      const isGone = count === before;
      for (const { row, why } of broken) this.#tellBroken(batch, row, origin, why, isGone && row === from);
      from = to;
    }
    const { time, channel, sequence, flags, bytes, start, end } = batch;
    const columns = new Columns(time, channel, sequence, flags, bytes, start, end, payloads);
    return count === batch.length ? columns : columns.pick(rows.subarray(0, count));
  }

  /** `isGone`: with this row the bytes of its message are lost, which are counted once. */
  #tellBroken(batch: Columns, row: number, origin: number | null, why: string, isGone: boolean): void {
    const { name } = this.#channels[batch.channel[row]!]!;
    const length = batch.end[row]! - batch.start[row]!;
    const offset = origin === null ? undefined : origin + batch.start[row]!;
    const where = offset === undefined ? "" : ` at ${hex(offset)}`;
    const message = `a ${name} message of ${length} bytes${where} was left out: ${why} of its payload`;
    const finding = { code: "bad-payload", severity: "loss", message, offset, time: batch.time[row] } as const;
    this.#note.lost(isGone ? { ...finding, length } : finding);
  }

  /** `next` tells the times behind the last rows. */
  #repaired(batch: Columns, next: Columns | null): Columns {
    const behind: (Time | null)[] = this.#channels.map(() => null);
    if (next !== null) {
      for (let i = next.length - 1; i >= 0; i--) behind[next.channel[i]!] = next.time[i]!;
    }
    // Time of the next row of the same channel, for each row.
    const following = new Float64Array(batch.length);
    for (let i = batch.length - 1; i >= 0; i--) {
      const channel = batch.channel[i]!;
      following[i] = behind[channel] ?? Number.NaN;
      behind[channel] = batch.time[i]!;
    }
    let time: Float64Array | null = null;
    for (let i = 0; i < batch.length; i++) {
      const channel = batch.channel[i]!;
      const at = batch.time[i]!;
      const before = this.#before[channel] ?? null;
      const after = following[i]!;
      const isApart = before !== null && before <= after && (at < before || at > after);
      if (!isApart) {
        this.#before[channel] = at;
        continue;
      }
      time ??= batch.time.slice();
      time[i] = before;
      const message = `time ${at} ns of a ${this.#channels[channel]!.name} message does not fit between ${before} and ${after}`;
      this.#note.rebuilt({ code: "bad-time", severity: "damage", message, time: before });
    }
    if (time === null) return batch;
    const { channel, sequence, flags, bytes, start, end, context } = batch;
    return new Columns(time, channel, sequence, flags, bytes, start, end, context);
  }
}

/** Why a payload does not decode; null when it does. */
function failure({ channels, payloads }: NanoverReader, batch: Columns, row: number): string | null {
  try {
    channels[batch.channel[row]!]!.schema.decode(batch.payload(row), payloads);
    return null;
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    return error.message;
  }
}

function inFileOrder(batch: Columns): Columns {
  const { sequence } = batch;
  let isOrdered = true;
  for (let i = 1; i < batch.length && isOrdered; i++) isOrdered = sequence[i]! > sequence[i - 1]!;
  if (isOrdered) return batch;
  const rows = Uint32Array.from({ length: batch.length }, (_, i) => i);
  return batch.pick(rows.sort((a, b) => sequence[a]! - sequence[b]!));
}

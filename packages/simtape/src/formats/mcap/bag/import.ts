import { Budget } from "../../../bytes/budget.ts";
import type { SinkBundle } from "../../../io/sink/sink.ts";
import { type ByteSource, SourceError } from "../../../io/source/source.ts";
import { RecordingError, type Reporter } from "../../../model/error.ts";
import type { ChannelInfo } from "../../../model/values/value.ts";
import { create } from "../write/create.ts";
import type { McapWriter } from "../write/writer.ts";
import { BAG_MAGIC, BAG_OP, type BagFields, fieldsIn, numberOf, recordAt, textOf } from "./layout.ts";
import { type BagSight, walkBag } from "./walk.ts";

/** What was carried over, and what is not there. */
export interface BagReport {
  readonly messages: number;
  readonly channels: number;
  /** By compression: how many chunks. */
  readonly chunks: Readonly<Record<string, number>>;
  /** False: its recorder did not close it, or it was cut. */
  readonly isIndexed: boolean;
}

export interface BagOptions {
  readonly signal?: AbortSignal | undefined;
  readonly budget?: Budget | number | undefined;
  readonly dialect?: string | undefined;
  readonly onProgress?: ((bytes: number, size: number) => void) | undefined;
}

/** Bytes at the beginning in which the first record is: it is padded to 4096. */
const HEAD = 1 << 17;
/** Seconds since 1970 from which a time is one of a calendar: 1973, as the reader has it. */
const CALENDAR = 100_000_000;
const BILLION = 1_000_000_000;
const LATIN = new TextDecoder("latin1");

/**
 * Writes the messages of a ROS 1 bag (version 2.0) as an MCAP file, in the order of the bag: payloads, times, and for
 * each connection a channel with its topic, its type, its definition (`ros1msg`) and everything else that it states.
 * The whole file is walked and its index used for a comparison only, so that bags which were never closed, or are cut or
 * damaged, give what is left of them. What is lost or odd goes to `report`; `loss` and `damage`: the result lacks
 * something that the bag had. Throws `RecordingError` where it is no bag; `RangeError` for more channels than a
 * file can have.
 */
export async function importBag(
  from: ByteSource,
  to: SinkBundle,
  report: Reporter,
  options: BagOptions = {},
): Promise<BagReport> {
  const size = await from.size();
  if (size === null) throw new SourceError("failed", `the length must be known: ${from.name}`);
  const head = await from.read(0, Math.min(size, HEAD), options.signal);
  const { isIndexed } = headOf(head, from.name);
  const budget = Budget.of(options.budget);
  const copier = new Copier(to, report, options.dialect);
  if (!isIndexed) {
    const message = "the bag was not closed: it has no index, and everything that it holds is looked for";
    report.report({ code: "unclosed", severity: "warning", message });
  }
  try {
    const onProgress = options.onProgress;
    const walking = { signal: options.signal, onProgress: onProgress && ((done: number) => onProgress(done, size)) };
    await walkBag(from, BAG_MAGIC.length, size, copier, budget, walking);
    await copier.close();
  } catch (error) {
    await copier.abort();
    throw RecordingError.from(error, "mcap");
  }
  return { ...copier.counts(), isIndexed };
}

/** Reads what the file says of itself. Throws `RecordingError` for what is no bag that can be read. */
function headOf(head: Uint8Array, name: string): { readonly isIndexed: boolean } {
  const magic = LATIN.decode(head.subarray(0, BAG_MAGIC.length));
  if (magic !== BAG_MAGIC) {
    const version = /^#ROSBAG V(\d+\.\d+)/.exec(magic)?.[1];
    const what = version === undefined ? "no ROS 1 bag" : `a bag of version ${version}, only 2.0 is read`;
    throw new RecordingError("unsupported", `${what}: ${name}`, { format: "mcap", offset: 0 });
  }
  const record = recordAt(head, BAG_MAGIC.length);
  if (record?.op !== BAG_OP.header) return { isIndexed: false };
  const encryptor = textOf(record.fields, "encryptor");
  if (encryptor !== "") {
    throw new RecordingError("unsupported", `an encrypted bag (${encryptor}): ${name}`, { format: "mcap", offset: 0 });
  }
  return { isIndexed: numberOf(record.fields, "index_pos") + numberOf(record.fields, "index_pos", 4) > 0 };
}

/** A connection of the bag. */
interface Connection {
  readonly channel: ChannelInfo;
  /** What it states, to be compared when it is stated again. */
  readonly said: string;
  messages: number;
}

class Copier implements BagSight {
  readonly #report: Reporter;
  readonly #to: SinkBundle;
  readonly #dialect: string | undefined;
  #writer: McapWriter | null = null;
  /** Connections that are stated before the first message: its time is time 0. */
  readonly #early: (readonly [number, BagFields, BagFields])[] = [];
  readonly #connections = new Map<number, Connection>();
  readonly #names = new Set<string>();
  readonly #chunks = new Map<string, number>();
  /** By connection: how many messages the index says. */
  readonly #stated = new Map<number, number>();
  readonly #unknown = new Map<number, number>();
  #opening: Promise<void> | null = null;
  readonly #pending: (readonly [BagFields, Uint8Array])[] = [];
  #seconds = 0;
  #rounded = 0;

  constructor(to: SinkBundle, report: Reporter, dialect: string | undefined) {
    this.#report = report;
    this.#to = to;
    this.#dialect = dialect;
  }

  get ready(): Promise<void> | null {
    return this.#opening ?? this.#writer?.ready ?? null;
  }

  connection(fields: BagFields, data: Uint8Array): void {
    const id = numberOf(fields, "conn");
    const stated = fieldsIn(data, 0, data.length);
    if (stated === null) {
      const message = `the connection ${id} (${textOf(fields, "topic")}) does not say what it is`;
      this.#report.report({ code: "bad-record", severity: "loss", message });
      return;
    }
    // the fields are views of what is read next
    const own = new Map([...stated].map(([name, value]) => [name, value.slice()]));
    const outer = new Map([...fields].map(([name, value]) => [name, value.slice()]));
    if (this.#writer === null) this.#early.push([id, outer, own]);
    else this.#define(this.#writer, id, outer, own);
  }

  message(fields: BagFields, data: Uint8Array): void {
    if (this.#writer !== null) {
      this.#write(this.#writer, fields, data);
      return;
    }
    const copy = new Map([...fields].map(([name, value]) => [name, value.slice()]));
    this.#pending.push([copy, data.slice()]);
    this.#opening ??= this.#open(numberOf(fields, "time"));
  }

  chunkInfo(data: Uint8Array): void {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    for (let at = 0; at + 8 <= data.length; at += 8) {
      const id = view.getUint32(at, true);
      this.#stated.set(id, (this.#stated.get(id) ?? 0) + view.getUint32(at + 4, true));
    }
  }

  chunk(compression: string): void {
    this.#chunks.set(compression, (this.#chunks.get(compression) ?? 0) + 1);
  }

  lost(from: number, to: number, why: string): void {
    this.#report.report({ code: "bad-record", severity: "loss", message: why, offset: from, length: to - from });
  }

  counts(): Pick<BagReport, "messages" | "channels" | "chunks"> {
    const connections = [...this.#connections.values()];
    const messages = connections.reduce((sum, one) => sum + one.messages, 0);
    return { messages, channels: connections.length, chunks: Object.fromEntries(this.#chunks) };
  }

  async close(): Promise<void> {
    if (this.#writer === null) await (this.#opening ?? this.#open(0));
    this.#compare();
    await this.#writer!.close();
  }

  async abort(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    await this.#writer?.abort();
  }

  /** Begins the file: the first message says from when its times count. */
  async #open(seconds: number): Promise<void> {
    this.#seconds = seconds < CALENDAR ? 0 : seconds;
    const epoch = this.#seconds === 0 ? null : BigInt(this.#seconds) * BigInt(BILLION);
    const writer = await create(this.#to, { epoch, metadata: { profile: "ros1" }, dialect: this.#dialect });
    this.#writer = writer;
    this.#opening = null;
    for (const [id, outer, own] of this.#early.splice(0)) this.#define(writer, id, outer, own);
    for (const [fields, data] of this.#pending.splice(0)) this.#write(writer, fields, data);
  }

  #define(writer: McapWriter, id: number, outer: BagFields, stated: BagFields): void {
    const topic = textOf(outer, "topic");
    const said = [topic, ...[...stated].map(([name, value]) => `${name}=${LATIN.decode(value)}`)].join("\n");
    const known = this.#connections.get(id);
    if (known !== undefined) {
      if (known.said === said) return;
      const message = `the connection ${id} (${topic}) is stated again, and otherwise: what was said first holds`;
      this.#report.report({ code: "duplicate-channel-info", severity: "damage", message });
      return;
    }
    const others = [...stated].filter(([name]) => name !== "type" && name !== "message_definition");
    const metadata = Object.fromEntries(others.map(([name]) => [name, textOf(stated, name)]));
    let name = topic;
    while (this.#names.has(name)) name = `${name}#${id}`;
    this.#names.add(name);
    const channel = writer.channel({
      name,
      topic,
      schema: textOf(stated, "type"),
      definition: stated.get("message_definition") ?? new Uint8Array(0),
      metadata: { ...metadata, encoding: "ros1", schemaEncoding: "ros1msg" },
    });
    this.#connections.set(id, { channel, said, messages: 0 });
  }

  #write(writer: McapWriter, fields: BagFields, data: Uint8Array): void {
    const id = numberOf(fields, "conn");
    const connection = this.#connections.get(id);
    if (connection === undefined) {
      this.#unknown.set(id, (this.#unknown.get(id) ?? 0) + 1);
      return;
    }
    const time = (numberOf(fields, "time") - this.#seconds) * BILLION + numberOf(fields, "time", 4);
    if (!Number.isSafeInteger(time)) this.#rounded++;
    writer.write(connection.channel, time, data);
    connection.messages++;
  }

  /** Says what is missing by what the index says. */
  #compare(): void {
    for (const [id, count] of this.#unknown) {
      const message = `${count} messages of the connection ${id}, which the bag does not state`;
      this.#report.report({ code: "missing-channel-info", severity: "loss", message });
    }
    if (this.#rounded > 0) {
      const message = `${this.#rounded} messages are more than a hundred days from the first: their times are rounded`;
      this.#report.report({ code: "bad-time", severity: "loss", message });
    }
    for (const [id, count] of this.#stated) {
      const found = this.#connections.get(id);
      const messages = (found?.messages ?? 0) + (this.#unknown.get(id) ?? 0);
      if (messages >= count) continue;
      const message = `the index says ${count} messages of ${found?.channel.name ?? `connection ${id}`}, ${messages} were found`;
      this.#report.report({ code: "bad-index", severity: "loss", message });
    }
  }
}

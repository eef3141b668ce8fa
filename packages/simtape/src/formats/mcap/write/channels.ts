import type { ChannelInfo } from "../../../model/values/value.ts";
import type { ChannelSpec } from "../../../model/writer.ts";
import { ByteBuilder } from "../../../bytes/builder.ts";
import { type ChannelRecord, type SchemaRecord, writeChannel, writeSchema } from "../../../codec/mcap/data.ts";
import { OP } from "../../../codec/mcap/opcode.ts";
import { writeRecord } from "../../../codec/mcap/parts.ts";
import { type Definition, definitionOf, metadataOf } from "../meaning/schema.ts";
import { hasAny } from "./settings.ts";

const MOST = 0xffff;
const NO_BYTES = new Uint8Array(0);

/** A channel that is being written. */
export class WrittenChannel implements ChannelInfo {
  readonly id: number;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly record: ChannelRecord;
  readonly schema: SchemaRecord | null;
  /** Its record is in the file. */
  isDefined = false;
  messages = 0;
  /** Message index of the chunk under way: 16 bytes for each message (spec §4.7). */
  readonly index: ByteBuilder = new ByteBuilder(256);

  constructor(id: number, name: string, record: ChannelRecord, schema: SchemaRecord | null) {
    this.id = id;
    this.name = name;
    this.record = record;
    this.schema = schema;
    this.metadata = metadataOf({ channel: record, schema }, name);
  }
}

/** The channels and schemas of a file that is being written. */
export class WrittenChannels {
  readonly list: WrittenChannel[] = [];
  readonly schemas: SchemaRecord[] = [];
  readonly #byName = new Map<string, WrittenChannel>();
  readonly #ids = new Set<number>();
  /** No id below it is free: ids stay taken. */
  #lowest = 1;
  readonly #written = new Set<number>();
  readonly #without: ReadonlySet<string>;

  constructor(without: ReadonlySet<string>) {
    this.#without = without;
  }

  /** The channel of that name. Throws `RangeError` where the file has as many as it can. */
  channel(spec: ChannelSpec): WrittenChannel {
    const found = this.#byName.get(spec.name);
    if (found !== undefined) return found;
    const definition = definitionOf(spec.metadata);
    const { channel, schema } = definition ?? madeUp(spec);
    // a channel keeps its topic, but where it was given another name
    const topic = definition?.name === spec.name ? channel.topic : (spec.topic ?? spec.name);
    const metadata = new Map([...channel.metadata].filter((pair) => !hasAny(pair, this.#without)));
    const written = schema === null ? null : this.#schema(schema);
    const id = this.#free(channel.id);
    const record = { ...channel, id, topic, schema: written?.id ?? 0, metadata };
    const made = new WrittenChannel(this.list.length, spec.name, record, written);
    this.list.push(made);
    this.#byName.set(spec.name, made);
    return made;
  }

  /** Writes the records that must stand before the first message of a channel. */
  define(builder: ByteBuilder, channel: WrittenChannel): void {
    const { schema, record } = channel;
    if (schema !== null && !this.#written.has(schema.id)) {
      this.#written.add(schema.id);
      writeRecord(builder, OP.schema, (into) => writeSchema(into, schema));
    }
    writeRecord(builder, OP.channel, (into) => writeChannel(into, record));
    channel.isDefined = true;
  }

  #free(wanted: number): number {
    let id = wanted;
    if (this.#ids.has(id)) {
      while (this.#ids.has(this.#lowest)) this.#lowest++;
      id = this.#lowest;
    }
    if (id > MOST) throw new RangeError(`an MCAP file holds at most ${MOST} channels`);
    this.#ids.add(id);
    return id;
  }

  #schema(of: SchemaRecord): SchemaRecord {
    const found = this.schemas.find(
      ({ name, encoding, data }) =>
        name === of.name &&
        encoding === of.encoding &&
        data.length === of.data.length &&
        data.every((byte, i) => byte === of.data[i]),
    );
    if (found !== undefined) return found;
    const taken = new Set(this.schemas.map(({ id }) => id));
    let id = of.id;
    if (id === 0 || taken.has(id)) for (id = 1; taken.has(id); ) id++;
    if (id > MOST) throw new RangeError(`an MCAP file holds at most ${MOST} schemas`);
    const made = { ...of, id };
    this.schemas.push(made);
    return made;
  }
}

/** A channel that no file has: JSON, unless its metadata name another encoding. */
function madeUp({ schema, metadata = {}, definition }: ChannelSpec): Pick<Definition, "channel" | "schema"> {
  const { encoding = "json", schemaEncoding, ...own } = metadata;
  const channel = { id: 1, schema: 0, topic: "", encoding, metadata: new Map(Object.entries(own)) };
  if (definition !== undefined) {
    const record = { id: 1, name: schema ?? "", encoding: schemaEncoding ?? "", data: definition.slice() };
    return { channel, schema: record };
  }
  if (schema === undefined || schema === "" || schema === encoding) return { channel, schema: null };
  const kind = schemaEncoding ?? (encoding === "json" ? "jsonschema" : "");
  return { channel, schema: { id: 1, name: schema, encoding: kind, data: NO_BYTES } };
}

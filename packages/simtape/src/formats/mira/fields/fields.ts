import {
  as,
  bool,
  f32be,
  f32le,
  f64be,
  f64le,
  i16be,
  i16le,
  i32be,
  i32le,
  i64be,
  i64le,
  i8,
  inside,
  items,
  list,
  noted,
  type NumberKind,
  numbers,
  type Part,
  raw,
  remaining,
  sizedBytes,
  sizedText,
  struct,
  u16be,
  u16le,
  u32be,
  u32le,
  u64be,
  u64le,
  u8,
} from "../../../bytes/field-parts.ts";
import { type Field, type Fields, fieldsIn } from "../../../bytes/fields.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Contents, Dissection, DissectOptions, Dissector } from "../../../model/dissector.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import { Expander } from "../layout/compression.ts";
import { BLOCK, CHANNEL_INFO, type Dialect, INDEX, MESSAGE } from "../layout/layout.ts";
import type { Encoding } from "../meaning/payload.ts";
import type { Budget } from "../../../bytes/budget.ts";
import type { Channel } from "../../../model/values/value.ts";
import { opaqueValue, TapeSchema } from "../meaning/schema.ts";
import type { Scalar, TypeLayout } from "../meaning/types.ts";

const CHUNK_TYPES: ReadonlyMap<number, string> = new Map([
  [BLOCK, "block"],
  [CHANNEL_INFO, "channel-info"],
  [MESSAGE, "message"],
  [INDEX, "index"],
]);

/** What a dissector asks of the recording that it takes apart. */
export interface Dissected {
  readonly channels: readonly Pick<Channel, "name" | "schema">[];
  readonly budget: Budget;
  readonly profile: Pick<Dialect, "isLittle">;
}

/** The fields of chunks, and of payloads whose type is known. */
export class TapeDissector implements Dissector {
  readonly #reader: Dissected;
  readonly #expander: Expander;
  readonly #order: Order;
  readonly #blockBody: Part;
  readonly #channelInfo: Part;
  readonly #index: Part;
  readonly #payloads = new Map<TapeSchema, Part>();

  constructor(reader: Dissected) {
    this.#reader = reader;
    this.#expander = new Expander(reader.budget);
    this.#order = orderOf(reader.profile);
    const { u32, u64, i64 } = this.#order;
    const time = noted(i64, "ns since the start");
    this.#blockBody = struct({ messages: u32, size: noted(u32, "bytes of what follows"), first: time, last: time });
    this.#channelInfo = struct({
      next: noted(u64, (place) => (place === 0 ? "the last" : "place of the next info")),
      first: as("value", time),
      last: as("value", time),
      name: as("value", sizedText(u32)),
      type: as("value", sizedText(u32)),
      meta: as("payload", sizedBytes(part64(u64))),
      dataSize: u64,
      index: noted(u64, (place) => (place === 0 ? "none" : "place of the index table")),
    });
    const entry = struct({ block: noted(u64, "place"), inside: noted(u64, "place in the block"), time });
    this.#index = (fields) => items(fields, "", u32(fields, "count"), entry);
  }

  async record({ kind, bytes }: NativeRecord, { most }: DissectOptions = {}): Promise<Dissection> {
    let packed: Packed | null = null;
    const fields = fieldsIn(
      bytes,
      (into) => {
        if (kind === "header") this.#header(into);
        else if (kind !== "damaged") packed = this.#chunk(into, kind);
      },
      most,
    );
    return { fields, contents: packed === null ? null : await this.#contents(packed, most) };
  }

  message(batch: MessageBatch, row: number, { most }: DissectOptions = {}): readonly Field[] {
    const payload = batch.payload(row);
    const { schema } = this.#reader.channels[batch.channel[row]!]!;
    const isOpaque = opaqueValue(payload, batch.context) !== null;
    return fieldsIn(payload, isOpaque ? COMPRESSED : (fields) => this.#value(fields, schema), most);
  }

  /** Spec §2.1; shorter and longer ones keep the first fields and the last two (spec §8). */
  #header(fields: Fields): void {
    const { u32, u64, i64 } = this.#order;
    u32(fields, "version");
    if (fields.left >= 20) as("value", noted(i64, "ns since 1970"))(fields, "start");
    if (fields.left >= 20) as("value", noted(i64, "ns, of the recording machine"))(fields, "zoneOffset");
    if (fields.left > 12) as("unknown", raw(fields.left - 12))(fields, "unknown");
    u32(fields, "blocks");
    noted(u64, "place")(fields, "firstChannel");
  }

  #chunk(fields: Fields, kind: string): Packed | null {
    const type = u8(fields, "type");
    fields.note(CHUNK_TYPES.get(type) ?? null);
    if (CHUNK_TYPES.get(type) !== kind) {
      fields.unknown();
      return null;
    }
    this.#order.u32(fields, "size");
    if (type === MESSAGE) return this.#message(fields);
    const body = type === BLOCK ? this.#blockBody : type === CHANNEL_INFO ? this.#channelInfo : this.#index;
    body(fields, "");
    return null;
  }

  /** Spec §2.5; gives the data when they are compressed. */
  #message(fields: Fields): Packed | null {
    const { u32, i64 } = this.#order;
    as("value", noted(i64, "ns since the start"))(fields, "time");
    const channel = as("value", sizedText(u32))(fields, "channel");
    as("value", sizedText(u32))(fields, "frameId");
    as("value", u32)(fields, "sequenceId");
    const stored = u32(fields, "stored");
    fields.note("bytes of data");
    const isCompressed = u8(fields, "compressed") === 1;
    const size = isCompressed ? noted(u32, "bytes, inflated")(fields, "uncompressedSize") : stored;
    const schema = this.#reader.channels.find(({ name }) => name === channel)?.schema;
    if (isCompressed) return { bytes: as("payload", raw(stored))(fields, "data"), size, schema };
    fields.within(stored, () => this.#value(fields, schema));
    return null;
  }

  async #contents({ bytes, size, schema }: Packed, most: number | undefined): Promise<Contents | null> {
    const inflated = await this.#expander.expand(bytes, size);
    if (inflated === null) return null;
    const fields = fieldsIn(inflated.bytes, (into) => this.#value(into, schema), most);
    return { note: `data, ${inflated.compression}`, bytes: inflated.bytes, fields };
  }

  /** Nothing is named of a value whose type is not known, or that does not have its layout. */
  #value(fields: Fields, schema: unknown): void {
    if (!(schema instanceof TapeSchema) || schema.encoding === null) return;
    const { bytes, position, end } = fields.cursor;
    if (schema.value(bytes.subarray(position, end)) === null) return;
    let known = this.#payloads.get(schema);
    if (known === undefined) {
      const { layout, encoding } = schema.encoding;
      known = payloadPart(layout, encoding);
      this.#payloads.set(schema, known);
    }
    fields.as("value", () => known(fields, ""));
  }
}

/** Data of a message that are compressed. */
interface Packed {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly schema: unknown;
}

const COMPRESSED = (fields: Fields): void => void as("payload", remaining)(fields, "compressed data");

/** Numbers of one byte order. */
interface Order {
  readonly isLittle: boolean;
  readonly u16: Part<number>;
  readonly u32: Part<number>;
  readonly u64: Part<number | bigint>;
  readonly i64: Part<number | bigint>;
  readonly scalars: Readonly<Record<Scalar, Part>>;
}

function orderOf({ isLittle }: Pick<Dialect, "isLittle">): Order {
  const either = <T>(little: Part<T>, big: Part<T>): Part<T> => (isLittle ? little : big);
  const [u16, u32, u64] = [either(u16le, u16be), either(u32le, u32be), either(u64le, u64be)];
  const i64 = either(i64le, i64be);
  return {
    ...{ isLittle, u16, u32, u64, i64 },
    scalars: {
      ...{ bool, int8: i8, uint8: u8, uint16: u16, uint32: u32, uint64: u64, int64: i64 },
      int16: either(i16le, i16be),
      int32: either(i32le, i32be),
      float: either(f32le, f32be),
      double: either(f64le, f64be),
    },
  };
}

/** A length of 64 bits: one that a number does not hold exactly is longer than any record. */
function part64(of: Part<number | bigint>): Part<number> {
  return (fields, name) => Number(of(fields, name));
}

/** Types whose arrays are one field. */
const ARRAYS: Readonly<Partial<Record<Scalar, NumberKind>>> = {
  int8: "i8",
  uint8: "u8",
  int16: "i16",
  uint16: "u16",
  int32: "i32",
  uint32: "u32",
  float: "f32",
  double: "f64",
};
/** Up to so many numbers each have a field. */
const FEW = 4;

/** A whole payload (semantics §5); members are called as in the decoded value. */
function payloadPart(layout: TypeLayout, encoding: Encoding): Part {
  const order = orderOf(encoding);
  const value = valuePart(layout, encoding, order);
  return (fields) => {
    if (encoding.prefix > 0) as("frame", raw(encoding.prefix))(fields, "prefix");
    value(fields, layout.kind === "object" ? "" : "value");
  };
}

function valuePart(layout: TypeLayout, encoding: Encoding, order: Order): Part {
  const count = encoding.countBytes === 4 ? order.u32 : part64(order.u64);
  switch (layout.kind) {
    case "scalar":
      return order.scalars[layout.scalar];
    case "string":
      return sizedText(count);
    case "vector": {
      const kind = layout.item.kind === "scalar" ? ARRAYS[layout.item.scalar] : undefined;
      if (kind === undefined) return list(count, valuePart(layout.item, encoding, order));
      return (fields, name) => {
        const size = as("frame", count)(fields, inside(name, "count"));
        numbersPart(kind, size, order)(fields, name);
      };
    }
    case "array": {
      const { item, length } = layout;
      const kind = item.kind === "scalar" ? ARRAYS[item.scalar] : undefined;
      if (kind !== undefined && length > FEW) return numbersPart(kind, length, order);
      const one = valuePart(item, encoding, order);
      return (fields, name) => items(fields, name, length, one);
    }
    case "map": {
      const key = valuePart(layout.key, encoding, order);
      const value = valuePart(layout.value, encoding, order);
      return list(count, (fields, name) => {
        key(fields, `${name}[0]`);
        value(fields, `${name}[1]`);
      });
    }
    case "buffer":
      return as("payload", sizedBytes(part64(order.u64)));
    case "raw":
      return as("payload", raw(layout.length));
    case "object": {
      const { slotBytes, slots, isLatest } = encoding;
      const hasSlot = slotBytes !== 0 && (layout.isVersioned || slots === "all");
      const slot = as("frame", noted(slotBytes === 1 ? u8 : slotBytes === 2 ? order.u16 : order.u32, layout.name));
      const members = layout.fields.map(({ name, type, since, unit }) => {
        const part = valuePart(type, encoding, order);
        return { name, since: since ?? 0, part: unit === undefined ? part : noted(part, unit) };
      });
      return (fields, name) => {
        let version = isLatest ? Number.POSITIVE_INFINITY : 0;
        if (hasSlot) version = slot(fields, inside(name, "class version"));
        for (const member of members) if (version >= member.since) member.part(fields, inside(name, member.name));
      };
    }
    default:
      return layout satisfies never;
  }
}

function numbersPart(kind: NumberKind, size: number, { isLittle, scalars }: Order): Part {
  if (size > FEW) return numbers(kind, size, isLittle);
  const scalar = (Object.keys(ARRAYS) as Scalar[]).find((name) => ARRAYS[name] === kind)!;
  return (fields, name) => items(fields, name, size, scalars[scalar]);
}

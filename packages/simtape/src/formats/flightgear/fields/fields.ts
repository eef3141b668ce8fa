import {
  as,
  bits,
  f32be,
  f32le,
  f64be,
  f64le,
  i16be,
  i16le,
  i32le,
  i8,
  inside,
  noted,
  oneOf,
  type Part,
  part,
  raw,
  struct,
  text,
  u16le,
  u32be,
  u32le,
  u64le,
  u8,
} from "../../../bytes/field-parts.ts";
import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type Field, type Fields, fieldsIn } from "../../../bytes/fields.ts";
import { inflateRaw } from "../../../codec/deflate.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Contents, Dissection, DissectOptions, Dissector } from "../../../model/dissector.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import { propertyTree } from "./tree.ts";
import type { TapeLayout } from "../layout/frame-table.ts";
import { MAX_ITEM } from "../layout/frames.ts";
import {
  entryValues,
  isPacket,
  MESSAGE_POSITION,
  paddedText,
  PROPERTIES_AT,
  PROTOCOL_2,
  type PropertyEntry,
  readEntry,
} from "../layout/packet.ts";
import { MAGIC_BYTES } from "../layout/magic.ts";
import type { Channel } from "../../../model/values/value.ts";
import type { TapeHeader } from "../layout/header.ts";
import { FILLER_BYTES, type Signal, type SignalList, type SignalType } from "../layout/signals.ts";
import { unitOf } from "../meaning/units.ts";

const CONTAINERS = ["magic", "meta tree", "config tree", "frames"];

/** What a dissector asks of the recording that it takes apart. */
export interface Dissected {
  readonly channels: readonly Pick<Channel, "name">[];
  readonly header: Pick<TapeHeader, "layout">;
  readonly layout: TapeLayout;
}

/** The fields of headers and frames, with the signals that the header lists. */
export class FlightGearDissector implements Dissector {
  readonly #reader: Dissected;
  readonly #layout: TapeLayout;
  readonly #signals: Part;

  constructor(reader: Dissected) {
    this.#reader = reader;
    this.#layout = reader.layout;
    this.#signals = signalsPart(reader.layout.signals);
  }

  async record({ kind, bytes }: NativeRecord, { most }: DissectOptions = {}): Promise<Dissection> {
    const fields = fieldsIn(
      bytes,
      (into) => {
        if (kind === "header") this.#header(into);
        else if (kind === "container") container(into);
        else if (kind === "frame") this.#frame(into);
      },
      most,
    );
    const isDeflated = kind === "frame" && this.#layout.frames === "deflate";
    return { fields, contents: isDeflated ? this.#contents(bytes, most) : null };
  }

  message(batch: MessageBatch, row: number, { most }: DissectOptions = {}): readonly Field[] {
    const { name } = this.#reader.channels[batch.channel[row]!]!;
    return fieldsIn(batch.payload(row), (fields) => this.#content(fields, name), most);
  }

  /** Spec §3.2, §4.1, §4.2. */
  #header(fields: Fields): void {
    if (this.#reader.header.layout === "normal") {
      noted(u32le, "tells the byte order")(fields, "endian word");
      while (fields.left > 0) {
        const { type, size } = container(fields);
        fields.within(size, () => (type === 0 ? text(size)(fields, "magic") : propertyTree(fields, CONTAINERS[type]!)));
      }
      return;
    }
    text(MAGIC_BYTES)(fields, "magic");
    const isFirst = this.#reader.header.layout === "first";
    for (const name of isFirst ? ["meta", "config"] : ["tree"]) {
      const size = Number((isFirst ? u64le : u32le)(fields, `${name}.length`));
      fields.within(size, () => propertyTree(fields, name));
    }
  }

  /** Spec §3.3, §4.1. */
  #frame(fields: Fields): void {
    const { frames, data, recordBytes } = this.#layout;
    as("value", noted(f64le, "s"))(fields, "time");
    switch (frames) {
      case "plain":
        this.#items(fields, data);
        break;
      case "deflate": {
        bits(u8, ["signals", "multiplayer", "extra-properties"])(fields, "items");
        const length = u32le(fields, "length");
        as("payload", raw(length))(fields, "items, deflated");
        break;
      }
      default: {
        const size = recordBytes ?? Number(u64le(fields, "signals.length"));
        fields.within(size, () => this.#content(fields, "signals"));
        if (fields.left > 0) this.#packets(fields, frames === "listed");
      }
    }
  }

  #items(fields: Fields, data: readonly string[]): void {
    for (const name of data) {
      const length = u32le(fields, `${name}.length`);
      fields.within(length, () => (name === "multiplayer" ? packets(fields, u16le) : this.#content(fields, name)));
    }
  }

  /** Listed: u32 bytes, each u16 length + packet; else counted: u64 count, each u64 length + packet. */
  #packets(fields: Fields, isListed: boolean): void {
    if (isListed) {
      const length = u32le(fields, "multiplayer.length");
      fields.within(length, () => packets(fields, u16le));
    } else {
      u64le(fields, "multiplayer.count");
      packets(fields, u64le);
    }
  }

  /** The payload of a message of that channel. */
  #content(fields: Fields, name: string): void {
    fields.as("value", () => {
      if (fields.left === 0) return;
      if (name === "signals") this.#signals(fields, "");
      else if (name === "multiplayer") packet(fields, "");
      else if (name === "extra-properties") extraProperties(fields);
      else as("payload", raw(fields.left))(fields, name);
    });
  }

  #contents(bytes: Uint8Array, most: number | undefined): Contents | null {
    try {
      const inflated = inflateRaw(bytes.subarray(DEFLATE_AT), MAX_ITEM);
      const fields = fieldsIn(inflated, (into) => this.#items(into, this.#layout.data), most);
      return { note: "items, deflate", bytes: inflated, fields };
    } catch (error) {
      if (error instanceof LayoutError) return null;
      throw error;
    }
  }
}

/** Behind time, flags and length (spec §4.1). */
const DEFLATE_AT = 13;

function container(fields: Fields): { readonly type: number; readonly size: number } {
  const type = oneOf(u32le, CONTAINERS)(fields, "container");
  const name = CONTAINERS[type] ?? "container";
  const isFrames = type === 3;
  const size = noted(u64le, isFrames ? "frames × record size" : "bytes")(fields, `${name}.size`);
  return { type: Math.min(type, 3), size: Number(size) };
}

function packets(fields: Fields, length: Part<number | bigint>): void {
  for (let i = 0; fields.left > 0; i++) {
    const size = Number(length(fields, `multiplayer[${i}].length`));
    fields.within(size, () => fields.as("value", () => packet(fields, `multiplayer[${i}]`)));
  }
}

const SCALARS: Readonly<Record<Exclude<SignalType, "bool">, Part<number>>> = {
  double: f64le,
  float: f32le,
  int: i32le,
  int16: i16le,
  int8: i8,
};

/** Numbers by the order of their types, then booleans as bits, the lowest first (spec §2.2). */
function signalsPart({ signals }: SignalList): Part {
  const isBool = ({ type }: Signal): boolean => type === "bool";
  const numbers = signals.filter((signal) => !isBool(signal));
  const bools = signals.filter(isBool).map(({ property }) => property);
  return (fields) => {
    for (const { property, type } of numbers) {
      if (type === "bool") continue;
      SCALARS[type](fields, property);
      const unit = unitOf(property);
      fields.note(unit === "1" ? null : unit);
    }
    for (let bit = 0; bit < bools.length; bit += 8) {
      const names = bools.slice(bit, bit + 8);
      bits(u8, names)(fields, names.join(", "));
    }
    if (fields.left > 0) {
      const isUsual = fields.left === FILLER_BYTES;
      as("frame", noted(raw(fields.left), isUsual ? "where the time once was" : "behind the last signal"))(
        fields,
        "filler",
      );
    }
  };
}

/** An i16 length, then as many bytes (spec §6); of an empty text there is only the length. */
function extraText(fields: Fields, name: string): string {
  const length = as("frame", i16le)(fields, `${name}.length`);
  if (length < 0) throw new LayoutError("malformed", `text of ${length} bytes`, fields.cursor.offset);
  return text(length)(fields, name);
}

function extraProperties(fields: Fields): void {
  for (let i = 0; fields.left > 0; i++) {
    const path = fields.as("frame", () => extraText(fields, `[${i}].path`));
    if (path === "") {
      fields.note("a removal");
      extraText(fields, "removed");
    } else extraText(fields, path);
  }
}

/** Words of the header are little-endian on a tape, but for two (spec §5.1). */
const PACKET_HEADER: Part = struct({
  magic: as("frame", text(4)),
  version: as("frame", u32le),
  messageId: noted(u32le, (id) => (id === MESSAGE_POSITION ? "position" : id === 1 ? "chat" : null)),
  length: as("frame", u32le),
  reserved: as("frame", i16be),
  range: noted(i16be, "nautical miles"),
  replyPort: u32le,
  callsign: part((cursor) => paddedText(cursor.view(8))),
});

const xyz = (real: Part<number>, unit: string): Part => {
  const one = noted(real, unit);
  return struct({ x: one, y: one, z: one });
};

/** Spec §5.2. */
const POSITION: Part = struct({
  model: part((cursor) => paddedText(cursor.view(96))),
  time: noted(f64be, "s of the sender's clock"),
  lag: noted(f64be, "s"),
  position: xyz(f64be, "m"),
  orientation: xyz(f32be, "rad"),
  velocity: xyz(f32be, "m/s"),
  angularVelocity: xyz(f32be, "rad/s"),
  acceleration: xyz(f32be, "m/s²"),
  angularAcceleration: xyz(f32be, "rad/s²"),
  pad: as(
    "frame",
    noted(u32be, (pad) => (pad === PROTOCOL_2 ? "protocol 2" : "protocol 1")),
  ),
});

function packet(fields: Fields, name: string): void {
  const { bytes, position, end } = fields.cursor;
  if (!isPacket(bytes, position, end)) {
    const note = "no packet: whatever arrives is recorded";
    if (fields.left > 0) as("unknown", noted(raw(fields.left), note))(fields, name === "" ? "packet" : name);
    return;
  }
  PACKET_HEADER(fields, name);
  const isPosition = new ByteCursor(bytes, position + 8).u32le() === MESSAGE_POSITION;
  if (!isPosition || end - position < PROPERTIES_AT) return;
  POSITION(fields, name);
  for (let entry = entryAhead(fields); entry !== null; entry = entryAhead(fields)) property(fields, name, entry);
}

function entryAhead({ cursor }: Fields): PropertyEntry | null {
  return readEntry(new ByteCursor(cursor.bytes, cursor.position, cursor.end));
}

/** One entry of the property list: id and value in one field (spec §5.3). */
function property(fields: Fields, name: string, entry: PropertyEntry): void {
  const values: Record<string, number | boolean | string> = {};
  entryValues(entry, (path, value) => {
    values[path] = value;
  });
  const paths = Object.keys(values);
  const own = inside(name, `properties.${paths[0] ?? entry.id}`);
  const isOne = paths.length === 1;
  const rest = paths.length === 2 ? paths[1]! : `${paths.length - 1} more`;
  fields.read(isOne ? own : `${own} and ${rest}`, (cursor) => {
    readEntry(cursor);
    return isOne ? values[paths[0]!] : values;
  });
  fields.note(`id ${entry.id}${entry.isShort ? "" : ", long"}`);
}

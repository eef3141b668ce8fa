import { ByteCursor } from "../../../bytes/cursor.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { as, noted, numbers, type Part, raw, remaining, u64le } from "../../../bytes/field-parts.ts";
import { type Field, type Fields, fieldsIn } from "../../../bytes/fields.ts";
import { inflateStream } from "../../../bytes/inflate-stream.ts";
import { type MessagePackHints, messagePackField } from "../../../codec/messagepack-fields.ts";
import { skipMessagePack } from "../../../codec/messagepack.ts";
import { type ProtobufMessage, protobufFields } from "../../../codec/protobuf-fields.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Contents, Dissection, DissectOptions, Dissector } from "../../../model/dissector.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import { localHeader, zipStructures } from "./zip.ts";
import { FRAME, PACKINGS } from "../layout/layout.ts";
import { findIndexEntry, readArraySize } from "../layout/index.ts";
import { type Container, payloadsOf } from "../meaning/schema.ts";

/** What a deflated member is inflated to at most. */
const MAX_INFLATED = 64 << 20;

/** The fields of records and messages of any container. */
export class NanoverDissector implements Dissector {
  readonly #container: Container;

  constructor(container: Container) {
    this.#container = container;
  }

  async record(record: NativeRecord, { most }: DissectOptions = {}): Promise<Dissection> {
    const { kind, bytes } = record;
    const contents = kind === "messages" || kind === "index" ? contentsOf(record, most) : null;
    const fields = fieldsIn(
      bytes,
      (into) => {
        if (contents !== null) as("payload", remaining)(into, `${kind}, deflated`);
        else this.#record(into, kind);
      },
      most,
    );
    return { fields, contents };
  }

  message(batch: MessageBatch, row: number, { most }: DissectOptions = {}): readonly Field[] {
    const container = payloadsOf(batch.context)?.container ?? this.#container;
    const isFrame = batch.channel[row] === FRAME;
    return fieldsIn(batch.payload(row), (fields) => payload(fields, container, isFrame ? "frame" : "state"), most);
  }

  #record(fields: Fields, kind: string): void {
    switch (kind) {
      case "traj-header":
      case "state-header":
        raw(8)(fields, "magic");
        u64le(fields, "version");
        break;
      case "frame":
      case "state": {
        as("value", noted(u64le, "µs"))(fields, "time");
        as("value", noted(u64le, "upper half"))(fields, "time");
        const size = Number(u64le(fields, "size"));
        fields.within(size, () => payload(fields, this.#container, kind));
        break;
      }
      case "message":
        payload(fields, "zip", "frame");
        break;
      case "unindexed":
        messages(fields);
        break;
      case "index":
        index(fields);
        break;
      case "messages":
        as("payload", remaining)(fields, "messages, deflated");
        break;
      case "zip-header":
        localHeader(fields);
        break;
      case "zip-directory":
      case "zip":
        zipStructures(fields);
        break;
      default:
    }
  }
}

function payload(fields: Fields, container: Container, kind: "frame" | "state"): void {
  fields.as("value", () => {
    if (container === "zip") MESSAGE(fields, "");
    else if (kind === "state") protobufFields(fields, "", STATE_UPDATE);
    else protobufFields(fields, "", container === "2" ? GET_FRAME_RESPONSE : FRAME_DATA, unitOf);
  });
}

// spec §2
const VALUE: ProtobufMessage = {
  1: { name: "null_value", type: "null", isHidden: true },
  2: { name: "number_value", type: "double", isHidden: true },
  3: { name: "string_value", type: "string", isHidden: true },
  4: { name: "bool_value", type: "bool", isHidden: true },
  5: { name: "struct_value", type: "message", of: () => STRUCT, isHidden: true },
  6: { name: "list_value", type: "message", of: () => LIST, isHidden: true },
};
const STRUCT: ProtobufMessage = { 1: { name: "fields", type: "map", of: () => VALUE, isHidden: true } };
const LIST: ProtobufMessage = {
  1: { name: "values", type: "message", of: () => VALUE, isHidden: true, isRepeated: true },
};
const FLOAT_ARRAY: ProtobufMessage = { 1: { name: "values", type: "floats", isHidden: true } };
const INDEX_ARRAY: ProtobufMessage = { 1: { name: "values", type: "uint32s", isHidden: true } };
const STRING_ARRAY: ProtobufMessage = { 1: { name: "values", type: "string", isHidden: true, isRepeated: true } };
const VALUE_ARRAY: ProtobufMessage = {
  1: { name: "float_values", type: "message", of: () => FLOAT_ARRAY, isHidden: true },
  2: { name: "index_values", type: "message", of: () => INDEX_ARRAY, isHidden: true },
  3: { name: "string_values", type: "message", of: () => STRING_ARRAY, isHidden: true },
};
const FRAME_DATA: ProtobufMessage = {
  1: { name: "values", type: "map", of: () => VALUE, isHidden: true },
  2: { name: "arrays", type: "map", of: () => VALUE_ARRAY, isHidden: true },
};
const GET_FRAME_RESPONSE: ProtobufMessage = {
  1: { name: "frame_index", type: "uint32" },
  2: { name: "frame", type: "message", of: () => FRAME_DATA },
};
const STATE_UPDATE: ProtobufMessage = { 1: { name: "changed_keys", type: "message", of: () => STRUCT } };

/** Units of frame keys (spec §3.3). */
const UNITS: readonly (readonly [pattern: RegExp, unit: string])[] = [
  [/^particle\.positions$|^system\.box\.vectors$/, "nm"],
  [/^particle\.velocities$/, "nm/ps"],
  [/^particle\.forces|^forces\.user\.sparse$/, "kJ/mol/nm"],
  [/^energy\.|^forces\.user\.work_done$/, "kJ/mol"],
  [/^system\.simulation\.time$/, "ps"],
  [/^system\.temperature$/, "K"],
  [/^server\.timestamp$/, "s"],
];

function unitOf(path: string): string | null {
  const key = keyOf(path);
  return UNITS.find(([pattern]) => pattern.test(key))?.[1] ?? null;
}

function keyOf(path: string): string {
  return path.startsWith("frame.") ? path.slice("frame.".length) : path;
}

/** Arrays of the well-known keys are packed (spec §4.2). */
const HINTS: MessagePackHints = {
  binary: (name, length) => {
    const packing = name.startsWith("frame.") ? PACKINGS.get(keyOf(name)) : undefined;
    if (packing === undefined || (packing.item !== "u8" && length % 4 !== 0)) return null;
    const unit = unitOf(name);
    const part: Part = numbers(packing.item, packing.item === "u8" ? length : length / 4);
    return unit === null ? part : noted(part, unit);
  },
  note: (name) => (name.startsWith("frame.") ? unitOf(name) : null),
};
const MESSAGE: Part = messagePackField(HINTS);

/** Whole messages one after another. */
function messages(fields: Fields): void {
  for (let i = 0; fields.left > 0; i++) {
    const length = valueLength(fields);
    if (length === null) return;
    fields.within(length, () => fields.as("value", () => MESSAGE(fields, `[${i}]`)));
  }
}

const ENTRY: Part = messagePackField({
  note: (name) => (name.endsWith(".timestamp") ? "µs" : null),
});

/** A piece of the index: it may begin and end within an entry. */
function index(fields: Fields): void {
  const { bytes } = fields.cursor;
  if (beginsIndex(bytes)) fields.note(`${fields.read("entries", readArraySize)} in all`);
  else {
    const next = findIndexEntry(bytes, 0, bytes.length);
    if (next < 0) return;
    as("value", noted(raw(next), "began in the record before"))(fields, "an entry's end");
  }
  for (let i = 0; fields.left > 0; i++) {
    const length = valueLength(fields);
    if (length === null && bytes.length < PIECE_BYTES) return;
    if (length === null) as("value", noted(remaining, "goes on in the next record"))(fields, `[${i}]`);
    else fields.within(length, () => fields.as("value", () => ENTRY(fields, `[${i}]`)));
  }
}

/** Bytes of a member that are handed out as one record. */
const PIECE_BYTES = 1 << 20;

function beginsIndex(bytes: Uint8Array): boolean {
  const cursor = new ByteCursor(bytes);
  try {
    const size = readArraySize(cursor);
    return size === 0 || findIndexEntry(bytes, cursor.position, bytes.length) === cursor.position;
  } catch (error) {
    if (error instanceof LayoutError) return false;
    throw error;
  }
}

/** Bytes of the MessagePack value that is next; null when it is cut or damaged. */
function valueLength({ cursor }: Fields): number | null {
  const ahead = new ByteCursor(cursor.bytes, cursor.position, cursor.end);
  try {
    skipMessagePack(ahead);
    return ahead.position - cursor.position;
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

/** What a deflated member begins with; null when it is stored, or this is not its beginning. */
function contentsOf({ kind, bytes }: NativeRecord, most: number | undefined): Contents | null {
  if (kind === "index" && (beginsIndex(bytes) || findIndexEntry(bytes, 0, bytes.length) >= 0)) return null;
  try {
    const inflated = inflateStream(bytes, 0, MAX_INFLATED).bytes;
    if (inflated.length === 0) return null;
    const fields = fieldsIn(inflated, kind === "index" ? index : messages, most);
    return { note: `${kind}, deflate`, bytes: inflated, fields };
  } catch (error) {
    if (error instanceof LayoutError) return null;
    throw error;
  }
}

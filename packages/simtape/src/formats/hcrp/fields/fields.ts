import { as, i16be, noted, type Part, part, remaining, u16be } from "../../../bytes/field-parts.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { type Field, type Fields, fieldsIn } from "../../../bytes/fields.ts";
import { readVarint } from "../../../bytes/varint.ts";
import { nbtDocument } from "../../../codec/nbt-fields.ts";
import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { Contents, Dissection, DissectOptions, Dissector } from "../../../model/dissector.ts";
import type { NativeRecord } from "../../../model/native-record.ts";
import { ChunkContext, type Dialect, Palettes } from "../chunk/context.ts";
import type { OpenedChunk } from "../chunk/decode.ts";
import { type EventParts, eventParts } from "./events.ts";
import { chunkRecordFields, headerFields, indexFields, productionHeaderFields, zstdFields } from "./framing.ts";
import { patchFields } from "./own.ts";
import { productionParts } from "./production.ts";
import { sized, varInt } from "./values.ts";
import { EVENT_NAMES, type EventName, FIRST_SIZED } from "../layout/events.ts";
import { FLAG_COLUMNS } from "../layout/framing.ts";
import { ORIGINAL_EVENT, RESUME_EVENT, SET_EVENT, VALUE_EVENT } from "../layout/own.ts";
import { PRODUCTION_NAMES, type ProductionName, type ProductionVersion } from "../layout/production.ts";

/** What a dissector asks of the recording that it takes apart. */
export interface Dissected {
  readonly channels: readonly { readonly name: string }[];
  readonly preamble: { readonly head: { readonly dialect: Dialect; readonly flags: number } };
  readonly source: { readonly isSegmented: boolean };
  /** The chunk whose frame stands at `offset` of its file; null when there is none that inflates. */
  opened(offset: number, frame: Uint8Array): OpenedChunk | null;
  /** Name of the host event with this number in a chunk; null when the metadata do not name it. */
  hostEvent(type: number, chunk: number): string | null;
}

/** The fields of the preamble, of chunks inflated, and of messages. */
export class HcrpDissector implements Dissector {
  readonly #reader: Dissected;

  constructor(reader: Dissected) {
    this.#reader = reader;
  }

  async record({ kind, offset, bytes }: NativeRecord, { most }: DissectOptions = {}): Promise<Dissection> {
    const fields = fieldsIn(bytes, (into) => this.#record(into, kind), most);
    return { fields, contents: kind === "chunk" ? this.#contents(offset, bytes, most) : null };
  }

  message(batch: MessageBatch, row: number, { most }: DissectOptions = {}): readonly Field[] {
    const { name } = this.#reader.channels[batch.channel[row]!]!;
    const context = batch.context instanceof ChunkContext ? batch.context : null;
    const dialect = context?.dialect ?? this.#reader.preamble.head.dialect;
    const palettes = context?.palettes ?? NO_PALETTES;
    const read = (fields: Fields): void => {
      if (dialect !== 1) productionParts(dialect)[name as ProductionName]?.(fields, "");
      else if (name === "extension") sizedEvent(fields, "", varInt(fields, "type"), null, palettes);
      else if (name === "snapshot") eventParts(palettes).snapshot(fields, "");
      else if (isCore(name)) eventParts(palettes).events[name](fields, "");
      else hostEvent(fields, "", name, palettes);
    };
    return fieldsIn(batch.payload(row), (fields) => fields.as("value", () => read(fields)), most);
  }

  #record(fields: Fields, kind: string): void {
    const { dialect } = this.#reader.preamble.head;
    switch (kind) {
      case "header":
        if (dialect === 1) headerFields(fields);
        else productionHeaderFields(fields);
        break;
      case "metadata":
        fields.as("value", () => nbtDocument(fields, ""));
        break;
      case "index":
        indexFields(fields, this.#reader.source.isSegmented, dialect === 5);
        break;
      case "chunk-record":
        chunkRecordFields(fields, "");
        break;
      case "chunk":
        zstdFields(fields);
        break;
      default:
    }
  }

  #contents(offset: number, frame: Uint8Array, most: number | undefined): Contents | null {
    const opened = this.#reader.opened(offset, frame);
    if (opened === null || opened.raw.length === 0) return null;
    const { chunk, raw, columns } = opened;
    const { context } = columns;
    if (!(context instanceof ChunkContext)) return null;
    const { dialect, palettes } = context;
    const read = (fields: Fields): void => {
      if (dialect !== 1) productionChunk(fields, dialect);
      else {
        const parts = eventParts(palettes);
        const nameOf = (type: number): string | null => this.#reader.hostEvent(type, chunk.index);
        chunkFields(fields, chunk.hasKeyframe, chunk.entry.startTick, parts, nameOf, palettes);
      }
    };
    const isColumns = (this.#reader.preamble.head.flags & FLAG_COLUMNS) !== 0 && dialect === 1;
    const note = `${chunk.title}, zstd${isColumns ? " and columns" : ""}`;
    return { note, bytes: raw, fields: fieldsIn(raw, read, most) };
  }
}

const NO_PALETTES = new Palettes();

function isCore(name: string): name is EventName {
  return (EVENT_NAMES as readonly string[]).includes(name);
}

/** Spec §6: the snapshot when there is one, then records of ticks. */
function chunkFields(
  fields: Fields,
  hasSnapshot: boolean,
  startTick: number,
  parts: EventParts,
  nameOf: (type: number) => string | null,
  palettes: Palettes,
): void {
  if (hasSnapshot) sized((into, name) => into.as("value", () => parts.snapshot(into, name)))(fields, "snapshot");
  for (let i = 0; fields.left > 0; i++) {
    const path = `ticks[${i}]`;
    noted(varInt, (tick) => `tick ${startTick + tick} of the recording`)(fields, `${path}.tick`);
    const count = noted(u16be, "events")(fields, `${path}.count`);
    for (let k = 0; k < count; k++) {
      const event = `${path}.events[${k}]`;
      const type = varInt(fields, `${event}.type`);
      const name = EVENT_NAMES[type];
      if (type < FIRST_SIZED) {
        if (name === undefined) throw new LayoutError("malformed", `event type ${type} is not known`, 0);
        fields.note(name);
        fields.as("value", () => parts.events[name](fields, `${event}.${name}`));
      } else {
        fields.note(nameOf(type));
        sizedEvent(fields, event, type, nameOf(type), palettes);
      }
    }
  }
}

/** Behind the type of an event from 32 on: a length and the body (spec §6.4). */
function sizedEvent(fields: Fields, path: string, type: number, name: string | null, palettes: Palettes): void {
  const own = name ?? (type === RESUME_EVENT ? RESUME : "body");
  sized((into, at) => into.as("value", () => hostEvent(into, at, own, palettes)))(
    fields,
    path === "" ? own : `${path}.${own}`,
  );
}

/** How simtape's own extension event is called here; its body begins with a name of eight bytes. */
const RESUME = "resume";
const RESUME_NAME: Part = as(
  "frame",
  part((cursor) => new TextDecoder("latin1").decode(cursor.view(8))),
);

function hostEvent(fields: Fields, path: string, name: string, palettes: Palettes): void {
  if (name === VALUE_EVENT || name === SET_EVENT) patchFields(fields, path, palettes);
  else if (name === RESUME) {
    RESUME_NAME(fields, `${path}.name`);
    patchFields(fields, path, palettes);
  } else if (name === ORIGINAL_EVENT) {
    varInt(fields, path === "" ? "file" : `${path}.file`);
    noted(
      part((cursor) => readVarint(cursor)),
      "place in the file",
    )(fields, path === "" ? "offset" : `${path}.offset`);
    as("payload", remaining)(fields, path === "" ? "bytes" : `${path}.bytes`);
  } else if (fields.left > 0) as("payload", remaining)(fields, path === "" ? "body" : path);
}

/** Spec §14: every tick, its snapshot among the events. */
function productionChunk(fields: Fields, version: ProductionVersion): void {
  const parts = productionParts(version);
  for (let i = 0; fields.left > 0; i++) {
    const path = `ticks[${i}]`;
    varInt(fields, `${path}.tick`);
    const count = noted(i16be, "events")(fields, `${path}.count`);
    for (let k = 0; k < count; k++) {
      const type = varInt(fields, `${path}.events[${k}].type`);
      const name = PRODUCTION_NAMES[type];
      if (name === undefined) throw new LayoutError("malformed", `event type ${type} is not known`, 0);
      fields.note(name);
      fields.as("value", () => parts[name](fields, `${path}.events[${k}].${name}`));
    }
  }
}

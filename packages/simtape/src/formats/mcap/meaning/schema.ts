import { LayoutError } from "../../../bytes/error.ts";
import type { Schema, Value } from "../../../model/values/value.ts";
import type { ChannelRecord, SchemaRecord } from "../../../codec/mcap/data.ts";

/** Makes a value of a payload. Throws `LayoutError` where it does not fit. */
export type Decode = (payload: Uint8Array) => Value;

/** A channel and its schema as the file has them. */
export interface Definition {
  readonly channel: ChannelRecord;
  /** Null: the channel has none. */
  readonly schema: SchemaRecord | null;
}

/** A definition, and the name under which the channel is shown. */
interface Shown extends Definition {
  readonly name: string;
}

/** Payloads of one channel. Where their encoding is not known here, a value is the bytes. */
export class PayloadSchema implements Schema {
  /** That of the schema record; without one, the message encoding. */
  readonly name: string;
  readonly definition: Definition;
  readonly #decode: Decode | null;

  constructor(definition: Definition, decode: Decode | null) {
    this.definition = definition;
    this.name = definition.schema?.name || definition.channel.encoding || "raw";
    this.#decode = decode;
  }

  /** Whether values are more than bytes. */
  get isDecoded(): boolean {
    return this.#decode !== null;
  }

  decode(payload: Uint8Array): Value {
    return this.#decode === null ? payload : this.#decode(payload);
  }

  /** The value; undefined where the payload cannot be decoded. */
  value(payload: Uint8Array): Value | undefined {
    if (this.#decode === null) return undefined;
    try {
      return this.#decode(payload);
    } catch (error) {
      if (error instanceof LayoutError) return undefined;
      throw error;
    }
  }
}

/**
 * Definitions by the metadata of channels: commands hand the metadata from a reader to a writer, also under other names
 * and from several files.
 */
const definitions = new WeakMap<object, Shown>();

/** The metadata that a channel shows: its own texts, and its encodings. */
export function metadataOf(definition: Definition, name: string): Readonly<Record<string, string>> {
  const { channel, schema } = definition;
  // literals that all channels share: an object that is put together has a shape of its own, which takes 200 bytes
  const own =
    schema === null ? { encoding: channel.encoding } : { encoding: channel.encoding, schemaEncoding: schema.encoding };
  const metadata = channel.metadata.size === 0 ? own : { ...own, ...Object.fromEntries(channel.metadata) };
  definitions.set(metadata, { ...definition, name });
  return metadata;
}

/** What stands behind metadata that `metadataOf` gave. */
export function definitionOf(metadata: object | undefined): Shown | null {
  return metadata === undefined ? null : (definitions.get(metadata) ?? null);
}

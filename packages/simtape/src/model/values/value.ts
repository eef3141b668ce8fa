/** What payloads decode to and what state holds. Typed arrays are immutable. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | readonly Value[]
  | { readonly [key: string]: Value };

/** How a channel's payloads become values. */
export interface Schema<T = Value> {
  readonly name: string;
  /**
   * `context` is the batch's: what payloads of one chunk refer to. Bytes in the result may be views of the payload.
   * Throws `LayoutError` when the payload does not fit.
   */
  decode(payload: Uint8Array, context: unknown): T;
  /** What the message itself says, where its value also has texts that are there for others to refer to. */
  said?(payload: Uint8Array, context: unknown): Value;
}

/** A schema among those of all channels: what it decodes to is made of values, though interfaces do not show it. */
export function untyped<T>(schema: Schema<T>): Schema {
  return schema as unknown as Schema;
}

/** A named stream of messages. */
export interface ChannelInfo {
  /** Dense, from 0: an index into `recording.channels`. */
  readonly id: number;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A stream of messages with what their payloads mean. */
export interface Channel<T = Value> extends ChannelInfo {
  readonly schema: Schema<T>;
}

/** What a channel holds over the whole recording. */
export interface ChannelStatistics {
  readonly messages: number;
  /** Sum of payload lengths. */
  readonly bytes: number;
  /** Earliest and latest message; null when there is none. */
  readonly first: number | null;
  readonly last: number | null;
}

/** Bytes of a channel whose payloads cannot be decoded. */
export const RAW: Schema<Uint8Array> = { name: "raw", decode: (payload) => payload };

import { LayoutError } from "../../../bytes/error.ts";
import type { Schema, Value } from "../../../model/values/value.ts";
import type { CompressedPayload, UnreadPayload } from "./channels.ts";
import type { ChannelEncoding } from "./encoding.ts";
import { TapeContext } from "../layout/message-header.ts";
import { decodePayload, toHex } from "./payload.ts";

/**
 * Payloads of one channel. A value whose type is not known, or that does not have the layout of its type, is given
 * as `{ type, hex }`; data that nothing known decompresses as `{ compressed: true, uncompressedSize, bytes }`.
 */
export class TapeSchema implements Schema {
  /** Type name as in the tape; "unknown" where the channel info was lost. */
  readonly name: string;
  readonly #encoding: ChannelEncoding | null;

  constructor(name: string, encoding: ChannelEncoding | null) {
    this.name = name;
    this.#encoding = encoding;
  }

  /** Null: payloads are given as hex. */
  get encoding(): ChannelEncoding | null {
    return this.#encoding;
  }

  decode(payload: Uint8Array, context: unknown): Value {
    const opaque = opaqueValue(payload, context);
    if (opaque !== null) return opaque;
    return this.value(payload) ?? ({ type: this.name, hex: toHex(payload) } satisfies UnreadPayload);
  }

  /** The value, which owns its bytes; null when the payload does not have the layout of its type. */
  value(payload: Uint8Array): Value {
    if (this.#encoding === null) return null;
    try {
      return decodePayload(payload, this.#encoding.layout, this.#encoding.encoding);
    } catch (error) {
      if (error instanceof LayoutError) return null;
      throw error;
    }
  }
}

/** The value of data that was left compressed; null for all other payloads. */
export function opaqueValue(payload: Uint8Array, context: unknown): CompressedPayload | null {
  const size = context instanceof TapeContext ? context.opaqueSize(payload) : null;
  return size === null ? null : { compressed: true, uncompressedSize: size, bytes: payload };
}

/** Whether payloads with this context may be data that was left compressed. */
export function hasOpaque(context: unknown): boolean {
  return context instanceof TapeContext && context.hasOpaque;
}

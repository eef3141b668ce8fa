import type { Field } from "../bytes/fields.ts";
import type { MessageBatch } from "./messages/batch.ts";
import type { NativeRecord } from "./native-record.ts";

/** How much is named. */
export interface DissectOptions {
  /** So many fields at most; behind them is one for all the rest. */
  readonly most?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a record is made of. */
export interface Dissection {
  /** Ascending and without a gap, from the first byte of the record to its last. */
  readonly fields: readonly Field[];
  /** What is compressed in it; null when nothing is, or it does not inflate. */
  readonly contents: Contents | null;
}

/** Bytes that a record holds compressed. */
export interface Contents {
  /** What they are of, and by what they were compressed: `zstd`. */
  readonly note: string;
  readonly bytes: Uint8Array;
  /** As those of a record. */
  readonly fields: readonly Field[];
}

/** What a format knows of the bytes of one recording. Nothing is thrown for damage: its fields are not understood. */
export interface Dissector {
  /** One of `records()` of the same recording. */
  record(record: NativeRecord, options?: DissectOptions): Promise<Dissection>;
  /** The payload of one message, as its schema decodes it. */
  message(batch: MessageBatch, row: number, options?: DissectOptions): readonly Field[];
}

import type { ByteSink } from "../sink/sink.ts";
import type { ByteSource } from "../source/source.ts";

/** An object of a store. */
export interface StoreEntry {
  /** Segments of letters, digits and `._=-`, joined by `/`; never begins with one. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Changes with every change of the content; never parsed. */
  readonly etag: string;
  /** Unix milliseconds of the last change. */
  readonly modified: number;
}

/** Condition of a change: nothing is under the key yet, or exactly the object with this etag. */
export type Condition = { readonly absent: true } | { readonly etag: string };

/** Under which condition an object is put, and how a put that is tried again is known. */
export interface PutOptions {
  readonly condition?: Condition | undefined;
  /**
   * Stable for the life of one change: a put that is tried again after an answer was lost finds its own bytes and
   * succeeds; when another has changed the object since, that is a conflict like any other, and does not tell whether
   * ours was there in between. Without it a conditional put is never tried again. Letters, digits and `._-`, 128 at
   * most.
   */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Why a store failed. Stable: programs may decide by it. */
export type StoreErrorCode =
  /** The condition does not hold: another writer came first. */
  | "conflict"
  /** Nothing is under the key. */
  | "not-found"
  /** Not allowed, or wrong credentials. */
  | "denied"
  /** No room: disk full or quota used up. */
  | "full"
  /** The store cannot be reached or does not answer properly; trying again later may help. */
  | "unavailable"
  /** A key or a request that no store takes. */
  | "malformed";

/** Every failure of a store; `cause` has the error of the system. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  readonly key: string | null;

  constructor(code: StoreErrorCode, message: string, key: string | null, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.key = key;
  }
}

/**
 * Objects under keys: a directory, or a bucket of S3. An object appears whole or not at all; what `put` has answered
 * survives a crash of the machine that asked.
 */
export interface Store {
  /** For messages: a path or `s3://bucket/prefix`. */
  readonly name: string;
  /** Everything whose key begins with `prefix`, in the order of keys (by code unit), a page at a time. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<StoreEntry>;
  /** Null: nothing is there. */
  head(key: string, signal?: AbortSignal): Promise<StoreEntry | null>;
  /** The whole object, or null. For small ones: metadata files. */
  get(key: string, signal?: AbortSignal): Promise<{ readonly bytes: Uint8Array; readonly etag: string } | null>;
  /** Ranged reads; null: nothing is there. */
  source(key: string, signal?: AbortSignal): Promise<ByteSource | null>;
  /**
   * Resolves with the etag when the object is stored durably. Throws `StoreError` `conflict` when the condition fails.
   */
  put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<string>;
  /** For large objects; in parts where the store has them. It appears when the sink is closed. */
  sink(key: string, options?: PutOptions): Promise<ByteSink>;
  /** Without effect when nothing is there, unless a condition says otherwise. */
  delete(key: string, options?: { readonly condition?: Condition; readonly signal?: AbortSignal }): Promise<void>;
}

/** One unit of the file's own framing; it may hold a message. */
export interface NativeRecord {
  /** The format's word for it; `"damaged"` for bytes that are no record. */
  readonly kind: string;
  /** In the file, or in the inflated stream of a compressed one. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

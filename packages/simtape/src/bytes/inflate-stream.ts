import { LayoutError } from "./error.ts";
import { type InflatePause, Inflater } from "./inflate.ts";

/** What `inflateStream` got out of one stream. */
export interface Inflated {
  /** The inflated bytes; the caller's own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Place in the input of the first byte after what was used. */
  readonly end: number;
  /** Why inflating stopped before the end of the stream; `bytes` is what came out before. Null when all is well. */
  readonly damage: LayoutError | null;
}

/**
 * Inflates one raw deflate stream (RFC 1951) that starts at `input[start]`.
 * Memory follows what really comes out, never more than about twice `limit`; more output than `limit` bytes throws.
 * Damage is handed back beside the bytes before it. Offsets in errors count from `input[0]`.
 */
export function inflateStream(input: Uint8Array, start: number, limit: number): Inflated {
  sharedInflater ??= new Inflater();
  const inflater = sharedInflater;
  inflater.reset();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  let pause: InflatePause = "output";
  while (pause === "output") {
    pause = inflater.run(input, start + inflater.position);
    length += inflater.available;
    if (length > limit) {
      const at = start + inflater.position;
      throw new LayoutError("malformed", `deflate stream inflates to more than ${limit} bytes`, at);
    }
    pieces.push(inflater.take());
  }
  const { fault, position } = inflater;
  let damage: LayoutError | null = null;
  if (fault !== null) damage = new LayoutError("malformed", fault.message, start + fault.offset);
  else if (pause === "input") damage = new LayoutError("truncated", "deflate stream ends early", input.length);
  return { bytes: pieces.length === 1 ? pieces[0]! : concatenate(pieces, length), end: start + position, damage };
}

/** `pieces` one after another, `length` bytes in all; the caller's own. */
export function concatenate(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** `inflateStream` never waits, so that one serves all calls; it holds nothing between them. */
let sharedInflater: Inflater | null = null;

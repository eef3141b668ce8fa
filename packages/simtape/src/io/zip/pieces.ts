import type { ByteSource } from "../source/source.ts";
import { readExactly } from "./zip-directory.ts";

/** Bytes of a piece, at most. */
const PIECE = 1 << 20;

/** Bytes of a source. */
export interface Piece {
  /** Where they begin. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** The bytes of a source between two places, which are known to be there, one piece after the other. */
export async function* piecesOf(
  source: ByteSource,
  from: number,
  to: number,
  signal?: AbortSignal,
): AsyncGenerator<Piece, void> {
  for (let at = from; at < to; at += PIECE) {
    signal?.throwIfAborted();
    yield { at, bytes: await readExactly(source, at, Math.min(PIECE, to - at), signal) };
  }
}

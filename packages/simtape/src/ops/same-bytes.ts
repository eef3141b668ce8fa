import { type ByteSource, type SourceBundle, SourceError } from "../io/source/source.ts";
import type { Recording } from "../model/recording.ts";

const PIECE = 1 << 20;

/** Rejects when a copy has other bytes than its source. */
export async function mustBeSame({ reader }: Recording, from: SourceBundle, written: SourceBundle): Promise<void> {
  const { name } = written;
  const beside = (reader.siblings ?? [])
    .map((own) => [own, name === null ? own : (reader.siblingFor?.(own, name) ?? own)] as const)
    .filter(([, other]) => other !== name);
  if (await areSameFiles(from, written, beside)) return;
  throw new SourceError("failed", `the copy differs from its source: ${name ?? "standard output"}`);
}

/** Whether two recordings are the same files, byte for byte: the main one, and those beside it by both names. */
export async function areSameFiles(
  a: SourceBundle,
  b: SourceBundle,
  beside: readonly (readonly [string, string])[],
): Promise<boolean> {
  for (const [name, other] of [[undefined, undefined] as const, ...beside]) {
    const [left, right] = [await a.open(name), await b.open(other)];
    try {
      if (left === null || right === null || !(await areSame(piecesOf(left), piecesOf(right)))) return false;
    } finally {
      await left?.close();
      await right?.close();
    }
  }
  return true;
}

/** Whether two streams give the same bytes, in whatever pieces. */
export async function areSame(a: AsyncIterable<Uint8Array>, b: AsyncIterable<Uint8Array>): Promise<boolean> {
  const right = b[Symbol.asyncIterator]();
  let rest: Uint8Array | null = new Uint8Array(0);
  const more = async (): Promise<Uint8Array | null> => {
    for (;;) {
      const { done, value } = await right.next();
      if (done === true || value.length > 0) return done === true ? null : value;
    }
  };
  for await (const left of a) {
    for (let at = 0; at < left.length; ) {
      if (rest !== null && rest.length === 0) rest = await more();
      if (rest === null) return false;
      const count = Math.min(left.length - at, rest.length);
      for (let i = 0; i < count; i++) if (left[at + i] !== rest[i]) return false;
      at += count;
      rest = rest.subarray(count);
    }
  }
  return rest !== null && rest.length === 0 && (await more()) === null;
}

/** A source from its beginning to its end. */
export async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const bytes = await source.read(at, PIECE);
    if (bytes.length === 0) return;
    yield bytes;
    at += bytes.length;
  }
}

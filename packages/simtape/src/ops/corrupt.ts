/** One thing done to bytes. Offsets are those of the bytes given, before any of the others. */
export interface Corruption {
  readonly kind: "cut" | "flip" | "swap" | "lengthen" | "zero";
  readonly offset: number;
  /** Bytes concerned: cut off, flipped, swapped with as many behind them, inserted, zeroed. */
  readonly length: number;
}

const KINDS = ["flip", "flip", "zero", "swap", "lengthen", "cut"] as const;

/** `count` corruptions for bytes of this length; the same for the same seed. At most one cuts, and it comes last. */
export function plan(length: number, seed: number, count: number): Corruption[] {
  const random = mulberry(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const found: Corruption[] = [];
  for (let i = 0; i < count && length > 0; i++) {
    const kind = KINDS[below(KINDS.length)]!;
    if (kind === "cut" && found.some((other) => other.kind === "cut")) continue;
    const offset = below(length);
    const size = kind === "cut" ? length - offset : 1 + below(kind === "flip" ? 4 : 64);
    found.push({ kind, offset, length: Math.min(size, length - offset) });
  }
  return found.sort((a, b) => a.offset - b.offset);
}

/** A corrupted copy. */
export function corrupt(bytes: Uint8Array, corruptions: readonly Corruption[], seed: number): Uint8Array {
  const random = mulberry(seed ^ 0x5bd1e995);
  const copy = bytes.slice();
  let end = copy.length;
  const inserts: { offset: number; bytes: Uint8Array }[] = [];
  for (const { kind, offset, length } of corruptions) {
    switch (kind) {
      case "flip":
        for (let i = offset; i < offset + length; i++) copy[i] = copy[i]! ^ (1 << Math.floor(random() * 8));
        break;
      case "zero":
        copy.fill(0, offset, offset + length);
        break;
      case "swap": {
        const size = Math.min(length, copy.length - offset - length);
        if (size <= 0) break;
        const first = copy.slice(offset, offset + size);
        copy.copyWithin(offset, offset + length, offset + length + size);
        copy.set(first, offset + length);
        break;
      }
      case "lengthen":
        inserts.push({ offset, bytes: Uint8Array.from({ length }, () => Math.floor(random() * 256)) });
        break;
      case "cut":
        end = offset;
        break;
      default:
        kind satisfies never;
    }
  }
  const kept = inserts.filter(({ offset }) => offset < end);
  const result = new Uint8Array(end + kept.reduce((sum, insert) => sum + insert.bytes.length, 0));
  let from = 0;
  let to = 0;
  for (const insert of kept) {
    result.set(copy.subarray(from, insert.offset), to);
    to += insert.offset - from;
    result.set(insert.bytes, to);
    to += insert.bytes.length;
    from = insert.offset;
  }
  result.set(copy.subarray(from, end), to);
  return result;
}

/** Numbers in [0, 1), the same for the same seed: mulberry32. */
function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

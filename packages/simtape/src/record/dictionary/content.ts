/** Slots of the table of short strings, by hash. */
const SLOTS = 1 << 18;

/** How content is chosen. */
export interface ContentOptions {
  /** Bytes of content. */
  readonly size: number;
  /** Bytes of the strings that are counted: 6 or 8. */
  readonly unit: number;
  /** Bytes of a segment. */
  readonly segment: number;
}

/**
 * Content for a dictionary: segments of the samples whose short strings occur in most of the samples, each string
 * counted once (the idea of COVER: Liao, Petri, Moffat, Wirth 2016). The samples are gone through in stretches, from each
 * of which comes the best segment. The best stand last, nearest to what will be compressed.
 */
export function selectContent(samples: readonly Uint8Array[], options: ContentOptions): Uint8Array {
  const { size, unit, segment } = options;
  const counts = frequencies(samples, unit);
  const whole = joined(samples);
  const wanted = Math.max(1, Math.ceil(size / segment));
  const chosen: { readonly start: number; readonly end: number; readonly score: number }[] = [];
  let bytes = 0;
  // several rounds: what a stretch has left beside its best is looked at again
  for (let round = 0; bytes < size && round < 8; round++) {
    const stretch = Math.max(segment, Math.floor(whole.length / wanted));
    let found = 0;
    for (let from = 0; from < whole.length && bytes < size; from += stretch) {
      const best = bestSegment(whole, from, Math.min(whole.length, from + stretch), segment, unit, counts);
      if (best === null) continue;
      found++;
      chosen.push(best);
      bytes += best.end - best.start;
      for (let at = best.start; at + unit <= best.end; at++) counts[slotOf(whole, at, unit)] = 0;
    }
    if (found === 0) break;
  }
  chosen.sort((a, b) => a.score - b.score || a.start - b.start);
  const content = new Uint8Array(bytes);
  let at = 0;
  for (const { start, end } of chosen) {
    content.set(whole.subarray(start, end), at);
    at += end - start;
  }
  return content.subarray(Math.max(0, bytes - size));
}

/** In how many samples each string occurs; those of one sample alone count nothing. */
function frequencies(samples: readonly Uint8Array[], unit: number): Uint32Array {
  const counts = new Uint32Array(SLOTS);
  const seenIn = new Uint32Array(SLOTS);
  for (const [i, sample] of samples.entries()) {
    for (let at = 0; at + unit <= sample.length; at++) {
      const slot = slotOf(sample, at, unit);
      if (seenIn[slot] === i + 1) continue;
      seenIn[slot] = i + 1;
      counts[slot]!++;
    }
  }
  for (let slot = 0; slot < SLOTS; slot++) counts[slot]! -= counts[slot] === 0 ? 0 : 1;
  return counts;
}

/** The segment of `[from, to)` whose strings count most, each once, cut to where they count; null: none does. */
function bestSegment(
  bytes: Uint8Array,
  from: number,
  to: number,
  length: number,
  unit: number,
  counts: Uint32Array,
): { readonly start: number; readonly end: number; readonly score: number } | null {
  const inside = new Map<number, number>();
  let score = 0;
  let best = 0;
  let bestEnd = -1;
  for (let at = from; at + unit <= to; at++) {
    const slot = slotOf(bytes, at, unit);
    const known = inside.get(slot) ?? 0;
    if (known === 0) score += counts[slot]!;
    inside.set(slot, known + 1);
    const out = at + unit - length - 1;
    if (out >= from) {
      const old = slotOf(bytes, out, unit);
      const left = inside.get(old)! - 1;
      if (left === 0) {
        inside.delete(old);
        score -= counts[old]!;
      } else inside.set(old, left);
    }
    if (score <= best) continue;
    best = score;
    bestEnd = at + unit;
  }
  if (bestEnd < 0) return null;
  let start = Math.max(from, bestEnd - length);
  while (counts[slotOf(bytes, start, unit)] === 0) start++;
  return { start, end: bestEnd, score: best };
}

function slotOf(bytes: Uint8Array, at: number, unit: number): number {
  let hash = 0;
  for (let i = 0; i < unit; i++) hash = Math.imul(hash ^ bytes[at + i]!, 0x0100_0193) ^ (hash >>> 15);
  return (Math.imul(hash, 0x9e37_79b1) >>> 0) % SLOTS;
}

function joined(samples: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(samples.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const sample of samples) {
    whole.set(sample, at);
    at += sample.length;
  }
  return whole;
}

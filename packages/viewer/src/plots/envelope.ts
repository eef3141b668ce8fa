/**
 * What a number was over a stretch of time, in buckets of equal length: first, lowest, highest and last of each.
 * Memory is that of the buckets, however many samples there were.
 */
export interface Buckets {
  /** Bounds of all buckets together, nanoseconds. */
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The bucket of a time; times outside are in the first or last one. */
export function bucketOf({ start, end, count }: Buckets, time: number): number {
  if (end <= start) return 0;
  return Math.max(0, Math.min(count - 1, Math.floor(((time - start) / (end - start)) * count)));
}

/** When samples were taken: one for all numbers that are sampled together. */
export class Moments {
  readonly buckets: Buckets;
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly samples: Uint32Array;

  constructor(buckets: Buckets) {
    this.buckets = buckets;
    this.first = new Float64Array(buckets.count);
    this.last = new Float64Array(buckets.count);
    this.samples = new Uint32Array(buckets.count);
  }

  /** Notes a sample, later than those before; returns its bucket. `Envelope.take` follows for each number. */
  take(time: number): number {
    const bucket = bucketOf(this.buckets, time);
    if (this.samples[bucket]!++ === 0) this.first[bucket] = time;
    this.last[bucket] = time;
    return bucket;
  }
}

/** One number over time. NaN: it was not there. */
export class Envelope {
  readonly first: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly last: Float64Array;
  #newest = -1;

  constructor(count: number) {
    const unknown = (): Float64Array => new Float64Array(count).fill(Number.NaN);
    this.first = unknown();
    this.min = unknown();
    this.max = unknown();
    this.last = unknown();
  }

  take(bucket: number, value: number): void {
    if (bucket !== this.#newest) {
      this.#newest = bucket;
      this.first[bucket] = value;
    }
    this.last[bucket] = value;
    if (Number.isNaN(value)) return;
    if (!(this.min[bucket]! <= value)) this.min[bucket] = value;
    if (!(this.max[bucket]! >= value)) this.max[bucket] = value;
  }
}

/** A line for each envelope over the same times: what is drawn. */
export interface Lines {
  readonly time: Float64Array;
  readonly values: readonly Float64Array[];
}

/**
 * What `[start, end)` looks like in `columns`: at most four points for each, its first and last sample where they were
 * and its lowest and highest between them, so that nothing that shows is lost. The sample before and the one behind are
 * there, too. A column with one or two samples has just these.
 */
export function condense(moments: Moments, envelopes: readonly Envelope[], range: Range, columns: number): Lines {
  const { samples, first, last, buckets } = moments;
  let from = bucketOf(buckets, range.start);
  let to = bucketOf(buckets, range.end) + 1;
  const before = previous(samples, from);
  const behind = next(samples, to);
  if (before !== null) from = before;
  if (behind !== null) to = behind + 1;
  const scale = columns / Math.max(1, range.end - range.start);
  const columnOf = (bucket: number): number => Math.floor((first[bucket]! - range.start) * scale);

  const time: number[] = [];
  const values = envelopes.map((): number[] => []);
  let bucket = from;
  while (bucket < to) {
    if (samples[bucket] === 0) {
      bucket++;
      continue;
    }
    const begin = bucket;
    const column = columnOf(begin);
    let final = begin;
    let count = 0;
    for (; bucket < to && (samples[bucket] === 0 || columnOf(bucket) === column); bucket++) {
      if (samples[bucket] === 0) continue;
      count += samples[bucket]!;
      final = bucket;
    }
    addTimes(time, first[begin]!, last[final]!, count);
    for (const [i, envelope] of envelopes.entries()) addValues(values[i]!, envelope, begin, final, count);
  }
  return { time: Float64Array.from(time), values: values.map((list) => Float64Array.from(list)) };
}

/** Whether a finer look at the range could show more than its buckets do. */
export function isCoarse({ samples, buckets }: Moments, range: Range, columns: number): boolean {
  const from = bucketOf(buckets, range.start);
  const to = bucketOf(buckets, range.end);
  if (to - from >= columns) return false;
  for (let bucket = from; bucket <= to; bucket++) if (samples[bucket]! > 2) return true;
  return false;
}

function addTimes(time: number[], first: number, last: number, count: number): void {
  if (count === 1) time.push(first);
  else if (count === 2) time.push(first, last);
  else time.push(first, first + (last - first) / 3, first + ((last - first) * 2) / 3, last);
}

function addValues(values: number[], envelope: Envelope, begin: number, final: number, count: number): void {
  const first = envelope.first[begin]!;
  const last = envelope.last[final]!;
  if (count === 1) {
    values.push(first);
    return;
  }
  if (count === 2) {
    values.push(first, last);
    return;
  }
  let min = Number.NaN;
  let max = Number.NaN;
  for (let bucket = begin; bucket <= final; bucket++) {
    if (!(min <= envelope.min[bucket]!)) min = orOther(envelope.min[bucket]!, min);
    if (!(max >= envelope.max[bucket]!)) max = orOther(envelope.max[bucket]!, max);
  }
  const isRising = !(Math.abs(first - max) < Math.abs(first - min));
  values.push(first, isRising ? min : max, isRising ? max : min, last);
}

function orOther(value: number, other: number): number {
  return Number.isNaN(value) ? other : value;
}

function previous(samples: Uint32Array, from: number): number | null {
  for (let bucket = from - 1; bucket >= 0; bucket--) if (samples[bucket]! > 0) return bucket;
  return null;
}

function next(samples: Uint32Array, from: number): number | null {
  for (let bucket = from; bucket < samples.length; bucket++) if (samples[bucket]! > 0) return bucket;
  return null;
}

/** A cubic polynomial from a place on: a + b·d + c·d² + d·d³, where d is counted from `start`. */
export interface Cubic {
  readonly start: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
}

export function cubicAt({ start, a, b, c, d }: Cubic, at: number): number {
  const x = at - start;
  return a + x * (b + x * (c + x * d));
}

/** Records that follow each other, ascending: each holds until the next one begins (ASAM OpenDRIVE 1.7 sections 8.4 and 9.4). */
export class Profile {
  readonly records: readonly Cubic[];

  constructor(records: readonly Cubic[]) {
    this.records = records.toSorted((p, q) => p.start - q.start);
  }

  /** 0 before the first record, and without any. */
  at(place: number): number {
    const found = lastBefore(this.records, place, ({ start }) => start);
    return found < 0 ? 0 : cubicAt(this.records[found]!, place);
  }

  /** Places where another record begins. */
  get breaks(): readonly number[] {
    return this.records.map(({ start }) => start);
  }
}

/** Index of the last item that begins at or before a place; -1: there is none. */
export function lastBefore<T>(items: readonly T[], place: number, startOf: (item: T) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (startOf(items[middle]!) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

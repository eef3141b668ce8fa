import type { Time } from "../model/values/time.ts";

/** Points before the room grows. */
const FIRST = 1024;

/**
 * Where a thing was, as columns: between two points it moved straight and evenly. When the room is full every second point
 * is left out, and from then on as many of those that are added, so that memory does not grow with a recording.
 */
export class Trace {
  #time: Float64Array;
  /** Three for each point. */
  #places: Float64Array;
  #count = 0;
  readonly #room: number;
  #stride = 1;
  #skipped = 0;
  /** The last point was left out by the stride, and is kept until the next one is added. */
  #isLoose = false;

  /** `room`: points at most. */
  constructor(room: number) {
    this.#room = Math.max(4, room);
    const first = Math.min(FIRST, this.#room);
    this.#time = new Float64Array(first);
    this.#places = new Float64Array(3 * first);
  }

  get count(): number {
    return this.#count;
  }

  /** One of so many points was kept. */
  get stride(): number {
    return this.#stride;
  }

  timeAt(i: number): Time {
    return this.#time[i]!;
  }

  /** The number of a point: 0 to 2 for x, y, z; metres. */
  cell(i: number, k: number): number {
    return this.#places[3 * i + k]!;
  }

  /** A point, later than the one before. What stays in one place is two points: when it came, and when it left. */
  add(time: Time, x: number, y: number, z: number): void {
    const last = this.#count - 1;
    if (last >= 0 && time <= this.#time[last]!) {
      this.#put(last, this.#time[last]!, x, y, z);
      return;
    }
    const stays = last >= 1 && this.#isAt(last, x, y, z) && this.#isAt(last - 1, x, y, z);
    if (stays || (this.#isLoose && last >= 1)) {
      this.#put(last, time, x, y, z);
    } else {
      this.#grow();
      this.#put(this.#count++, time, x, y, z);
    }
    if (stays) return;
    this.#skipped = this.#isLoose || this.#stride > 1 ? this.#skipped + 1 : 0;
    this.#isLoose = this.#stride > 1 && this.#skipped % this.#stride !== 0;
  }

  /** The place at a time, to which three numbers of `out` are set; outside of the trace its first or last place. */
  placeAt(time: Time, out: Float64Array): void {
    const i = this.segmentAt(time);
    const next = Math.min(i + 1, this.#count - 1);
    const span = this.#time[next]! - this.#time[i]!;
    const share = span > 0 ? Math.max(0, Math.min(1, (time - this.#time[i]!) / span)) : 0;
    for (let k = 0; k < 3; k++) {
      const here = this.#places[3 * i + k]!;
      out[k] = here + share * (this.#places[3 * next + k]! - here);
    }
  }

  /** The last point at or before a time; 0 where there is none. */
  segmentAt(time: Time): number {
    let [low, high] = [0, Math.max(0, this.#count - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#time[middle]! <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #isAt(i: number, x: number, y: number, z: number): boolean {
    return this.#places[3 * i] === x && this.#places[3 * i + 1] === y && this.#places[3 * i + 2] === z;
  }

  #put(i: number, time: Time, x: number, y: number, z: number): void {
    this.#time[i] = time;
    this.#places[3 * i] = x;
    this.#places[3 * i + 1] = y;
    this.#places[3 * i + 2] = z;
  }

  #grow(): void {
    if (this.#count < this.#time.length) return;
    if (this.#count >= this.#room) {
      let kept = 0;
      for (let i = 0; i < this.#count; i += 2, kept++) {
        const at = 3 * i;
        this.#put(kept, this.#time[i]!, this.#places[at]!, this.#places[at + 1]!, this.#places[at + 2]!);
      }
      this.#count = kept;
      this.#stride *= 2;
      return;
    }
    const size = Math.min(this.#room, 2 * this.#time.length);
    const [time, places] = [new Float64Array(size), new Float64Array(3 * size)];
    time.set(this.#time);
    places.set(this.#places);
    this.#time = time;
    this.#places = places;
  }
}

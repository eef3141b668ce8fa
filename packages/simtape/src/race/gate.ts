import type { Time } from "../model/values/time.ts";
import { RaceError } from "./error.ts";

/**
 * A line across the way: straight between two points seen from above, as high as one likes. Of geodetic things the
 * numbers are latitudes and longitudes.
 */
export interface Gate {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

/** `x1,y1,x2,y2`; null: it is something else. Throws `RaceError` for a line without length, or four numbers out of range. */
export function gateOf(text: string): Gate | null {
  const numbers = numbersOf(text);
  if (numbers?.length !== 4) return null;
  const [x1, y1, x2, y2] = numbers as unknown as [number, number, number, number];
  if (x1 === x2 && y1 === y2) throw new RaceError("line", `a line has two ends: ${text}`);
  return { x1, y1, x2, y2 };
}

/** Numbers with commas between them; null: it is something else. */
export function numbersOf(text: string): readonly number[] | null {
  const parts = text.split(",").map((part) => part.trim());
  const areNumbers = parts.every((part) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(part));
  return areNumbers ? parts.map(Number) : null;
}

/**
 * The times at which a thing that moves straight from place to place crosses a gate. The direction of the first crossing
 * counts. A crossing back takes one away: a thing that trembles on the line crosses it once.
 */
export class Crossings {
  /** Nanoseconds, ascending, interpolated between the places before and behind the gate. */
  readonly times: Time[] = [];
  readonly #gate: Gate;
  #time: Time = Number.NaN;
  #x = Number.NaN;
  #y = Number.NaN;
  /** On which side it was last, -1 or 1; what lies on the line is on the side that it came from. 0: not known yet. */
  #side = 0;
  #direction = 0;
  /** Crossings in the direction that counts less those back. */
  #net = 0;

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  add(time: Time, x: number, y: number): void {
    const { x1, y1, x2, y2 } = this.#gate;
    const height = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1);
    const side = Math.sign(height);
    if (this.#side === 0) this.#side = side;
    else if (side !== 0 && side !== this.#side) {
      this.#side = side;
      this.#cross(time, x, y, side);
    }
    this.#time = time;
    this.#x = x;
    this.#y = y;
  }

  /** The way goes on somewhere else: what lies between is no crossing. */
  leap(): void {
    this.#side = 0;
  }

  #cross(time: Time, x: number, y: number, side: number): void {
    const { x1, y1, x2, y2 } = this.#gate;
    const [dx, dy] = [x2 - x1, y2 - y1];
    const from = dx * (this.#y - y1) - dy * (this.#x - x1);
    const to = dx * (y - y1) - dy * (x - x1);
    const part = from === to ? 0 : from / (from - to);
    const [cx, cy] = [this.#x + part * (x - this.#x), this.#y + part * (y - this.#y)];
    const place = ((cx - x1) * dx + (cy - y1) * dy) / (dx * dx + dy * dy);
    if (place < 0 || place > 1) return;
    if (this.#direction === 0) this.#direction = side;
    const before = this.times.length;
    this.#net += side === this.#direction ? 1 : -1;
    if (this.#net > before) this.times.push(this.#time + part * (time - this.#time));
  }
}

import { open, type Recording } from "../../src/index.ts";
import { ByteBuilder } from "../../src/kit.ts";
import { bundleOfFiles } from "../conformance/mutate.ts";
import { makeTape } from "../fixtures/mira/tape.ts";

/** Where a thing is at a time in seconds: metres. */
export type Way = (t: number) => readonly [x: number, y: number];

/** The bytes of a recording in which a robot goes along a way, seen every `every` seconds from `from` to `until`. */
export function tapeOf(
  way: Way,
  { from = 0, until, every }: { from?: number; until: number; every: number },
): Uint8Array {
  const messages = [];
  for (let i = 0; ; i++) {
    const t = Math.min(until, from + i * every);
    const [x, y] = way(t);
    const data = new ByteBuilder();
    for (const value of [x, y, 0, 0, 0, 0]) data.f32le(value);
    const time = Math.round(t * 1e9);
    messages.push({ channel: "/robot/Odometry", time, frame: "/odometry", sequence: i, data: data.take() });
    if (t >= until) break;
  }
  return makeTape(
    {
      start: 1_777_883_400_000_000_000n,
      zoneOffset: 0n,
      channels: {
        "/robot/Odometry": {
          type: "mira::robot::Odometry2",
          meta: new TextEncoder().encode('{"type":"mira::robot::Odometry2","members":["pose","velocity"]}'),
        },
      },
      messages,
    },
    {},
  );
}

export function opened(bytes: Uint8Array, name = "run.tape"): Promise<Recording> {
  return open(bundleOfFiles({ [name]: bytes }));
}

/** A closed course that crosses itself in its middle, by the length of the way along it. */
export class Eight {
  /** Metres once around. */
  readonly length: number;
  /** A line across it where it begins: at its right end, where it goes down. */
  readonly line: string;
  readonly #along: Float64Array;
  readonly #width: number;
  readonly #height: number;

  constructor(width = 60, height = 30, points = 20_000) {
    this.#width = width;
    this.#height = height;
    this.line = `${width - 5},0,${width + 5},0`;
    this.#along = new Float64Array(points + 1);
    for (let i = 1; i <= points; i++) {
      const [a, b] = [this.#at((i - 1) / points), this.#at(i / points)];
      this.#along[i] = this.#along[i - 1]! + Math.hypot(b[0] - a[0], b[1] - a[1]);
    }
    this.length = this.#along[points]!;
  }

  /** The place so many metres along, also before the beginning and behind the end; `aside`: metres to its left. */
  place(along: number, aside = 0): readonly [number, number] {
    const rest = ((along % this.length) + this.length) % this.length;
    let [low, high] = [0, this.#along.length - 1];
    while (low < high - 1) {
      const middle = (low + high) >> 1;
      if (this.#along[middle]! <= rest) low = middle;
      else high = middle;
    }
    const part = (rest - this.#along[low]!) / (this.#along[high]! - this.#along[low]!);
    const points = this.#along.length - 1;
    const [x, y] = this.#at((low + part) / points);
    const [nx, ny] = this.#at((low + part + 0.5) / points);
    const length = Math.hypot(nx - x, ny - y);
    return [x - ((ny - y) / length) * aside, y + ((nx - x) / length) * aside];
  }

  #at(part: number): readonly [number, number] {
    const angle = Math.PI / 2 + part * 2 * Math.PI;
    return [this.#width * Math.sin(angle), this.#height * Math.sin(2 * angle)];
  }
}

/** How far a thing has come that drives parts of a lap, all of the same length, at one speed each. */
export class Drive {
  /** Seconds at which each part ends. */
  readonly #ends: readonly number[];
  readonly #speeds: readonly number[];
  readonly #part: number;

  constructor(length: number, speeds: readonly number[]) {
    this.#part = length / speeds.length;
    this.#speeds = speeds;
    let sum = 0;
    this.#ends = speeds.map((speed) => (sum += this.#part / speed));
  }

  /** For the whole lap. */
  get seconds(): number {
    return this.#ends.at(-1)!;
  }

  /** Seconds until it has come so far. */
  secondsTo(along: number): number {
    const i = Math.min(this.#speeds.length - 1, Math.floor(along / this.#part));
    return (i === 0 ? 0 : this.#ends[i - 1]!) + (along - i * this.#part) / this.#speeds[i]!;
  }

  along(seconds: number): number {
    const i = this.#ends.findIndex((end) => seconds <= end);
    const at = i < 0 ? this.#speeds.length - 1 : i;
    return at * this.#part + (seconds - (at === 0 ? 0 : this.#ends[at - 1]!)) * this.#speeds[at]!;
  }
}

import { interpolateStates } from "../state/interpolate.ts";
import type { State } from "../state/state.ts";
import { after, type Time, type TimeRange } from "../values/time.ts";
import { type Along, statesAlong } from "./along.ts";
import { type Bounds, boundsOf, checkEvery, type QuerySource } from "./source.ts";
import { type Stops, Walk } from "./walk.ts";

/** Of which range states are given, and how often. Everything is optional. */
export interface StatesOptions extends TimeRange {
  /** Between two states, nanoseconds; absent: one for each time at which there are messages. */
  readonly every?: Time | undefined;
  /** Between two messages of the motion channel, interpolate what moves; off, states are as recorded. */
  readonly interpolate?: boolean | undefined;
  /** Only these sets, or all of them, and no values, which are many in some formats. Not together with `interpolate`. */
  readonly sets?: readonly string[] | "all" | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** See `Recording.states`. */
export async function* statesOf(source: QuerySource, options: StatesOptions): AsyncGenerator<State> {
  const { every, interpolate = false, sets, signal } = options;
  checkEvery(every);
  if (interpolate && sets !== undefined) throw new TypeError("states of some sets are as recorded, not interpolated");
  signal?.throwIfAborted();
  const bounds = await boundsOf(source, options);
  if (bounds.start >= bounds.end) return;
  const states = frozenAlong(source, { bounds, every, signal }, sets);
  if (!interpolate || source.reader.state.motion === null) {
    yield* states;
    return;
  }
  const motion = new Motion(source, bounds, signal);
  try {
    for await (const state of states) yield await motion.between(state);
  } finally {
    await motion.close();
  }
}

async function* frozenAlong(source: QuerySource, along: Along, sets: StatesOptions["sets"]): AsyncGenerator<State> {
  const has = sets === "all" ? (): boolean => true : (name: string): boolean => sets?.includes(name) === true;
  for await (const state of statesAlong(source, along))
    yield sets === undefined ? state.freeze() : { time: state.time, values: NO_VALUES, sets: state.freezeSets(has) };
}

const NO_VALUES: State["values"] = new Map();

/** The moment of motion behind a state. */
interface Coming {
  readonly time: Time;
  /** To be asked for before the next one is. */
  readonly state: () => State;
}

/** Goes ahead of a row of states from one moment of motion to the next, so that what moves can be interpolated. */
class Motion {
  readonly #source: QuerySource;
  readonly #bounds: Bounds;
  readonly #signal: AbortSignal | undefined;
  readonly #coming: AsyncGenerator<Coming>;
  /** The moments around the state asked for last; null: there is none. */
  #from: Time | null = null;
  #to: Coming | null = null;
  #isBegun = false;

  constructor(source: QuerySource, bounds: Bounds, signal: AbortSignal | undefined) {
    this.#source = source;
    this.#bounds = bounds;
    this.#signal = signal;
    this.#coming = this.#motions();
  }

  /** The state as it is at its time; it is not before the one asked for last. */
  async between(state: State): Promise<State> {
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#from = await this.#before();
      await this.#next();
    }
    while (this.#to !== null && this.#to.time <= state.time) {
      this.#from = this.#to.time;
      await this.#next();
    }
    if (this.#from === null || this.#to === null || this.#from === state.time) return state;
    const model = this.#source.reader.state;
    const from = { ...state, time: this.#from };
    return interpolateStates(from, this.#to.state(), state.time, (path) => model.interpolation?.(path) ?? "hold");
  }

  async close(): Promise<void> {
    await this.#coming.return(undefined);
  }

  async #next(): Promise<void> {
    const { value, done } = await this.#coming.next();
    this.#to = done === true ? null : value;
  }

  /** The last moment of motion before the range. */
  async #before(): Promise<Time | null> {
    const { reader } = this.#source;
    const channels = reader.channels.filter(({ id }) => id === reader.state.motion);
    for await (const batch of reader.batches({
      end: this.#bounds.start,
      channels,
      reverse: true,
      signal: this.#signal,
    })) {
      return batch.time[batch.length - 1]!;
    }
    return null;
  }

  /** Those from the beginning of the range on, also behind its end. */
  async *#motions(): AsyncGenerator<Coming> {
    const { reader, fold } = this.#source;
    const { start, first } = this.#bounds;
    const { motion } = reader.state;
    let isMotion = false;
    const stops: Stops = {
      until: (next) => next,
      rows: ({ channel }, from, to) => {
        for (let i = from; i < to; i++) if (channel[i] === motion) isMotion = true;
      },
    };
    const end = after((await reader.timeline()).end);
    const walk = await Walk.begin(reader, fold, { start, end }, first, { signal: this.#signal });
    const here = (): Coming => {
      let state: State | null = null;
      const time = walk.from;
      return {
        time,
        state: () => {
          walk.state.time = time;
          state ??= walk.state.freeze();
          return state;
        },
      };
    };
    for await (const batch of walk.batches()) {
      for (const _ of walk.fold(batch, stops)) {
        if (isMotion) yield here();
        isMotion = false;
      }
    }
    if (isMotion) yield here();
  }
}

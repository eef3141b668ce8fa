import type { MutableState } from "../state/state.ts";
import type { Time } from "../values/time.ts";
import type { Bounds, QuerySource } from "./source.ts";
import { type Stops, Walk } from "./walk.ts";

/** At which times of a range states are looked at. */
export interface Along {
  readonly bounds: Bounds;
  /** At each step of so many nanoseconds from the start of the range; absent: at each recorded moment. */
  readonly every?: Time | undefined;
  /** Whether a message of a channel makes its time a moment; absent: any does. */
  readonly counts?: ((channel: number) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The state at one time after the other. It is always the same one, which the caller does not change. */
export function statesAlong(source: QuerySource, along: Along): AsyncGenerator<MutableState> {
  return along.every === undefined ? momentsAlong(source, along) : stepsAlong(source, along, along.every);
}

async function* momentsAlong(
  { reader, fold }: QuerySource,
  { bounds, counts = () => true, signal }: Along,
): AsyncGenerator<MutableState> {
  let isMoment = false;
  const stops: Stops = {
    until: (next) => next,
    rows: ({ channel }, from, to) => {
      for (let i = from; i < to && !isMoment; i++) isMoment = counts(channel[i]!);
    },
  };
  const walk = await Walk.begin(reader, fold, bounds, bounds.first, { signal });
  for await (const batch of walk.batches()) {
    for (const _ of walk.fold(batch, stops)) {
      if (isMoment) yield at(walk.state, walk.from);
      isMoment = false;
    }
  }
  if (isMoment) yield at(walk.state, walk.from);
}

async function* stepsAlong(
  { reader, fold }: QuerySource,
  { bounds, signal }: Along,
  every: Time,
): AsyncGenerator<MutableState> {
  const { start, end, first } = bounds;
  let step = 0;
  const stops: Stops = { until: () => start + step * every };
  const walk = await Walk.begin(reader, fold, bounds, first, { signal });
  for await (const batch of walk.batches()) {
    for (const next of walk.fold(batch, stops)) {
      for (; start + step * every < next; step++) yield at(walk.state, start + step * every);
    }
  }
  for (; start + step * every < end; step++) {
    signal?.throwIfAborted();
    yield at(walk.state, start + step * every);
  }
}

function at(state: MutableState, time: Time): MutableState {
  state.time = time;
  return state;
}

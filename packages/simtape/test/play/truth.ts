import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { type EntitySet, MutableState, open, type Recording, type State, type Time } from "../../src/index.ts";
import { countUntil } from "../../src/play/search.ts";
import { stateText } from "../../src/testing/index.ts";
import type { SoundRecording } from "../specimens.ts";

/** Every state a recording has, had by folding it once from its start: what playing is measured by. */
export class Truth {
  readonly times: readonly Time[];
  readonly #states: readonly State[];

  private constructor(times: readonly Time[], states: readonly State[]) {
    this.times = times;
    this.#states = states;
  }

  static async of(recording: Recording): Promise<Truth> {
    const { state: model } = recording.reader;
    const state = new MutableState();
    model.begin?.(state);
    const times: Time[] = [];
    const states: State[] = [];
    for await (const batch of recording.batches()) {
      for (let i = 0; i < batch.length; i++) {
        const time = batch.time[i]!;
        if (times.length > 0 && time !== times.at(-1)) states.push(state.freeze());
        if (time !== times.at(-1)) times.push(time);
        model.apply(state, batch, i);
      }
    }
    if (times.length > 0) states.push(state.freeze());
    return new Truth(times, states);
  }

  get start(): Time {
    return this.times[0]!;
  }

  get end(): Time {
    return this.times.at(-1)!;
  }

  /** That `state` is the one recorded at `time`. */
  expect(state: State, time: Time): void {
    const at = countUntil(this.times, time) - 1;
    expectSame(state, this.#states[at]!, `at ${time}`);
  }
}

/** That two states say the same; texts are compared only where that is in doubt. */
export function expectSame(state: State, expected: State, where: string): void {
  if (!isSame(state, expected)) expect(stateText(state), where).toBe(stateText(expected));
}

function isSame(a: State, b: State): boolean {
  if (!isDeepStrictEqual(a.values, b.values)) return false;
  const names = new Set([...a.sets.keys(), ...b.sets.keys()]);
  return [...names].every((name) => isSameSet(a.sets.get(name), b.sets.get(name)));
}

/** A set that is not there is like an empty one. */
function isSameSet(a: EntitySet | undefined, b: EntitySet | undefined): boolean {
  if (a === undefined || b === undefined) return ((a ?? b)?.ids.length ?? 0) === 0;
  if (a.ids.length === 0 && b.ids.length === 0) return true;
  if (!isSameList(a.ids, b.ids) || a.columns.size !== b.columns.size) return false;
  return [...a.columns].every(([name, { data }]) => isSameList(data, b.columns.get(name)?.data ?? []));
}

function isSameList(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return false;
  return true;
}

export function opened(sound: SoundRecording): Promise<Recording> {
  return open(sound.bundle());
}

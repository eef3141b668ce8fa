import { openBundle } from "../../src/model/open.ts";
import type { Recording } from "../../src/model/recording.ts";
import { MutableState, type State } from "../../src/model/state.ts";
import type { Time } from "../../src/model/time.ts";
import { stateText } from "../../src/testing/digest.ts";
import { FORMATS } from "../formats.ts";
import type { SoundRecording } from "../specimens.ts";

/** Every state a recording has, had by folding it once from its start: what playing is measured by. */
export class Truth {
  readonly times: readonly Time[];
  readonly #states: readonly State[];
  readonly #texts = new Map<State, string>();

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

  /** The state at `time` as text. */
  at(time: Time): string {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return this.textOf(this.#states[low - 1]!);
  }

  textOf(state: State): string {
    let text = this.#texts.get(state);
    if (text === undefined) {
      text = stateText(state);
      this.#texts.set(state, text);
    }
    return text;
  }
}

export function opened(sound: SoundRecording): Promise<Recording> {
  return openBundle(sound.bundle(), FORMATS);
}

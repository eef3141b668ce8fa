import type { MessageBatch } from "../model/messages/batch.ts";
import { RecordingError } from "../model/error.ts";
import { Fold } from "../model/fold.ts";
import { Growth } from "../model/state/growth.ts";
import type { Recording } from "../model/recording.ts";
import { after, type Time, type TimeRange } from "../model/values/time.ts";
import { Collector } from "./collect.ts";
import type { ChannelRates, RecordingStatistics } from "./report.ts";

/** Of which part of a recording; absent bounds are open. */
export interface StatisticsOptions extends TimeRange {
  readonly signal?: AbortSignal | undefined;
  /** Called now and then with the time that was come to; a promise is waited for. */
  readonly onProgress?: ((time: Time) => void | Promise<void>) | undefined;
}

/**
 * Goes through a recording once and says what its numbers are: for each path extent, mean, deviation and quantiles, for each
 * channel rate and longest gap, for each thing how far it went, and how many events of each kind there are. Memory does not
 * grow with the recording.
 */
export async function statistics(recording: Recording, options: StatisticsOptions = {}): Promise<RecordingStatistics> {
  try {
    return await collected(recording, options);
  } catch (error) {
    throw RecordingError.from(error, recording.info.format);
  }
}

async function collected(recording: Recording, options: StatisticsOptions): Promise<RecordingStatistics> {
  const { reader, info, sideCar } = recording;
  const { signal, onProgress } = options;
  const timeline = await recording.timeline();
  const start = Math.max(options.start ?? timeline.start, timeline.start);
  const end = Math.min(options.end ?? after(timeline.end), after(timeline.end));
  const { unitOf } = await recording.traits();
  const collector = new Collector(unitOf);
  const rates = reader.channels.map(({ name }) => new Rate(name));
  const growth = new Growth(reader.budget, 3);
  const fold = new Fold(reader, undefined, undefined, undefined, sideCar?.states);
  const state = start <= timeline.start ? fold.begin() : await fold.at(-after(-start), signal);
  state.touch().forget();
  let moments = 0;
  let now: Time | null = null;
  for await (const batch of start < end ? reader.batches({ start, end, signal }) : []) {
    signal?.throwIfAborted();
    for (let i = 0; i < batch.length; i++) rates[batch.channel[i]!]!.add(batch, i);
    for (let i = 0; i < batch.length; ) {
      const time = batch.time[i]!;
      if (now !== null && time > now) {
        collector.look(state, now);
        moments++;
      }
      let to = i + 1;
      while (to < batch.length && batch.time[to] === time) to++;
      growth.apply(reader.state, state, batch, i, to);
      now = time;
      i = to;
    }
    const waiting = now === null ? undefined : onProgress?.(now);
    if (waiting !== undefined) await waiting;
  }
  if (now !== null) {
    collector.look(state, now);
    moments++;
  }
  const last = now ?? start;
  const counts = new Map<string, number>();
  for await (const events of recording.events({ start, end, signal }))
    for (const { kind } of events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const minutes = (last - start) / 60e9;
  return {
    format: info.format,
    start,
    end: last,
    moments,
    channels: rates.map((rate) => rate.end()),
    paths: collector.paths(),
    morePaths: collector.morePaths,
    travels: collector.travels(),
    moreTravels: collector.moreTravels,
    events: [...counts]
      .map(([kind, count]) => ({ kind, count, perMinute: minutes > 0 ? count / minutes : null }))
      .sort((a, b) => b.count - a.count),
  };
}

/** The messages of one channel as they come. */
class Rate {
  readonly #name: string;
  #messages = 0;
  #bytes = 0;
  #first: Time = Number.NaN;
  #last: Time = Number.NaN;
  #gap: Time = 0;
  #from: Time = Number.NaN;

  constructor(name: string) {
    this.#name = name;
  }

  add(batch: MessageBatch, i: number): void {
    const time = batch.time[i]!;
    if (this.#messages === 0) this.#first = time;
    else if (time - this.#last > this.#gap) {
      this.#gap = time - this.#last;
      this.#from = this.#last;
    }
    this.#last = time;
    this.#messages++;
    this.#bytes += batch.end[i]! - batch.start[i]!;
  }

  end(): ChannelRates {
    const span = this.#last - this.#first;
    const rate = span > 0 ? ((this.#messages - 1) / span) * 1e9 : null;
    const gap = this.#gap > 0 ? { length: this.#gap, from: this.#from } : null;
    return { name: this.#name, messages: this.#messages, bytes: this.#bytes, rate, gap };
  }
}

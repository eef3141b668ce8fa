import {
  type Channel,
  type ChannelStatistics,
  type Keyframe,
  type Query,
  type Reader,
  Recording,
  type State,
  type StateModel,
  type Time,
  type Timeline,
} from "../../src/index.ts";
import {
  boundsOf,
  ByteBuilder,
  type Chunk,
  ColumnBuilder,
  type Columns,
  RAW,
  readChunks,
  StatisticsCounter,
  summarize,
} from "../../src/kit.ts";
import { Findings } from "../../src/model/error.ts";

/** Moments of a counting recording, and messages at each. */
export const STEP: Time = 10e6;
const PER_CHUNK = 40;

/**
 * A recording that counts: message n at n × 10 ms adds n to a sum, so that any state tells which messages went into it.
 * Its chunks come only when the test lets them.
 */
export class CountingReader implements Reader {
  readonly info = { format: "counting", version: "1", bytes: null, seekIndex: "built" as const, metadata: {} };
  readonly channels: readonly Channel[] = [{ id: 0, name: "count", metadata: {}, schema: RAW }];
  readonly state: StateModel = {
    motion: 0,
    replacesState: () => false,
    begin: (state) => {
      state.setValue("count", 0);
      state.setValue("sum", 0);
    },
    apply: (state, batch, i) => {
      const n = batch.payload(i)[0]! * 256 + batch.payload(i)[1]!;
      if (n === this.broken) throw new RangeError(`message ${n} is broken`);
      state.setValue("count", (state.value("count") as number) + 1);
      state.setValue("sum", (state.value("sum") as number) + n);
    },
  };
  /** The message that cannot be read. */
  broken: number | null = null;
  /** Chunks decoded, by number. */
  readonly decoded: number[] = [];
  /** What waits to be let go: each lets one chunk come, or fails it. */
  readonly waiting: ((error?: Error) => void)[] = [];
  isSlow = false;
  readonly #chunks: Chunk[] = [];
  readonly #batches: Columns[] = [];
  readonly #counter = new StatisticsCounter();

  constructor(count: number) {
    for (let at = 0; at < count; at += PER_CHUNK) {
      const builder = new ColumnBuilder();
      const bytes = new ByteBuilder();
      for (let n = at; n < Math.min(count, at + PER_CHUNK); n++) {
        bytes.u8(n >> 8).u8(n & 255);
        builder.add(n * STEP, 0, bytes.length - 2, bytes.length, 0);
      }
      const batch = builder.build(bytes.take(), at);
      this.#batches.push(batch);
      this.#counter.add(batch);
      this.#chunks.push({ offset: at, length: 2 * batch.length, sequence: at, ...summarize(batch) });
    }
  }

  timeline(): Promise<Timeline> {
    return Promise.resolve({ ...boundsOf(this.#chunks), epoch: null, tick: null });
  }

  statistics(): Promise<readonly ChannelStatistics[]> {
    return Promise.resolve(this.#counter.result(1));
  }

  batches(query: Query): AsyncGenerator<Columns> {
    return readChunks(this.#chunks, (chunk, signal) => this.#decode(chunk, signal), query);
  }

  keyframe(): Promise<Keyframe | null> {
    return Promise.resolve(null);
  }

  async *records(): AsyncGenerator<never[]> {}

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #decode(chunk: Chunk, signal: AbortSignal | undefined): Promise<Columns> {
    const number = chunk.sequence / PER_CHUNK;
    if (this.isSlow) {
      await new Promise<void>((resolve, reject) => {
        const abort = (): void => {
          this.waiting.splice(this.waiting.indexOf(go), 1);
          reject(signal!.reason);
        };
        const go = (error?: Error): void => {
          signal?.removeEventListener("abort", abort);
          if (error === undefined) resolve();
          else reject(error);
        };
        signal?.throwIfAborted();
        this.waiting.push(go);
        signal?.addEventListener("abort", abort, { once: true });
      });
    }
    this.decoded.push(number);
    return this.#batches[number]!;
  }
}

export function recordingOf(reader: Reader): Recording {
  return new Recording(reader, new Findings());
}

/** Which message was the last of a counting state; null when the state is none that the recording has. */
export function lastOf(state: State): number | null {
  const last = (state.values.get("count") as number) - 1;
  return state.values.get("sum") === (last * (last + 1)) / 2 ? last : null;
}

import type { SinkBundle } from "../io/sink.ts";
import type { Recording } from "../model/recording.ts";
import type { Query } from "../model/reader.ts";
import type { Time } from "../model/time.ts";
import type { Account, CreateOptions, Writer, WritingFormat } from "../model/writer.ts";
import { Moments } from "./moments.ts";

export interface ConvertOptions {
  readonly from?: Time | undefined;
  readonly until?: Time | undefined;
  /** Only these channels are folded. */
  readonly channels?: Query["channels"];
  readonly create?: CreateOptions | undefined;
  /** Puts more into the result, before it is closed: the original's files, where the format can carry them. */
  readonly carry?: ((writer: Writer) => Promise<void>) | undefined;
  /** Writes nothing when something would be lost; the report tells what. */
  readonly strict?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((time: Time) => void) | undefined;
}

export interface Carried {
  readonly path: string;
  readonly count: number;
}

export interface Lost extends Carried {
  readonly reason: string;
}

export interface ConversionReport {
  /** True when the result gives the original back byte for byte. */
  readonly exact: boolean;
  /** Moments of the source that were carried over. */
  readonly moments: number;
  readonly carried: readonly Carried[];
  readonly lost: readonly Lost[];
}

/** Keeps account of a conversion: one entry for each path, however often it is met. */
export class Ledger implements Account {
  readonly #carried = new Map<string, number>();
  readonly #lost = new Map<string, { reason: string; count: number }>();

  carried(path: string, count = 1): void {
    this.#carried.set(path, (this.#carried.get(path) ?? 0) + count);
  }

  lost(path: string, reason: string, count = 1): void {
    const key = `${path}\0${reason}`;
    const found = this.#lost.get(key);
    if (found === undefined) this.#lost.set(key, { reason, count });
    else found.count += count;
  }

  get hasLoss(): boolean {
    return this.#lost.size > 0;
  }

  report(exact: boolean, moments: number): ConversionReport {
    const carried = [...this.#carried].map(([path, count]) => ({ path, count }));
    const lost = [...this.#lost].map(([key, { reason, count }]) => ({
      path: key.slice(0, key.indexOf("\0")),
      reason,
      count,
    }));
    return { exact, moments, carried, lost };
  }
}

/**
 * A recording in another format, by way of state: every moment at which something was recorded becomes one step of the
 * target's encoder. What it cannot hold is in the report.
 */
export async function convert(
  recording: Recording,
  writing: WritingFormat,
  to: SinkBundle,
  options: ConvertOptions = {},
): Promise<ConversionReport> {
  const { start, epoch } = await recording.timeline();
  const begin = options.from ?? start;
  const ledger = new Ledger();
  const writer = await writing.create(to, {
    epoch: epoch === null ? null : epoch + BigInt(Math.round(begin)),
    ...options.create,
  });
  let moments = 0;
  try {
    const encoder = writing.encoder(writer, ledger);
    const source = new Moments(
      recording.reader,
      (state) => {
        moments++;
        encoder.step({ ...state.freeze(), time: state.time - begin });
      },
      (path, reason, count) => ledger.lost(path, reason, count),
    );
    const { from, until, channels, signal } = options;
    if (begin > start && channels === undefined) await source.begin(begin);
    for await (const batch of recording.batches({ start: from, end: until, channels, signal })) {
      source.add(batch);
      options.onProgress?.(batch.time[batch.length - 1] ?? begin);
      if (writer.ready !== null) await writer.ready;
    }
    source.end();
    encoder.end();
    await options.carry?.(writer);
    if (options.strict === true && options.carry === undefined && ledger.hasLoss) await writer.abort();
    else await writer.close();
  } catch (error) {
    await writer.abort();
    throw error;
  }
  return ledger.report(options.carry !== undefined, moments);
}

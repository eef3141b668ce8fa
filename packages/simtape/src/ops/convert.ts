import type { Budget } from "../bytes/budget.ts";
import { HeldFiles } from "../io/sink/held.ts";
import type { SinkBundle } from "../io/sink/sink.ts";
import type { SourceBundle } from "../io/source/source.ts";
import { countUntil } from "../model/chunks.ts";
import { unwritable } from "../model/error.ts";
import { type Origin, unsetOrigin } from "../model/axes/geodesy.ts";
import { readersBelow } from "../model/readers-below.ts";
import type { Recording } from "../model/recording.ts";
import type { Query } from "../model/messages/batch-query.ts";
import { after, type Time, type TimeDomain } from "../model/values/time.ts";
import type { Account, CreateOptions, Lost, StateEncoder, Writer, WritingFormat } from "../model/writer.ts";
import { compareStates } from "./compare-states.ts";
import { Moments } from "./moments.ts";
import { mustBeSound, readBack } from "./sound.ts";
import { messagesOutside, outsideOf } from "./time-room.ts";

/** What of a recording is converted, and what must come of it. Everything is optional. */
export interface ConvertOptions {
  readonly from?: Time | undefined;
  readonly until?: Time | undefined;
  /** Only these channels are folded. */
  readonly channels?: Query["channels"];
  readonly create?: CreateOptions | undefined;
  /**
   * Where the plane of a local recording lies on the earth, or where one is laid for a geodetic recording (`originAt`).
   */
  readonly origin?: Origin | undefined;
  /** Adds to the result before it is closed: the files of the original, where the format can carry them. */
  readonly carry?: ((writer: Writer) => Promise<void>) | undefined;
  /** Writes no file when something is lost; the report says what. */
  readonly strict?: boolean | undefined;
  /** Reads the result back and compares it with the source; absent: the report relies on the encoder. */
  readonly verify?: ConversionCheck | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((time: Time) => void) | undefined;
}

/** How the result of a conversion is read back and compared with its source. */
export interface ConversionCheck {
  /** Opens what was written; it has no name yet. */
  readonly reopen: (written: SourceBundle) => Promise<Recording>;
  /** Where a file is found that cannot be read before it is finished, as an object of a store. */
  readonly there?: SourceBundle | undefined;
  /** Whether the result has what `carry` added, byte for byte. */
  readonly hasOriginal?: ((result: Recording) => Promise<boolean>) | undefined;
}

/** A path of the state that was carried over, and in how many steps. */
export interface Carried {
  readonly path: string;
  readonly count: number;
}

/** What a conversion carried over, and what it could not. */
export interface ConversionReport {
  /** True when nothing is lost, and the result gives the original back byte for byte. */
  readonly exact: boolean;
  /** The result carries the original's bytes. */
  readonly original: boolean;
  /** The result was read back, compared with the source at every moment, and is sound, as `check` says. */
  readonly verified: boolean;
  /** Moments of the source that were carried over. */
  readonly moments: number;
  readonly carried: readonly Carried[];
  readonly lost: readonly Lost[];
  /** Where the local plane touches the earth, when positions were converted between the two. */
  readonly origin: Omit<Origin, "isSet"> | null;
  /** Further sentences about the result. */
  readonly notes: readonly string[];
}

/** What a conversion keeps for each path beside its name, in bytes, about: its account, its channel and its last value. */
const PATH = 1000;

/** Keeps account of a conversion: one entry for each path, however often it is met. */
export class Ledger implements Account {
  readonly #budget: Budget | undefined;
  #weight = 0;
  readonly #carried = new Map<string, number>();
  readonly #lost = new Map<string, { reason: string; count: number }>();
  readonly #notes = new Set<string>();

  /** Its paths may take that budget; absent: they are not limited. */
  constructor(budget?: Budget) {
    this.#budget = budget;
  }

  carried(path: string, count = 1): void {
    const before = this.#carried.get(path);
    if (before === undefined) this.#met(path);
    this.#carried.set(path, (before ?? 0) + count);
  }

  lost(path: string, reason: string, count = 1): void {
    const key = `${path}\0${reason}`;
    const found = this.#lost.get(key);
    if (found === undefined) {
      this.#met(path);
      this.#lost.set(key, { reason, count });
    } else found.count += count;
  }

  #met(path: string): void {
    this.kept(PATH + path.length);
  }

  kept(bytes: number): void {
    this.#weight += bytes;
    this.#budget?.fit("all that is converted", this.#weight);
  }

  noted(text: string): void {
    this.#notes.add(text);
  }

  get hasLoss(): boolean {
    return this.#lost.size > 0;
  }

  /**
   * What the result does not have, by path. What was said to be lost of a path, of what is above it or of what is below
   * is a part of that; the rest is lost, too.
   */
  missing(found: readonly Lost[]): void {
    const left = new Map<string, number>();
    for (const [key, { count }] of this.#lost) {
      const path = key.slice(0, key.indexOf("\0"));
      left.set(path, (left.get(path) ?? 0) + count);
    }
    const paths = [...left.keys()].sort();
    // a path may have thousands of steps
    const lengths = new Set(paths.map(({ length }) => length));
    for (const { path, reason, count } of found) {
      let rest = count;
      const take = (from: string): void => {
        const taken = Math.min(rest, left.get(from) ?? 0);
        if (taken === 0) return;
        left.set(from, left.get(from)! - taken);
        rest -= taken;
      };
      take(path);
      for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
        if (lengths.has(at)) take(path.slice(0, at));
      const below = `${path}/`;
      for (let i = countUntil(paths, (one) => one < below); rest > 0 && paths[i]?.startsWith(below) === true; i++)
        take(paths[i]!);
      if (rest > 0) this.lost(path, reason, rest);
    }
  }

  /** `original`: the source's bytes are inside; `verified`: the result was read back. */
  report(original: boolean, moments: number, verified = false, origin: Origin | null = null): ConversionReport {
    const carried = [...this.#carried].map(([path, count]) => ({ path, count }));
    const lost = [...this.#lost].map(([key, { reason, count }]) => ({
      path: key.slice(0, key.indexOf("\0")),
      reason,
      count,
    }));
    const { latitude = 0, longitude = 0, altitude = 0, heading = 0 } = origin ?? {};
    return {
      exact: original && lost.length === 0,
      original,
      verified,
      moments,
      carried,
      lost,
      origin: origin === null ? null : { latitude, longitude, altitude, heading },
      notes: [...this.#notes],
    };
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
  const { start, end, epoch } = await recording.timeline();
  const domain = domainOf(writing, to, options);
  const begin = await beginOfResult(recording, writing, to, options);
  const ledger = new Ledger(recording.reader.budget);
  const limit = domain === null ? Number.POSITIVE_INFINITY : after(begin + domain.last);
  const { from, until, channels, signal } = options;
  const asked = { start: from, end: until, channels, signal };
  if (domain !== null && (begin > start || limit <= end)) {
    const outside = await messagesOutside(recording.reader, asked, begin, limit, outsideOf(domain));
    for (const { path, reason, count } of outside) ledger.lost(path, reason, count);
    if (outside.length > 0 && options.strict === true && options.carry === undefined) return ledger.report(false, 0);
  }
  if (options.carry === undefined)
    for (const reader of readersBelow(recording.reader))
      for (const { path, count } of (await reader.beside?.(signal)) ?? [])
        ledger.lost(path, "recordings of the other format have no place for it", count);
  const files = new HeldFiles(to, options.verify?.there ?? { name: to.name, open: () => Promise.resolve(null) });
  const { metadata: source } = recording.info;
  const create = { epoch: epoch === null ? null : epoch + BigInt(Math.round(begin)), source, ...options.create };
  const writer = await writing.create(files, create).catch(async (error: unknown) => {
    await files.abort();
    throw error;
  });
  let moments = 0;
  let isOriginal = options.carry !== undefined;
  let isVerified = false;
  // Encoders set what is not set.
  const origin = { ...(options.origin ?? unsetOrigin()) };
  try {
    const encoder = writing.encoder(writer, ledger, origin);
    const source = new Moments(
      recording.reader,
      (state) => {
        moments++;
        encoder.step({ ...state, time: state.time - begin });
      },
      (path, reason, count) => ledger.lost(path, reason, count),
    );
    const isCut = begin > start && channels === undefined;
    if (isCut) await source.begin(begin);
    const query =
      begin > start || limit <= end ? { ...asked, start: begin, end: Math.min(limit, until ?? limit) } : asked;
    for await (const batch of recording.batches(query)) {
      source.add(batch);
      options.onProgress?.(batch.time[batch.length - 1] ?? begin);
      if (writer.ready !== null) await writer.ready;
    }
    source.end();
    encoder.end();
    await options.carry?.(writer);
    const isLossy = ledger.hasLoss || (writer.lost ?? []).length > 0;
    if (options.strict === true && !isOriginal && isLossy) await writer.abort();
    else {
      await writer.close();
      for (const { path, reason, count } of writer.lost ?? []) ledger.lost(path, reason, count);
      if (options.verify !== undefined) {
        const cut = { time: begin, isCut };
        const written = await readBack(options.verify.reopen(files.written));
        if (!(await isThere(recording, written, encoder, options, cut, query, ledger))) isOriginal = false;
        isVerified = true;
      }
      if (options.strict === true && !isOriginal && ledger.hasLoss) await files.abort();
      else await files.release();
    }
  } catch (error) {
    await writer.abort();
    await files.abort();
    throw unwritable(error, recording.info.format);
  }
  return ledger.report(isOriginal, moments, isVerified, origin.isSet ? origin : null);
}

/**
 * The time of the source that is 0 in the result: where it is cut, or begins, or its time 0 when what lies before that
 * has no room.
 */
export async function beginOfResult(
  recording: Recording,
  writing: WritingFormat,
  to: SinkBundle,
  options: Pick<ConvertOptions, "from" | "create">,
): Promise<Time> {
  if (options.from !== undefined) return options.from;
  const { start, end } = await recording.timeline();
  const domain = domainOf(writing, to, options);
  const isWhole = domain === null || end - start <= domain.last;
  return isWhole || start >= 0 ? start : Math.min(0, end);
}

function domainOf(writing: WritingFormat, { name }: SinkBundle, { create = {} }: ConvertOptions): TimeDomain | null {
  return writing.times?.(name, create) ?? null;
}

/**
 * Puts what the result does not have into the ledger, and closes it; gives whether it has the original. Throws
 * `RecordingError` when the result is not sound.
 */
async function isThere(
  recording: Recording,
  result: Recording,
  encoder: StateEncoder,
  { verify, origin }: ConvertOptions,
  begin: { readonly time: Time; readonly isCut: boolean },
  query: Query,
  ledger: Ledger,
): Promise<boolean> {
  try {
    const missing: Lost[] = [];
    const add = (path: string, reason: string, count: number): number => missing.push({ path, reason, count });
    await mustBeSound(result, [], {
      follow: (batches) => compareStates(recording, result, encoder.witness(), begin, query, add, origin, 0, batches),
    });
    ledger.missing(missing);
    return (await verify!.hasOriginal?.(result)) ?? true;
  } finally {
    await result.close();
  }
}

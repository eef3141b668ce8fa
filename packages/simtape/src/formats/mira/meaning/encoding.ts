import { LayoutError } from "../../../bytes/error.ts";
import type { Value } from "../../../model/values/value.ts";
import { fitsPayload } from "./fits.ts";
import { decodePayload, type Encoding } from "./payload.ts";
import type { TypeLayout } from "./types.ts";

/** A channel whose payloads are to be read, with some of them, not compressed. */
export interface EncodingSample {
  readonly layouts: readonly TypeLayout[];
  readonly payloads: readonly Uint8Array[];
}

/** How the payloads of one channel are read. */
export interface ChannelEncoding {
  readonly layout: TypeLayout;
  readonly encoding: Encoding;
}

/** Channels that are tried by every reading; those behind them have the tape's, or none. */
const MOST_JUDGED = 4096;

/** As JSON, for the profile. */
export function encodingMetadata(encoding: Encoding | null): Value {
  if (encoding === null) return null;
  return {
    endian: encoding.isLittle ? "<" : ">",
    prefix: encoding.prefix,
    class_version: encoding.slotBytes,
    class_version_slots: encoding.slotBytes === 0 ? "none" : encoding.slots,
    count: encoding.countBytes,
  };
}

/**
 * Finds the encoding of each channel by the test of semantics §5: a reading counts when it consumes payloads exactly
 * and gives plausible values. The reading that fits most channels is the tape's; a channel that it does not fit
 * takes the best of its own, or none. A reading must fit at least half of a channel's different non-empty payloads,
 * so that damaged ones do not hide the others. `isLittle` is the order of the container, which is preferred.
 */
export function settleEncodings(
  samples: readonly EncodingSample[],
  isLittle: boolean,
): { tape: Encoding | null; channels: (ChannelEncoding | null)[] } {
  const readings = readingsFor(isLittle);
  const votes = new Map<Encoding, number>();
  const fitting = samples.slice(0, MOST_JUDGED).map((sample) => fittingReadings(sample, readings));
  for (const found of fitting) {
    const best = Math.max(0, ...found.map(({ hits }) => hits));
    const voted = new Set(found.filter(({ hits }) => hits === best).map(({ encoding }) => encoding));
    for (const encoding of voted) votes.set(encoding, (votes.get(encoding) ?? 0) + 1);
  }
  let tape: Encoding | null = null;
  for (const encoding of readings) {
    const count = votes.get(encoding) ?? 0;
    if (count > 0 && (tape === null || count > votes.get(tape)!)) tape = encoding;
  }
  const channels = samples.map((sample, i) => {
    const found = fitting[i] ?? (tape === null ? [] : fittingReadings(sample, [tape]));
    const best = Math.max(0, ...found.map(({ hits }) => hits));
    const candidates = found.filter(({ hits }) => hits === best);
    const chosen = candidates.find(({ encoding }) => encoding === tape) ?? nearest(candidates, tape);
    if (chosen !== undefined) return { layout: chosen.layout, encoding: chosen.encoding };
    // A channel without a payload to test is read as the tape is, and falls back where that does not fit.
    const layout = samples[i]!.layouts[0];
    const isUntested = samples[i]!.payloads.every((payload) => payload.length === 0);
    if (layout !== undefined && isUntested && tape !== null) return { layout, encoding: tape };
    return tape === null ? null : implausible(samples[i]!, tape);
  });
  return { tape, channels };
}

/** Values that no guess would be made from, such as NaN, read as the rest of the tape is, when every one has that layout. */
function implausible({ layouts, payloads }: EncodingSample, encoding: Encoding): ChannelEncoding | null {
  for (const layout of layouts) {
    const fits = payloads.every((payload) => payload.length === 0 || decodes(payload, layout, encoding));
    if (fits) return { layout, encoding };
  }
  return null;
}

function decodes(payload: Uint8Array, layout: TypeLayout, encoding: Encoding): boolean {
  try {
    decodePayload(payload, layout, encoding);
    return true;
  } catch (error) {
    if (error instanceof LayoutError) return false;
    throw error;
  }
}

interface Fitting {
  readonly layout: TypeLayout;
  readonly encoding: Encoding;
  readonly hits: number;
}

function fittingReadings(sample: EncodingSample, readings: readonly Encoding[]): Fitting[] {
  const payloads = sample.payloads.filter((payload) => payload.length > 0);
  const found: Fitting[] = [];
  if (payloads.length === 0) return found;
  for (const layout of sample.layouts) {
    for (const encoding of readings) {
      let hits = 0;
      for (let i = 0; i < payloads.length && (i - hits) * 2 <= payloads.length; i++) {
        if (fitsPayload(payloads[i]!, layout, encoding)) hits++;
      }
      if (hits > 0 && hits * 2 >= payloads.length) found.push({ layout, encoding, hits });
    }
  }
  return found;
}

/** Of equally good readings the one that shares most with the tape's; the first where that says nothing. */
function nearest(candidates: readonly Fitting[], tape: Encoding | null): Fitting | undefined {
  if (tape === null) return candidates[0];
  let best: Fitting | undefined;
  let most = -1;
  for (const candidate of candidates) {
    const { encoding } = candidate;
    let shared = 0;
    if (encoding.prefix === tape.prefix) shared += 4;
    if (encoding.isLittle === tape.isLittle) shared += 2;
    if (encoding.countBytes === tape.countBytes) shared++;
    if (shared > most) {
      most = shared;
      best = candidate;
    }
  }
  return best;
}

/** All readings, the most likely first. */
function readingsFor(isLittle: boolean): Encoding[] {
  const readings: Encoding[] = [];
  for (const prefix of [0, 1, 2, 3, 4, 5, 6, 8]) {
    for (const [slotBytes, slots] of SLOTS) {
      for (const countBytes of [4, 8] as const) {
        for (const isLatest of [true, false]) {
          if (slotBytes > 0 && !isLatest) continue;
          for (const order of [isLittle, !isLittle]) {
            readings.push({ isLittle: order, prefix, slotBytes, slots, countBytes, isLatest });
          }
        }
      }
    }
  }
  return readings;
}

const SLOTS: readonly (readonly [0 | 1 | 2 | 4, "versioned" | "all"])[] = [
  [0, "versioned"],
  [1, "versioned"],
  [2, "versioned"],
  [4, "versioned"],
  [1, "all"],
  [2, "all"],
  [4, "all"],
];

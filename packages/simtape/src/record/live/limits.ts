import { LIMITS } from "../../formats/hcrp/layout/framing.ts";

/**
 * Where a recording ends (HCRP spec §12). Each can be made smaller; what is larger than the format allows is refused.
 */
export interface RecordingLimits {
  /** 1,728,000: a day. */
  readonly ticks?: number | undefined;
  /** In segments; 2 GiB. */
  readonly bytes?: number | undefined;
  /** 1,048,576, less what may come while the next recording is opened. */
  readonly chunks?: number | undefined;
  /** 65,536, the same. */
  readonly segments?: number | undefined;
  /** Bytes of the metadata; 1 MiB. */
  readonly metadata?: number | undefined;
}

/** Of what is counted up to a hard limit, so much is used before the next recording is begun. */
const SHARE = 0.99;
const SEGMENTS = 65_536;

const DEFAULTS = {
  ticks: 1_728_000,
  bytes: 2 ** 31,
  chunks: Math.floor(LIMITS.chunks * SHARE),
  segments: Math.floor(SEGMENTS * SHARE),
  metadata: 1 << 20,
} as const;

const LARGEST = {
  ticks: 2 ** 31 - 1,
  bytes: Number.MAX_SAFE_INTEGER,
  chunks: LIMITS.chunks,
  segments: SEGMENTS,
  metadata: LIMITS.metadata,
} as const;

const NAMES = ["ticks", "bytes", "chunks", "segments", "metadata"] as const;

/** Throws `RangeError` for limits that are none, or above those of the format. */
export function checkLimits(limits: RecordingLimits = {}): void {
  for (const name of NAMES) {
    const limit = limits[name];
    if (limit === undefined || (limit >= 1 && limit <= LARGEST[name])) continue;
    throw new RangeError(`limit of ${name}: expected 1 to ${LARGEST[name]}, found ${limit}`);
  }
}

/** Whether a recording ends here; `index` is the share that is used of its index. */
export function isAtLimit(
  limits: RecordingLimits = {},
  use: Readonly<Record<(typeof NAMES)[number] | "index", number>>,
): boolean {
  return use.index >= SHARE || NAMES.some((name) => use[name] >= (limits[name] ?? DEFAULTS[name]));
}

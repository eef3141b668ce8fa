import type { Budget } from "../../bytes/budget.ts";
import type { Value } from "../../model/values/value.ts";
import type { JournalFile } from "./journal.ts";
import type { RecordingLimits } from "./limits.ts";
import type { OverflowPolicy } from "./live-output.ts";
import type { RecordingProfile } from "./profile.ts";

/** What is recorded, under which name, and what happens when the store is slow. Only `id` is required. */
export interface RecorderOptions {
  /** Key of the recording in the store: letters, digits and `._-`, 128 at most. */
  readonly id: string;
  /** Wall clock at tick 0, Unix nanoseconds; absent: now. */
  readonly epoch?: bigint | undefined;
  /** UUID of the world, and what version of it: 16 bytes, or text (HCRP spec §3). */
  readonly worldId?: string | undefined;
  readonly worldVersion?: string | Uint8Array | undefined;
  /**
   * The game's data version and protocol, and the server's name: a change of them begins a new epoch (HCRP spec §9).
   */
  readonly dataVersion?: number | undefined;
  readonly protocol?: number | undefined;
  readonly server?: string | undefined;
  /** What is recorded of a world; `standard`. */
  readonly profile?: RecordingProfile | undefined;
  /** The host's own metadata. */
  readonly metadata?: Readonly<Record<string, Value>> | undefined;
  /** Goes on with a recording that was left open. */
  readonly resume?: boolean | undefined;
  /** What reading it may take: bytes of memory. */
  readonly budget?: Budget | number | undefined;
  /** Mirrors twice a second what is not committed. */
  readonly journal?: JournalFile | undefined;
  /** The metadata file before the present one stays too: for directories. */
  readonly keepsPrevious?: boolean | undefined;
  readonly commit?: {
    /** Milliseconds with something in them; 30,000. */
    readonly every?: number | undefined;
    /** Compressed bytes; 262,144. */
    readonly bytes?: number | undefined;
    /** Ticks that hold events; no limit. */
    readonly ticks?: number | undefined;
  };
  readonly buffer?: {
    /** Compressed bytes that may wait for a store that does not keep up; 16 MiB. */
    readonly bytes?: number | undefined;
    /** What happens then: `block` (await `ready`), `drop-oldest` (the default), `drop-newest`. */
    readonly policy?: OverflowPolicy | undefined;
  };
  /** Where a recording ends and the next one, linked to it, begins (HCRP spec §12). */
  readonly limits?: RecordingLimits;
  /** Wall clock, Unix milliseconds; for tests. */
  readonly now?: (() => number) | undefined;
  /** What intervals are measured by: milliseconds of a clock that is never set. Absent: `now` when that is given. */
  readonly elapsed?: (() => number) | undefined;
  readonly sleep?: ((milliseconds: number) => Promise<void>) | undefined;
}

/** How a recording ended (HCRP spec §4 `outcome`). */
export const OUTCOMES = ["open", "completed", "reset", "abandoned", "crashed"] as const;
/** How a recorded session ended; `open` while it has not. */
export type Outcome = (typeof OUTCOMES)[number];

/** How a recorder is doing. A new object at each call; it does not change. */
export interface RecorderStatus {
  /** Of the present recording. */
  readonly id: string;
  /** The tick that is being recorded. */
  readonly tick: number;
  /** Everything before this tick is in the store for good. */
  readonly committedTick: number;
  /** Bytes in segments. */
  readonly bytes: number;
  /** Compressed bytes waiting for the store. */
  readonly waiting: number;
  /** Events that had to go, by channel. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Why the store does not take what is given to it, again and again until it does; null: it does. */
  readonly trouble: Error | null;
  /** Why nothing is recorded any more; null: it is. */
  readonly failure: unknown;
}

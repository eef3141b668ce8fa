import type { Budget } from "../../bytes/budget.ts";
import { nbtText } from "../../codec/nbt.ts";
import { FLAG_FINISHED } from "../../formats/hcrp/layout/framing.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import { type Store, StoreError } from "../../io/store/store.ts";
import type { Finding } from "../../model/error.ts";
import { existing, recordingBundle } from "./existing.ts";
import { HeldMetadata } from "./held-metadata.ts";
import type { JournalFile } from "./journal.ts";
import { StoredRecording } from "./stored-recording.ts";

/** What recovery may use beside the store. Everything is optional. */
export interface RecoverOptions {
  /** What the recorder mirrored, when it did. */
  readonly journal?: JournalFile | undefined;
  /** The metadata file before the present one stays too: for directories. */
  readonly keepsPrevious?: boolean | undefined;
  /** What an open recording may take: bytes of memory. */
  readonly budget?: Budget | number | undefined;
  /**
   * Looks at the finished recording before its metadata file is replaced. When it rejects, the recording and the journal
   * stay as they were.
   */
  readonly inspect?: ((finished: SourceBundle) => Promise<void>) | undefined;
}

/** What recovery found; ticks of the recording. */
export interface RecoverReport {
  readonly id: string;
  /** `sound`: it is finished, nothing was done. */
  readonly status: "sound" | "recovered";
  /** Ticks that its metadata file named. */
  readonly committed: number;
  /** Ticks of segments that were written and not named there. */
  readonly fromSegments: number;
  readonly fromJournal: number;
  /** All of them. */
  readonly ticks: number;
  /** What was found wrong on the way. */
  readonly findings: readonly Finding[];
}

/**
 * Finishes a recording whose recorder ended without closing it: what was written is taken in (HCRP spec §8.5), segments
 * stay as they are, the outcome is `crashed`. Throws `StoreError` `not-found` when there is none, `conflict` when
 * it is being recorded at this moment.
 */
export async function recover(store: Store, id: string, options: RecoverOptions = {}): Promise<RecoverReport> {
  const from = await existing(store, id, options.budget);
  if (from === null) throw new StoreError("not-found", `no recording: ${store.name}/${id}`, id);
  const { head } = from.reader.preamble;
  const committed = head.tickCount;
  const found = from.before.ticks;
  const { findings } = from;
  try {
    if ((head.flags & FLAG_FINISHED) !== 0)
      return { id, status: "sound", committed, fromSegments: 0, fromJournal: 0, ticks: committed, findings };
    const { inspect, journal = null } = options;
    const held = new HeldMetadata(store, id);
    const part = await StoredRecording.open({
      store: held.store,
      id,
      create: {},
      from,
      snapshots: null,
      keepsPrevious: options.keepsPrevious ?? false,
      journal,
      bufferBytes: Number.POSITIVE_INFINITY,
      policy: "block",
      // the caller can try again
      sleep: () => Promise.reject(new StoreError("unavailable", `the store does not answer: ${store.name}`, id)),
      turn: () => Promise.resolve(),
      noting: () => undefined,
      dropped: () => undefined,
      failed: () => undefined,
    });
    part.writer.note("outcome", nbtText("crashed"));
    await part.close({ keepsJournal: true });
    try {
      await inspect?.(recordingBundle(held.store, id));
    } catch (error) {
      await held.refuse();
      throw error;
    }
    await held.release();
    await journal?.remove();
    const ticks = part.writer.end;
    return {
      id,
      status: "recovered",
      committed,
      fromSegments: Math.max(0, found - committed),
      fromJournal: part.fromJournal,
      ticks,
      findings,
    };
  } finally {
    await from.reader.close();
  }
}

import { FLAG_FINISHED, TICK } from "../../formats/hcrp/layout/framing.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import type { Finding } from "../../model/error.ts";
import { StrictSource, type StrictOptions } from "./source.ts";
import { Trail } from "./trail.ts";
import { stateHash } from "./state-hash.ts";

/** How a strict reading is done. Everything is optional. */
export interface VerifyOptions extends StrictOptions {
  /** Chunks done, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** What a strict reading has found. */
export interface VerifyReport {
  /** `sound`: nothing is damaged or lost; there may be warnings. */
  readonly status: "sound" | "damaged";
  readonly representation: "segmented" | "compacted";
  /** Null: recordings of this profile or dialect do not say. */
  readonly isFinished: boolean | null;
  readonly bytes: number | null;
  readonly ticks: number;
  readonly chunks: number;
  readonly chunksDamaged: number;
  readonly snapshots: number;
  /** Snapshots that say something else than the events before them: harmless at a seam, odd elsewhere. */
  readonly snapshotsDiffering: number;
  readonly events: number;
  /** Moves of unknown things; they change nothing. */
  readonly strayMoves: number;
  /** Of all events in order, as they mean: the same before and after compaction. Null in the production dialect. */
  readonly eventHash: string | null;
  /** `stateHash` at the end; null in the production dialect. */
  readonly stateHash: string | null;
  readonly findings: readonly Finding[];
}

/** Findings reported of one recording, of each kind. */
const MAX_REPORTED = 100;

/**
 * Reads a recording of any representation by all rules there are, see `StrictSource`, and holds every snapshot against
 * the state that the events before it make. One chunk is in memory. Throws `RecordingError` when it cannot be opened.
 */
export async function verify(bundle: SourceBundle, options: VerifyOptions = {}): Promise<VerifyReport> {
  const source = await StrictSource.open(bundle, options);
  try {
    return await new Verification(source, options).run();
  } finally {
    await source.close();
  }
}

class Verification {
  readonly #source: StrictSource;
  readonly #options: VerifyOptions;
  readonly #findings: Finding[];
  /** Null in the production dialect, whose snapshots are its events. */
  readonly #trail: Trail | null;
  #chunks = 0;
  #damaged = 0;
  #snapshots = 0;
  #differing = 0;
  #events = 0;
  /** Something before is lost: state is not known before the next snapshot. */
  #isInDoubt = true;
  #end = 0;

  constructor(source: StrictSource, options: VerifyOptions) {
    this.#source = source;
    this.#options = options;
    this.#findings = [...source.findings];
    this.#trail = source.reader.preamble.head.dialect === 1 ? new Trail(source.reader) : null;
  }

  async run(): Promise<VerifyReport> {
    const { reader } = this.#source;
    const { head, entries, reserved } = reader.preamble;
    const epochs = new Set(reserved.epochs.map((epoch) => epoch.chunk));
    for await (const { chunk, columns, problem } of this.#source.chunks()) {
      this.#chunks++;
      const { startTick, tickCount } = chunk.entry;
      // in another epoch the same things have other names
      this.#isInDoubt ||= startTick !== this.#end || (chunk.hasKeyframe && epochs.has(chunk.index));
      this.#end = startTick + tickCount;
      if (chunk.hasKeyframe) this.#snapshots++;
      if (problem !== null) {
        this.#damaged++;
        this.#isInDoubt = true;
        const { offset, length, first: time } = chunk;
        const message = `${chunk.title}: ${problem}`;
        if (this.#damaged <= MAX_REPORTED)
          this.#findings.push({ code: "damaged-chunk", severity: "damage", message, offset, length, time });
      } else {
        this.#events += columns!.length - (chunk.hasKeyframe ? 1 : 0);
        if (chunk.hasKeyframe || !this.#isInDoubt) this.#follow(chunk.title, columns!, startTick);
      }
      this.#options.onProgress?.(chunk.index + 1, entries.length);
    }
    const trail = this.#trail;
    const isBad = this.#findings.some(({ severity }) => severity === "damage" || severity === "loss");
    return {
      status: isBad ? "damaged" : "sound",
      representation: reader.source.isSegmented ? "segmented" : "compacted",
      isFinished: head.extension === null ? null : (head.flags & FLAG_FINISHED) !== 0,
      bytes: reader.info.bytes,
      ticks: head.tickCount,
      chunks: this.#chunks,
      chunksDamaged: this.#damaged,
      snapshots: this.#snapshots,
      snapshotsDiffering: this.#differing,
      events: this.#events,
      strayMoves: trail?.strayMoves ?? 0,
      eventHash: trail?.digest ?? null,
      stateHash: trail === null ? null : stateHash(trail.state),
      findings: this.#findings,
    };
  }

  #follow(title: string, columns: Parameters<Trail["add"]>[0], startTick: number): void {
    const news = this.#trail?.add(columns, !this.#isInDoubt) ?? null;
    const isOther = news?.isOther === true && !this.#isInDoubt;
    this.#isInDoubt = false;
    if (!isOther) return;
    this.#differing++;
    if (this.#differing > MAX_REPORTED) return;
    const message = `${title}: its snapshot says something else than the events before it`;
    this.#findings.push({ code: "snapshot-differs", severity: "warning", message, time: startTick * TICK });
  }
}

import type { Chunk } from "../../../model/messages/chunk.ts";
import type { Reporter, FindingCode } from "../../../model/error.ts";
import type { Time } from "../../../model/values/time.ts";
import { ENTRY_SNAPSHOT, type IndexEntry, LIMITS, TICK } from "../layout/framing.ts";

/** A frame of no bytes is no longer than this: a longer one holds something, whatever the index says. */
const EMPTY_FRAME_BYTES = 18;

/** Sequence of a chunk's first message is its place in the index times this: the index counts no messages. */
const SEQUENCES_PER_CHUNK: number = 2 ** 24;

/** A chunk that the index lets us read. */
export class HcrpChunk implements Chunk {
  readonly offset: number;
  readonly length: number;
  readonly sequence: number;
  /** At least; how many there are shows when it is decoded. */
  readonly count: number;
  readonly first: Time;
  readonly last: Time;
  readonly hasKeyframe: boolean;
  readonly channels: null = null;
  /** Place in the index. */
  readonly index: number;
  readonly entry: IndexEntry;
  /** Number of the segment that `offset` counts in; null in a compacted file. */
  readonly segment: number | null;

  constructor(index: number, entry: IndexEntry, offset: number, segment: number | null) {
    this.index = index;
    this.entry = entry;
    this.offset = offset;
    this.length = entry.compressedLength;
    this.segment = segment;
    this.sequence = index * SEQUENCES_PER_CHUNK;
    this.hasKeyframe = (entry.flags & ENTRY_SNAPSHOT) !== 0;
    const isEmpty = entry.uncompressedLength === 0 && entry.compressedLength <= EMPTY_FRAME_BYTES;
    this.count = isEmpty && !this.hasKeyframe ? 0 : 1;
    this.first = entry.startTick * TICK;
    this.last = (entry.startTick + entry.tickCount - 1) * TICK;
  }

  /** For messages: `chunk 3 (ticks 400 to 599)`. */
  get title(): string {
    const { startTick, tickCount } = this.entry;
    return `chunk ${this.index} (ticks ${startTick} to ${startTick + tickCount - 1})`;
  }
}

/** What the index is judged by. */
export interface PlanOptions {
  readonly isSegmented: boolean;
  /** Where the chunks of a compacted file begin. */
  readonly preambleLength: number;
  /** Of the main file; null: not known. */
  readonly size: number | null;
  readonly tickCount: number;
}

/** What the index gives. */
export interface Plan {
  /** Ascending by tick, without overlap in time or in the file. */
  readonly chunks: readonly HcrpChunk[];
  /** The tick behind the last. */
  readonly endTick: number;
}

/** Checks the index by the rules of spec §5: entries that break one are reported and refused, the others stay. */
export function planChunks(entries: readonly IndexEntry[], options: PlanOptions, report: Reporter): Plan {
  const planner = new Planner(options, report);
  entries.forEach((entry, i) => {
    planner.add(i, entry, entries[i + 1] ?? null, entries[i + 2]?.startTick ?? options.tickCount);
  });
  return planner.finish(entries.length);
}

class Planner {
  readonly #options: PlanOptions;
  readonly #report: Reporter;
  #chunks: HcrpChunk[] = [];
  #endTick = 0;

  constructor(options: PlanOptions, report: Reporter) {
    this.#options = options;
    this.#report = report;
  }

  /** `then` is the tick behind the next entry, as the one behind that or the header has it. */
  add(index: number, entry: IndexEntry, next: IndexEntry | null, then: number): void {
    const problem = this.#problemOf(index, entry, next, then);
    if (problem !== null) {
      const message = `index entry ${index}, ${problem.message}; the chunk is refused`;
      const time = entry.startTick * TICK;
      this.#report.report({ code: problem.code, severity: problem.severity ?? "damage", message, time });
    } else {
      const { isSegmented } = this.#options;
      const offset = isSegmented ? entry.offsetLow : entry.offsetHigh * 2 ** 32 + entry.offsetLow;
      this.#chunks.push(new HcrpChunk(index, entry, offset, isSegmented ? entry.offsetHigh : null));
    }
    if (problem?.code === "index-start-tick" || problem?.code === "index-tick-count") return;
    this.#endTick = entry.startTick + entry.tickCount;
  }

  finish(count: number): Plan {
    this.#refuseOverlaps();
    const { tickCount } = this.#options;
    if (this.#endTick !== tickCount && count > 0) {
      const message = `header, tick count: expected ${this.#endTick} as in the index, found ${tickCount}`;
      this.#report.report({ code: "tick-count", severity: "damage", message, offset: 57 });
    }
    const start = this.#chunks.findIndex((chunk) => chunk.hasKeyframe);
    const until = this.#chunks[start]?.entry.startTick ?? this.#endTick;
    if (until > 0 && this.#chunks.length > 0) {
      const message = `no snapshot can be read before tick ${until}: state is not complete there`;
      this.#report.report({ code: "no-snapshot", severity: "loss", message, time: 0 });
    }
    return { chunks: this.#chunks, endTick: count > 0 ? this.#endTick : tickCount };
  }

  #problemOf(index: number, entry: IndexEntry, next: IndexEntry | null, then: number): Problem | null {
    const { startTick, tickCount, flags, compressedLength, uncompressedLength } = entry;
    if (tickCount < 1) return problem("index-tick-count", "tick count: expected at least 1, found 0");
    const expected = this.#endTick;
    if (startTick < expected) {
      return problem("index-start-tick", `start tick: expected ${expected}, found ${startTick}`);
    }
    const end = startTick + tickCount;
    // of two entries that overlap this one is wrong, unless the next fits what is behind it when it starts at our end
    const runsInto = next !== null && next.startTick < end && next.startTick >= expected && next.tickCount > 0;
    if (runsInto && end + next.tickCount !== then) {
      const field = startTick === expected ? "tick count" : "start tick";
      const wanted = startTick === expected ? next.startTick - startTick : expected;
      return problem(
        "index-start-tick",
        `${field}: expected ${wanted}, found ${startTick === expected ? tickCount : startTick}`,
      );
    }
    if (next === null && startTick > expected && end > this.#options.tickCount) {
      return problem("index-start-tick", `start tick: expected ${expected}, found ${startTick}`);
    }
    if (startTick > expected) {
      const message = `index entry ${index}, start tick: expected ${expected}, found ${startTick}; the ticks between are missing`;
      this.#report.report({ code: "index-gap", severity: "loss", message, time: expected * TICK });
    }
    for (let bit = 1; bit < 8; bit++) {
      if ((flags & (1 << bit)) !== 0) return problem("index-flags", `flags: bit ${bit} is not known`);
    }
    if (startTick === 0 && (flags & ENTRY_SNAPSHOT) === 0) {
      return problem("index-first-snapshot", "flags: expected bit 0 set, as the first chunk must have a snapshot");
    }
    if (compressedLength < 1 || compressedLength > LIMITS.compressed) {
      const limits = `1 to ${LIMITS.compressed}`;
      return problem("index-compressed-length", `compressed length: expected ${limits}, found ${compressedLength}`);
    }
    if (uncompressedLength > LIMITS.uncompressed) {
      const limit = `at most ${LIMITS.uncompressed}`;
      return problem(
        "index-uncompressed-length",
        `uncompressed length: expected ${limit}, found ${uncompressedLength}`,
      );
    }
    if (uncompressedLength > LIMITS.freeUncompressed && uncompressedLength > compressedLength * LIMITS.ratio) {
      const limit = compressedLength * LIMITS.ratio;
      return problem(
        "index-ratio",
        `uncompressed length: expected at most ${limit} (1000 : 1), found ${uncompressedLength}`,
      );
    }
    return this.#options.isSegmented ? null : this.#rangeProblem(entry);
  }

  #rangeProblem({ offsetHigh, offsetLow, compressedLength }: IndexEntry): Problem | null {
    const { preambleLength, size } = this.#options;
    const offset = offsetHigh * 2 ** 32 + offsetLow;
    if (!Number.isSafeInteger(offset)) return problem("index-offset", "byte offset: does not fit 53 bits");
    if (offset < preambleLength) {
      return problem("index-offset", `byte offset: expected at least ${preambleLength}, found ${offset}`);
    }
    if (size === null || offset + compressedLength <= size) return null;
    const message = `byte offset and length: expected to end by ${size}, where the file ends, found ${offset + compressedLength}`;
    return { code: "truncated", message, severity: "loss" };
  }

  /** Of two chunks that share bytes the later one in the index goes (spec §5). */
  #refuseOverlaps(): void {
    const sorted = this.#chunks.toSorted(
      (a, b) => (a.segment ?? 0) - (b.segment ?? 0) || a.offset - b.offset || a.index - b.index,
    );
    const refused = new Set<HcrpChunk>();
    let before: HcrpChunk | null = null;
    for (const chunk of sorted) {
      if (before !== null && before.segment === chunk.segment && chunk.offset < before.offset + before.length) {
        const later: HcrpChunk = before.index > chunk.index ? before : chunk;
        const other: HcrpChunk = later === chunk ? before : chunk;
        refused.add(later);
        const message =
          `index entry ${later.index}, byte offset: ${later.length} bytes at ${later.offset} overlap ` +
          `those of entry ${other.index}; the chunk is refused`;
        this.#report.report({ code: "index-overlap", severity: "damage", message, time: later.first });
        before = other;
      } else before = chunk;
    }
    if (refused.size > 0) this.#chunks = this.#chunks.filter((chunk) => !refused.has(chunk));
    let last = 0;
    for (const { index, segment } of this.#chunks) {
      if (segment === null) return;
      if (segment < last) {
        const message = `index entry ${index}, segment number: expected at least ${last}, found ${segment}`;
        this.#report.report({ code: "index-segment-order", severity: "warning", message });
      }
      last = segment;
    }
  }
}

interface Problem {
  readonly code: FindingCode;
  readonly message: string;
  readonly severity?: "loss";
}

function problem(code: FindingCode, message: string): Problem {
  return { code, message };
}

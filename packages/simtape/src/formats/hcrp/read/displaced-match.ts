import type { HcrpChunk } from "../chunk/plan.ts";
import type { ChunkRecord } from "../layout/framing.ts";
import type { FoundFrame } from "./resync.ts";

/** A frame that inflates, and the sound records between the frame before and it. */
export interface SegmentFrame {
  readonly frame: FoundFrame;
  readonly records: readonly ChunkRecord[];
}

/**
 * Which frame of a segment of `size` bytes is which of its chunks, by offset. The record in front says so, if it is
 * sound: its start tick names the chunk, its crc the frame. Of the others those are sure that moved as far as a
 * neighbour, the start or the end of the segment; what is left goes, in order, to the nearest chunk of the same lengths.
 */
export function matchFrames(
  chunks: readonly HcrpChunk[],
  frames: readonly SegmentFrame[],
  size: number,
): ReadonlyMap<HcrpChunk, number> {
  const order = chunks.toSorted((a, b) => a.offset - b.offset);
  const match = new Match(order, frames, size);
  match.byRecords();
  match.byNeighbours();
  match.byLengths();
  return match.found;
}

class Match {
  readonly found = new Map<HcrpChunk, number>();
  /** By offset in the index. */
  readonly #chunks: readonly HcrpChunk[];
  readonly #frames: readonly SegmentFrame[];
  /** Bytes that came in, or went missing, up to the end. */
  readonly #shift: number;
  /** Of each frame its chunk's place in `chunks`; -1: not known. */
  readonly #known: Int32Array;

  constructor(chunks: readonly HcrpChunk[], frames: readonly SegmentFrame[], size: number) {
    this.#chunks = chunks;
    this.#frames = frames;
    const last = chunks.at(-1);
    this.#shift = last === undefined ? 0 : size - last.offset - last.length;
    this.#known = new Int32Array(frames.length).fill(-1);
  }

  byRecords(): void {
    const byTick = new Map(this.#chunks.map((chunk, place) => [chunk.entry.startTick, place]));
    this.#frames.forEach(({ frame, records }, i) => {
      const record = records.findLast(({ frameCrc }) => frameCrc === frame.crc);
      const place = record === undefined ? undefined : byTick.get(record.startTick);
      if (place !== undefined) this.#take(i, place);
    });
  }

  byNeighbours(): void {
    const byOffset = new Map(this.#chunks.map(({ offset }, place) => [offset, place]));
    const behind = this.#shiftsBehind();
    let before = 0;
    this.#frames.forEach(({ frame: { offset } }, i) => {
      for (const shift of [before, behind[i]!]) {
        const place = byOffset.get(offset - shift);
        if (this.#known[i]! < 0 && place !== undefined) this.#take(i, place);
      }
      before = this.#shiftOf(i) ?? before;
    });
  }

  byLengths(): void {
    const crcs = new Map(
      this.#frames.flatMap(({ records }) => records.map(({ startTick, frameCrc }) => [startTick, frameCrc] as const)),
    );
    const until = this.#placesBehind();
    let from = 0;
    let shift = 0;
    this.#frames.forEach(({ frame }, i) => {
      let best = -1;
      let distance = Number.POSITIVE_INFINITY;
      for (let place = from; this.#known[i]! < 0 && place < until[i]!; place++) {
        const { offset, entry } = this.#chunks[place]!;
        const away = Math.abs(frame.offset - offset - shift);
        // a record that was found names another frame
        const isOther = (crcs.get(entry.startTick) ?? frame.crc) !== frame.crc;
        if (isOther || away >= distance || !this.#fits(i, place)) continue;
        best = place;
        distance = away;
      }
      if (best >= 0) this.#take(i, best);
      if (this.#known[i]! >= 0) from = this.#known[i]! + 1;
      shift = this.#shiftOf(i) ?? shift;
    });
  }

  #take(i: number, place: number): void {
    if (!this.#fits(i, place)) return;
    this.#known[i] = place;
    this.found.set(this.#chunks[place]!, this.#frames[i]!.frame.offset);
  }

  /** Whether the frame has the lengths of the chunk, and the chunk no other frame. */
  #fits(i: number, place: number): boolean {
    const { length, size } = this.#frames[i]!.frame;
    const chunk = this.#chunks[place]!;
    return !this.found.has(chunk) && chunk.length === length && chunk.entry.uncompressedLength === size;
  }

  #shiftOf(i: number): number | null {
    const place = this.#known[i]!;
    return place < 0 ? null : this.#frames[i]!.frame.offset - this.#chunks[place]!.offset;
  }

  /** Of each frame how far the next one that is known moved, or the end. */
  #shiftsBehind(): Float64Array {
    const shifts = new Float64Array(this.#frames.length);
    let next = this.#shift;
    for (let i = shifts.length - 1; i >= 0; i--) {
      shifts[i] = next;
      next = this.#shiftOf(i) ?? next;
    }
    return shifts;
  }

  /** Of each frame the chunk of the next one that is known, or the end. */
  #placesBehind(): Int32Array {
    const places = new Int32Array(this.#frames.length);
    let next = this.#chunks.length;
    for (let i = places.length - 1; i >= 0; i--) {
      places[i] = next;
      if (this.#known[i]! >= 0) next = this.#known[i]!;
    }
    return places;
  }
}

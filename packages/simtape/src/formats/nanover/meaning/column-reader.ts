import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { ColumnReader, RowRun, WantedNumber } from "../../../model/state/column-reader.ts";
import { BatchView, LastRead } from "../../../model/state/last-read.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import { type FrameSpan, frameSpans } from "../layout/frame-spans.ts";
import { FRAME, FRAME_INDEX, PARTICLE_COUNT } from "../layout/layout.ts";
import { type Container, payloadsOf } from "./schema.ts";

/** What of frames a reader is for. */
export interface FrameTerms {
  readonly container: Container;
  readonly accepts: readonly boolean[];
  /** Name of the set, and of the column of three floats that a key becomes in it; undefined: it is a value. */
  readonly set: string;
  columnOf(key: string): string | undefined;
  /** Name of a key's value. */
  pathOf(key: string): string;
  /** Whether a frame can be decoded. */
  decodes(batch: MessageBatch, i: number): boolean;
}

/** A number at a wanted place: where it is in a frame, behind the index. */
interface Output {
  readonly place: number;
  readonly at: number;
  readonly isDouble: boolean;
}

/** A frame that was folded. Frames after it that differ in its spans alone change the same numbers, and nothing else. */
interface Pattern {
  readonly context: unknown;
  /** The frame behind the index, and which of its bytes are not in spans: pairs of ends. */
  readonly bytes: Uint8Array;
  readonly fixed: readonly number[];
  readonly outputs: readonly Output[];
}

/** Reads frames that are laid out as the one before them, byte for byte, but for their numbers. */
export class FrameColumns implements ColumnReader {
  readonly accepts: readonly boolean[];
  readonly #model: StateModel;
  readonly #terms: FrameTerms;
  readonly #wanted: readonly WantedNumber[];
  /** Places of the frame's index. */
  readonly #indices: readonly number[];
  #pattern: Pattern | null = null;
  /** The frame given back last. */
  #given: { readonly batch: MessageBatch; readonly row: number } | null = null;
  readonly #last = new LastRead();
  readonly #view = new BatchView();
  #index = 0;

  constructor(model: StateModel, terms: FrameTerms, wanted: readonly WantedNumber[]) {
    this.accepts = terms.accepts;
    this.#model = model;
    this.#terms = terms;
    this.#wanted = wanted;
    this.#indices = wanted.flatMap(({ path, place }) =>
      terms.container === "2" && "value" in path && path.value === FRAME_INDEX && path.keys.length === 0 ? [place] : [],
    );
  }

  begin(state: MutableState): void {
    this.#last.forget();
    const given = this.#given;
    this.#given = null;
    this.#pattern = given === null ? null : this.#patternOf(state, given.batch, given.row);
  }

  read({ batch, rows, slots, count }: RowRun, columns: readonly Float64Array[]): number {
    let n = 0;
    while (n < count && this.#isLike(batch, rows[n]!, slots[n]!, columns)) n++;
    if (n > 0) this.#last.note(batch, rows[n - 1]!);
    if (n < count) this.#given = { batch, row: rows[n]! };
    return n;
  }

  /** The frame read last says all that those before it said. */
  settle(state: MutableState): void {
    this.#last.settle(this.#model, state);
  }

  /** Whether it is as the pattern; its numbers are in their slots then. */
  #isLike(batch: MessageBatch, i: number, slot: number, columns: readonly Float64Array[]): boolean {
    const pattern = this.#pattern;
    if (pattern === null || pattern.context !== batch.context || batch.flags[i] !== 0) return false;
    const { bytes } = batch;
    const end = batch.end[i]!;
    const from = this.#behindIndex(bytes, batch.start[i]!, end);
    if (end - from !== pattern.bytes.length) return false;
    const { fixed, outputs, bytes: known } = pattern;
    for (let n = 0; n < fixed.length; n += 2)
      for (let k = fixed[n]!, to = fixed[n + 1]!; k < to; k++) if (bytes[from + k] !== known[k]) return false;
    const view = this.#view.of(bytes);
    for (let n = 0; n < outputs.length; n++) {
      const { place, at, isDouble } = outputs[n]!;
      columns[place]![slot] = isDouble ? view.getFloat64(from + at, true) : view.getFloat32(from + at, true);
    }
    for (let n = 0; n < this.#indices.length; n++) columns[this.#indices[n]!]![slot] = this.#index;
    return true;
  }

  /** Place behind the index that a frame of the second version begins with, which is noted; `end`: it is unusual. */
  #behindIndex(bytes: Uint8Array, start: number, end: number): number {
    this.#index = 0;
    if (this.#terms.container !== "2" || bytes[start] !== INDEX) return start;
    let at = start + 1;
    for (let shift = 0; shift < 28 && at < end; shift += 7) {
      const byte = bytes[at++]!;
      this.#index |= (byte & 0x7f) << shift;
      if (byte < 0x80) return at;
    }
    return end;
  }

  #patternOf(state: MutableState, batch: MessageBatch, i: number): Pattern | null {
    const { container, decodes } = this.#terms;
    const { container: own = container } = payloadsOf(batch.context) ?? {};
    if (container === "zip" || own !== container || batch.channel[i] !== FRAME || !decodes(batch, i)) return null;
    const from = this.#behindIndex(batch.bytes, batch.start[i]!, batch.end[i]!);
    const bytes = batch.bytes.slice(from, batch.end[i]!);
    const start = container === "2" ? dataOf(bytes) : 0;
    const spans = start < 0 ? null : frameSpans(bytes, start, bytes.length);
    if (spans === null) return null;
    // how many particles there are decides what else becomes of a frame
    const free = spans.filter(({ key }) => key !== PARTICLE_COUNT);
    const fixed = [0, ...free.flatMap(({ from: begin, to }) => [begin, to]), bytes.length];
    const outputs = free.flatMap((span) => this.#outputsOf(state, span));
    return { context: batch.context, bytes, fixed, outputs };
  }

  #outputsOf(state: MutableState, { key, kind, from, to }: FrameSpan): Output[] {
    const { container, set: name, columnOf, pathOf } = this.#terms;
    if (container === "2" && key === FRAME_INDEX) return [];
    const set = state.sets.get(name);
    const column = kind === "floats" ? columnOf(key) : undefined;
    const count = (to - from) / 4;
    const isColumn = column !== undefined && set !== undefined && count === 3 * set.size;
    const isDouble = kind === "number";
    return this.#wanted.flatMap(({ path, place }): Output[] => {
      if ("set" in path) {
        const item = Number(path.item ?? 0);
        const row = isColumn && path.set === name && path.column === column && item < 3 ? set.find(path.id) : -1;
        return row < 0 ? [] : [{ place, at: from + 4 * (3 * row + item), isDouble }];
      }
      if (isColumn || path.value !== pathOf(key)) return [];
      if (isDouble) return path.keys.length === 0 ? [{ place, at: from, isDouble }] : [];
      const item = path.keys.length === 1 ? Number(path.keys[0]) : -1;
      return Number.isInteger(item) && item >= 0 && item < count ? [{ place, at: from + 4 * item, isDouble }] : [];
    });
  }
}

/** Tags of `GetFrameResponse` (spec §2). */
const INDEX = 8;
const DATA = 18;

/** Where the data of a response begin, which are all of it; -1: they are not. */
function dataOf(bytes: Uint8Array): number {
  if (bytes[0] !== DATA) return -1;
  let length = 0;
  for (let at = 1, scale = 1; at <= 5; at++, scale *= 128) {
    const byte = bytes[at]!;
    length += (byte & 0x7f) * scale;
    if (byte < 0x80) return at + 1 + length === bytes.length ? at + 1 : -1;
  }
  return -1;
}

import type { SignalList } from "./signals.ts";

/** How the frames of a tape are laid out. */
export type FrameLayout = "plain" | "deflate" | "first" | "fixed" | "counted" | "listed";

/** What the frames of one tape have in common. */
export interface TapeLayout {
  readonly frames: FrameLayout;
  /** Names of the items in a frame, in order; a Normal tape has `signals`, and `multiplayer` when packets are stored. */
  readonly data: readonly string[];
  /** Bytes of signals in each frame of a Normal tape; null where their length stands before them. */
  readonly recordBytes: number | null;
  readonly signals: SignalList;
  /** Names by channel id. */
  readonly channels: readonly string[];
  /** Native time at time 0. */
  readonly zero: number;
}

/** Frames of two tapes that agree in this have the same bytes when they have the same content. */
export function layoutKey({ frames, data, recordBytes }: Pick<TapeLayout, "frames" | "data" | "recordBytes">): string {
  return frames === "plain" || frames === "deflate" ? `${frames} ${data.join("\n")}` : `${frames} ${recordBytes}`;
}

/** Which messages of a chunk make up which frame, and what stands beside their payloads: the context of its batch. */
export class FrameTable {
  /** Of the chunk's first message. */
  readonly sequence: number;
  readonly layout: TapeLayout;
  /** The chunk as it is in the file. */
  bytes: Uint8Array = new Uint8Array(0);
  /** Nothing follows the chunk. */
  isLast = false;
  #length = 0;
  #capacity = 64;
  #rows = new Uint32Array(this.#capacity * 2);
  #native = new Float64Array(this.#capacity);
  #places = new Uint32Array(this.#capacity * 2);
  #buffers = new Int8Array(this.#capacity);
  #sound = new Uint8Array(this.#capacity);

  constructor(sequence: number, layout: TapeLayout) {
    this.sequence = sequence;
    this.layout = layout;
  }

  get length(): number {
    return this.#length;
  }

  /** Whether the messages of the other chunk follow those of this one in the same tape. */
  isBefore({ sequence, layout }: FrameTable): boolean {
    const messages = this.#length === 0 ? 0 : this.#rows[2 * this.#length - 1]!;
    return layout === this.layout && sequence === this.sequence + messages;
  }

  /**
   * A frame whose messages are rows `[from, to)` of the chunk in file order, and whose bytes are `bytes[start, end)`.
   * `buffer` is its place in a Normal tape: 0 short, 1 medium, 2 long term, -1 in other tapes.
   */
  add(from: number, to: number, native: number, start: number, end: number, buffer: number, isSound: boolean): void {
    const at = this.#length;
    if (at === this.#capacity) this.#grow();
    this.#rows[2 * at] = from;
    this.#rows[2 * at + 1] = to;
    this.#native[at] = native;
    this.#places[2 * at] = start;
    this.#places[2 * at + 1] = end;
    this.#buffers[at] = buffer;
    this.#sound[at] = isSound ? 1 : 0;
    this.#length = at + 1;
  }

  /** The frame that the message of that sequence is in; -1 when it is not of this chunk. */
  find(sequence: number): number {
    const row = sequence - this.sequence;
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#rows[2 * middle]! <= row) low = middle + 1;
      else high = middle;
    }
    const frame = low - 1;
    return frame >= 0 && row >= 0 && row < this.#rows[2 * frame + 1]! ? frame : -1;
  }

  /** Messages in a frame. */
  count(frame: number): number {
    return this.#rows[2 * frame + 1]! - this.#rows[2 * frame]!;
  }

  /** Sequence of a frame's first message. */
  first(frame: number): number {
    return this.sequence + this.#rows[2 * frame]!;
  }

  native(frame: number): number {
    return this.#native[frame]!;
  }

  buffer(frame: number): number {
    return this.#buffers[frame]!;
  }

  /** Whether nothing was wrong inside the frame. */
  isSound(frame: number): boolean {
    return this.#sound[frame] === 1;
  }

  start(frame: number): number {
    return this.#places[2 * frame]!;
  }

  end(frame: number): number {
    return this.#places[2 * frame + 1]!;
  }

  #grow(): void {
    this.#capacity *= 2;
    this.#rows = larger(this.#rows, new Uint32Array(this.#capacity * 2));
    this.#native = larger(this.#native, new Float64Array(this.#capacity));
    this.#places = larger(this.#places, new Uint32Array(this.#capacity * 2));
    this.#buffers = larger(this.#buffers, new Int8Array(this.#capacity));
    this.#sound = larger(this.#sound, new Uint8Array(this.#capacity));
  }
}

function larger<T extends Uint32Array | Float64Array | Int8Array | Uint8Array>(old: T, room: T): T {
  room.set(old);
  return room;
}

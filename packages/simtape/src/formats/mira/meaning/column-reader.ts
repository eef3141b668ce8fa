import type { MessageBatch } from "../../../model/messages/batch.ts";
import type { ColumnReader, RowRun, WantedNumber } from "../../../model/state/column-reader.ts";
import { BatchView, LastRead } from "../../../model/state/last-read.ts";
import { type CellPath, isLeaf, partAt, type ValuePath } from "../../../model/state/path.ts";
import type { StateModel } from "../../../model/state/state-model.ts";
import type { MutableState } from "../../../model/state/state.ts";
import type { Channel } from "../../../model/values/value.ts";
import type { ChannelEncoding } from "./encoding.ts";
import { indexOf, isReadable, PayloadNumbers } from "./payload-numbers.ts";
import type { Leaf } from "./payload-steps.ts";
import { type PoseKind, poseKeys, poseKind, POSES } from "./poses.ts";
import { hasOpaque, TapeSchema } from "./schema.ts";
import type { TypeLayout } from "./types.ts";

/** A number that a channel's messages tell: at which keys of their values, and where it goes. */
interface Output {
  readonly keys: readonly (string | number)[];
  readonly target: number;
  /** Of a value: whether it is there depends on the message. */
  readonly path: ValuePath | null;
}

/**
 * Reads numbers from the payloads of a tape. Each message says all that its channel says, so that the last one read of
 * each channel brings a state up to all of them.
 */
export class TapeColumns implements ColumnReader {
  readonly accepts: readonly boolean[];
  readonly #model: StateModel;
  /** By id of a channel; null: nothing is wanted of it. */
  readonly #parts: (ChannelPart | null)[];
  /** Channels of which something was read that is not folded yet. */
  readonly #waiting: ChannelPart[] = [];
  readonly #view = new BatchView();
  #state: MutableState | null = null;
  /** What was given back last. */
  #given: ChannelPart | null = null;

  constructor(model: StateModel, channels: readonly Channel[], wanted: readonly WantedNumber[]) {
    this.#model = model;
    const makers = channels.map((channel) => {
      const isAlone = channels.every(({ id, name }) => id === channel.id || name !== channel.name);
      return isAlone ? new PartMaker(channel) : null;
    });
    this.accepts = wanted.map(({ path, place }) => {
      const name = "value" in path ? path.value : path.id;
      const own = makers.filter((_, n) => channels[n]!.name === name);
      return own.every((maker) => maker?.takes(path, place) === true);
    });
    this.#parts = [];
    for (const [n, maker] of makers.entries())
      if (maker?.isWanted === true) this.#parts[channels[n]!.id] = new ChannelPart(maker);
  }

  begin(state: MutableState): void {
    if (state !== this.#state) for (const part of this.#parts) part?.close();
    this.#state = state;
    this.#given?.close();
    this.#given = null;
  }

  writes(place: number, channel: number): boolean {
    return this.#parts[channel]?.writes(place) === true;
  }

  read(run: RowRun, columns: readonly Float64Array[]): number {
    const { batch, rows, slots, count } = run;
    // what was left compressed has a value of its own
    const isOpaque = hasOpaque(batch.context);
    const view = this.#view.of(batch.bytes);
    const { channel } = batch;
    for (let n = 0; n < count; n++) {
      const row = rows[n]!;
      const part = this.#parts[channel[row]!] ?? null;
      if (part === null) return n;
      if (isOpaque || !part.read(this.#state!, batch, row, view, columns, slots[n]!)) {
        this.#given = part;
        return n;
      }
      const { last } = part;
      if (!last.isOpen) this.#waiting.push(part);
      last.note(batch, row);
    }
    return count;
  }

  settle(state: MutableState): void {
    for (const { last } of this.#waiting) last.settle(this.#model, state);
    this.#waiting.length = 0;
  }
}

/** What is wanted of one channel. */
class PartMaker {
  readonly name: string;
  readonly encoding: ChannelEncoding | null;
  readonly outputs: Output[] = [];
  readonly pose: PoseKind | null;
  /** Whether a cell of a pose is wanted. */
  hasCells = false;
  isWanted = false;

  constructor({ name, schema }: Channel) {
    this.name = name;
    this.encoding = schema instanceof TapeSchema ? schema.encoding : null;
    this.pose = schema instanceof TapeSchema ? poseKind(schema) : null;
  }

  /** False: it has to be folded. */
  takes(path: ValuePath | CellPath, target: number): boolean {
    const isTaken = "value" in path ? this.#takesValue(path, target) : this.#takesCell(path, target);
    this.isWanted ||= isTaken;
    return isTaken;
  }

  #takesValue(path: ValuePath, target: number): boolean {
    const { keys } = path;
    const { encoding } = this;
    if (encoding !== null && !isReadable(encoding.layout, keys)) return false;
    this.outputs.push({ keys, target, path });
    return true;
  }

  #takesCell({ set, column, item }: CellPath, target: number): boolean {
    if (set !== POSES || this.pose === null || this.encoding === null) return true;
    this.hasCells = true;
    const at = item ?? 0;
    const keys = at === 0 || at === 1 || at === 2 ? poseKeys(this.pose, this.encoding.layout, column, at) : null;
    if (keys === null) return true;
    this.outputs.push({ keys, target, path: null });
    return isNumber(typeAt(this.encoding.layout, keys));
  }
}

/** Reads what is wanted of one channel. */
class ChannelPart {
  readonly last: LastRead = new LastRead();
  readonly #name: string;
  readonly #hasCells: boolean;
  readonly #outputs: readonly Output[];
  /** Of payloads whose layout is known. */
  readonly #payload: PayloadNumbers | null;
  /** Of others: which byte of a payload is wanted, -1: none; by output. */
  readonly #bytes: readonly number[];
  /** By output whether it is there, as it is in the state. */
  readonly #isThere: boolean[] = [];
  /** Of the bytes that are there: which each is, and where it goes; a payload has more than `#lastByte` and at most `#most` bytes. */
  #at = new Int32Array(0);
  #targets = new Int32Array(0);
  #lastByte = -1;
  #most = Number.POSITIVE_INFINITY;
  /** Places of the outputs that are there. */
  #written: ReadonlySet<number> = new Set();
  #isOpen = false;

  constructor({ name, encoding, outputs, hasCells }: PartMaker) {
    this.#name = name;
    this.#hasCells = hasCells;
    this.#outputs = outputs;
    const leaves = outputs.map(({ keys }, place): Leaf => ({ keys, place }));
    this.#payload =
      encoding === null ? null : new PayloadNumbers(encoding.layout, encoding.encoding, leaves, leaves.length);
    this.#bytes = outputs.map(({ keys }) => (keys.length === 2 && keys[0] === "bytes" ? indexOf(keys[1]!) : -1));
  }

  /** To be called when the state may say something else than what was read of this channel. */
  close(): void {
    this.#isOpen = false;
    this.last.forget();
  }

  /** Whether the next row that is taken puts a number there. */
  writes(place: number): boolean {
    return this.#isOpen && this.#written.has(place);
  }

  /** Puts the numbers of row `i` into a slot of the columns. False: it has to be folded. */
  read(
    state: MutableState,
    batch: MessageBatch,
    i: number,
    view: DataView,
    columns: readonly Float64Array[],
    slot: number,
  ): boolean {
    if (!this.#isOpen && !this.#open(state)) return false;
    const start = batch.start[i]!;
    const end = batch.end[i]!;
    if (this.#payload === null) return this.#readBytes(batch.bytes, start, end, columns, slot);
    return this.#payload.read(batch.bytes, view, start, end) && this.#take(this.#payload, columns, slot);
  }

  #take(payload: PayloadNumbers, columns: readonly Float64Array[], slot: number): boolean {
    const outputs = this.#outputs;
    for (let n = 0; n < outputs.length; n++) if (payload.has(n) !== this.#isThere[n]) return false;
    const found = payload.numbers;
    for (let n = 0; n < outputs.length; n++) if (this.#isThere[n]!) columns[outputs[n]!.target]![slot] = found[n]!;
    return true;
  }

  /** Of a payload without a known layout: the value is its type, and its bytes. */
  #readBytes(bytes: Uint8Array, start: number, end: number, columns: readonly Float64Array[], slot: number): boolean {
    const length = end - start;
    if (length <= this.#lastByte || length > this.#most) return false;
    const at = this.#at;
    const targets = this.#targets;
    for (let n = 0; n < at.length; n++) columns[targets[n]!]![slot] = bytes[start + at[n]!]!;
    return true;
  }

  /** Sorts bytes into those that are there and those that are not. */
  #settleBytes(): void {
    const wanted = this.#bytes.flatMap((byte, n) => (byte < 0 ? [] : [{ byte, n }]));
    const there = wanted.filter(({ n }) => this.#isThere[n]!);
    this.#at = Int32Array.from(there, ({ byte }) => byte);
    this.#targets = Int32Array.from(there, ({ n }) => this.#outputs[n]!.target);
    this.#lastByte = Math.max(-1, ...there.map(({ byte }) => byte));
    this.#most = Math.min(...wanted.filter(({ n }) => !this.#isThere[n]!).map(({ byte }) => byte));
  }

  /** Whether the state has of this channel what messages that are read say, too. */
  #open(state: MutableState): boolean {
    const value = state.value(this.#name);
    if (value === undefined) return false;
    if (this.#hasCells && (state.sets.get(POSES)?.find(this.#name) ?? -1) < 0) return false;
    // data that was left compressed
    if (this.#payload === null && partAt(value, ["type"]) === undefined) return false;
    for (const [n, { path }] of this.#outputs.entries()) {
      const found = path === null ? 0 : partAt(value, path.keys);
      if (typeof found === "string" && this.#payload !== null) return false;
      this.#isThere[n] = isLeaf(found);
    }
    this.#settleBytes();
    this.#written = new Set(this.#outputs.filter((_, n) => this.#isThere[n]!).map(({ target }) => target));
    this.#isOpen = true;
    return true;
  }
}

/** The type at keys that lead through objects; null: there is none. */
function typeAt(layout: TypeLayout, keys: readonly string[]): TypeLayout | null {
  const [key, ...rest] = keys;
  if (key === undefined) return layout;
  const field = layout.kind === "object" ? layout.fields.findLast(({ name }) => name === key) : undefined;
  return field === undefined ? null : typeAt(field.type, rest);
}

/** Whether its values are numbers, and never a `bigint`. */
function isNumber(layout: TypeLayout | null): boolean {
  return layout?.kind === "scalar" && !["bool", "int64", "uint64"].includes(layout.scalar);
}

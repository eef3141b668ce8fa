import { ByteBuilder } from "../../../bytes/builder.ts";
import { LayoutError } from "../../../bytes/error.ts";
import { Columns, KEYFRAME, type MessageBatch } from "../../../model/messages/batch.ts";
import { Fold } from "../../../model/fold.ts";
import type { Reader } from "../../../model/reader.ts";
import { type EntitySet, MutableState, type State } from "../../../model/state/state.ts";
import { after, type Time } from "../../../model/values/time.ts";
import type { MadeMessage } from "../../../model/writer.ts";
import { type Entry, frameEntries, frameIndexEntry, frameOf, stateEntries, stateOf, zeroIndex } from "./entries.ts";
import { CHANNEL_NAMES, emptyMap, FRAME, FRAME_INDEX, STATE } from "../layout/layout.ts";
import { writeStateUpdate } from "../layout/protobuf.ts";
import { type Container, frameSchema, type Payloads, payloadsOf, stateSchema } from "../meaning/schema.ts";
import { frameKeysOf, sharedKeysOf } from "../meaning/state.ts";
import { transcodeFrame, transcodeState, writeZipState } from "./transcode.ts";

/**
 * What holds at `time` as messages: a frame with index 0 and every key, one with the index that holds when it is
 * another, and a state update with every key; bytes of the values as they were recorded. Where these would not fold to
 * the same state, because a key's history matters (arrays of two lengths in one frame), the messages since the last
 * keyframe themselves.
 */
export async function restate(from: Reader, time: Time, behind?: Reader): Promise<readonly MadeMessage[]> {
  const container = (from.base ?? from).info.version as Container;
  const payloads: Payloads = { container, names: CHANNEL_NAMES };
  if (behind !== undefined) {
    return [...(await takenBack(from, behind, payloads)), ...(await restate(from, time))];
  }
  const state = (await new Fold(from).at(time)).freeze();
  const frames = await compactFrames(from, time, state, payloads);
  const updates = await compactUpdates(from, time, state, payloads);
  if (isSame(folded(from, [...frames, ...updates], time), state)) return [...frames, ...updates];
  const allFrames = await messagesOf(from, time, FRAME, payloads);
  if (isSame(folded(from, [...allFrames, ...updates], time), state)) return [...allFrames, ...updates];
  const allUpdates = await messagesOf(from, time, STATE, payloads);
  const isCompact = isSame(folded(from, [...frames, ...allUpdates], time), state);
  return [...(isCompact ? frames : allFrames), ...allUpdates];
}

/** An update without the keys of the shared state that hold at the end of `behind`; a simulation begins with a reset anyway. */
async function takenBack(from: Reader, behind: Reader, payloads: Payloads): Promise<MadeMessage[]> {
  const end = (await behind.timeline()).end;
  const removals = [...sharedKeysOf((await new Fold(behind).at(end)).freeze())];
  if (removals.length === 0) return [];
  const builder = new ByteBuilder();
  const update = { updates: emptyMap(), removals };
  if (payloads.container === "zip") writeZipState(builder, update);
  else writeStateUpdate(builder, update);
  return [{ channel: from.channels[STATE]!, payload: builder.take(), keyframe: false, context: payloads }];
}

async function compactFrames(from: Reader, time: Time, state: State, payloads: Payloads): Promise<MadeMessage[]> {
  const { container } = payloads;
  const wanted = frameKeysOf(state);
  if (wanted.size === 0) return [];
  const hasIndex = wanted.delete(FRAME_INDEX);
  const schema = frameSchema(container);
  const found = new Map<string, Uint8Array>();
  let index: Uint8Array | null = null;
  let isFirst = true;
  for await (const row of backwards(from, time, FRAME)) {
    const kind = kindOf(row.batch, container);
    const payload = row.batch.payload(row.i);
    if (decodes(() => schema.decode(payload, row.batch.context))) {
      // Index 1 stands for any that is no reset; keys are all that is taken of the frame when it has none.
      const frame = transcodeFrame(payload, kind, container, 1);
      take(frameEntries(frame, container), wanted, found);
      if (index === null)
        index = isFirst || container === "zip" ? (frameIndexEntry(frame, container)?.slice() ?? null) : null;
      isFirst = false;
    }
    if ((row.batch.flags[row.i]! & KEYFRAME) !== 0) break;
    if (found.size === wanted.size && (index !== null || !hasIndex)) break;
  }
  const channel = from.channels[FRAME]!;
  const first = frameOf([...found.values()].toReversed(), hasIndex ? zeroIndex(container) : null, container);
  const made: MadeMessage[] = [{ channel, payload: first, keyframe: true, context: payloads }];
  if (index !== null && state.values.get(FRAME_INDEX) !== 0) {
    made.push({ channel, payload: frameOf([], index, container), keyframe: false, context: payloads });
  }
  return made;
}

async function compactUpdates(from: Reader, time: Time, state: State, payloads: Payloads): Promise<MadeMessage[]> {
  const { container } = payloads;
  const wanted = sharedKeysOf(state);
  if (wanted.size === 0) return [];
  const schema = stateSchema(container);
  const found = new Map<string, Uint8Array>();
  for await (const row of backwards(from, time, STATE)) {
    const payload = row.batch.payload(row.i);
    if (!decodes(() => schema.decode(payload, row.batch.context))) continue;
    const update = transcodeState(payload, kindOf(row.batch, container), container);
    take(stateEntries(update, container), wanted, found);
    if (found.size === wanted.size) break;
  }
  const payload = stateOf([...found.values()].toReversed(), container);
  return [{ channel: from.channels[STATE]!, payload, keyframe: false, context: payloads }];
}

/** Puts the entries that are wanted and not yet found into `found`, as copies; of equal keys the last counts. */
function take(entries: readonly Entry[], wanted: ReadonlySet<string>, found: Map<string, Uint8Array>): void {
  for (let i = entries.length - 1; i >= 0; i--) {
    const { key, bytes } = entries[i]!;
    if (wanted.has(key) && !found.has(key)) found.set(key, bytes.slice());
  }
}

/** All messages of a channel up to `time`, frames from the last keyframe on. */
async function messagesOf(from: Reader, time: Time, channel: number, payloads: Payloads): Promise<MadeMessage[]> {
  const made: MadeMessage[] = [];
  for await (const { batch, i } of backwards(from, time, channel)) {
    const keyframe = (batch.flags[i]! & KEYFRAME) !== 0;
    const context = payloadsOf(batch.context) ?? payloads;
    made.push({ channel: from.channels[channel]!, payload: batch.payload(i).slice(), keyframe, context });
    if (keyframe) break;
  }
  return made.reverse();
}

/** Rows of a channel at or before `time`, the latest first. */
async function* backwards(
  from: Reader,
  time: Time,
  channel: number,
): AsyncGenerator<{ readonly batch: MessageBatch; readonly i: number }> {
  const query = { end: after(time), channels: [from.channels[channel]!], reverse: true };
  for await (const batch of from.batches(query)) {
    for (let i = batch.length - 1; i >= 0; i--) yield { batch, i };
  }
}

function kindOf(batch: MessageBatch, container: Container): Container {
  return payloadsOf(batch.context)?.container ?? container;
}

function decodes(decode: () => unknown): boolean {
  try {
    decode();
    return true;
  } catch (error) {
    if (error instanceof LayoutError) return false;
    throw error;
  }
}

function folded(from: Reader, messages: readonly MadeMessage[], time: Time): State {
  const state = new MutableState();
  from.state.begin?.(state);
  for (const { channel, payload, keyframe, context } of messages) {
    const flags = Uint8Array.of(keyframe ? KEYFRAME : 0);
    const [times, sequence] = [Float64Array.of(time), Float64Array.of(0)];
    const [start, end] = [Uint32Array.of(0), Uint32Array.of(payload.length)];
    const batch = new Columns(times, Uint16Array.of(channel.id), sequence, flags, payload, start, end, context);
    from.state.apply(state, batch, 0);
  }
  return state.freeze();
}

/** Whether two states hold the same, order of values and sets aside; empty sets are no sets. */
function isSame(a: State, b: State): boolean {
  if (a.values.size !== b.values.size) return false;
  for (const [path, value] of a.values) if (!b.values.has(path) || !isEqual(value, b.values.get(path))) return false;
  for (const name of new Set([...a.sets.keys(), ...b.sets.keys()])) {
    if (!isSameSet(a.sets.get(name), b.sets.get(name))) return false;
  }
  return true;
}

function isSameSet(a: EntitySet | undefined, b: EntitySet | undefined): boolean {
  const rows = a?.ids.length ?? 0;
  if (rows !== (b?.ids.length ?? 0)) return false;
  if (rows === 0 || a === undefined || b === undefined) return true;
  if (!isEqual(a.ids, b.ids) || a.columns.size !== b.columns.size) return false;
  for (const [name, column] of a.columns) if (!isEqual(column.data, b.columns.get(name)?.data)) return false;
  return true;
}

function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return Object.is(a, b);
  const isList = Array.isArray(a) || ArrayBuffer.isView(a);
  if (isList !== (Array.isArray(b) || ArrayBuffer.isView(b)) || a.constructor !== b.constructor) return false;
  if (isList) {
    const [x, y] = [a as ArrayLike<unknown>, b as ArrayLike<unknown>];
    if (x.length !== y.length) return false;
    for (let i = 0; i < x.length; i++) if (!isEqual(x[i], y[i])) return false;
    return true;
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isEqual((a as never)[key], (b as never)[key]));
}

import type { Reader } from "../../model/reader.ts";
import { after, type Time } from "../../model/time.ts";
import type { MadeMessage, WritingFormat } from "../../model/writer.ts";
import { FilteredReader, type IsKept, piecesOf, PartsReader } from "./readers.ts";
import { takeOut, textsOf } from "./texts.ts";

/** Texts of messages that were taken out. */
export interface Removed {
  /** All of them. */
  readonly said: ReadonlySet<string>;
  /** Those that no message which is kept has, too. */
  readonly gone: ReadonlySet<string>;
}

/** What `isKept` says; `kept` tells of each channel whether all of it is. Copies of whole files go with what is left out. */
export function filtered(
  reader: Reader,
  isKept: IsKept,
  kept: readonly boolean[],
  { sift, copies = [] }: WritingFormat,
): FilteredReader {
  const left = reader.channels.filter(({ id }) => !kept[id]!).map(({ name }) => name);
  const isCopy = reader.channels.map(({ name }) => copies.includes(name));
  const isIn: IsKept = (channel, time, batch, i) => !isCopy[channel]! && isKept(channel, time, batch, i);
  return new FilteredReader(reader, left.length > 0 ? isIn : isKept, sift === undefined ? null : () => sift(left));
}

/**
 * Without the messages that `isHit` says, of the channels `hit`, before `until`. Behind it the state is what it is in the
 * source, as far as messages say that hold no text of their own: a text that only messages taken out have is gone.
 */
export async function redacted(
  reader: Reader,
  isHit: IsKept,
  hit: readonly boolean[],
  until: Time,
  writing: WritingFormat,
): Promise<{ readonly reader: Reader; readonly removed: Removed }> {
  const kept = hit.map((isOne) => !isOne);
  const isKept: IsKept = (channel, time, batch, i) => !isHit(channel, time, batch, i);
  const without = filtered(reader, isKept, kept, writing);
  const said = await textsTaken(reader, isHit);
  const gone = new Set(said);
  await takeOut(gone, without);
  const removed = { said, gone };
  const timeline = await reader.timeline();
  const { motion } = reader.state;
  // where motion is whole, messages stand alone, and what holds is said again
  const isAlone = motion === null || reader.state.replacesState(motion);
  if (until > timeline.end || isAlone) return { reader: without, removed };
  // a message whose texts others have, too, may be heard of behind the range
  const isTold: IsKept = (channel, time, batch, i) =>
    isKept(channel, time, batch, i) || !hasAny(textsOf(reader.channels[channel]!, batch, i), gone);
  const told = filtered(reader, isTold, kept, writing);
  const opening = await gapOpening(told, without, until, hit, writing);
  const channels = reader.channels.map(({ id }) => id);
  const end = after(timeline.end);
  // the opening says where everything is: nothing behind it counts from what is left out
  const behind = filtered(reader, isKept, kept, { ...writing, sift: () => null });
  const parts = [
    { reader: without, start: Math.min(timeline.start, until), end: until, shift: 0, opening: null, channels },
    { reader: behind, start: until, end, shift: 0, opening, channels },
  ];
  return { reader: new PartsReader(parts, timeline.epoch, reader.channels), removed };
}

async function textsTaken(reader: Reader, isHit: IsKept): Promise<Set<string>> {
  const said = new Set<string>();
  for await (const { batch, channels, shift } of piecesOf(reader, {})) {
    for (let i = 0; i < batch.length; i++) {
      const own = batch.channel[i]!;
      const channel = channels === null ? own : channels[own]!;
      if (!isHit(channel, batch.time[i]! + shift, batch, i)) continue;
      for (const text of textsOf(reader.channels[channel]!, batch, i)) said.add(text);
    }
  }
  return said;
}

function hasAny(texts: ReadonlySet<string>, wanted: ReadonlySet<string>): boolean {
  for (const text of texts) if (wanted.has(text)) return true;
  return false;
}

/** What is to be said at `time` for the state of `without` to become that of `told`; null: it is. */
async function gapOpening(
  told: Reader,
  without: Reader,
  time: Time,
  hit: readonly boolean[],
  { restate }: WritingFormat,
): Promise<readonly MadeMessage[] | null> {
  const wanted = await restate(told, time - 1);
  const known = new Set((await restate(without, time - 1)).map(keyOf));
  const missing = wanted.filter((message) => !known.has(keyOf(message)));
  // a keyframe replaces everything: all of what holds belongs to it
  if (wanted.some(({ keyframe }) => keyframe)) return missing.length > 0 || wanted.length < known.size ? wanted : null;
  const opening = missing.filter(({ channel }) => hit[channel.id]!);
  return opening.length > 0 ? opening : null;
}

function keyOf({ channel, payload }: MadeMessage): string {
  return `${channel.id} ${LATIN.decode(payload)}`;
}

const LATIN = new TextDecoder("latin1");

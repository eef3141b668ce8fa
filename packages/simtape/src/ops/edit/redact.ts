import type { MessageBatch } from "../../model/messages/batch.ts";
import type { Reader } from "../../model/reader.ts";
import type { Time } from "../../model/values/time.ts";
import type { Lost, WritingFormat } from "../../model/writer.ts";
import { PayloadSet } from "./payload-set.ts";
import { FilteredReader, type IsKept, piecesOf } from "./readers.ts";
import { takeOut, textsOf } from "./texts.ts";

/** Bytes that a text takes beside its characters, about: in two sets, and as what is looked for in the result. */
const TEXT = 160;
/** Of each character. */
const CHARACTER = 6;

/** What was taken out of a recording, as it is looked for in the result. */
export interface Removed {
  /** How many messages of each channel, by its name. */
  readonly messages: ReadonlyMap<string, number>;
  /** Channels whose messages writers make of what is kept: snapshots, and entries that it refers to. */
  readonly made: ReadonlySet<string>;
  /** All texts of theirs. */
  readonly said: ReadonlySet<string>;
  /** Those that no message which is kept has, too. */
  readonly gone: ReadonlySet<string>;
  /** Their payloads but for those that a message which is kept has, too. */
  readonly payloads: PayloadSet;
  /** What was kept and says again what was taken out: snapshots in the range. */
  readonly again: readonly Lost[];
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
 * Without the messages of the channels `hit` in `[from, until)`. Nothing is put in their place: in the range, and behind
 * it up to the next message that is kept, the state is what the last message which is kept says. Messages that count
 * from those taken out are made to count from what is kept, and say what they said.
 */
export async function redacted(
  reader: Reader,
  hit: readonly boolean[],
  from: Time,
  until: Time,
  writing: WritingFormat,
): Promise<{ readonly reader: Reader; readonly removed: Removed }> {
  const isHit: IsKept = (channel, time) => hit[channel]! && time >= from && time < until;
  const kept = hit.map((isOne) => !isOne);
  const without = filtered(reader, (channel, time, batch, i) => !isHit(channel, time, batch, i), kept, writing);
  const { messages, said, payloads, again } = await taken(reader, isHit, from, until, writing);
  const gone = new Set(said);
  await takeOut(gone, payloads, without);
  const made = new Set(writing.entries);
  if (writing.restates !== undefined) made.add(writing.restates.by);
  return { reader: without, removed: { messages, made, said, gone, payloads, again } };
}

/** What a redaction takes out, and what of the rest in its range says that again. */
async function taken(
  reader: Reader,
  isHit: IsKept,
  from: Time,
  until: Time,
  { restates, entries = [] }: WritingFormat,
): Promise<Pick<Removed, "messages" | "said" | "payloads" | "again">> {
  const said = new Set<string>();
  let weight = 0;
  const payloads = new PayloadSet(reader.budget);
  const again = new Map<string, number>();
  const messages = new Map<string, number>();
  /** Something is taken out that a keyframe can say. */
  let isHeld = false;
  const visit = (channel: number, time: Time, batch: MessageBatch, i: number): void => {
    const of = reader.channels[channel]!;
    if (isHit(channel, time, batch, i)) {
      messages.set(of.name, (messages.get(of.name) ?? 0) + 1);
      for (const text of textsOf(of, batch, i)) {
        if (said.has(text)) continue;
        weight += TEXT + CHARACTER * text.length;
        said.add(text);
      }
      reader.budget?.fit("the redacted texts", weight);
      if (!entries.includes(of.name)) payloads.add(batch.bytes, batch.start[i]!, batch.end[i]!);
      isHeld ||= restates?.what(of.name) === true;
    } else if (isHeld && time >= from && time < until && restates?.by === of.name)
      again.set(of.name, (again.get(of.name) ?? 0) + 1);
  };
  for await (const { batch, channels, shift } of piecesOf(reader, {})) {
    for (let i = 0; i < batch.length; i++) {
      const own = batch.channel[i]!;
      visit(channels === null ? own : channels[own]!, batch.time[i]! + shift, batch, i);
    }
  }
  const reason = "it repeats redacted content from before it in the range: redact it, too";
  return { messages, said, payloads, again: [...again].map(([path, count]) => ({ path, count, reason })) };
}

/** Of a list that takes out more than once. */
export function together(one: Removed | null, other: Removed): Removed {
  if (one === null) return other;
  return {
    messages: new Map([
      ...one.messages,
      ...[...other.messages].map(([name, count]) => [name, (one.messages.get(name) ?? 0) + count] as const),
    ]),
    made: other.made,
    said: new Set([...one.said, ...other.said]),
    gone: new Set([...one.gone, ...other.gone]),
    payloads: one.payloads.with(other.payloads),
    again: [...one.again, ...other.again],
  };
}

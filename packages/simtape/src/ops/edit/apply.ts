import type { Annotation } from "../../model/annotation.ts";
import type { Reader } from "../../model/reader.ts";
import { after, type Time, type Timeline } from "../../model/values/time.ts";
import type { Channel } from "../../model/values/value.ts";
import type { MadeMessage, WritingFormat } from "../../model/writer.ts";
import { EditError, type EditList, type Operation } from "./list.ts";
import { filtered, redacted, type Removed } from "./redact.ts";
import { type JoinedPart, PartsReader, RenamedReader, ShiftedReader } from "./readers.ts";

/** What edits need of the world: other recordings of the same format, by the names in the list, and a test for globs. */
export interface EditContext {
  readonly writing: WritingFormat;
  /** The caller's: closed with the edited recording. Throws when there is none. */
  open(name: string): Promise<Reader>;
  matching(globs: readonly string[]): (name: string) => boolean;
  /** Is given the texts of what a redaction takes out. */
  removed?(removed: Removed): void;
}

/** A recording as an edit list leaves it. Nothing is written yet: `writeEdited` does that. */
export interface Edited {
  readonly reader: Reader;
  /** Those of the list, at times of the edited recording. */
  readonly annotations: readonly Annotation[];
  /** Those that the source had. */
  readonly inherited: readonly Annotation[];
}

/**
 * Lays the operations over `reader`, one on the other. Nothing is read but what finding the cuts' openings takes.
 * `inherited` are notes on the source; they go along with the moments they are of.
 */
export async function applyEdits(
  reader: Reader,
  list: EditList,
  context: EditContext,
  inherited: readonly Annotation[] = [],
): Promise<Edited> {
  let edited = reader;
  let annotations: readonly Annotation[] = [];
  for (const [i, operation] of list.operations.entries()) {
    if (operation.op === "annotate") {
      const { at, text, kind = "note" } = operation;
      await mustBeInside(edited, at, `operations[${i}].at`);
      annotations = [...annotations, { at, text, kind }];
      continue;
    }
    const { start } = await edited.timeline();
    annotations = moved(annotations, operation, start);
    inherited = moved(inherited, operation, start);
    edited = await applied(edited, operation, `operations[${i}]`, context);
  }
  return { reader: edited, annotations, inherited };
}

/** Notes behind an operation on a recording that begins at `start`. */
export function moved(notes: readonly Annotation[], operation: Operation, start: Time): readonly Annotation[] {
  if (operation.op === "shift") return notes.map((note) => ({ ...note, at: note.at + operation.by }));
  if (operation.op !== "trim") return notes;
  const { from = start, until = Number.POSITIVE_INFINITY } = operation;
  return notes.filter(({ at }) => at >= from && at < until).map((note) => ({ ...note, at: note.at - from }));
}

async function applied(
  reader: Reader,
  operation: Exclude<Operation, { op: "annotate" }>,
  path: string,
  context: EditContext,
): Promise<Reader> {
  switch (operation.op) {
    case "shift":
      return new ShiftedReader(reader, operation.by);
    case "filter": {
      const { channels, exclude } = operation;
      const isWanted = channels === undefined ? (): boolean => true : matchingSome(channels, reader, path, context);
      const isUnwanted = exclude === undefined ? (): boolean => false : matchingSome(exclude, reader, path, context);
      const kept = reader.channels.map(({ name }) => isWanted(name) && !isUnwanted(name));
      if (!kept.includes(true)) throw new EditError(path, noChannel(reader));
      return filtered(reader, (channel) => kept[channel]!, kept, context.writing);
    }
    case "redact": {
      const isHit = matchingSome(operation.channels, reader, path, context);
      const hit = reader.channels.map(({ name }) => isHit(name));
      const { from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = operation;
      if (until <= from) throw new EditError(path, `the range is empty, from ${from} to ${until}`);
      const { reader: without, removed } = await redacted(reader, hit, from, until, context.writing);
      if (removed.messages.size === 0) throw new EditError(path, await nothingToTake(reader, hit));
      context.removed?.(removed);
      return without;
    }
    case "rename": {
      const names = new Map(Object.entries(operation.channels));
      for (const name of names.keys()) {
        if (!reader.channels.some((channel) => channel.name === name)) {
          throw new EditError(path, `no channel ${JSON.stringify(name)}; ${noChannel(reader)}`);
        }
      }
      try {
        return new RenamedReader(reader, names);
      } catch (error) {
        if (error instanceof RangeError) throw new EditError(path, error.message);
        throw error;
      }
    }
    case "trim":
      return trimmed(reader, operation.from, operation.until, path, context);
    case "join":
      return joined(reader, operation.files, operation.gap ?? 0, path, context);
    default:
      return operation satisfies never;
  }
}

/** From the last message of a recording to the first of the next: what every format can hold. */
const LEAST_STEP: Time = 1000;

/** Nanoseconds; from 0 on, even where the first message comes later. */
async function mustBeInside(reader: Reader, at: Time, path: string): Promise<void> {
  const { start, end } = await reader.timeline();
  const first = Math.min(0, start);
  if (at < first || at > end)
    throw new EditError(path, `${at} is not in the recording: it lasts from ${first} to ${end}`);
}

/** A test for names of channels. Each glob is there for one at least: one that is not is a slip. */
function matchingSome(
  globs: readonly string[],
  reader: Reader,
  path: string,
  { matching }: EditContext,
): (name: string) => boolean {
  for (const glob of globs)
    if (!reader.channels.some(({ name }) => matching([glob])(name)))
      throw new EditError(path, `no channel matches ${glob}; ${noChannel(reader)}`);
  return matching(globs);
}

/** Why a redaction takes out nothing, and where what it names is. */
async function nothingToTake(reader: Reader, hit: readonly boolean[]): Promise<string> {
  const statistics = await reader.statistics();
  const places = reader.channels
    .filter(({ id }) => hit[id]! && statistics[id]!.messages > 0)
    .map(({ id, name }) => `${name} from ${statistics[id]!.first} to ${statistics[id]!.last}`);
  const names = reader.channels.filter(({ id }) => hit[id]!).map(({ name }) => name);
  return places.length > 0
    ? `nothing to redact: no message lies in the range; in nanoseconds, the messages are those of ${places.join(", ")}`
    : `nothing to redact: the recording has no message of ${names.join(", ")}`;
}

function noChannel(reader: Reader): string {
  return `channels are: ${reader.channels.map(({ name }) => name).join(", ")}`;
}

async function trimmed(
  reader: Reader,
  from: Time | undefined,
  until: Time | undefined,
  path: string,
  context: EditContext,
): Promise<Reader> {
  const timeline = await reader.timeline();
  const start = Math.max(from ?? timeline.start, timeline.start);
  const end = until ?? after(timeline.end);
  if (end <= start)
    throw new EditError(
      path,
      `the recording has no part between ${start} and ${end}: it lasts from ${timeline.start} to ${timeline.end}`,
    );
  if (start > timeline.end)
    throw new EditError(path, `begins at ${start}, after the end of the recording at ${timeline.end}`);
  const part = await partOf(reader, start, end, -start, identity(reader), start > timeline.start, context);
  return new PartsReader([part], epochAt(timeline, start), reader.channels);
}

async function joined(
  reader: Reader,
  files: readonly string[],
  gap: Time,
  path: string,
  context: EditContext,
): Promise<Reader> {
  const timeline = await reader.timeline();
  const channels: Channel[] = [...reader.channels];
  const ids = new Map<string, number>();
  for (const { name, id } of channels) if (!ids.has(name)) ids.set(name, id);
  const parts: JoinedPart[] = [
    await partOf(reader, timeline.start, after(timeline.end), 0, identity(reader), false, context),
  ];
  const step = timeline.tick?.duration ?? (await lastStep(reader));
  let next = Math.max(timeline.tick?.duration == null ? 0 : timeline.tick.count * step, timeline.end + step);
  let behind = reader;
  for (const file of files) {
    const other = await context.open(file);
    if (other.info.format !== reader.info.format) {
      await other.close();
      throw new EditError(
        path,
        `${file} is a ${other.info.format} recording, not ${reader.info.format}: convert it first`,
      );
    }
    const why = parts.map((part) => context.writing.apart?.(part.reader, other)).find((reason) => reason != null);
    if (why !== undefined) {
      await other.close();
      throw new EditError(
        path,
        `${file} cannot be joined as it is: ${why}; convert both to another format and join the results`,
      );
    }
    const own = await other.timeline();
    const map = other.channels.map(({ name, schema, metadata }) => {
      const known = ids.get(name);
      if (known !== undefined) return known;
      const id = channels.length;
      channels.push({ id, name, schema, metadata });
      ids.set(name, id);
      return id;
    });
    const shift = next + gap - own.start;
    parts.push(await partOf(other, own.start, after(own.end), shift, map, true, context, behind));
    behind = other;
    next = own.end + shift + (own.tick?.duration ?? (await lastStep(other)));
  }
  const isSame = channels.length === reader.channels.length;
  return new PartsReader(parts, timeline.epoch, isSame ? reader.channels : channels);
}

/** How long the last moment lasts: where the format counts frames, as long as the one before it. */
async function lastStep(reader: Reader): Promise<Time> {
  const { tick, end } = await reader.timeline();
  const { motion } = reader.state;
  if (tick === null || motion === null) return LEAST_STEP;
  const channels = reader.channels.filter(({ id }) => id === motion);
  for await (const { time } of reader.batches({ channels, end, reverse: true })) {
    return Math.max(LEAST_STEP, end - time[time.length - 1]!);
  }
  return LEAST_STEP;
}

async function partOf(
  reader: Reader,
  start: Time,
  end: Time,
  shift: Time,
  channels: readonly number[],
  isCut: boolean,
  context: EditContext,
  behind?: Reader,
): Promise<JoinedPart> {
  if (!isCut) return { reader, start, end, shift, opening: null, channels };
  // The opening tells what was true before the first moment; what happened at it follows.
  const opening = await context.writing.restate(reader, start - 1, behind);
  const known = await replacedAt(reader, start, opening);
  return { reader, start, end, shift, opening: opening.filter(({ channel }) => !known.has(channel.id)), channels };
}

/** Channels of which a message at `time` says all that the opening does: two of one moment would be one too many. */
async function replacedAt(reader: Reader, time: Time, opening: readonly MadeMessage[]): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  const ids = new Set(opening.map(({ channel }) => channel.id).filter((id) => reader.state.replacesState(id)));
  const channels = reader.channels.filter(({ id }) => ids.has(id));
  if (channels.length === 0) return found;
  for await (const { channel } of reader.batches({ start: time, end: after(time), channels }))
    for (const id of channel) found.add(id);
  return found;
}

function identity(reader: Reader): number[] {
  return reader.channels.map(({ id }) => id);
}

function epochAt({ epoch }: Timeline, time: Time): bigint | null {
  return epoch === null ? null : epoch + BigInt(Math.round(time));
}

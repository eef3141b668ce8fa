import { ChunkContext } from "../../src/formats/hcrp/chunk/context.ts";
import { type MessageBatch, type Reader, Recording, type State, type Value } from "../../src/index.ts";
import { Columns } from "../../src/kit.ts";

/** A bit of one message: its row among all messages, a byte of its payload, and what that is changed by. */
export interface Spot {
  readonly row: number;
  readonly at: number;
  readonly by: number;
}

/** The same recording with one byte of one message changed; whatever reads it, or writes it again, sees that. */
export function perturbed(recording: Recording, spot: Spot): Recording {
  const { reader } = recording;
  const changed: Reader = {
    info: reader.info,
    base: reader,
    channels: reader.channels,
    budget: reader.budget,
    siblings: reader.siblings,
    siblingFor: reader.siblingFor?.bind(reader),
    needs: reader.needs,
    state: reader.state,
    timeline: () => reader.timeline(),
    statistics: (signal) => reader.statistics(signal),
    keyframe: (time, signal) => reader.keyframe(time, signal),
    records: (signal) => reader.records(signal),
    batches: (query) => withSpot(reader.batches(query), spot),
    close: () => reader.close(),
  } as Reader;
  return new Recording(changed, { list: () => recording.findings });
}

/** Sequences are places in the file: the message is the same one wherever reading begins. */
async function* withSpot(batches: AsyncIterable<MessageBatch>, spot: Spot): AsyncGenerator<MessageBatch> {
  for await (const batch of batches) {
    const i = batch.sequence.indexOf(spot.row);
    yield i < 0 ? batch : changedAt(batch, i, spot);
  }
}

function changedAt(batch: MessageBatch, i: number, { at, by }: Spot): MessageBatch {
  const { time, channel, sequence, flags, start, end, shifted } = batch;
  const bytes = batch.bytes.slice();
  bytes[start[i]! + at]! ^= by;
  const context = batch.context instanceof ChunkContext ? batch.context.changed() : batch.context;
  return new Columns(time, channel, sequence, flags, bytes, start, end, context, shifted);
}

/** Paths at which two states differ: `set/id/column`, names of values. Says nothing of how `compare` does it. */
export function differing(a: State, b: State): Set<string> {
  const found = new Set<string>();
  for (const name of new Set([...a.values.keys(), ...b.values.keys()]))
    if (!isAlike(a.values.get(name), b.values.get(name))) found.add(name);
  for (const name of new Set([...a.sets.keys(), ...b.sets.keys()])) {
    const cells = [a, b].map(({ sets }) => {
      const all = new Map<string, readonly unknown[]>();
      const set = sets.get(name);
      for (const [row, id] of set?.ids.entries() ?? []) {
        all.set(`${name}/${id}`, []);
        for (const [key, { data, width }] of set!.columns)
          all.set(
            `${name}/${id}/${key}`,
            Array.from({ length: width }, (_, k) => data[row * width + k]),
          );
      }
      return all;
    });
    for (const path of new Set(cells.flatMap((all) => [...all.keys()]))) {
      const [one, other] = cells.map((all) => all.get(path));
      if (one === undefined || other === undefined || !one.every((cell, k) => isEqual(cell, other[k]))) found.add(path);
    }
  }
  return found;
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function isAlike(a: Value | undefined, b: Value | undefined): boolean {
  const [one, other] = [a ?? null, b ?? null];
  if (isEqual(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  const item = (of: object, key: string): Value | undefined => (of as Record<string, Value>)[key];
  return [...keys].every((key) => isAlike(item(one, key), item(other, key)));
}

/** Whether a path that `compare` names is one of those. */
export function isAmong(path: string, paths: ReadonlySet<string>): boolean {
  return [...paths].some((one) => path === one || path.startsWith(`${one}.`));
}

import type { MessageBatch, Recording } from "simtape";
import type { Contents, Outline } from "../protocol.ts";
import type { Query } from "../worker.ts";
import { Breather } from "./breather.ts";

/** Between two reports of what was found, milliseconds. */
const REPORT_EVERY = 200;
/** Bytes of one record that are handed out. */
const MOST_BYTES = 1 << 20;

/** All records of the file, as far as `limit`. Progress is those since the last one, the answer those since then. */
export const outline: Query<"outline"> = async (engine, { recording, limit }, signal, report) => {
  const breather = new Breather(signal);
  let some = new Growing();
  let count = 0;
  let reported = performance.now();
  for await (const records of engine.recording(recording).records(signal)) {
    for (const { kind, offset, bytes } of records) {
      if (count++ === limit) return some.outline(false);
      some.add(kind, offset, bytes.length);
    }
    await breather.breathe();
    if (performance.now() - reported < REPORT_EVERY) continue;
    reported = performance.now();
    report({ done: count, total: null, partial: some.outline(false) });
    some = new Growing();
  }
  return some.outline(true);
};

/** One record; walks there from the beginning of the file. */
export const record: Query<"record"> = async (engine, { recording: id, index }, signal) => {
  const recording = engine.recording(id);
  const breather = new Breather(signal);
  let before = 0;
  let chunks = 0;
  let isSound = true;
  for await (const records of recording.records(signal)) {
    const passed = records.slice(0, Math.max(0, index - before));
    chunks += passed.filter(({ kind }) => kind === "chunk").length;
    isSound &&= !passed.some(({ kind }) => kind === "damaged");
    const found = records[index - before];
    if (found !== undefined) {
      const { kind, offset, bytes } = found;
      return {
        kind,
        offset,
        length: bytes.length,
        bytes: bytes.slice(0, MOST_BYTES),
        signals: await signalsOf(recording, signal),
        contents: kind === "chunk" && isSound ? await contentsOf(recording, chunks, signal) : null,
      };
    }
    before += records.length;
    await breather.breathe();
  }
  return null;
};

class Growing {
  readonly #kind: string[] = [];
  readonly #offset: number[] = [];
  readonly #length: number[] = [];

  add(kind: string, offset: number, length: number): void {
    this.#kind.push(kind);
    this.#offset.push(offset);
    this.#length.push(length);
  }

  outline(isEnd: boolean): Outline {
    return {
      kind: this.#kind,
      offset: Float64Array.from(this.#offset),
      length: Uint32Array.from(this.#length),
      isEnd,
    };
  }
}

/** What is in the nth chunk of a compressed recording: its inflated bytes, and where the messages lie in them. */
async function contentsOf(recording: Recording, chunk: number, signal: AbortSignal): Promise<Contents | null> {
  const time = await timeIn(recording, chunk, signal);
  if (time === null) return null;
  const found: MessageBatch[] = [];
  for await (const batch of recording.batches({ end: time, reverse: true, signal })) {
    if (chunkOf(batch) !== chunk) break;
    found.unshift(batch);
  }
  for await (const batch of recording.batches({ start: time, signal })) {
    if (chunkOf(batch) !== chunk) break;
    found.push(batch);
  }
  const [first] = found;
  const same = found.filter(({ bytes }) => bytes === first?.bytes);
  if (first === undefined || same.length < found.length) return null;
  return {
    bytes: first.bytes.slice(0, MOST_BYTES),
    time: Float64Array.from(same.flatMap(({ time }) => [...time])),
    channel: Uint16Array.from(same.flatMap(({ channel }) => [...channel])),
    start: Uint32Array.from(same.flatMap(({ start }) => [...start])),
    end: Uint32Array.from(same.flatMap(({ end }) => [...end])),
  };
}

/** A time at which there is a message of the chunk; null: there is none. */
async function timeIn(recording: Recording, chunk: number, signal: AbortSignal): Promise<number | null> {
  let { start, end } = await recording.timeline();
  while (start <= end) {
    const middle = Math.floor((start + end) / 2);
    let there: MessageBatch | null = null;
    for await (const batch of recording.batches({ start: middle, signal })) {
      there = batch;
      break;
    }
    const found = there === null ? Number.POSITIVE_INFINITY : chunkOf(there);
    if (found === chunk) return there!.time[0]!;
    if (found > chunk) end = middle - 1;
    else start = middle + 1;
  }
  return null;
}

function chunkOf({ context }: MessageBatch): number {
  return (context as { readonly chunk: number }).chunk;
}

/** FlightGear's numbers have their names in the header: those of any message. */
async function signalsOf(recording: Recording, signal: AbortSignal): Promise<readonly string[]> {
  const channel = recording.channels.find(({ name }) => name === "signals");
  if (recording.info.format !== "flightgear" || channel === undefined) return [];
  for await (const batch of recording.batches({ channels: [channel], signal })) {
    const value = channel.schema.decode(batch.payload(0), batch.context);
    return Object.keys(value as Readonly<Record<string, unknown>>);
  }
  return [];
}

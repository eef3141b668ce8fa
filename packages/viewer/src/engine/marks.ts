import { KEYFRAME, type MessageBatch, type Recording, type Value } from "simtape";
import type { Mark } from "../protocol.ts";
import type { Query } from "../worker.ts";
import { Breather } from "./breather.ts";
import { preview } from "./preview.ts";

/** What to call the messages of channels that tell of events, by format; those in which nothing happened are left out. */
const EVENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  carla: { collision: "collision", "event-add": "spawn", "event-del": "removal" },
  hcrp: {
    mark: "mark",
    chat: "chat",
    spawn: "spawn",
    remove: "removal",
    join: "join",
    leave: "leave",
    hurt: "hurt",
  },
  nanover: { frame: "reset" },
};

/** Of the number that HCRP has for them, and the kind that its metadata names. */
const MARK_KINDS = ["bookmark", "checkpoint", "anticheat", "report", "start", "end"];
/** So long is a tick of HCRP, nanoseconds. */
const HCRP_TICK = 50_000_000;

/** A channel with fewer messages than this, in a format without channels of fixed meaning, tells of events. */
const FEW = 64;
/** Kinds of events at most: what a file calls them is its own affair. */
const KINDS = 24;
const LABEL = 80;
/** Between two reports of what was found, milliseconds. */
const REPORT_EVERY = 500;

/** Of each kind at most one in a column of time, so that there are never more than can be drawn. */
export const marks: Query<"marks"> = async (engine, ask, signal, report) => {
  const recording = engine.recording(ask.recording);
  const found = new Marks(ask);
  for (const mark of writtenMarks(recording)) found.add(mark);
  if (!ask.isReading) return found.result();
  const channels = await eventChannels(recording, signal);
  if (channels.length === 0) return found.result();
  const { start, end } = ask;
  const breather = new Breather(signal);
  let reported = performance.now();
  for await (const batch of recording.batches({ start, end, channels, signal })) {
    for (let i = 0; i < batch.length; i++) {
      const mark = markOf(recording, batch, i);
      if (mark !== null) found.add(mark);
    }
    await breather.breathe();
    if (performance.now() - reported < REPORT_EVERY) continue;
    reported = performance.now();
    report({ done: batch.time[batch.length - 1]! - start, total: end - start, partial: found.result() });
  }
  return found.result();
};

/** Keeps the first of each kind in each column, and of those that a file tells twice one. */
class Marks {
  readonly #start: number;
  readonly #end: number;
  readonly #scale: number;
  readonly #kinds = new Set<string>();
  readonly #columns = new Set<string>();
  readonly #marks: Mark[] = [];
  readonly #labels = new Set<string>();
  #isThinned = false;

  constructor({ start, end, columns }: { readonly start: number; readonly end: number; readonly columns: number }) {
    this.#start = start;
    this.#end = end;
    this.#scale = columns / Math.max(1, end - start);
  }

  add(mark: Mark): void {
    const { time, label } = mark;
    if (time < this.#start || time >= this.#end) return;
    const kind = this.#kinds.has(mark.kind) || this.#kinds.size < KINDS ? mark.kind : "others";
    this.#kinds.add(kind);
    if (this.#labels.has(`${time} ${label}`)) return;
    const column = `${kind} ${Math.floor((time - this.#start) * this.#scale)}`;
    if (this.#columns.has(column)) {
      this.#isThinned = true;
      return;
    }
    this.#columns.add(column);
    this.#labels.add(`${time} ${label}`);
    this.#marks.push({ time, kind, label });
  }

  result(): { marks: Mark[]; isThinned: boolean } {
    return { marks: this.#marks.toSorted((a, b) => a.time - b.time), isThinned: this.#isThinned };
  }
}

/** A mark of an HCRP file: of whom it tells, if of anybody. */
export interface WrittenMark extends Mark {
  readonly entity: number | null;
}

/** Marks that an HCRP file has in its metadata: they are known without reading its chunks. */
export function* writtenMarks({ info }: Recording): Generator<WrittenMark> {
  if (info.format !== "hcrp") return;
  const list = at(at(at(info.metadata, "metadata"), "hcrp"), "marks");
  if (!Array.isArray(list)) return;
  for (const mark of list) {
    const [tick, kind] = [at(mark, "tick"), at(mark, "kind")];
    if (typeof tick === "number" && typeof kind === "string")
      yield { time: tick * HCRP_TICK, kind, ...about(mark, kind) };
  }
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** The same of an event. */
export function markEvent(time: number, value: Value): WrittenMark {
  const number = at(value, "kind");
  const kind = (typeof number === "number" ? MARK_KINDS[number] : undefined) ?? "mark";
  return { time, kind, ...about(value, kind) };
}

function about(mark: unknown, kind: string): Pick<WrittenMark, "label" | "entity"> {
  const [label, entity] = [at(mark, "label"), at(mark, "entity")];
  return {
    label: typeof label === "string" ? label : kind,
    entity: typeof entity === "number" && entity >= 0 ? entity : null,
  };
}

async function eventChannels(recording: Recording, signal: AbortSignal): Promise<Recording["channels"]> {
  const { channels, info, motion } = recording;
  const names = EVENTS[info.format];
  if (names !== undefined) return channels.filter(({ name }) => name in names);
  const statistics = await recording.statistics(signal);
  return channels.filter(({ id }) => {
    const { messages } = statistics[id]!;
    return channels.length > 2 && id !== motion?.id && messages > 0 && messages <= FEW;
  });
}

/** Null: nothing happened. */
function markOf(recording: Recording, batch: MessageBatch, i: number): Mark | null {
  const { format } = recording.info;
  const channel = recording.channels[batch.channel[i]!]!;
  const kind = EVENTS[format]?.[channel.name] ?? channel.name;
  const time = batch.time[i]!;
  if (format === "nanover") return (batch.flags[i]! & KEYFRAME) === 0 ? null : { time, kind, label: kind };
  let value: Value;
  try {
    value = channel.schema.decode(batch.payload(i), batch.context);
  } catch {
    // It does not fit its schema, which is a finding and no event.
    return null;
  }
  if (isNothing(value)) return null;
  if (format === "hcrp" && channel.name === "mark") return markEvent(time, value);
  return { time, kind, label: `${channel.name}: ${preview(value, LABEL)}` };
}

function isNothing(value: Value): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== "object" || ArrayBuffer.isView(value)) return false;
  const lists = Object.values(value).filter((part) => Array.isArray(part));
  return lists.length > 0 && lists.every((list) => list.length === 0);
}

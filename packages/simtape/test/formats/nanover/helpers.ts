import { nanover } from "../../../src/formats/nanover/format.ts";
import type { NanoverReader } from "../../../src/formats/nanover/read/reader.ts";
import { create } from "../../../src/formats/nanover/write/writer.ts";
import {
  type CreateOptions,
  KEYFRAME,
  MemoryFiles,
  MutableState,
  type Reader,
  type State,
  type Writer,
} from "../../../src/index.ts";
import { Findings } from "../../../src/model/error.ts";
import { bundleOfFiles } from "../../conformance/describe-format.ts";

export type Files = Readonly<Record<string, Uint8Array>>;

/** Opens files in memory, the first being the main one. */
export async function openFiles(files: Files, findings: Findings = new Findings()): Promise<NanoverReader> {
  return (await nanover.open(bundleOfFiles(files), findings, {})) as NanoverReader;
}

export interface Row {
  readonly time: number;
  readonly channel: string;
  readonly keyframe: boolean;
  readonly payload: Uint8Array;
  readonly value: unknown;
}

/** Every message; undecodable ones have the value undefined. */
export async function rowsOf(reader: Reader): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of reader.batches({})) {
    for (let i = 0; i < batch.length; i++) {
      const { name, schema } = reader.channels[batch.channel[i]!]!;
      const payload = batch.payload(i);
      const keyframe = (batch.flags[i]! & KEYFRAME) !== 0;
      rows.push({ time: batch.time[i]!, channel: name, keyframe, payload, value: schema.decode(payload, null) });
    }
  }
  return rows;
}

export async function rowsOfFiles(files: Files): Promise<Row[]> {
  const reader = await openFiles(files);
  const rows = await rowsOf(reader);
  await reader.close();
  return rows;
}

/** Appends everything, onto channels of the same names. */
export async function appendAll(writer: Writer, reader: Reader, shift = 0): Promise<void> {
  const channels = reader.channels.map(({ name, schema }) => writer.channel({ name, schema: schema.name }));
  for await (const batch of reader.batches({})) {
    writer.append(batch, channels, shift);
    if (writer.ready !== null) await writer.ready;
  }
}

/** The recording written again under `name`; the main file comes first. */
export async function rewritten(files: Files, name: string, options: CreateOptions = {}): Promise<Files> {
  const reader = await openFiles(files);
  const to = new MemoryFiles(name);
  const writer = await create(to, { like: reader, ...options });
  await appendAll(writer, reader);
  await writer.close();
  await reader.close();
  return filesOf(to);
}

/** What was written, the main file first. */
export function filesOf(to: MemoryFiles): Files {
  const names = [...to.files.keys()].sort((a, b) => Number(b === to.name) - Number(a === to.name));
  return Object.fromEntries(names.map((name) => [name, to.files.get(name)!]));
}

/** Types of arrays differ between containers, and so do kinds of whole numbers; their content does not. */
export function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<unknown>);
  if (Array.isArray(value)) return value.map(plain);
  // Removals are a set; protobuf's maps have no order.
  const entries = Object.entries(value).map(([key, item]) => [key, key === "removals" ? item.toSorted() : plain(item)]);
  return Object.fromEntries(entries);
}

/** Order of sets and values does not matter; order of rows and columns is by id and name. */
export function comparable(state: State): unknown {
  const sets = [...state.sets]
    .filter(([, set]) => set.ids.length > 0)
    .map(([name, set]) => [name, { ids: set.ids, axes: set.axes, columns: Object.fromEntries(set.columns) }]);
  return { values: Object.fromEntries(state.values), sets: Object.fromEntries(sets) };
}

/** The states at these times, folded in one go: each with the messages up to and including its time. */
export async function statesAt(reader: Reader, times: readonly number[]): Promise<ReadonlyMap<number, State>> {
  const rising = [...new Set(times)].sort((a, b) => a - b);
  const states = new Map<number, State>();
  const state = new MutableState();
  const take = (): void => {
    state.time = rising[states.size]!;
    states.set(state.time, state.freeze());
  };
  for await (const batch of reader.batches({})) {
    for (let i = 0; i < batch.length; i++) {
      while (states.size < rising.length && batch.time[i]! > rising[states.size]!) take();
      if (states.size === rising.length) return states;
      reader.state.apply(state, batch, i);
    }
  }
  while (states.size < rising.length) take();
  return states;
}

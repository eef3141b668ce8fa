import type { Budget } from "../../bytes/budget.ts";
import { ByteBuilder } from "../../bytes/builder.ts";
import { type IndexEntry, writeIndexEntry } from "../../formats/hcrp/layout/framing.ts";
import { HcrpReader } from "../../formats/hcrp/read/reader.ts";
import type { ByteSource, SourceBundle } from "../../io/source/source.ts";
import type { Store } from "../../io/store/store.ts";
import { type Finding, RecordingError } from "../../model/error.ts";
import { META, PREVIOUS } from "./recording-folder.ts";

/** A recording that is there already, to go on from. */
export interface Existing {
  readonly reader: HcrpReader;
  /** Of its metadata file; null when that is gone. */
  readonly etag: string | null;
  readonly findings: readonly Finding[];
  /** Its index with everything that was found, and where a new segment goes. */
  readonly before: {
    readonly index: Uint8Array;
    readonly chunks: number;
    readonly ticks: number;
    readonly segment: number;
  };
}

/** A recording's files in a store, below its key. `name` is its main file. */
export function recordingBundle(store: Store, id: string, name: string = META): SourceBundle {
  return {
    name,
    open: async (sibling = name): Promise<ByteSource | null> => store.source(`${id}/${sibling}`),
  };
}

/**
 * Opens what a recorder left behind, however it ended: segments that were written and not committed are taken in as far
 * as they go on (HCRP spec §8.5). Null: nothing is there. Throws `RecordingError` when it cannot be gone on from.
 */
export async function existing(store: Store, id: string, budget?: Budget | number): Promise<Existing | null> {
  const meta = await store.head(`${id}/${META}`);
  const main = await mainIn(store, id);
  if (main === null) return null;
  const findings: Finding[] = [];
  const report = { report: (finding: Finding): unknown => findings.push(finding) };
  const bundle = recordingBundle(store, id, main);
  const reader = await HcrpReader.open(bundle, report, { budget }, null).catch((error: unknown) => {
    throw RecordingError.from(error, "hcrp");
  });
  if (reader.preamble.head.dialect !== 1 || !reader.source.isSegmented) {
    await reader.close();
    throw new RecordingError("unsupported", `no segmented recording of HCRP version 1: ${store.name}/${id}`, {
      format: "hcrp",
    });
  }
  const { entries } = reader.source;
  const last = entries.at(-1);
  const index = new ByteBuilder(entries.length * 20);
  for (const entry of entries) writeIndexEntry(index, entry);
  const segment = Math.max(reader.preamble.head.extension?.nextSegment ?? 0, await behindSegments(store, id, entries));
  return {
    reader,
    etag: meta?.etag ?? null,
    findings,
    before: {
      index: index.take(),
      chunks: entries.length,
      ticks: last === undefined ? 0 : last.startTick + last.tickCount,
      segment,
    },
  };
}

/** The file that a recording in a store is opened by: its metadata file, the one before, or the first segment. Null: nothing is there. */
export async function mainIn(store: Store, id: string): Promise<string | null> {
  if ((await store.head(`${id}/${META}`)) !== null) return META;
  if ((await store.head(`${id}/${PREVIOUS}`)) !== null) return PREVIOUS;
  for await (const { key } of store.list(`${id}/seg-`)) return key.slice(id.length + 1);
  return null;
}

/** A number that no segment has, not even one that could not be taken in. */
async function behindSegments(store: Store, id: string, entries: readonly IndexEntry[]): Promise<number> {
  let next = entries.reduce((most, { offsetHigh }) => Math.max(most, offsetHigh + 1), 0);
  for await (const { key } of store.list(`${id}/seg-`)) {
    const digits = /\/seg-(\d{8,10})\.hcs$/.exec(key)?.[1];
    if (digits !== undefined) next = Math.max(next, Number(digits) + 1);
  }
  return next;
}

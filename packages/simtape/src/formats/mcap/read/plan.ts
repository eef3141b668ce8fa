import type { Chunk } from "../../../model/messages/chunk.ts";
import { epochIn } from "../layout/own.ts";
import type { Header, MetadataRecord } from "../../../codec/mcap/data.ts";
import type { AttachmentIndex } from "../../../codec/mcap/summary.ts";
import type { Definitions } from "./definitions.ts";
import type { Unpacked } from "./unpacked.ts";

/** Log times from here on are since 1970: it is a day in 1973. Smaller times are since an unknown moment (spec §3). */
const DATED = 100_000_000_000_000_000n;

/** A part of the file that is decoded as one. */
export interface McapChunk extends Chunk {
  /** A chunk record, by the index with the message indexes behind it, or a run of records that stand outside of chunks. */
  readonly kind: "chunk" | "run";
  /** Its checksum was compared. */
  readonly isChecked: boolean;
  /** By place in its records: where they continue behind damage that a scan found there. */
  readonly gaps: ReadonlyMap<number, number> | null;
}

/** A chunk while it is not known which time is 0: times count from the provisional base, channels are ids of the file. */
export interface Draft {
  readonly kind: "chunk" | "run";
  readonly offset: number;
  length: number;
  readonly sequence: number;
  count: number;
  first: number;
  last: number;
  readonly ids: Set<number>;
  readonly isChecked: boolean;
  gaps: Map<number, number> | null;
}

/** What opening finds: from it everything else is read. */
export interface Plan {
  readonly header: Header;
  readonly definitions: Definitions;
  readonly chunks: readonly McapChunk[];
  /** Unix nanoseconds at time 0; 0 where the times are not since 1970. */
  readonly base: bigint;
  /** Ids of the file in the order of the channels of the recording. */
  readonly order: readonly number[];
  readonly attachments: readonly AttachmentIndex[];
  readonly metadata: readonly MetadataRecord[];
  /** Messages and payload bytes by id of the file; null where the index was used and nothing was counted. */
  readonly tallies: ReadonlyMap<number, Tally> | null;
  /** What a scan has unpacked and the first reading need not unpack again; null where the index was used. */
  readonly unpacked: Unpacked | null;
  /** Bytes that are no record, or a record that cannot be read, in file order. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
}

export interface Tally {
  messages: number;
  bytes: number;
  first: number;
  last: number;
}

/** The base of times whose earliest is `earliest`: time 0 is that message, where times are since 1970. */
export function baseOf(earliest: bigint): bigint {
  return earliest >= DATED ? earliest : 0n;
}

/** The base that a file states, and its metadata without that; null: it states none. */
export function statedBase(
  metadata: readonly MetadataRecord[],
): readonly [base: bigint | null, others: readonly MetadataRecord[]] {
  const stated = metadata.find((record) => epochIn(record) !== null);
  if (stated === undefined) return [null, metadata];
  return [epochIn(stated), metadata.filter((record) => record !== stated)];
}

/** Drafts as chunks. `shift` is added to their times. */
export function chunksOf(drafts: readonly Draft[], order: readonly number[], shift: number): McapChunk[] {
  const dense = new Map(order.map((id, i) => [id, i]));
  let before: ReadonlySet<number> | null = null;
  return drafts.map((draft): McapChunk => {
    const channels = new Set<number>();
    for (const id of draft.ids) {
      const at = dense.get(id);
      if (at !== undefined) channels.add(at);
    }
    const own: ReadonlySet<number> = before !== null && isSame(before, channels) ? before : channels;
    before = own;
    const { kind, offset, length, sequence, count, isChecked, gaps } = draft;
    const [first, last] = [draft.first + shift, draft.last + shift];
    return { kind, offset, length, sequence, count, first, last, hasKeyframe: false, channels: own, isChecked, gaps };
  });
}

function isSame(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  if (a.size !== b.size) return false;
  for (const one of a) if (!b.has(one)) return false;
  return true;
}

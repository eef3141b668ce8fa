import { LayoutError } from "../../../bytes/error.ts";
import { listOf, membersOf, numbersOf, wholeOf } from "../../../model/kept/shapes.ts";
import type { Value } from "../../../model/values/value.ts";
import type { Chunk } from "../../../model/messages/chunk.ts";
import { type PayloadSample, type ScanObserver, SeenChannel, type SeenInfo } from "./observer.ts";

/** What a part of a chunk has of its own; its length is what it decompresses to, so that reading ahead stays small. */
export type ChunkPart = Pick<Chunk, "sequence" | "count" | "first" | "last" | "hasKeyframe" | "channels" | "length">;

/** Longer samples are read again from the tape. */
const KEPT_BYTES = 512;

/** What the scan saw, as a value: see `recallObserver`. */
export function learnedBy(observer: ScanObserver): Value {
  const { blocks, messages, blockSize, unpatched, largestBlock } = observer;
  return {
    ...{ blocks, messages, blockSize, unpatched, largestBlock },
    channels: observer.channels.map(plainChannel),
    tables: Float64Array.from(observer.tables.flatMap(({ offset, count }) => [offset, count])),
    orphans: Uint32Array.from(observer.orphans),
  };
}

/**
 * Gives an observer what another learned. Payloads that were too long to keep are read by `read`. Rejects with
 * `LayoutError` for what does not fit.
 */
export async function recallObserver(
  observer: ScanObserver,
  learned: Value | undefined,
  read: (offset: number, length: number) => Promise<Uint8Array>,
): Promise<void> {
  const members = membersOf(learned);
  observer.blocks = wholeOf(members["blocks"]);
  observer.messages = wholeOf(members["messages"]);
  observer.blockSize = members["blockSize"] as ScanObserver["blockSize"];
  observer.unpatched = wholeOf(members["unpatched"]);
  observer.largestBlock = wholeOf(members["largestBlock"]);
  const tables = numbersOf(members["tables"], Float64Array);
  for (let i = 0; i + 1 < tables.length; i += 2) observer.tables.push({ offset: tables[i]!, count: tables[i + 1]! });
  for (const id of numbersOf(members["orphans"], Uint32Array)) observer.orphans.add(id);
  for (const channel of listOf(members["channels"])) observer.channels.push(await channelOf(channel, read));
}

function plainChannel({ info, samples, ...counts }: SeenChannel): Value {
  return {
    ...counts,
    info: info as unknown as Value,
    samples: samples.map(({ offset, bytes, uncompressedSize }): Value => {
      const isShort = bytes.length <= KEPT_BYTES;
      return [offset, bytes.length, uncompressedSize, isShort ? bytes : null];
    }),
  };
}

async function channelOf(
  plain: Value,
  read: (offset: number, length: number) => Promise<Uint8Array>,
): Promise<SeenChannel> {
  const members = membersOf(plain);
  const seen = new SeenChannel();
  seen.messages = wholeOf(members["messages"]);
  seen.compressed = wholeOf(members["compressed"]);
  seen.storedBytes = wholeOf(members["storedBytes"]);
  seen.bytes = wholeOf(members["bytes"]);
  seen.first = members["first"] as number;
  seen.last = members["last"] as number;
  seen.info = infoOf(members["info"]);
  const samples = listOf(members["samples"]).map(async (sample): Promise<PayloadSample> => {
    const [offset, length, uncompressedSize, bytes] = listOf(sample);
    const [from, count] = [wholeOf(offset), wholeOf(length)];
    const payload = bytes instanceof Uint8Array ? bytes : await read(from, Math.min(count, MOST_BYTES));
    return { offset: from, bytes: payload, uncompressedSize: uncompressedSize as number | null };
  });
  seen.samples.push(...(await Promise.all(samples)));
  return seen;
}

/** No sample is longer. */
const MOST_BYTES = 64 << 10;

function infoOf(plain: Value | undefined): SeenInfo | null {
  if (plain === null) return null;
  const members = membersOf(plain);
  const numbers = ["offset", "length", "metaLength"].map((name) => wholeOf(members[name]));
  const bigs = ["next", "first", "last", "dataSize", "index"].every((name) => typeof members[name] === "bigint");
  const isText = typeof members["type"] === "string" && listOf(members["metaText"]).every((t) => typeof t === "string");
  const isMeta = members["meta"] === null || members["meta"] instanceof Uint8Array;
  if (numbers.length === 3 && bigs && isText && isMeta) return members as unknown as SeenInfo;
  throw new LayoutError("malformed", "a channel info that was kept does not fit", 0);
}

/** The parts of chunks that are decoded in several; null: of one that is not. */
export function plainParts(parts: readonly (readonly ChunkPart[] | null)[]): Value {
  return parts.map((of): Value => {
    if (of === null) return null;
    return of.map(({ channels, ...rest }): Value => {
      return { ...rest, channels: channels === null ? null : Uint32Array.from(channels) };
    });
  });
}

export function partsFrom(plain: Value | undefined): (readonly ChunkPart[] | null)[] {
  return listOf(plain).map((of) => {
    if (of === null) return null;
    return listOf(of).map((part): ChunkPart => {
      const { sequence, count, first, last, hasKeyframe, channels, length } = membersOf(part);
      return {
        ...{ sequence: wholeOf(sequence), count: wholeOf(count), length: wholeOf(length) },
        ...{ first: first as number, last: last as number, hasKeyframe: hasKeyframe === true },
        channels: channels === null ? null : new Set(numbersOf(channels, Uint32Array)),
      };
    });
  });
}

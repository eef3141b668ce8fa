import { crc32 } from "../../bytes/crc32.ts";
import { LayoutError } from "../../bytes/error.ts";
import { NBT, type NbtCompound, type NbtDocument, type NbtTag, nbtEntry } from "../../codec/nbt.ts";
import { FLAG_CLIP, FLAG_FINISHED, HEADER_BYTES, TICK } from "../../formats/hcrp/layout/framing.ts";
import { readMetadata, readReserved } from "../../formats/hcrp/layout/metadata.ts";
import { compoundIn, OWN_KEY } from "../../formats/hcrp/layout/metadata-writing.ts";
import { aboveLimits, type Head, readHead } from "../../formats/hcrp/read/preamble.ts";
import { type ByteSource, SourceError } from "../../io/source/source.ts";
import type { Store } from "../../io/store/store.ts";
import { type Finding, RecordingError } from "../../model/error.ts";
import { META, PREVIOUS } from "../live/recording-folder.ts";
import { classOf, type Traits } from "./policy.ts";
import type { RetentionClass, RetentionPolicy } from "./schema.ts";

/** What is to be known of a recording to judge it: small, and all there is in memory of one. */
export interface Facts {
  readonly id: string;
  /** UUID, where the header has one. */
  readonly recordingId: string | null;
  /** Of all its objects. */
  readonly bytes: number;
  /** Unix milliseconds of the last change of any of them. */
  readonly modified: number;
  /** Index in the policy; -1: of none. */
  readonly class: number;
  /** Null: the header names none. */
  readonly world: string | null;
  /** UUIDs, or names of those without. */
  readonly subjects: readonly string[];
  /** Unix milliseconds of its end; for one that was left open, of its last change. */
  readonly end: number;
  /** Segments without an end: it is being recorded, or was left so. */
  readonly isOpen: boolean;
  /** As in the metadata (HCRP spec §4); one that was left open is `open`. */
  readonly outcome: string;
  /** Scored time of a completed run that is no clip; null: none. */
  readonly durationMs: number | null;
  /** What its class calls a flag; null: nothing. */
  readonly flagged: string | null;
  readonly isClip: boolean;
  /** Ids of the recordings before and behind it, where one was cut by a limit. */
  readonly links: readonly string[];
  /** Why it cannot be judged; null: it can. */
  readonly problem: string | null;
}

/** What a listing tells of a recording. */
export type Listed = Pick<Facts, "id" | "bytes" | "modified">;

/** Bytes of the first read: header and metadata of most recordings. */
const FIRST = 4096;
export const NO_WORLD = "00000000-0000-0000-0000-000000000000";

/**
 * Facts of a recording by its metadata, which are read and nothing else. `keys`: the compacted file first, then the
 * metadata file; with none there are segments only, and it counts as crashed. Throws `StoreError`; what is damaged
 * becomes a `problem`.
 */
export async function readFacts(
  store: Store,
  listed: Listed,
  keys: readonly string[],
  policy: RetentionPolicy,
  signal?: AbortSignal,
): Promise<Facts> {
  let facts: Facts | null = null;
  for (const key of keys) {
    const source = await store.source(key, signal);
    if (source === null) return unknown(listed, policy, `it changed while it was looked at: ${key} is gone`);
    try {
      const one = await factsOf(source, isMetadataFile(key), listed, policy, signal);
      facts = facts === null ? one : both(facts, one);
    } catch (error) {
      if (!RecordingError.is(error) && !(error instanceof LayoutError) && !(error instanceof SourceError)) throw error;
      return unknown(listed, policy, `${key}: ${error.message}`);
    } finally {
      await source.close();
    }
  }
  return facts ?? { ...unknown(listed, policy, null), isOpen: true, outcome: "open" };
}

function isMetadataFile(key: string): boolean {
  return key.endsWith(`/${META}`) || key.endsWith(`/${PREVIOUS}`);
}

/**
 * One recording in two forms: the compacted one leads, unless it is a clip of the other, and whatever keeps either keeps
 * both. Throws `LayoutError` when they are different recordings.
 */
function both(compacted: Facts, segmented: Facts): Facts {
  if (compacted.recordingId !== segmented.recordingId) {
    const ids = `${compacted.recordingId ?? "none"} and ${segmented.recordingId ?? "none"}`;
    throw new LayoutError("malformed", `different recordings under one id, ${ids}`, 0);
  }
  return {
    ...(compacted.isClip ? segmented : compacted),
    end: Math.max(compacted.end, segmented.end),
    isOpen: segmented.isOpen,
    durationMs: compacted.durationMs ?? segmented.durationMs,
    flagged: compacted.flagged ?? segmented.flagged,
    isClip: compacted.isClip || segmented.isClip,
    links: [...new Set([...compacted.links, ...segmented.links])],
  };
}

function unknown(listed: Listed, policy: RetentionPolicy, problem: string | null): Facts {
  const traits: Traits = { id: listed.id, world: null, profile: null, metadata: () => null };
  return {
    ...listed,
    recordingId: null,
    class: classOf(policy, traits),
    world: null,
    subjects: [],
    end: listed.modified,
    isOpen: false,
    outcome: "",
    durationMs: null,
    flagged: null,
    isClip: false,
    links: [],
    problem,
  };
}

async function factsOf(
  source: ByteSource,
  isSegmented: boolean,
  listed: Listed,
  policy: RetentionPolicy,
  signal: AbortSignal | undefined,
): Promise<Facts> {
  const { head, document } = await readDocument(source, signal);
  const hcrp = compoundIn(document.root, "hcrp");
  const own = compoundIn(document.root, OWN_KEY);
  const world = head.worldId === NO_WORLD ? null : head.worldId;
  const traits: Traits = {
    id: listed.id,
    world,
    profile: textOf(nbtEntry(own, "profile")),
    metadata: (path) => valueAt(document, path),
  };
  const index = classOf(policy, traits);
  const isOpen = isSegmented && (head.flags & FLAG_FINISHED) === 0;
  const isClip = (head.flags & FLAG_CLIP) !== 0;
  const outcome = textOf(nbtEntry(hcrp, "outcome")) ?? "";
  return {
    ...listed,
    recordingId: head.extension?.recordingId ?? null,
    class: index,
    world,
    subjects: readReserved(document).subjects.map(({ uuid, name }) => (uuid === "" ? name : uuid)),
    end: isOpen ? listed.modified : (endOf(head) ?? listed.modified),
    isOpen,
    outcome,
    durationMs: durationOf(hcrp, isClip),
    flagged: index < 0 ? null : flagOf(hcrp, policy.classes[index]!),
    isClip,
    links: [textOf(nbtEntry(own, "previous")), textOf(nbtEntry(own, "next"))].filter((id) => id !== null),
    problem: null,
  };
}

/** Scored time of a completed run, in milliseconds; null: it is none. */
export function durationOf(hcrp: NbtCompound, isClip: boolean): number | null {
  const duration = nbtEntry(hcrp, "duration_ms");
  const isCompleted = textOf(nbtEntry(hcrp, "outcome")) === "completed";
  return !isClip && isCompleted && duration?.type === NBT.long ? Number(duration.value) : null;
}

/** Header and metadata, which must be sound: what a damaged one says is no ground to delete anything. */
export async function readDocument(
  source: ByteSource,
  signal: AbortSignal | undefined,
): Promise<{ readonly head: Head; readonly document: NbtDocument }> {
  const findings: Finding[] = [];
  let bytes = await source.read(0, FIRST, signal);
  const { head } = readHead(bytes, { report: (finding) => findings.push(finding) });
  const [damage] = findings.filter(({ severity }) => severity === "damage");
  const problem = damage?.message ?? aboveLimits(head);
  if (problem !== null) throw new LayoutError("malformed", problem, 0);
  const end = HEADER_BYTES + head.metadataLength;
  if (bytes.length < end && bytes.length === FIRST) bytes = await source.read(0, end, signal);
  if (bytes.length < end)
    throw new LayoutError("truncated", `metadata: expected ${head.metadataLength} bytes, the file ends`, bytes.length);
  const metadata = bytes.subarray(HEADER_BYTES, end);
  if (head.extension !== null && crc32(metadata) !== head.extension.metadataCrc)
    throw new LayoutError("malformed", "metadata: the crc32 is wrong", HEADER_BYTES);
  return { head, document: readMetadata(metadata) };
}

/** Unix milliseconds; null: the header does not tell, or no date that there is. */
function endOf({ startedAt, tickCount, extension }: Head): number | null {
  const isStated = extension !== null && extension.finishedAt > 0n;
  const end = isStated ? Number(extension.finishedAt) : Number(startedAt) + (tickCount * TICK) / 1e6;
  return (isStated || startedAt > 0n) && end < 8.64e15 ? end : null;
}

/** The first mark that the class keeps recordings for, as text. */
function flagOf(hcrp: NbtCompound, { keepFlagged = true }: RetentionClass): string | null {
  if (keepFlagged === false) return null;
  const { kinds = ["report", "anticheat"], severity: least = Number.POSITIVE_INFINITY } =
    keepFlagged === true ? {} : keepFlagged;
  const marks = nbtEntry(hcrp, "marks");
  if (marks?.type !== NBT.list) return null;
  for (const mark of marks.items) {
    if (mark.type !== NBT.compound) continue;
    const kind = textOf(nbtEntry(mark, "kind")) ?? "";
    const severity = nbtEntry(mark, "severity");
    if (kinds.includes(kind)) return kind;
    if (severity?.type === NBT.byte && severity.value >= least) return `severity ${severity.value}`;
  }
  return null;
}

function valueAt(document: NbtDocument, path: string): string | null {
  let tag: NbtTag | undefined = document.root;
  for (const name of path.split(".")) tag = tag?.type === NBT.compound ? nbtEntry(tag, name) : undefined;
  return textOf(tag);
}

export function textOf(tag: NbtTag | undefined): string | null {
  switch (tag?.type) {
    case NBT.string:
      return tag.value;
    case NBT.byte:
    case NBT.short:
    case NBT.int:
    case NBT.long:
    case NBT.float:
    case NBT.double:
      return String(tag.value);
    default:
      return null;
  }
}

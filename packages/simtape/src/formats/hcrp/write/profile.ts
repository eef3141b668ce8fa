import { ByteBuilder } from "../../../bytes/builder.ts";
import { crc32 } from "../../../bytes/crc32.ts";
import {
  NBT,
  type NbtCompound,
  type NbtDocument,
  type NbtTag,
  nbtCompound,
  nbtEntry,
  writeNbt,
} from "../../../codec/nbt.ts";
import { zstdDictionaryId } from "../../../codec/zstd.ts";
import type { Value } from "../../../model/values/value.ts";
import type { CreateOptions } from "../../../model/writer.ts";
import {
  type Extension,
  FLAG_CLIP,
  FLAG_COLUMNS,
  FLAG_EXTENDED,
  FLAG_FINISHED,
  FLAG_SEGMENTED,
  KNOWN_FLAGS,
  HEADER_BYTES,
  type Header,
  sealHeader,
  uuidBytes,
  uuidText,
  writeHeader,
} from "../layout/framing.ts";
import { type Epoch, type HostEvent, writeReserved } from "../layout/metadata.ts";
import { type ProductionVersion, writeProductionHeader } from "../layout/production.ts";
import { compoundIn, merged, OWN_KEY, RESERVED_KEY, withEntry } from "../layout/metadata-writing.ts";
import type { Layout } from "./output.ts";
import { withoutTexts } from "../layout/metadata-without.ts";
import type { HcrpReader } from "../read/reader.ts";

export const DIALECTS = ["v1", "v1-plain", "v1-segmented", "production-4", "production-5"] as const;
export type WrittenDialect = (typeof DIALECTS)[number];

const NO_UUID = "00000000-0000-0000-0000-000000000000";
/** Milliseconds of a tick. */
const TICK_MS = 50;

/** What changed against the beginning when a recording is finished. */
export interface Outcome {
  /** Null: as they were. */
  readonly events: readonly HostEvent[] | null;
  readonly epochs: readonly Epoch[] | null;
  /** Entries of the compound `hcrp` to put in; null takes out. */
  readonly reserved: ReadonlyMap<string, NbtTag | null>;
  /** The same for our own compound. */
  readonly own: ReadonlyMap<string, NbtTag | null>;
  /** Tick 0 is a cut: the tick of the source that it was; else null. */
  readonly cutAt: number | null;
  /** Whether the recording is the source's own, with all its ticks. */
  readonly isCopy: boolean;
}

/** What is known of a recording before its first message: header fields and metadata. */
export class Profile {
  readonly dialect: WrittenDialect;
  readonly dataVersion: number;
  readonly recordingId: string;
  /** Of the first metadata file that is written. */
  readonly generation: number;
  readonly startedAt: bigint;
  readonly #like: HcrpReader | null;
  readonly #worldId: string;
  readonly #worldVersion: Uint8Array;
  readonly #flags: number;
  readonly #finishedAt: bigint | null;
  /** When the recording really ended, Unix milliseconds; null: it follows from its length. */
  finishedAt: bigint | null = null;
  /** What frames are made with: a dictionary may hold what was taken out, and does not outlast it. */
  readonly dictionary: Uint8Array | null;
  /** What is taken over of the source's metadata; null: there is none. */
  readonly sourceRoot: NbtCompound | null;
  readonly #metadata: NbtDocument;

  /** `document`: metadata to go on from in place of those of `like`. */
  constructor(options: CreateOptions, like: HcrpReader | null, document: NbtDocument | null = null) {
    const { metadata = {} } = options;
    const head = like?.preamble.head ?? null;
    this.#like = like;
    this.dialect = dialectOf(options.dialect, like);
    this.dataVersion = numberIn(metadata, "dataVersion") ?? head?.dataVersion ?? 0;
    const asked = textIn(metadata, "recordingId");
    this.recordingId = uuid(asked ?? head?.extension?.recordingId ?? randomUuid());
    this.generation = numberIn(metadata, "generation") ?? head?.extension?.generation ?? 1;
    const { epoch } = options;
    const started = metadata["startedAt"];
    if (epoch !== undefined && epoch !== null) this.startedAt = floorDivide(epoch, 1_000_000n);
    else if (typeof started === "number" && Number.isSafeInteger(started)) this.startedAt = BigInt(started);
    else this.startedAt = typeof started === "bigint" ? started : (head?.startedAt ?? 0n);
    this.#worldId = uuid(textIn(metadata, "worldId") ?? head?.worldId ?? NO_UUID);
    this.#worldVersion = worldVersionOf(metadata["worldVersion"]) ?? head?.worldVersion ?? new Uint8Array(16);
    const isOpen = metadata["finished"] === false;
    let flags = FLAG_EXTENDED | (isOpen ? 0 : FLAG_FINISHED);
    if (head !== null && head.dialect === 1 && head.extension !== null)
      flags = head.flags & KNOWN_FLAGS & ~FLAG_SEGMENTED & ~FLAG_COLUMNS & ~(isOpen ? FLAG_FINISHED : 0);
    else if (head !== null && head.dialect === 1) flags |= head.flags & FLAG_CLIP;
    if (metadata["finished"] === true) flags |= FLAG_FINISHED;
    if (metadata["clip"] === true) flags |= FLAG_CLIP;
    this.#flags = flags;
    const finishedAt = metadata["finishedAt"];
    this.#finishedAt =
      typeof finishedAt === "number" || typeof finishedAt === "bigint"
        ? BigInt(finishedAt)
        : (head?.extension?.finishedAt ?? null);
    this.dictionary = options.without === undefined ? (like?.dictionary ?? null) : null;
    const source = like?.preamble.metadata.root ?? null;
    this.sourceRoot = source === null || options.without === undefined ? source : withoutTexts(source, options.without);
    this.#metadata = this.#startMetadata(metadata, document, head === null);
  }

  get isProduction(): boolean {
    return this.dialect.startsWith("production");
  }

  get productionVersion(): ProductionVersion {
    return this.dialect === "production-4" ? 4 : 5;
  }

  /** The metadata as they are in the end. */
  metadata(outcome: Outcome): NbtDocument {
    const { events, epochs, reserved, own, cutAt } = outcome;
    let { root } = this.#metadata;
    let hcrp = compoundIn(root, "hcrp");
    const before = hcrp;
    if (events !== null) hcrp = withEntry(hcrp, "events", nbtEntry(writeReserved({ events }), "events")!);
    if (epochs !== null) hcrp = withEntry(hcrp, "epochs", nbtEntry(writeReserved({ epochs }), "epochs")!);
    if (cutAt !== null) {
      const id = new DataView(uuidBytes(this.recordingId).buffer);
      const origin = nbtCompound({
        recording: { type: NBT.intArray, value: Int32Array.from({ length: 4 }, (_, i) => id.getInt32(i * 4)) },
        from_tick: { type: NBT.int, value: cutAt },
      });
      hcrp = withEntry(hcrp, "origin", origin);
    }
    for (const [name, tag] of reserved) hcrp = withEntry(hcrp, name, tag);
    if (hcrp !== before) root = withEntry(root, "hcrp", hcrp);
    if (own.size > 0) {
      let compound = compoundIn(root, OWN_KEY);
      for (const [name, tag] of own) compound = withEntry(compound, name, tag);
      root = withEntry(root, OWN_KEY, compound.entries.length === 0 ? null : compound);
    }
    return { ...this.#metadata, root };
  }

  /** Header, metadata and index. */
  preamble(layout: Layout, outcome: Outcome): Uint8Array {
    let document = this.metadata(outcome);
    let metadata = writeNbt(document);
    if (layout.metadataLength !== null) {
      document = { ...document, root: withReserve(document.root, 0) };
      const missing = layout.metadataLength - writeNbt(document).length;
      if (missing < 0) throw new RangeError(`no room for ${metadata.length} bytes of metadata before the chunks`);
      metadata = writeNbt({ ...document, root: withReserve(document.root, missing) });
    }
    const builder = new ByteBuilder(HEADER_BYTES + metadata.length + layout.index.length);
    if (this.isProduction) this.#writeProductionHeader(builder, layout, metadata.length);
    else writeHeader(builder, this.#header(layout, outcome, metadata));
    return builder.raw(metadata).raw(layout.index).take();
  }

  #header(layout: Layout, outcome: Outcome, metadata: Uint8Array): Header {
    const { index, tickCount, chunkCount, chunkBytes } = layout;
    const head = this.#like?.preamble.head ?? null;
    const isPlain = this.dialect === "v1-plain";
    let flags = this.#flags;
    if (outcome.cutAt !== null) flags |= FLAG_CLIP;
    if (chunkBytes === null) flags |= FLAG_SEGMENTED;
    if (!layout.isFinal) flags &= ~FLAG_FINISHED;
    const { dictionary } = this;
    const dictionaryId = dictionary === null ? 0 : zstdDictionaryId(dictionary);
    const isFinished = (flags & FLAG_FINISHED) !== 0;
    const computed = this.startedAt > 0n ? this.startedAt + BigInt(tickCount * TICK_MS) : 0n;
    const base = head?.extension ?? null;
    const extension: Extension = {
      version: 1,
      ticksPerSecond: 20,
      reserved: 0,
      rest: new Uint8Array(127),
      ...base,
      dataVersion: this.dataVersion,
      dictionaryId,
      totalLength: chunkBytes === null ? 0n : BigInt(HEADER_BYTES + metadata.length + index.length + chunkBytes),
      metadataCrc: crc32(metadata),
      indexCrc: crc32(index),
      recordingId: this.recordingId,
      generation: this.generation + layout.rewrites,
      nextSegment: layout.nextSegment,
      finishedAt: isFinished
        ? (this.finishedAt ?? (outcome.isCopy || head === null ? this.#finishedAt : null) ?? computed)
        : 0n,
    };
    const padding = head?.dialect === 1 && head.extension === null ? head.padding : null;
    return sealHeader(
      {
        flags: isPlain ? flags & FLAG_CLIP : flags,
        worldId: this.#worldId,
        worldVersion: fitted(this.#worldVersion),
        startedAt: this.startedAt,
        dictionaryId,
        metadataLength: metadata.length,
        indexLength: index.length,
        tickCount,
        chunkCount,
        extension: isPlain ? null : extension,
        padding: isPlain ? (padding ?? new Uint8Array(187)) : new Uint8Array(0),
        crc: 0,
      },
      new ByteBuilder(HEADER_BYTES),
    );
  }

  #writeProductionHeader(builder: ByteBuilder, layout: Layout, metadataLength: number): void {
    const head = this.#like?.preamble.head ?? null;
    writeProductionHeader(builder, {
      version: this.productionVersion,
      flags: 0,
      worldId: this.#worldId,
      worldVersion: this.#worldVersion.subarray(0, 32),
      startedAt: this.startedAt,
      dictionaryId: 0,
      metadataLength,
      indexLength: layout.index.length,
      tickCount: layout.tickCount,
      chunkCount: layout.chunkCount,
      dataVersion: this.dataVersion,
      padding: head === null || head.dialect === 1 ? new Uint8Array(0) : head.padding,
    });
  }

  #startMetadata(metadata: Readonly<Record<string, Value>>, newer: NbtDocument | null, isNew: boolean): NbtDocument {
    const taken = this.sourceRoot === null ? null : { ...this.#like!.preamble.metadata, root: this.sourceRoot };
    const document = newer ?? taken ?? { root: nbtCompound({}), name: null };
    let { root } = document;
    if (isNew && !this.isProduction) root = withEntry(root, "hcrp", writeReserved({ epochs: [this.firstEpoch()] }));
    const given = metadata["metadata"];
    if (typeof given === "object" && given !== null && !Array.isArray(given) && !ArrayBuffer.isView(given))
      root = merged(root, given as Readonly<Record<string, Value>>);
    const others = Object.fromEntries(Object.entries(metadata).filter(([key]) => !KNOWN_KEYS.has(key)));
    if (Object.keys(others).length > 0) root = merged(root, { [OWN_KEY]: others });
    const own = compoundIn(root, OWN_KEY);
    const kept = withEntry(own, RESERVED_KEY, null);
    if (kept !== own) root = withEntry(root, OWN_KEY, kept.entries.length === 0 ? null : kept);
    // a frame names its dictionary only when it was made with one
    if (this.#like !== null && this.dictionary === null) {
      const hcrp = compoundIn(root, "hcrp");
      const without = withEntry(hcrp, "dict_sha256", null);
      if (without !== hcrp) root = withEntry(root, "hcrp", without);
    }
    return root === document.root ? document : { ...document, root };
  }

  /** What holds from the first chunk of a new recording on. */
  firstEpoch(): Epoch {
    return {
      chunk: 0,
      dataVersion: this.dataVersion,
      protocol: 0,
      schema: "world",
      schemaVersion: 1,
      server: "simtape",
      started: this.startedAt,
    };
  }
}

/** As `RecordingInfo.metadata` has them; others go into a compound of our own. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  "worldId",
  "worldVersion",
  "startedAt",
  "representation",
  "chunks",
  "ticks",
  "flags",
  "dictionaryId",
  "dataVersion",
  "finished",
  "clip",
  "recordingId",
  "generation",
  "finishedAt",
  "metadata",
]);

/** Throws `RangeError` for a dialect that is not written. A segmented recording is joined unless asked otherwise. */
function dialectOf(asked: string | undefined, like: HcrpReader | null): WrittenDialect {
  if (asked !== undefined) {
    const found = DIALECTS.find((dialect) => dialect === asked);
    if (found === undefined) throw new RangeError(`no dialect ${asked} of HCRP; there are ${DIALECTS.join(", ")}`);
    return found;
  }
  const head = like?.preamble.head;
  if (head === undefined) return "v1";
  if (head.dialect !== 1) return head.dialect === 4 ? "production-4" : "production-5";
  return head.extension === null ? "v1-plain" : "v1";
}

function withReserve(root: NbtCompound, length: number): NbtCompound {
  const tag: NbtTag = { type: NBT.byteArray, value: new Uint8Array(length) };
  return withEntry(root, OWN_KEY, withEntry(compoundIn(root, OWN_KEY), RESERVED_KEY, tag));
}

/** The 16 bytes of a header for a world version given in either way (spec §3). */
export function worldVersionBytes(version: string | Uint8Array): Uint8Array {
  return fitted(worldVersionOf(version) ?? new Uint8Array(16));
}

function fitted(version: Uint8Array): Uint8Array {
  if (version.length === 16) return version;
  const bytes = new Uint8Array(16);
  bytes.set(version.subarray(0, 16));
  return bytes;
}

/** Hexadecimal digits, as `info.metadata` has them; any other text as UTF-8, as spec §3 says of short names. */
function worldVersionOf(value: Value | undefined): Uint8Array | null {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== "string") return null;
  if (/^([0-9a-f]{2})*$/.test(value))
    return Uint8Array.from({ length: value.length / 2 }, (_, i) => Number.parseInt(value.slice(2 * i, 2 * i + 2), 16));
  return new TextEncoder().encode(value);
}

function uuid(text: string): string {
  return uuidText(uuidBytes(text));
}

/** Of version 4. */
export function randomUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidText(bytes);
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && value % by !== 0n ? quotient - 1n : quotient;
}

function numberIn(metadata: Readonly<Record<string, Value>>, key: string): number | null {
  const value = metadata[key];
  return typeof value === "number" && Number.isInteger(value) ? value : null;
}

function textIn(metadata: Readonly<Record<string, Value>>, key: string): string | null {
  const value = metadata[key];
  return typeof value === "string" ? value : null;
}

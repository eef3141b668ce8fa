import { type DeflateLevel, deflateRaw, deflateZlib, gzip } from "../../../codec/deflate.ts";
import type { Value } from "../../../model/values/value.ts";
import type { CreateOptions } from "../../../model/writer.ts";
import { type FileHeader, HEADER_BYTES } from "../layout/layout.ts";
import type { BlockSize } from "../read/observer.ts";
import { HEADER_LENGTHS } from "../read/probe.ts";
import type { Aim, InsideBase, Order, Profile } from "../read/profile.ts";
import type { TapeReader } from "../read/reader.ts";

/** Spec §9, A7: the default of the original is not known. */
const MAX_BLOCK = 16 << 20;

/** Compressions that can be written. */
export type Codec = "zlib" | "gzip" | "deflate";

/** A reading of the open points in which a tape can be written: nothing is left open. */
export interface WritingProfile extends Profile {
  readonly pointers: Aim;
  readonly insideBase: InsideBase;
  readonly insideTarget: Aim;
  readonly blockSize: BlockSize;
  readonly indexOrder: Exclude<Order, "other">;
  readonly nextOrder: Exclude<Order, "other">;
  readonly dataSize: "stored" | "uncompressed";
  readonly codec: Codec;
}

/** Profile A, spec §9: what a writer should emit. */
const PROFILE_A: WritingProfile = {
  version: 1,
  headerBytes: HEADER_BYTES,
  isLittle: true,
  sizeIncludesHeader: false,
  blockSpans: false,
  pointers: "header",
  insideBase: "content",
  insideTarget: "header",
  blockSize: "contents",
  indexOrder: "name",
  nextOrder: "creation",
  dataSize: "stored",
  codec: "zlib",
};

/** Everything that a tape is written by. */
export interface Settings {
  readonly profile: WritingProfile;
  /** Of a tape that is not closed yet. */
  readonly header: FileHeader;
  /** Bytes of chunks after which a block ends. */
  readonly maxBlock: number;
  /** Messages that begin a block in their source begin one here. */
  readonly followsBlocks: boolean;
  /** Without a message there is one block nevertheless, as in the tape taken after. */
  readonly hasEmptyBlock: boolean;
  readonly compression: CreateOptions["compression"];
}

/** Throws `RangeError` for a dialect or profile that cannot be. */
export function settingsOf(options: CreateOptions, like: TapeReader | null): Settings {
  const draft: Draft = { ...PROFILE_A, maxBlock: null };
  if (like !== null) takeAfter(draft, like);
  const { metadata = {}, dialect } = options;
  const profile = metadata["profile"];
  if (typeof profile === "object" && profile !== null && !ArrayBuffer.isView(profile) && !Array.isArray(profile)) {
    for (const [key, value] of Object.entries(profile)) {
      if (value !== null && value !== "other" && key !== "payload") turn(draft, key, value);
    }
  }
  if (dialect !== undefined) turnAll(draft, dialect);
  const { maxBlock, ...settled } = draft;
  const isAlike = like !== null && !like.isHeaderLost;
  const zone = metadata["zoneOffsetNs"];
  const start = options.epoch === undefined ? (bigintOf(metadata["startNs"]) ?? like?.header.start) : options.epoch;
  const { headerBytes } = settled;
  const known = headerBytes >= 32 ? 32 : headerBytes >= 24 ? 24 : 16;
  const unknown = isAlike ? like.header.unknown : new Uint8Array(0);
  const observer = like?.tape.observer;
  return {
    profile: settled,
    header: {
      version: settled.version,
      start: headerBytes >= 24 ? (start ?? 0n) : null,
      zoneOffset: headerBytes >= 32 ? (bigintOf(zone) ?? like?.header.zoneOffset ?? 0n) : null,
      unknown: unknown.length === headerBytes - known ? unknown.slice() : new Uint8Array(headerBytes - known),
      blocks: 0,
      firstChannel: 0n,
    },
    maxBlock: maxBlock ?? Math.max(MAX_BLOCK, observer?.largestBlock ?? 0),
    followsBlocks: like !== null && maxBlock === null,
    hasEmptyBlock: observer !== undefined && observer.messages === 0 && observer.blocks > 0,
    compression: options.compression,
  };
}

/** One stream of a codec. */
export function compress(codec: Codec, bytes: Uint8Array, level: DeflateLevel): Uint8Array {
  switch (codec) {
    case "zlib":
      return deflateZlib(bytes, level);
    case "gzip":
      return gzip(bytes, level);
    case "deflate":
      return deflateRaw(bytes, level);
    default:
      return codec satisfies never;
  }
}

export function isCodec(name: unknown): name is Codec {
  return name === "zlib" || name === "gzip" || name === "deflate";
}

type Draft = { -readonly [K in keyof WritingProfile]: WritingProfile[K] } & { maxBlock: number | null };

function takeAfter(draft: Draft, { profile, isHeaderLost }: TapeReader): void {
  draft.version = profile.version;
  if (!isHeaderLost) draft.headerBytes = profile.headerBytes;
  draft.isLittle = profile.isLittle;
  draft.sizeIncludesHeader = profile.sizeIncludesHeader;
  draft.blockSpans = profile.blockSpans;
  draft.pointers = profile.pointers ?? draft.pointers;
  draft.insideBase = profile.insideBase ?? draft.insideBase;
  draft.insideTarget = profile.insideTarget ?? draft.insideTarget;
  draft.blockSize = profile.blockSize ?? draft.blockSize;
  if (profile.indexOrder !== null && profile.indexOrder !== "other") draft.indexOrder = profile.indexOrder;
  if (profile.nextOrder !== null && profile.nextOrder !== "other") draft.nextOrder = profile.nextOrder;
  draft.dataSize = profile.dataSize ?? draft.dataSize;
  if (isCodec(profile.codec)) draft.codec = profile.codec;
}

/** `"A"` and switches as `"endian=big,ptr=payload"`, in order. */
function turnAll(draft: Draft, dialect: string): void {
  for (const word of dialect.split(/[\s,]+/)) {
    if (word === "") continue;
    if (word === "A") {
      Object.assign(draft, PROFILE_A, { maxBlock: null });
      continue;
    }
    const at = word.indexOf("=");
    if (at < 0) throw new RangeError(`unknown dialect ${JSON.stringify(word)}; there are A and switches as endian=big`);
    turn(draft, word.slice(0, at), word.slice(at + 1));
  }
}

/** Turns one switch, by its name in `profileMetadata`. */
function turn(draft: Draft, key: string, value: Value): void {
  switch (key) {
    case "version":
      draft.version = integer(key, value, 0xffff_ffff);
      break;
    case "header_bytes":
      draft.headerBytes = oneOf(key, Number(value), HEADER_LENGTHS);
      break;
    case "endian":
      draft.isLittle = /^(<|little)$/.test(oneOf(key, value, ["<", ">", "little", "big"]));
      break;
    case "size_incl_header":
      draft.sizeIncludesHeader = booleanOf(key, value);
      break;
    case "block_spans":
      draft.blockSpans = booleanOf(key, value);
      break;
    case "ptr":
      draft.pointers = oneOf(key, value, ["header", "payload"]);
      break;
    case "rel_base":
      draft.insideBase = oneOf(key, value, ["content", "block-header", "block-payload"]);
      break;
    case "rel_target":
      draft.insideTarget = oneOf(key, value, ["header", "payload"]);
      break;
    case "block_size":
      draft.blockSize = oneOf(key, value, ["contents", "with-block-header", "payloads"]);
      break;
    case "index_order":
      draft.indexOrder = oneOf(key, value, ["name", "creation"]);
      break;
    case "next_order":
      draft.nextOrder = oneOf(key, value, ["name", "creation"]);
      break;
    case "data_size":
      draft.dataSize = oneOf(key, value, ["stored", "uncompressed"]);
      break;
    case "codec":
      draft.codec = oneOf(key, value, ["zlib", "gzip", "deflate"]);
      break;
    case "max_block":
      draft.maxBlock = integer(key, value, 0xfff_ffff);
      break;
    default:
      throw new RangeError(`unknown switch ${JSON.stringify(key)} of a tape's profile`);
  }
}

function oneOf<T extends string | number>(key: string, value: unknown, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new RangeError(`${key} is one of ${choices.join(", ")}, not ${JSON.stringify(value)}`);
  return found;
}

function booleanOf(key: string, value: Value): boolean {
  return oneOf(key, typeof value === "string" ? value : JSON.stringify(value), ["true", "false"]) === "true";
}

function integer(key: string, value: Value, limit: number): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0 && number <= limit) return number;
  throw new RangeError(`${key} is a whole number up to ${limit}, not ${JSON.stringify(value)}`);
}

function bigintOf(value: Value | undefined): bigint | null {
  if (typeof value === "bigint") return value;
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : null;
}

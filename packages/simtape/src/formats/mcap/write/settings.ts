import type { Reader } from "../../../model/reader.ts";
import type { TimeDomain } from "../../../model/values/time.ts";
import type { Value } from "../../../model/values/value.ts";
import type { CreateOptions } from "../../../model/writer.ts";
import { loadZstd } from "../../../codec/zstd.ts";
import { isMembers, itemsIn, membersIn, textIn } from "../meaning/members.ts";
import type { MetadataRecord } from "../../../codec/mcap/data.ts";
import { McapReader } from "../read/reader.ts";

/** How chunks are laid out, by the name of the dialect: compressed, plain, or not at all. */
export const DIALECTS = ["zstd", "plain", "unchunked"] as const;
export type McapDialect = (typeof DIALECTS)[number];

/** What a writer keeps to. */
export interface Settings {
  /** Unix nanoseconds at time 0. */
  readonly base: bigint;
  readonly profile: string;
  readonly dialect: McapDialect;
  readonly metadata: readonly MetadataRecord[];
  /** Makes the stored form of the records of a chunk, and says what it is. */
  readonly pack: (records: Uint8Array) => readonly [compression: string, stored: Uint8Array];
  readonly without: ReadonlySet<string>;
  /** The file whose attachments are taken over. */
  readonly like: McapReader | null;
}

const LEVELS = { fast: 1, small: 12 } as const;

/** Throws `RangeError` for an unknown dialect, `TypeError` where `like` is no MCAP file. */
export async function settingsOf(options: CreateOptions): Promise<Settings> {
  const like = options.like === undefined ? null : mcapOf(options.like);
  const dialect = DIALECTS.find((one) => one === (options.dialect ?? DIALECTS[0]));
  if (dialect === undefined) throw new RangeError(`no dialect ${options.dialect}: ${DIALECTS.join(", ")}`);
  const without = options.without?.gone ?? new Set<string>();
  const metadata = { ...like?.info.metadata, ...options.metadata };
  return {
    base: (options.epoch === undefined ? like?.plan.base : options.epoch) ?? 0n,
    profile: textIn(metadata["profile"]),
    dialect,
    metadata: metadataIn(metadata["metadata"]).filter(
      ({ name, texts }) => !hasAny([name, ...texts.keys(), ...texts.values()], without),
    ),
    pack: await packer(dialect, options.compression),
    without,
    like,
  };
}

export function mcapOf(reader: Reader): McapReader {
  const base = reader.base ?? reader;
  if (base instanceof McapReader) return base;
  throw new TypeError(`not an MCAP file: a ${reader.info.format} recording`);
}

/** Whether any of the texts holds one of those that must not be there. */
export function hasAny(texts: readonly string[], gone: ReadonlySet<string>): boolean {
  for (const text of gone) if (texts.some((one) => one.includes(text))) return true;
  return false;
}

async function packer(dialect: McapDialect, compression: CreateOptions["compression"]): Promise<Settings["pack"]> {
  if (dialect !== "zstd" || compression === "store") return (records) => ["", records];
  const zstd = await loadZstd();
  const level = compression === undefined ? 3 : LEVELS[compression];
  return (records) => ["zstd", zstd.compress(records, { level })];
}

function metadataIn(value: Value | undefined): MetadataRecord[] {
  return itemsIn(value)
    .filter(isMembers)
    .map(({ name, texts }) => ({
      name: textIn(name),
      texts: new Map(Object.entries(membersIn(texts)).map(([key, text]) => [key, textIn(text)])),
    }));
}

/** Log times are not negative, and exact where they are less than a hundred days from time 0. */
export function times(_name: string | null, { like }: Pick<CreateOptions, "like">): TimeDomain {
  const base = like === undefined ? 0n : mcapOf(like).plan.base;
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return { first: -Number(base < most ? base : most), last: Number.MAX_SAFE_INTEGER, step: 1 };
}

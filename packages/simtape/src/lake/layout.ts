import { FACTS } from "../sql/facts.ts";
import { safeName } from "../sql/names.ts";
import { Sha256 } from "../bytes/sha256.ts";

/** Version of everything below; recordings of another one are written again. */
export const LAYOUT = 1;

/** Manifests are here; readers of partitions leave out folders that begin with `_` (Apache Hive, Spark, Trino). */
export const MANIFESTS = "_manifests/";

/** The value of a partition that is not known; readers make it null (Apache Hive, `hive.exec.default.partition.name`). */
export const NO_DAY = "__HIVE_DEFAULT_PARTITION__";

/** The format of a recording that does not open. */
export const NO_FORMAT = "unknown";

const MOST_LETTERS = 80;
const DAY = 10;

/**
 * What a recording is called in a lake: its key, where that is a plain name, else something like it with a digest behind.
 * It begins with a letter, so that no reader takes it for a number or a date.
 */
export function recordingId(key: string): string {
  const plain = key.replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, MOST_LETTERS);
  if (plain === key && /^[A-Za-z]/.test(key)) return key;
  const digest = new Sha256().update(new TextEncoder().encode(key)).digest().slice(0, 10);
  return `${/^[A-Za-z]/.test(plain) ? "" : "r-"}${plain}-${digest}`;
}

/** The table of a set of the state. */
export function setTable(set: string): string {
  const name = safeName(set).toLowerCase();
  return (FACTS as readonly string[]).includes(name) || name.startsWith("channel_") ? `set_${name}` : name;
}

/** The table of a channel, by the name that SQL has for it. */
export function channelTable(table: string): string {
  return `channel_${table.toLowerCase()}`;
}

/** Where the files of a recording in a table are; `day` as 2026-11-25, null: not known. */
export function folderOf(table: string, format: string, day: string | null, id: string): string {
  return `${table}/format=${partOf(format)}/day=${day ?? NO_DAY}/recording=${id}/`;
}

export function manifestKey(id: string): string {
  return `${MANIFESTS}${id}.json`;
}

/** The day of a time in UTC; null: the recording has no epoch, or none that a calendar has. */
export function dayOf(epoch: bigint | null, start: number): string | null {
  if (epoch === null) return null;
  const milliseconds = Number((epoch + BigInt(Math.trunc(start))) / 1_000_000n);
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return null;
  const text = date.toISOString();
  // years of more digits are no dates for readers
  return text.length === 24 ? text.slice(0, DAY) : null;
}

function partOf(text: string): string {
  return text.replace(/[^A-Za-z0-9._-]+/g, "_") || NO_FORMAT;
}

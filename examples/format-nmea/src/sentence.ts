/** Sentences of NMEA 0183: how a line is taken apart, checked and put together. Numbers are text until they are asked for. */

/** A sentence without its line ending. */
export interface Sentence {
  /** `$`, or `!` where the fields are packed bits. */
  readonly start: string;
  /** Who says it, as `GP`; `P` of a proprietary sentence. */
  readonly talker: string;
  /** What it says, as `GGA`. */
  readonly formatter: string;
  /** What stands between the commas behind the address. */
  readonly fields: readonly string[];
}

/** Ids of the channels: one for each formatter that is understood, and two for all others. */
export const CHANNELS = [
  ...["gga", "rmc", "vtg", "hdt", "gll", "zda", "mwv", "dbt", "dpt", "gsa", "gsv", "vdm", "vdo"],
  ...["proprietary", "other"],
] as const;
export const PROPRIETARY: number = CHANNELS.length - 2;
export const OTHER: number = CHANNELS.length - 1;

const POSITION = ["latitude", "north-south", "longitude", "east-west"] as const;
const REPORT = ["sentences", "number", "message-id", "radio-channel", "payload", "fill-bits"] as const;
const SATELLITES = Array.from({ length: 12 }, (_, i) => `satellite[${i}]`);

/** Names of the fields, by formatter; fields behind the last name are called by their number. */
export const FIELDS: Readonly<Record<string, readonly string[]>> = {
  GGA: [
    ...["time", ...POSITION, "quality", "satellites", "hdop", "altitude", "altitude-unit"],
    ...["separation", "separation-unit", "correction-age", "station"],
  ],
  RMC: [
    ...["time", "status", ...POSITION, "speed", "course", "date", "variation", "variation-direction"],
    ...["mode", "navigation-status"],
  ],
  VTG: ["course", "true", "magnetic-course", "magnetic", "speed", "knots", "speed-kmh", "kmh", "mode"],
  HDT: ["heading", "true"],
  GLL: [...POSITION, "time", "status", "mode"],
  ZDA: ["time", "day", "month", "year", "zone-hours", "zone-minutes"],
  MWV: ["angle", "reference", "speed", "unit", "status"],
  DBT: ["depth-feet", "feet", "depth", "metres", "depth-fathoms", "fathoms"],
  DPT: ["depth", "offset", "range"],
  GSA: ["mode", "fix", ...SATELLITES, "pdop", "hdop", "vdop"],
  GSV: ["sentences", "number", "in-view"],
  VDM: REPORT,
  VDO: REPORT,
  // What this package writes where no sentence says the time: see the README.
  SIMT: ["time", "day", "month", "year"],
};

const [DOLLAR, BANG, STAR, LF, CR] = [0x24, 0x21, 0x2a, 0x0a, 0x0d];
const ASCII = new TextDecoder("latin1");

/** Where the content of a line ends: before its line ending. */
export function contentEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && (bytes[at - 1] === LF || bytes[at - 1] === CR)) at--;
  return at;
}

/** What a line is: a sentence that is whole, text of other programs, or damage. */
export function judge(bytes: Uint8Array, start: number, end: number): "sentence" | "text" | "damage" {
  const until = contentEnd(bytes, start, end);
  for (let at = start; at < until; at++) {
    const byte = bytes[at]!;
    if ((byte < 0x20 && byte !== 0x09) || byte > 0x7e) return "damage";
  }
  const sum = sumAt(bytes, start, until);
  const isSentence = until > start && isStart(bytes[start]!);
  // A sentence that has lost its beginning still has its checksum.
  if (!isSentence) return sum === null ? "text" : "damage";
  if (sum !== null) return sum === sumOf(bytes, start + 1, until - 3) ? "sentence" : "damage";
  // Without a checksum only the line ending says that nothing is missing.
  const isWhole = until < end && !hasStar(bytes, start, until);
  return isWhole && /^[$!][A-Z][A-Z\d]{2,},/.test(ASCII.decode(bytes.subarray(start, until))) ? "sentence" : "damage";
}

/** The sentence of a line that `judge` calls one. */
export function readSentence(bytes: Uint8Array, start = 0, end: number = bytes.length): Sentence {
  const until = contentEnd(bytes, start, end);
  const last = sumAt(bytes, start, until) === null ? until : until - 3;
  const [address = "", ...fields] = ASCII.decode(bytes.subarray(start + 1, last)).split(",");
  const isOwn = address.startsWith("P");
  const split = isOwn ? 1 : Math.max(0, address.length - 3);
  return {
    start: String.fromCharCode(bytes[start]!),
    talker: address.slice(0, split),
    formatter: address.slice(split),
    fields,
  };
}

/** Id of the channel of a sentence. */
export function channelOf({ talker, formatter }: Sentence): number {
  if (talker === "P") return PROPRIETARY;
  const found = talker.length === 2 ? CHANNELS.indexOf(formatter.toLowerCase() as (typeof CHANNELS)[number]) : -1;
  return found >= 0 && found < PROPRIETARY ? found : OTHER;
}

/** A line: the sentence, its checksum, and a line ending. */
export function writeSentence({ start, talker, formatter, fields }: Sentence, ending = "\r\n"): Uint8Array {
  const body = [talker + formatter, ...fields].join(",");
  const bytes = new TextEncoder().encode(`${start}${body}*00${ending}`);
  const sum = sumOf(bytes, 1, 1 + body.length)
    .toString(16)
    .toUpperCase()
    .padStart(2, "0");
  bytes.set(new TextEncoder().encode(sum), 2 + body.length);
  return bytes;
}

/** The field of that name; "" if the sentence has no such field. */
export function fieldOf({ formatter, fields }: Sentence, name: string): string {
  return fields[FIELDS[formatter]?.indexOf(name) ?? -1] ?? "";
}

/** The number in a field; NaN if the field is empty or has no number. */
export function numberOf(sentence: Sentence, name: string): number {
  const text = fieldOf(sentence, name);
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
}

/** The checksum that a line ends with; null: it has none. */
function sumAt(bytes: Uint8Array, start: number, until: number): number | null {
  if (until - start < 4 || bytes[until - 3] !== STAR) return null;
  const text = String.fromCharCode(bytes[until - 2]!, bytes[until - 1]!);
  return /^[\dA-Fa-f]{2}$/.test(text) ? Number.parseInt(text, 16) : null;
}

function hasStar(bytes: Uint8Array, start: number, until: number): boolean {
  return bytes.subarray(start, until).includes(STAR);
}

function sumOf(bytes: Uint8Array, start: number, end: number): number {
  let sum = 0;
  for (let at = start; at < end; at++) sum ^= bytes[at]!;
  return sum;
}

/**
 * Where a sentence with a right checksum begins inside a line that is no whole sentence; -1: nowhere. It looks once at
 * each byte.
 */
export function sentenceWithin(bytes: Uint8Array, start: number, end: number): number {
  const until = contentEnd(bytes, start, end);
  const expected = sumAt(bytes, start, until);
  if (expected === null) return -1;
  let sum = 0;
  for (let at = until - 4; at > start; at--) {
    const byte = bytes[at]!;
    if (byte < 0x20 || byte > 0x7e) return -1;
    if (isStart(byte) && sum === expected) return at;
    sum ^= byte;
  }
  return -1;
}

function isStart(byte: number): boolean {
  return byte === DOLLAR || byte === BANG;
}

export { CR, LF };

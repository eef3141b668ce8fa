import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * A ticket lets one person open one recording once. As bytes, which docs/minecraft.md lists too: kind (1: for a UUID,
 * 2: for a name), seconds since 1970 until it is valid (u32, big-endian), 8 bytes of its own, 16 of the person, 16 of
 * the recording, 16 of the HMAC-SHA256 of all before them.
 */
export interface Ticket {
  /** Different for every ticket, as hex. */
  readonly id: string;
  /** The UUID with hyphens, or a name in any case of letters. */
  readonly person: string;
  /** The name that viewers use: its path in the store, without the ending of its format. */
  readonly recording: string;
  /** Seconds since 1970. */
  readonly until: number;
}

/** The person who shows a ticket. */
export interface Person {
  readonly uuid: string;
  readonly name: string;
}

/** A ticket that the key has signed, and that is for the person who shows it. */
export interface Valid {
  readonly id: string;
  readonly until: number;
  /** Whether it is for this recording. */
  isFor(recording: string): boolean;
}

/** Why a ticket is refused. */
export type Flaw = "malformed" | "forged" | "expired" | "foreign";

const [BYTES, SIGNED, PART] = [61, 45, 16];
const LETTERS = "abcdefghijklmnopqrstuvwxyz234567";
/** Two labels of a host name, of at most 63 letters each, in any case of letters. */
const TEXT = /st1([a-z2-7]{49})\.([a-z2-7]{49})(?![a-z2-7])/i;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** Makes a ticket as text: the beginning of a host name, or text to type. Throws `RangeError` for an invalid time. */
export function sign(key: Uint8Array, { person, recording, until }: Omit<Ticket, "id">): string {
  if (!Number.isInteger(until) || until < 0 || until > 0xffff_ffff) throw new RangeError(`until ${until}`);
  const bytes = Buffer.alloc(BYTES);
  const isUuid = UUID.test(person);
  bytes.writeUInt8(isUuid ? 1 : 2, 0);
  bytes.writeUInt32BE(until, 1);
  randomBytes(8).copy(bytes, 5);
  (isUuid ? Buffer.from(person.replaceAll("-", ""), "hex") : digestOf(person.toLowerCase())).copy(bytes, 13);
  digestOf(recording).copy(bytes, 29);
  signatureOf(key, bytes).copy(bytes, SIGNED);
  const text = lettersOf(bytes);
  return `st1${text.slice(0, 49)}.${text.slice(49)}`;
}

/** Finds the ticket in a host name, or in typed text; null: there is none. */
export function ticketIn(text: string): string | null {
  return TEXT.exec(text)?.[0].toLowerCase() ?? null;
}

/**
 * What a ticket allows a person at `now`, seconds since 1970; or why it is refused. This does not check whether the
 * ticket was used.
 */
export function verify(key: Uint8Array, text: string, { uuid, name }: Person, now: number): Valid | Flaw {
  const [, first, second] = TEXT.exec(text) ?? [];
  const bytes = first === undefined ? null : bytesOf((first + second).toLowerCase());
  if (bytes === null) return "malformed";
  if (!timingSafeEqual(signatureOf(key, bytes), bytes.subarray(SIGNED))) return "forged";
  const until = bytes.readUInt32BE(1);
  if (until < now) return "expired";
  const person = bytes[0] === 1 ? Buffer.from(uuid.replaceAll("-", ""), "hex") : digestOf(name.toLowerCase());
  if (!person.equals(bytes.subarray(13, 29))) return "foreign";
  const recording = bytes.subarray(29, SIGNED);
  return {
    id: bytes.toString("hex", 5, 13),
    until,
    isFor: (title) => digestOf(title).equals(recording),
  };
}

function signatureOf(key: Uint8Array, bytes: Buffer): Buffer {
  return createHmac("sha256", key).update(bytes.subarray(0, SIGNED)).digest().subarray(0, PART);
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest().subarray(0, PART);
}

/** Base32 of RFC 4648, without padding. */
function lettersOf(bytes: Uint8Array): string {
  let [text, held, bits] = ["", 0, 0];
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += LETTERS[(held >> (bits - 5)) & 31]!;
  }
  return bits === 0 ? text : text + LETTERS[(held << (5 - bits)) & 31]!;
}

/** Null: the text is not a result of `lettersOf`. */
function bytesOf(text: string): Buffer | null {
  const bytes = Buffer.alloc(BYTES);
  let [at, held, bits] = [0, 0, 0];
  for (const letter of text) {
    held = ((held << 5) | LETTERS.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (held >> bits) & 0xff;
  }
  return at === BYTES && lettersOf(bytes) === text ? bytes : null;
}

import { ByteBuilder } from "../../bytes/builder.ts";
import { writeModifiedUtf8 } from "../../bytes/modified-utf8.ts";
import type { SourceBundle } from "../../io/source/source.ts";
import { type Finding, RecordingError } from "../../model/error.ts";
import type { Recording } from "../../model/recording.ts";
import type { CheckVisitor } from "../check.ts";
import { mustBeSound } from "../sound.ts";
import type { Removed } from "./redact.ts";
import { textsOf } from "./texts.ts";

/** Bytes of a text below which they are among others by chance: it is looked for in decoded values, as a whole. */
const LEAST = 8;
/** Bytes that a pattern is looked up by. */
const KEY = 4;

/**
 * Reads back what an edit wrote, once for the check and for the search. Gives what is damaged in it as `mustBeSound`
 * does. Throws `RecordingError` when it holds anything that was taken out:
 * - messages of a channel in place of all that were taken out, because the format needs them for others;
 * - a payload, of 8 bytes or more, that no message which is kept has;
 * - a text that nothing in its messages says: in its files as they are and inflated, as UTF-8, UTF-16 and modified
 *   UTF-8, UUIDs also as their bytes; short ones among all texts that its messages and metadata decode to.
 */
export async function mustBeWithout(
  written: Recording,
  files: SourceBundle,
  beside: readonly Uint8Array[],
  { gone, payloads, messages: taken, made }: Omit<Removed, "said" | "again">,
  sources: readonly Recording[],
  /** How many messages of each channel are kept, by name. */
  kept: ReadonlyMap<string, number> = new Map(),
): Promise<readonly Finding[]> {
  const search = new Search(gone);
  const messages = new Map<string, number>();
  let last: Uint8Array | null = null;
  const stillSaid = new Set<string>();
  const visit: CheckVisitor = {
    batch: (batch) => {
      if (batch.bytes !== last) search.in(batch.bytes);
      last = batch.bytes;
      for (let i = 0; i < batch.length; i++) {
        const channel = written.channels[batch.channel[i]!]!;
        if (taken.has(channel.name)) messages.set(channel.name, (messages.get(channel.name) ?? 0) + 1);
        if (payloads.has(batch.bytes, batch.start[i]!, batch.end[i]!)) stillSaid.add(channel.name);
        if (search.hasShort) search.among(textsOf(channel, batch, i, "all"));
      }
    },
    records: (records) => {
      for (const { bytes } of records) search.in(bytes);
    },
  };
  const damage = await mustBeSound(written, sources, { visit });
  const { format } = written.info;
  for (const [name, count] of messages) {
    const more = count - (kept.get(name) ?? count);
    if (more < taken.get(name)! || made.has(name)) continue;
    throw new RecordingError(
      "unsupported",
      `${name} cannot be redacted alone: other messages need ${more} of its messages again at their times. Nothing was written. Redact all channels in the range (-c '*'), or cut the range out with trim and join`,
      { format },
    );
  }
  if (stillSaid.size > 0)
    throw new RecordingError(
      "malformed",
      `messages of ${[...stillSaid].join(", ")} would still have the redacted content: redact them, too. Nothing was written`,
      { format },
    );
  search.among(valuesOf(written.info.metadata));
  for (const name of [undefined, ...(written.reader.siblings ?? [])]) {
    const source = await files.open(name);
    for (let at = 0; source !== null; ) {
      const bytes = await source.read(at, PIECE);
      search.in(bytes);
      if (bytes.length < PIECE) break;
      at += PIECE - OVERLAP;
    }
    await source?.close();
  }
  for (const bytes of beside) search.in(bytes);
  const { found } = search;
  if (found.size === 0) return damage;
  await forgive(found, written);
  const [first] = found;
  if (first === undefined) return damage;
  throw new RecordingError(
    "malformed",
    `${found.size === 1 ? "a text" : `${found.size} texts`} of the redacted messages would still be in the result, so it was not written: ${JSON.stringify(first.slice(0, 40))}`,
    { format },
  );
}

const PIECE = 1 << 20;
/** Longer patterns are not looked for across pieces. */
const OVERLAP = 4096;

/** Takes out what is part of a text that a message says, or of the recording's own words. */
async function forgive(found: Set<string>, written: Recording): Promise<void> {
  const { reader, channels, info } = written;
  const words = [...channels.flatMap(({ name, schema }) => [name, schema.name]), ...keysOf(info.metadata)];
  const forgiven = (text: string): void => {
    for (const one of found) if (text.includes(one)) found.delete(one);
  };
  for (const word of words) forgiven(word);
  for await (const batch of reader.batches({})) {
    if (found.size === 0) return;
    for (let i = 0; i < batch.length; i++)
      for (const text of textsOf(channels[batch.channel[i]!]!, batch, i)) forgiven(text);
  }
}

function valuesOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  return Object.values(value).flatMap(valuesOf);
}

function keysOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => [...(Array.isArray(value) ? [] : [key]), ...keysOf(item)]);
}

/** Looks for many patterns at once. A million of them take some tens of bytes each. */
class Search {
  readonly found = new Set<string>();
  readonly #short = new Set<string>();
  /** Those that have patterns. */
  readonly #texts: string[] = [];
  /** The bytes of all patterns, one behind the other. */
  readonly #bytes: Uint8Array;
  /** By pattern: where its bytes end, and the place of its text. */
  readonly #ends: Uint32Array;
  readonly #textOf: Uint32Array;
  /** By a hash of the first bytes: 1 + a pattern that begins so, 0 for none; by pattern: the next of the same hash. */
  readonly #first: Uint32Array;
  readonly #next: Uint32Array;
  /** By the first two bytes: whether any pattern begins so. */
  readonly #begins = new Uint8Array(1 << 16);

  constructor(texts: ReadonlySet<string>) {
    const bytes = new ByteBuilder();
    const ends: number[] = [];
    const textOf: number[] = [];
    for (const text of texts) {
      const forms = formsOf(text);
      if (forms[0]!.length < LEAST) {
        this.#short.add(text);
        continue;
      }
      for (const form of forms) {
        bytes.raw(form);
        ends.push(bytes.length);
        textOf.push(this.#texts.length);
        this.#begins[(form[0]! << 8) | form[1]!] = 1;
      }
      this.#texts.push(text);
    }
    this.#bytes = bytes.take();
    this.#ends = Uint32Array.from(ends);
    this.#textOf = Uint32Array.from(textOf);
    this.#next = new Uint32Array(ends.length);
    this.#first = new Uint32Array(2 ** Math.ceil(Math.log2(ends.length + 1)));
    for (let pattern = 0; pattern < ends.length; pattern++) {
      const slot = this.#slotOf(this.#bytes, this.#startOf(pattern));
      this.#next[pattern] = this.#first[slot]!;
      this.#first[slot] = pattern + 1;
    }
  }

  get hasShort(): boolean {
    return this.#short.size > 0;
  }

  /** Takes short texts for found that are one of these. */
  among(texts: Iterable<string>): void {
    for (const text of texts) if (this.#short.has(text)) this.found.add(text);
  }

  in(bytes: Uint8Array): void {
    if (this.#texts.length === 0) return;
    const last = bytes.length - KEY;
    for (let at = 0; at <= last; at++) {
      if (this.#begins[(bytes[at]! << 8) | bytes[at + 1]!] === 0) continue;
      for (let next = this.#first[this.#slotOf(bytes, at)]!; next !== 0; next = this.#next[next - 1]!)
        if (this.#isAt(next - 1, bytes, at)) this.found.add(this.#texts[this.#textOf[next - 1]!]!);
    }
  }

  #startOf(pattern: number): number {
    return pattern === 0 ? 0 : this.#ends[pattern - 1]!;
  }

  #slotOf(bytes: Uint8Array, at: number): number {
    const hash = Math.imul(keyAt(bytes, at), 0x9e3779b1);
    return (hash ^ (hash >>> 15)) & (this.#first.length - 1);
  }

  #isAt(pattern: number, bytes: Uint8Array, at: number): boolean {
    const from = this.#startOf(pattern);
    const length = this.#ends[pattern]! - from;
    if (at + length > bytes.length) return false;
    for (let k = 0; k < length; k++) if (bytes[at + k] !== this.#bytes[from + k]) return false;
    return true;
  }
}

function keyAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The bytes that a text may stand in a file as. */
function formsOf(text: string): Uint8Array[] {
  const forms = [new TextEncoder().encode(text), units(text, true), units(text, false)];
  // values of bytes are kept as one character for each; NUL is C0 80 in modified UTF-8, the rest of it needs pairs
  if (/^[\0-\xff]*$/.test(text) && /[\x80-\xff]/.test(text))
    forms.push(Uint8Array.from(text, (character) => character.charCodeAt(0)));
  if (/[\0\u{10000}-\u{10ffff}]/u.test(text)) forms.push(modified(text));
  const escaped = JSON.stringify(text).slice(1, -1);
  if (escaped !== text) forms.push(new TextEncoder().encode(escaped));
  if (UUID.test(text)) {
    const digits = text.replaceAll("-", "");
    forms.push(new TextEncoder().encode(digits));
    forms.push(Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16)));
  }
  return forms;
}

function units(text: string, isLittle: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), isLittle);
  return new Uint8Array(view.buffer);
}

function modified(text: string): Uint8Array {
  const builder = new ByteBuilder();
  writeModifiedUtf8(builder, text);
  return builder.take();
}

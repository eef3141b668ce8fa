import type { ByteBuilder } from "../../../bytes/builder.ts";
import type { ByteCursor } from "../../../bytes/cursor.ts";

const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const UTF8 = new TextEncoder();
/** With the `u` flag this finds only surrogates that stand alone. */
const ESCAPED = /[\udc80-\udcff]/u;

/**
 * A string of the tape, spec §2.7: raw bytes, UTF-8 as a rule. A byte that is not UTF-8 becomes the lone surrogate
 * U+DC00 + byte, so that nothing is lost and different bytes are different strings.
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return STRICT.decode(bytes);
  } catch {
    return decodeEscaped(bytes);
  }
}

/** The bytes that `decodeText` made `text` of. */
export function encodeText(text: string): Uint8Array {
  if (!ESCAPED.test(text)) return UTF8.encode(text);
  const parts: number[] = [];
  for (const character of text) {
    if (ESCAPED.test(character)) parts.push(character.charCodeAt(0) - 0xdc00);
    else parts.push(...UTF8.encode(character));
  }
  return Uint8Array.from(parts);
}

export function readText(cursor: ByteCursor, length: number): string {
  return decodeText(cursor.view(length));
}

/** Length in four bytes, then the text, spec §2.7. */
export function writeText(builder: ByteBuilder, text: string, isLittle: boolean): void {
  const bytes = encodeText(text);
  if (isLittle) builder.u32le(bytes.length);
  else builder.u32be(bytes.length);
  builder.raw(bytes);
}

/** Whether a name may stand there: no control characters. */
export function isPrintable(bytes: Uint8Array, start: number, length: number): boolean {
  for (let i = start; i < start + length; i++) {
    const byte = bytes[i]!;
    if (byte < 0x20 || byte === 0x7f) return false;
  }
  return true;
}

/** Runs of at least four printable characters, each once, as far as `limit` characters: what a reader can tell of opaque bytes. */
export function printableRuns(bytes: Uint8Array, limit: number): string[] {
  const runs = new Set<string>();
  let length = 0;
  let start = 0;
  for (let i = 0; i <= bytes.length && length < limit; i++) {
    const byte = i < bytes.length ? bytes[i]! : 0;
    if (byte >= 0x20 && byte < 0x7f) continue;
    if (i - start >= 4) {
      const run = String.fromCharCode(...bytes.subarray(start, Math.min(i, start + limit)));
      if (!runs.has(run)) {
        const kept = run.slice(0, limit - length);
        runs.add(kept);
        length += kept.length;
      }
    }
    start = i + 1;
  }
  return [...runs];
}

function decodeEscaped(bytes: Uint8Array): string {
  let text = "";
  let at = 0;
  while (at < bytes.length) {
    const taken = sequenceAt(bytes, at);
    if (taken === null) text += String.fromCharCode(0xdc00 + bytes[at]!);
    else text += taken;
    at += taken === null ? 1 : UTF8.encode(taken).length;
  }
  return text;
}

/** The character that begins at `at`, or null. */
function sequenceAt(bytes: Uint8Array, at: number): string | null {
  const lead = bytes[at]!;
  const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + length > bytes.length) return null;
  try {
    return STRICT.decode(bytes.subarray(at, at + length));
  } catch {
    return null;
  }
}

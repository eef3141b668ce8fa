import type { ByteBuilder } from "./builder.ts";
import { LayoutError } from "./error.ts";

/**
 * Java's modified UTF-8: NUL is `C0 80`, a character beyond the BMP is two surrogates of three bytes each.
 * Lone surrogates pass both ways. Four-byte forms and broken sequences are malformed.
 */
export function decodeModifiedUtf8(bytes: Uint8Array, origin = 0): string {
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let i = 0; i < bytes.length; ) {
    const a = bytes[i]!;
    if (a < 0x80) {
      units[count++] = a;
      i += 1;
    } else if ((a & 0xe0) === 0xc0) {
      units[count++] = ((a & 0x1f) << 6) | continuation(bytes, i + 1, origin);
      i += 2;
    } else if ((a & 0xf0) === 0xe0) {
      units[count++] =
        ((a & 0x0f) << 12) | (continuation(bytes, i + 1, origin) << 6) | continuation(bytes, i + 2, origin);
      i += 3;
    } else {
      throw new LayoutError("malformed", "text is not modified UTF-8", origin + i);
    }
  }
  let text = "";
  for (let i = 0; i < count; i += 8192) text += String.fromCharCode(...units.subarray(i, Math.min(count, i + 8192)));
  return text;
}

export function writeModifiedUtf8(builder: ByteBuilder, text: string): void {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0 && unit < 0x80) builder.u8(unit);
    else if (unit < 0x800) builder.u8(0xc0 | (unit >> 6)).u8(0x80 | (unit & 0x3f));
    else
      builder
        .u8(0xe0 | (unit >> 12))
        .u8(0x80 | ((unit >> 6) & 0x3f))
        .u8(0x80 | (unit & 0x3f));
  }
}

function continuation(bytes: Uint8Array, at: number, origin: number): number {
  const byte = bytes[at];
  if (byte === undefined || (byte & 0xc0) !== 0x80) {
    throw new LayoutError("malformed", "text is not modified UTF-8", origin + at);
  }
  return byte & 0x3f;
}

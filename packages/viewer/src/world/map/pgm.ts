/** A picture of one channel. */
export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  /** 0 black to 255 white, row by row from the top. */
  readonly greys: Uint8Array;
}

/** Pixels at most. */
export const MOST_PIXELS = 64 << 20;

/**
 * A portable grey map, binary (P5) or as text (P2), of up to 16 bits. Source: netpbm.sourceforge.net/doc/pgm.html. Throws
 * `Error`, in words, for what is none.
 */
export function readPgm(bytes: Uint8Array): GreyPicture {
  const text = new TextDecoder("latin1");
  const kind = text.decode(bytes.subarray(0, 2));
  if (kind !== "P5" && kind !== "P2") throw new Error(`it is no PGM: it begins with ${JSON.stringify(kind)}`);
  let at = 2;
  const next = (): number => {
    for (; at < bytes.length; at++) {
      if (bytes[at] === HASH) while (at < bytes.length && bytes[at] !== NEWLINE) at++;
      else if (!isSpace(bytes[at]!)) break;
    }
    const from = at;
    while (at < bytes.length && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
    if (from === at || at - from > 9) throw new Error(`it has no number at byte ${from}`);
    return Number(text.decode(bytes.subarray(from, at)));
  };
  const [width, height, most] = [next(), next(), next()];
  if (width < 1 || height < 1 || width * height > MOST_PIXELS)
    throw new Error(`${width} × ${height} pixels: 1 to ${MOST_PIXELS.toLocaleString("en")} are read`);
  if (most < 1 || most > 65_535) throw new Error(`its white is ${most}: 1 to 65535 are read`);
  const greys = new Uint8Array(width * height);
  const scaled = (value: number): number => Math.round((255 * Math.min(value, most)) / most);
  if (kind === "P2") {
    for (let i = 0; i < greys.length; i++) greys[i] = scaled(next());
    return { width, height, greys };
  }
  // one blank stands before the pixels
  at++;
  const size = most > 255 ? 2 : 1;
  if (bytes.length - at < size * greys.length)
    throw new Error(
      `it is cut: ${size * greys.length} bytes of pixels are wanted, ${Math.max(0, bytes.length - at)} are there`,
    );
  for (let i = 0; i < greys.length; i++)
    greys[i] = scaled(size === 1 ? bytes[at + i]! : (bytes[at + 2 * i]! << 8) | bytes[at + 2 * i + 1]!);
  return { width, height, greys };
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

const [HASH, NEWLINE, ZERO, NINE] = [0x23, 0x0a, 0x30, 0x39];

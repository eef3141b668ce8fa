/** One row of an `apt.dat`. */
export interface Row {
  /** Of the line in the file, from 1 on. */
  readonly line: number;
  /** What kind of row it is; NaN: it begins with no number. */
  readonly code: number;
  readonly text: string;
}

/** Bytes of a row at most; what is longer is cut. */
const LONGEST = 4096;
const [NEWLINE, BLANK, TAB, ZERO, NINE] = [0x0a, 0x20, 0x09, 0x30, 0x39];

/** The first two rows of a text that comes in pieces, and those of the wanted codes; nothing of the others is kept. */
export async function* rowsOf(
  pieces: AsyncIterable<Uint8Array>,
  wanted: ReadonlySet<number>,
): AsyncGenerator<Row, void, undefined> {
  const text = new TextDecoder();
  let line = 0;
  /** Of the row that the next piece goes on with. */
  let begun: Uint8Array = new Uint8Array(0);
  const rowOf = (bytes: Uint8Array): Row | null => {
    line++;
    const code = codeOf(bytes);
    return line > 2 && !wanted.has(code) ? null : { line, code, text: text.decode(bytes).trim() };
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; from = end + 1, end = piece.indexOf(NEWLINE, from)) {
      const row = rowOf(begun.length === 0 ? piece.subarray(from, end) : joined(begun, piece.subarray(from, end)));
      begun = begun.subarray(0, 0);
      if (row !== null) yield row;
    }
    if (begun.length < LONGEST) begun = joined(begun, piece.subarray(from));
  }
  const last = begun.length === 0 ? null : rowOf(begun);
  if (last !== null) yield last;
}

function codeOf(bytes: Uint8Array): number {
  let at = 0;
  while (bytes[at] === BLANK || bytes[at] === TAB) at++;
  const from = at;
  let code = 0;
  for (; at - from < 4 && bytes[at]! >= ZERO && bytes[at]! <= NINE; at++) code = 10 * code + bytes[at]! - ZERO;
  return at === from || bytes[at]! > BLANK ? Number.NaN : code;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.min(LONGEST, a.length + b.length));
  bytes.set(a);
  bytes.set(b.subarray(0, bytes.length - a.length), a.length);
  return bytes;
}
